"""Read Lua's interpreters and compilers: `lua: FILE:LINE: text` with its traceback (lua 5.1 to 5.4, luajit, luac)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.lua_errors import place

HEAD = re.compile(r"(?P<program>lua[\d.]*|luac[\d.]*|luajit|texlua|tarantool|LuaTeX): (?P<message>\S.*)$")


def parse(log: Log, _context: Context) -> Reading:
    """Read what ended a Lua program or kept it from being compiled."""
    reading = Reading()
    for index, line in enumerate(log.lines):
        if not line.startswith(("lua", "tex", "tar", "Lua")) or not (match := HEAD.match(line)):
            continue
        end = index + 1
        while end < len(log.lines) and log.lines[end].startswith(("\t", "stack traceback:")):
            end += 1
        file, at, text = place(match["message"], log.lines[index + 1 : end], None)
        if at is None and end == index + 1 and not text.startswith(("cannot open", "cannot", "unrecognized option")):
            continue
        detail = "\n".join(log.lines[index + 1 : end])
        reading.add(
            Diagnostic(message=text, detail=detail, file=file, line=at, tool="lua", log=log.span(index, end - 1))
        )
        reading.claim(index, end)
        reading.outcome = "failed" if at is not None else "error"
    return reading
