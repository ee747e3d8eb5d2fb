"""cfn-lint 0.7x to 1.x: its default two lines a finding, parseable, pretty, quiet; its JSON is read with others'."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

RULE = r"(?P<rule>[EWI]\d{4})"
HEAD = re.compile(rf"{RULE} (?P<message>\S.*)$")
PLACE = re.compile(r"(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)$")
PARSEABLE = re.compile(
    rf"(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+):(?P<end_line>\d+):(?P<end_column>\d+):{RULE}:(?P<message>.+)$"
)
PRETTY = re.compile(rf"(?P<line>\d+):(?P<column>\d+): +{RULE} +(?P<message>\S.*)$")
QUIET = re.compile(rf"{RULE}: (?P<message>\S.*) (?P<file>\S+):(?P<line>\d+)$")
TOTAL = re.compile(r"Cfn-lint scanned \d+ templates? .*?(?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?")
LEVELS: dict[str, Severity] = {"E": "error", "W": "warning", "I": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read findings of every text format."""
    reading = Reading()
    file = ""
    for index, line in enumerate(log.lines):
        below = log.lines[index + 1] if index + 1 < len(log.lines) else ""
        if (head := HEAD.match(line)) and (place := PLACE.match(below)):
            _add(log, index, index + 1, {**head.groupdict(), **place.groupdict()}, reading)
        elif found := PARSEABLE.match(line) or QUIET.match(line):
            _add(log, index, index, found.groupdict(), reading)
        elif found := PRETTY.match(line):
            _add(log, index, index, {**found.groupdict(), "file": file}, reading)
        elif total := TOTAL.search(line):
            reading.counts = {"errors": int(total["errors"]), "warnings": int(total["warnings"])}
            reading.claim(index)
        elif line and not line[0].isspace() and PRETTY.match(below):
            file = line.strip()
    if reading.diagnostics and context.exit_code != 0:
        reading.outcome = "failed"
    return reading


def _add(log: Log, first: int, last: int, parts: dict[str, str], reading: Reading) -> None:
    reading.add(
        Diagnostic(
            message=parts["message"].strip(),
            severity=LEVELS[parts["rule"][0]],
            file=parts.get("file") or None,
            line=number(parts.get("line")),
            column=number(parts.get("column")),
            end_line=number(parts.get("end_line")),
            end_column=number(parts.get("end_column")),
            rule=parts["rule"],
            log=log.span(first, last),
        )
    )
    reading.claim(first, last + 1)
