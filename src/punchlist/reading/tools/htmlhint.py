"""HTMLHint 0.9 to 1.x: a file, then `L<line> |source` with a caret line that holds message and rule."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

FILE = re.compile(r" {3}(?P<file>\S.*)$")
SOURCE = re.compile(r" {6}L(?P<line>\d+) \|")
CARET = re.compile(r" {6,}\^ (?P<message>.+) \((?P<rule>[\w-]+)\)$")
TOTAL = re.compile(r"Scanned \d+ files?, (?:found (?P<errors>\d+) errors?|no errors found)")


def parse(log: Log, _context: Context) -> Reading:
    """Read the findings of the default format and the total."""
    reading = Reading()
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
