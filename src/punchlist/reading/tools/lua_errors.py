"""Places in Lua's messages: `file.lua:LINE: text`, long paths cut at the front, frames of a traceback."""

import re

PLACED = re.compile(r"(?P<file>(?:[A-Za-z]:)?(?:\.\.\.|\./)?[^\s:(\[\"][^:\n]*?):(?P<line>\d+): (?P<message>.*)$")
FRAME = re.compile(r"\s+(?P<file>[^\s:\[(][^:]*\.(?:lua|moon|fnl)):(?P<line>\d+): in ")
FOREIGN = re.compile(r"/share/lua/|/(?:\.luarocks|lua_modules|luarocks)/|(?:^|/)(?:busted|luassert)/|^\.\.\.")


def place(message: str, trace: list[str], near: str | None) -> tuple[str | None, int | None, str]:
    """Return file, line and text of a message; a cut path is completed by `near`, a foreign one by the traceback."""
    match = PLACED.match(message)
    if not match:
        return None, None, message
    file, line = match["file"], int(match["line"])
    if file.startswith("...") and near and near.endswith(file[3:]):
        file = near
    if FOREIGN.search(file):
        own = next((f for text in trace if (f := FRAME.match(text)) and not FOREIGN.search(f["file"])), None)
        if own:
            return own["file"], int(own["line"]), match["message"]
        return None, None, match["message"]
    return file.removeprefix("./"), line, match["message"]
