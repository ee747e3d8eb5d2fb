"""Read Groovy (2 to 4): what its compiler says, and what a script died of."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import jvm_trace

COMPILED = re.compile(
    r"(?:file:)?(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.(?:groovy|gvy|gradle)): (?P<line>\d+): (?P<message>.*)$"
)
AT = re.compile(r"(?P<text>.*?) ?@ line (?P<line>\d+), column (?P<column>\d+)\.$")
CAUGHT = re.compile(r"Caught: (?P<text>.*)$")
ERRORS = re.compile(r"(?P<errors>\d+) errors?$")
MOST = 30
LOOK = 300


def parse(log: Log, context: Context) -> Reading:
    """Read compiler messages with their excerpt, and the exception that ended a script."""
    reading = Reading()
    done = 0
    for index in lines_with(log, ".groovy: ", ".gvy: ", ".gradle: ", "Caught: "):
        if index < done:
            continue
        if match := COMPILED.match(log.lines[index]):
            done = _compiled(match, log, index, reading)
        elif context.exit_code != 0 and (match := CAUGHT.match(log.lines[index])):
            done = _caught(match, log, index, reading)
    for index in lines_with(log, " error"):
        if reading.diagnostics and (match := ERRORS.match(log.lines[index])):
            reading.counts["errors"] = reading.counts.get("errors", 0) + int(match["errors"])
            reading.claim(index)
    if reading.diagnostics:
        reading.outcome = "failed"
    return reading


def _compiled(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """The message goes on until ` @ line L, column C.`, an excerpt with a caret below that."""
    at, end = index, index + 1
    place = AT.match(match["message"])
    while place is None and end < min(len(log.lines), index + 12) and not COMPILED.match(log.lines[end]):
        place = AT.match(log.lines[end])
        at, end = end, end + 1
    if place is None:
        return index + 1
    said = [match["message"], *log.lines[index + 1 : at], place["text"]] if at > index else [place["text"]]
    while end < len(log.lines) and log.lines[end].startswith(" "):
        end += 1
    reading.add(
        Diagnostic(
            message=said[0].strip(),
            detail="\n".join([*(text for text in said[1:] if text), *log.lines[at + 1 : end]]),
            file=match["file"],
            line=int(place["line"]),
            column=int(place["column"]),
            tool="groovy",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _caught(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """`Caught: X`, its text, the same once more, then the trace."""
    first = next((i for i in range(index, min(len(log.lines), index + LOOK)) if log.lines[i].startswith("\tat ")), None)
    if first is None:
        return index + 1
    end = first
    while end < len(log.lines) and jvm_trace.is_trace_line(log.lines[end]):
        end += 1
    head = [log.whole(i) for i in range(index, first)]
    again = next((at for at in range(1, len(head)) if head[at] == match["text"]), len(head))
    body = [match["text"], *head[1:again]]
    trace = jvm_trace.read([*body, *(log.whole(i) for i in range(first, end))])
    own = jvm_trace.own_frame(trace.frames)
    message = trace.message
    if message.startswith("Assertion failed") and (said := next((t for t in body[1:] if t.strip()), "")):
        message = f"{message} {said.strip()}"
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(line for line in [*body[1:], *trace.detail] if line)[:4000],
            file=own.path if own else None,
            line=own.line if own else None,
            tool="groovy",
            derived=own is not None and own.path != own.file,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end
