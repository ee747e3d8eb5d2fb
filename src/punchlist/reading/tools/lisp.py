"""Read SBCL (1.4 to 2.5): conditions its compiler caught, and the one nobody handled."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with

FILE = re.compile(r"; file: (?P<file>\S.*)$")
CAUGHT = re.compile(r"; caught (?P<kind>(?:\w+-)*(?:WARNING|ERROR)):$")
SAID = re.compile(r";   (?P<text>.*)$")
UNHANDLED = re.compile(r"Unhandled (?P<kind>[A-Z][\w:-]*) in thread ")
WHERE = re.compile(r"\(in form starting at line: (?P<line>\d+), column: (?P<column>\d+)")
STREAM = re.compile(r"for \"file (?P<file>[^\"]+)\"")
LOOK = 30


def parse(log: Log, context: Context) -> Reading:
    """Read conditions with the file that the compiler named last, and what ended the program."""
    reading = Reading()
    file = None
    for index in lines_with(log, "; file: ", "; caught "):
        if match := FILE.match(log.lines[index]):
            file = match["file"]
        elif match := CAUGHT.match(log.lines[index]):
            end = index + 1
            while end < len(log.lines) and SAID.match(log.lines[end]):
                end += 1
            said = [text.removeprefix(";").strip() for text in log.lines[index + 1 : end]]
            reading.add(
                Diagnostic(
                    message=said[0] if said else match["kind"],
                    severity="error" if match["kind"].endswith("ERROR") else "warning",
                    detail="\n".join(said[1:]),
                    file=file,
                    rule=match["kind"],
                    tool="sbcl",
                    log=log.span(index, end - 1),
                )
            )
            reading.claim(index, end)
    for index in lines_with(log, "Unhandled "):
        if context.exit_code != 0 and (match := UNHANDLED.match(log.lines[index])):
            _unhandled(match, log, index, reading)
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


def _unhandled(match: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    start = index + 1
    if not log.lines[index].endswith(":"):
        start = next((i + 1 for i in range(start, min(len(log.lines), index + 4)) if log.lines[i].endswith(":")), start)
    end = start
    while end < min(len(log.lines), start + LOOK) and not log.lines[end].startswith(("Backtrace for", "0: ")):
        end += 1
    said = [text.strip() for text in log.lines[start:end] if text.strip()]
    text = "\n".join(said)
    where, stream = WHERE.search(text), STREAM.search(text)
    reading.add(
        Diagnostic(
            message=said[0] if said else match["kind"],
            detail="\n".join(said[1:]),
            file=stream["file"] if stream else None,
            line=number(where["line"]) if where and stream else None,
            rule=match["kind"],
            tool="sbcl",
            log=log.span(index, max(index, end - 1)),
        )
    )
    reading.claim(index, end)
