"""rollup 1 to 4: one `[!]` error with its place and frame, and `(!)` warnings."""

import re
from itertools import pairwise

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

ERROR = re.compile(r"\[!\] (?P<text>\S.*)$")
WARNING = re.compile(r"\(!\) (?P<text>\S.*)$")
NAMES = re.compile(r"(?:\(plugin [^)]+\) |\[plugin [^\]]+\] |(?:\w+Error|Error)(?: \[\w+\])?: |\[!\] )")
PLACED = re.compile(r"(?P<file>[^\s:][^:]*?) \((?P<line>\d+):(?P<column>\d+)\): (?P<message>.+)$")
PLACE = re.compile(r"(?P<file>\S.*?):? \((?P<line>\d+):(?P<column>\d+)\)$")
BARE_PLACE = re.compile(r"(?P<file>(?:[\w.@~-]+[\\/])*[\w.@~-]+\.\w+)$|\"(?P<quoted>[^\"]+\.\w+)\"$")
IMPORTER = re.compile(r"(?:imported by|from) \"?(?P<file>[^\s\"]+\.\w+)\"?")
TYPESCRIPT = re.compile(r"(?:Plugin typescript: )?@rollup/plugin-typescript:? (?P<rule>TS\d+): (?P<message>.+)$")
FRAME = re.compile(r"\d+: |\s*\^$|\s*\d* ?\| ")
STACK = re.compile(r"\s+at ")
ARROW = re.compile(r"\S.* → \S.*\.\.\.$")
CREATED = re.compile(r"created \S.* in \S+$")
URL = re.compile(r"(?:https?|file)://\S+$")
SETUP = re.compile(
    r"Could not resolve entry module|Cannot find (?:module|package)|Config file|You must (?:supply|specify)"
)
CONFIG_MODULE = re.compile(r"file://(?P<file>\S+)$")


def parse(log: Log, _context: Context) -> Reading:
    """Read the error that ended the build, the warnings before it, and its progress lines."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("[!] ") and (error := ERROR.match(log.whole(index))):
            index = _error(error["text"], log, index, reading)
            continue
        if line.startswith("(!) ") and (warning := WARNING.match(log.whole(index))):
            index = _warning(warning["text"], log, index, reading)
            continue
        if ARROW.match(line) or CREATED.match(line):
            reading.claim(index)
            if line.startswith("created ") and reading.outcome is None:
                reading.outcome = "passed"
        index += 1
    return reading


def _error(text: str, log: Log, index: int, reading: Reading) -> int:
    message = _bare(text)
    placed = PLACED.match(message)
    file, line, column, rule = None, None, None, None
    if placed:
        file, line, column = placed["file"], int(placed["line"]), int(placed["column"])
        message = placed["message"]
    end, detail, below = _below(log, index)
    if not placed and below:
        file = below["file"] if "file" in below.groupdict() else None
        if "line" in below.groupdict():
            line, column = int(below["line"]), int(below["column"])
    if coded := TYPESCRIPT.match(message):
        rule, message = coded["rule"], coded["message"]
    reading.outcome = "error" if SETUP.search(message) else "failed"
    reading.add(
        Diagnostic(
            message=message.strip(),
            detail="\n".join(detail[:40]),
            file=file,
            line=line or None,
            column=column or None,
            rule=rule,
            log=log.span(index),
        )
    )
    reading.claim(index, end)
    return end


def _bare(text: str) -> str:
    """The message without the names of errors and plugins before it."""
    while match := NAMES.match(text):
        text = text[match.end() :]
    return text


def _below(log: Log, index: int) -> tuple[int, list[str], re.Match[str] | None]:
    """Read on to the end of the error's stack: where it ends, the lines but the stack, and its place."""
    end = index + 1
    detail: list[str] = []
    place: re.Match[str] | None = None
    blank = 0
    while end < len(log.lines) and end - index < 150:
        line = log.lines[end]
        if line.startswith(("[!] ", "(!) ")) or CREATED.match(line):
            break
        blank = blank + 1 if not line else 0
        if blank > 1 or (log.numbers[end] < 0) != (log.numbers[index] < 0):
            break
        if STACK.match(line) or URL.match(line) or line.lstrip().startswith("[cause]"):
            end += 1
            continue
        place = place or PLACE.match(line) or (BARE_PLACE.match(line) if end - index < 4 else None)
        detail.append(line)
        end += 1
    while detail and not detail[-1]:
        detail.pop()
    return end, detail, place


def _warning(text: str, log: Log, index: int, reading: Reading) -> int:
    """Add a warning; what stands below it up to the next mark is its detail, the first place there its place."""
    end = index + 1
    place: re.Match[str] | None = None
    detail: list[str] = []
    while end < len(log.lines) and log.lines[end]:
        line = log.lines[end]
        if line.startswith(("(!) ", "[!] ")) or CREATED.match(line) or ARROW.match(line):
            break
        place = place or PLACE.match(line) or BARE_PLACE.match(line)
        if not URL.match(line):
            detail.append(line)
        end += 1
    parts = place.groupdict() if place else {}
    if parts.get("file") and not parts.get("line"):
        parts["line"] = _framed_line(detail)
    coded = TYPESCRIPT.match(text)
    reading.add(
        Diagnostic(
            message=coded["message"] if coded else text.strip(),
            severity="warning",
            detail="\n".join(detail[:40]),
            file=parts.get("file") or parts.get("quoted"),
            line=int(parts["line"]) or None if parts.get("line") else None,
            column=int(parts["column"]) or None if parts.get("column") else None,
            rule=coded["rule"] if coded else None,
            log=log.span(index),
        )
    )
    reading.claim(index, end)
    return end


def _framed_line(detail: list[str]) -> str | None:
    """The number of the source line that a caret stands under."""
    for above, line in pairwise(detail):
        if re.match(r" +\^$", line) and (numbered := re.match(r"(\d+): ", above)):
            return numbered[1]
    return None
