"""HTMLHint 0.9 to 1.x: a file, then `L<line> |source` with a caret line; compact, unix and JSON."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import claim, dicts_of, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import severity

FILE = re.compile(r" {3}(?P<file>\S.*)$")
SOURCE = re.compile(r" {6}L(?P<line>\d+) \|")
CARET = re.compile(r" {6,}\^ (?P<message>.+) \((?P<rule>[\w-]+)\)$")
TOTAL = re.compile(r"Scanned \d+ files?, (?:found (?P<errors>\d+) errors?|no errors found)")
COMPACT = re.compile(
    r"(?P<file>\S.*): line (?P<line>\d+), col (?P<column>\d+), (?P<word>error|warning|info) - (?P<message>.+)"
    r" \((?P<rule>[\w-]+)\)$"
)
UNIX = re.compile(
    r"(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+): (?P<message>.+) \[(?P<word>error|warning|info)/(?P<rule>[\w-]+)\]$"
)
PROBLEMS = re.compile(r"(?P<count>\d+) problems?$")


def parse(log: Log, context: Context) -> Reading:
    """Read the findings of every format and the total."""
    reading = Reading()
    if context.words:
        _rows(log, reading)
        _json(log, reading)
    if reading.diagnostics:
        reading.outcome = "failed" if context.exit_code else None
        return reading
    file, line_number = None, None
    for index, line in enumerate(log.lines):
        if source := SOURCE.match(line):
            line_number = int(source["line"])
        elif file and (caret := CARET.match(log.whole(index))):
            reading.claim(index - 1, index + 1)
            reading.add(
                Diagnostic(
                    message=caret["message"],
                    file=file,
                    line=line_number,
                    rule=caret["rule"],
                    log=log.span(index),
                )
            )
        elif named := FILE.match(line):
            file = named["file"]
        elif total := TOTAL.match(line):
            reading.counts["errors"] = int(total["errors"] or 0)
            reading.outcome = "failed" if reading.counts["errors"] else "passed"
            reading.expected = reading.counts["errors"]
            reading.claim(index)
    return reading


def _rows(log: Log, reading: Reading) -> None:
    for index, line in enumerate(log.lines):
        if found := COMPACT.match(line) or UNIX.match(line):
            reading.add(
                Diagnostic(
                    message=found["message"],
                    severity=severity(found["word"]),
                    file=found["file"],
                    line=int(found["line"]),
                    column=int(found["column"]),
                    rule=found["rule"],
                    log=log.span(index),
                )
            )
            reading.claim(index)
        elif total := PROBLEMS.match(line):
            reading.expected = int(total["count"])
            reading.claim(index)


def _json(log: Log, reading: Reading) -> None:
    if not any('"evidence"' in line for line in log.lines):
        return
    for value in values(log):
        at = value.first
        for file in [one for one in value.dicts() if isinstance(one.get("messages"), list) and "file" in one]:
            claim(reading, log, value)
            for one in dicts_of(file, "messages"):
                at = lines_with(log, value, text_of(one, "message"), at)
                reading.add(
                    Diagnostic(
                        message=text_of(one, "message") or "no message",
                        severity=severity(text_of(one, "type")),
                        file=text_of(file, "file") or None,
                        line=number_of(one, "line"),
                        column=number_of(one, "col"),
                        rule=text_of(one, "rule", "id") or None,
                        log=log.span(at),
                    )
                )
