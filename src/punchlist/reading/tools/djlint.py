"""djLint 1: a file's name above a ruler, then its findings, or the diff of what its formatter would change."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

RULER = re.compile(r"─{20,}$")
FINDING = re.compile(r"(?P<rule>[A-Z]\d{3}) (?P<line>\d+):(?P<column>\d+) (?P<message>\S.*)$")
HUNK = re.compile(r"@@ -\d")
LINTED = re.compile(r"Linted \d+ files?, found (?P<errors>\d+) errors?\.$")
CHECKED = re.compile(r"(?P<files>\d+) files? would be updated\.$")


def parse(log: Log, context: Context) -> Reading:
    """Read lint findings and files that are not formatted."""
    reading = Reading()
    if not context.words:
        return reading
    file = ""
    for index, line in enumerate(log.lines):
        if index and RULER.match(line) and log.lines[index - 1]:
            file = log.lines[index - 1].strip()
            reading.claim(index - 1, index + 1)
            if index + 1 < len(log.lines) and HUNK.match(log.lines[index + 1]):
                reading.add(_unformatted(log, index, file))
        elif file and (found := FINDING.match(line)):
            reading.add(
                Diagnostic(
                    message=found["message"],
                    file=file,
                    line=int(found["line"]) or None,
                    column=int(found["column"]),
                    rule=found["rule"],
                    log=log.span(index),
                )
            )
            reading.claim(index)
        elif total := LINTED.match(line):
            reading.counts["errors"] = int(total["errors"])
            reading.outcome = "failed" if reading.counts["errors"] else reading.outcome or "passed"
            reading.claim(index)
        elif checked := CHECKED.match(line):
            reading.outcome = "failed" if int(checked["files"]) else reading.outcome or "passed"
            reading.claim(index)
    return reading


def _unformatted(log: Log, index: int, file: str) -> Diagnostic:
    end = index + 1
    while end < len(log.lines) and not RULER.match(log.lines[end]) and not CHECKED.match(log.lines[end]):
        end += 1
    body = [line for line in log.lines[index + 1 : end] if line]
    return Diagnostic(
        message=file, detail="\n".join(body[:40]), file=file, rule="format", log=log.span(index - 1, index)
    )
