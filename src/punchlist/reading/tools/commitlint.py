"""commitlint 8 to 20: `✖   text [rule]` below the message it judges."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

INPUT = re.compile(r"⧗ {1,3}input: ?(?P<text>.*)$")
FOUND = re.compile(r"(?P<icon>[✖⚠]) {1,3}(?P<message>\S.*?) \[(?P<rule>[\w-]+)\]$")
TOTAL = re.compile(r"[✖⚠✔] {1,3}found (?P<errors>\d+) problems?, (?P<warnings>\d+) warnings?$")


def parse(log: Log, _context: Context) -> Reading:
    """Read the findings and the total of every judged message."""
    reading = Reading()
    judged = ""
    for index, line in enumerate(log.lines):
        if given := INPUT.match(line):
            judged = given["text"]
            reading.claim(index)
        elif total := TOTAL.match(line):
            for name in ("errors", "warnings"):
                reading.counts[name] = reading.counts.get(name, 0) + int(total[name])
            reading.claim(index)
        elif found := FOUND.match(log.whole(index)):
            reading.claim(index)
            reading.add(
                Diagnostic(
                    message=found["message"],
                    severity="error" if found["icon"] == "✖" else "warning",
                    detail=f"input: {judged}" if judged else "",
                    rule=found["rule"],
                    log=log.span(index),
                )
            )
    if reading.counts:
        reading.outcome = "failed" if reading.counts["errors"] else "passed"
        reading.expected = reading.counts["errors"] + reading.counts["warnings"]
    return reading
