"""Read coverage.py's reports: the threshold that was missed, the table, and what it could not do (4 to 7)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

MISSED = re.compile(r"Coverage failure: total of \S+ is less than fail-under=\S+")
NOTHING = re.compile(
    r"(?:No data to (?:report|combine)\.?|No source for code: .*|Couldn't .*|(?:\S+: )?CoverageWarning: .*"
    r"|Coverage\.py warning: .*|[Nn]o such option: .*|Unknown command: .*|Can't (?:combine|append) .*)$"
)
WORDS = ("Stmts", "-----", "TOTAL ", "overage", "No data", "No source", "Couldn't", "such option", "Unknown", "Can't")
PARSED = re.compile(r"(?:Couldn't parse|No source for code:) '(?P<file>[^']+)'(?:.* at line (?P<line>\d+))?")
TOTAL = re.compile(r"TOTAL(?: +[\d.]+)+%?\b")
HEAD = re.compile(r"Name +Stmts +Miss ")
UNCOVERED = re.compile(r"coverage: error: (?P<message>\S.*)$")


def parse(log: Log, _context: Context) -> Reading:
    """Read `coverage report`, `combine`, `html`, `xml` and their verdicts."""
    reading = Reading()
    table = False
    for index in lines_with(log, *WORDS):
        line = log.lines[index]
        if HEAD.match(line):
            table = True
            reading.claim(index)
        elif table and (line.startswith("---") or TOTAL.match(line)):
            reading.claim(index)
        elif MISSED.match(line):
            reading.add(Diagnostic(message=line.strip(), log=log.span(index)))
            reading.claim(index)
            reading.outcome = "failed"
        elif match := NOTHING.match(line) or UNCOVERED.match(line):
            warning = "warning: " in line
            message = match.groupdict().get("message") or match[0]
            place = PARSED.match(message)
            reading.add(
                Diagnostic(
                    message=message,
                    severity="warning" if warning else "error",
                    file=place["file"] if place else None,
                    line=int(place["line"]) if place and place["line"] else None,
                    log=log.span(index),
                )
            )
            reading.claim(index)
            if not warning:
                reading.outcome = reading.outcome or "error"
    if table and reading.outcome is None:
        reading.outcome = "passed"
    return reading
