"""Read SWI-Prolog (8, 9): messages with a place, PlUnit's failed tests, goals that failed or raised."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

HEAD = re.compile(
    r"(?P<word>ERROR|Warning): +(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:pl|pro|plt|prolog|qlf)):(?P<line>\d+)"
    r"(?::(?P<column>\d+))?:(?: (?P<message>\S.*))?$"
)
MORE = re.compile(r"(?:ERROR|Warning):   +(?P<text>\S.*)$|\t(?P<tab>\S.*)$")
TEST = re.compile(r"(?:\[\[ )?[Tt]est (?P<name>[\w:]+(?:\([^)]*\))?): (?P<said>.*?)(?: \]\])?$")
GOAL = re.compile(r"ERROR: (?P<message>-g .+)$")
TOTALS = re.compile(r"% (?:All )?(?P<number>\d+) tests? (?P<word>passed|failed)|\*\*FAILED |% All tests passed")
MOST = 40


def parse(log: Log, context: Context) -> Reading:
    """Read every message with the lines that belong to it; what a goal said only where nothing else is an error."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if match := HEAD.match(line):
            end = _message(match, log, index, reading)
        elif match := GOAL.match(line):
            reading.weak.append(Diagnostic(message=match["message"], tool="swipl", log=log.span(index)))
            reading.claim(index)
        elif match := TOTALS.match(line):
            if match["word"]:
                reading.counts[match["word"]] = int(match["number"])
            reading.claim(index)
        index = end
    errors = any(d.severity == "error" for d in reading.diagnostics)
    if errors or reading.counts.get("failed") or (reading.weak and context.exit_code != 0):
        reading.outcome = "failed"
    elif reading.counts.get("passed"):
        reading.outcome = "passed"
    return reading


def _message(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    body: list[str] = []
    while end < len(log.lines) and (more := MORE.match(log.lines[end])):
        body.append(more["text"] or more["tab"])
        end += 1
    said = match["message"] or (body.pop(0) if body else "")
    if not said:
        return index + 1
    test = TEST.match(said)
    reading.add(
        Diagnostic(
            message=test["said"] if test else said,
            severity="error" if match["word"] == "ERROR" else "warning",
            detail="\n".join(body[:MOST]),
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            test=test["name"] if test else None,
            tool="swipl",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end
