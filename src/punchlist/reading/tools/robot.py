"""Robot Framework 3 to 7 on the console: a row a test or suite, the reason of a failure below it, totals per suite."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

ROW = re.compile(r"(?P<name>\S.*?)(?: :: .*?)? +\| (?P<state>PASS|FAIL|SKIP) \|$")
RULE = re.compile(r"[-=]{40,}$")
TOTALS = re.compile(
    r"\d+ (?:critical )?tests?(?: total)?, (?P<passed>\d+) passed, (?P<failed>\d+) failed"
    r"(?:, (?P<skipped>\d+) skipped)?$"
)
ERROR = re.compile(r"\[ (?P<word>ERROR|WARN) \] (?P<message>.+)$")
PLACED = re.compile(r"(?:Error in file|Parsing|Processing) '(?P<file>[^']+)'(?: on line (?P<line>\d+))?: (?P<rest>.+)$")


def parse(log: Log, context: Context) -> Reading:
    """Read every failing test with its reason; the outermost suite's totals are the run's."""
    reading = Reading()
    suites: list[str] = []
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line[:1] == "=" and RULE.match(line):
            _suite(log, index, suites)
            reading.claim(index)
        elif row := ROW.match(line):
            end = _reason_end(log, index + 1)
            totals = next((m for at in range(index + 1, end) if (m := TOTALS.match(log.lines[at]))), None)
            if totals is not None:
                reading.counts |= {k: int(v) for k, v in totals.groupdict().items() if v}
            elif row["state"] == "FAIL":
                reading.add(_failure(log, index, end, row["name"], suites))
            reading.claim(index, end)
            index = end
            continue
        elif context.words and (error := ERROR.match(line)):
            reading.add(_trouble(log, index, error))
            reading.claim(index)
        index += 1
    if reading.counts:
        reading.outcome = "failed" if reading.counts.get("failed") else "passed"
    elif reading.diagnostics and context.exit_code:
        reading.outcome = "error"
    return reading


def _suite(log: Log, index: int, suites: list[str]) -> None:
    """The name between two rules of `=` is a suite's, its parents before it (`Tests.Login`)."""
    lines = log.lines
    if index + 2 < len(lines) and RULE.match(lines[index + 2]) and not ROW.match(lines[index + 1]):
        suites[:] = [lines[index + 1].split(" :: ", 1)[0].strip()]


def _reason_end(log: Log, index: int) -> int:
    while index < len(log.lines) and not RULE.match(log.lines[index]) and not ROW.match(log.lines[index]):
        index += 1
    return index


def _failure(log: Log, index: int, end: int, name: str, suites: list[str]) -> Diagnostic:
    said = [log.whole(at).strip() for at in range(index + 1, end) if log.lines[at].strip()]
    return Diagnostic(
        message=said[0] if said else log.lines[index].strip(),
        detail="\n".join(said[1:]),
        test=".".join([*suites, name]),
        log=log.span(index, end - 1),
    )


def _trouble(log: Log, index: int, error: re.Match[str]) -> Diagnostic:
    placed = PLACED.match(error["message"])
    return Diagnostic(
        message=placed["rest"] if placed else error["message"],
        severity="error" if error["word"] == "ERROR" else "warning",
        file=placed["file"] if placed else None,
        line=int(placed["line"]) if placed and placed["line"] else None,
        log=log.span(index),
    )
