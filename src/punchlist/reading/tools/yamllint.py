"""Read yamllint (1.20 to 1.38): standard, colored and parsable; its github output is read as annotations."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.usage import read_usage

STANDARD = re.compile(
    r"  (?P<line>\d+):(?P<column>\d+) +(?P<severity>error"
    r"|warning) +(?P<message>.+?)(?: {1,2}\((?P<rule>[a-z][\w-]*)\))?$"
)
PARSABLE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): \[(?P<severity>error|warning)\] "
    r"(?P<message>.+?)(?: \((?P<rule>[a-z][\w-]*)\))?$"
)
MISSING = re.compile(r"(?P<message>\[Errno \d+\] .+: '(?P<file>.+)'|invalid config: .+)")
NEEDLES = (
    "warning",
    "error",
    "Errno",
    "invalid config",
)


def parse(log: Log, context: Context) -> Reading:
    """Read yamllint's findings; a file's name stands on the line above its findings."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "yamllint"
    if named and read_usage(log, reading, "yamllint"):
        return reading
    if not lines_with(log, *NEEDLES):
        return reading
    file = ""
    for index, line in enumerate(log.lines):
        if not line:
            file = ""
        elif match := PARSABLE.match(line):
            _add(reading, log, match, match["file"], index)
        elif line[0] == " " and file and (match := STANDARD.match(line)):
            _add(reading, log, match, file, index)
        elif line[0] != " ":
            follows = index + 1 < len(log.lines) and STANDARD.match(log.lines[index + 1])
            file = line if follows else ""
            if follows:
                reading.claim(index)
            elif named and (match := MISSING.match(line)):
                reading.add(
                    Diagnostic(message=match["message"], file=match["file"], tool="yamllint", log=log.span(index))
                )
                reading.outcome = "error"
                reading.claim(index)
    return reading


def _add(reading: Reading, log: Log, match: re.Match[str], file: str, index: int) -> None:
    reading.add(
        Diagnostic(
            message=match["message"].strip(),
            severity=severity(match["severity"]),
            file=file,
            line=number(match["line"]),
            column=number(match["column"]),
            rule=match["rule"],
            tool="yamllint",
            log=log.span(index),
        )
    )
    reading.claim(index)
