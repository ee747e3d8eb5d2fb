"""Read uv (0.1 to 0.13): resolution, builds, lock files, projects; both styles of its chains of causes."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import filled, lines_with
from punchlist.reading.tools.build_output import causes
from punchlist.reading.tools.usage import read_usage

ERROR = re.compile(r"error: (?P<message>.+)")
CROSS = re.compile(r" *× (?P<message>.+)")
CAUSE = re.compile(r" +(?:Caused by|cause): (?P<message>.+)")
BRANCH = re.compile(r" +[├╰]─▶ (?P<message>.+)")
WARNING = re.compile(r"warning: (?P<message>.+)")
HINT = re.compile(r"\s*(?:hint: |help: |\[stdout\]|\[stderr\])")
LEAD = re.compile(r"^[ │]+")
INCOMPATIBLE = re.compile(r"(?P<message>The package `(?P<package>[^`]+)` .+)")
CHECKED = re.compile(
    r"(?:All installed packages are compatible|Resolved \d+ packages?|Audited \d+|Installed \d+|Checked \d+ packages?)"
)
PLACE = re.compile(r"TOML parse error at line (?P<line>\d+), column (?P<column>\d+)")
FILE = re.compile(r"(?:Failed to parse|Failed to read|failed to open file)(?: metadata for)?:? `(?P<file>[^`]+)`")
MOST = 60
NEEDLES = (
    "error",
    "×",
    "warning: ",
    "The package ",
    "compatible",
    "Resolved ",
    "Audited ",
    "Installed ",
    "Checked ",
)


def parse(log: Log, context: Context) -> Reading:
    """Read uv's errors with the deepest cause as the message."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "uv"
    if named and read_usage(log, reading, "uv"):
        return reading
    if not lines_with(log, *NEEDLES):
        return reading
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if (match := ERROR.match(line)) or (match := CROSS.match(line)):
            index = _error(log, index, match, context, reading)
            continue
        if named and (match := WARNING.match(line)):
            reading.add(Diagnostic(message=match["message"], severity="warning", tool="uv", log=log.span(index)))
            reading.claim(index)
        elif match := INCOMPATIBLE.match(line):
            reading.add(Diagnostic(message=match["message"], package=match["package"], tool="uv", log=log.span(index)))
            reading.outcome = "failed"
            reading.claim(index)
        elif named and CHECKED.match(line):
            reading.claim(index)
        index += 1
    return reading


def _error(log: Log, index: int, match: re.Match[str], context: Context, reading: Reading) -> int:
    end = _end(log, index)
    found = causes(log.lines, index + 1, end, context.root)
    whole = "\n".join(log.lines[index:end])
    if found and "TOML parse error" not in whole:
        for cause in found:
            reading.add(
                Diagnostic(
                    message=cause.message.strip(),
                    detail="\n".join(line for line in log.lines[index : min(cause.at, index + MOST)] if line.strip()),
                    file=cause.file,
                    line=cause.line,
                    column=cause.column,
                    tool="uv",
                    log=log.span(cause.at, cause.end - 1),
                )
            )
    else:
        first, last, message = _deepest(log, index, end, match["message"])
        file, place = FILE.search(whole), PLACE.search(whole)
        rest = [line for line in log.lines[index:end] if line.strip()][:MOST]
        reading.add(
            Diagnostic(
                message=message,
                detail="\n".join(rest) if len(rest) > 1 else "",
                file=file["file"] if file else None,
                line=int(place["line"]) if place and file else None,
                column=int(place["column"]) if place and file else None,
                tool="uv",
                log=log.span(first, last - 1),
            )
        )
    reading.claim(index, end)
    reading.outcome = reading.outcome or "failed"
    return end


def _end(log: Log, index: int) -> int:
    """An error goes on over indented lines and blank ones between them."""
    end = index + 1
    while end < len(log.lines) and (log.numbers[end] < 0) == (log.numbers[index] < 0):
        line = log.lines[end]
        if line and line[0] not in " │" and not HINT.match(line):
            break
        if line and CROSS.match(line):
            break
        end += 1
    return filled(log.lines, index + 1, end)


def _deepest(log: Log, index: int, end: int, message: str) -> tuple[int, int, str]:
    """The last cause of the chain, its wrapped lines joined: (first line, one past its last, text)."""
    first = index
    for at in range(index + 1, end):
        line = log.lines[at]
        if (cause := CAUSE.match(line) or BRANCH.match(line)) and not HINT.match(cause["message"]):
            first, message = at, cause["message"]
    last = first + 1
    parts = [message]
    while last < end and log.lines[last].strip() and not HINT.match(LEAD.sub("", log.lines[last])):
        if CAUSE.match(log.lines[last]) or BRANCH.match(log.lines[last]) or "|" in log.lines[last][:12]:
            break
        parts.append(LEAD.sub("", log.lines[last]).strip())
        last += 1
    return first, last, " ".join(parts)
