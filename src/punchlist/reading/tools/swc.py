"""swc 1: a boxed syntax error, the list of files that failed."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading

HEAD = re.compile(r" {2}(?P<icon>[x×!⚠]) (?P<message>\S.*)$")
PLACE = re.compile(r"\s*(?:,-|╭─)\[(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)\]$")
CLOSE = re.compile(r"\s*(?:`-{2,}|╰─{2,})")
TOTAL = re.compile(r"(?:Failed to compile|Successfully compiled:?) (?P<count>\d+) files?\b")
NOISE = re.compile(r"Caused by:$| {4}Syntax Error$|Stack backtrace:$|\s+\d+: \S|\s+at \S+:\d+:\d+$")


def parse(log: Log, _context: Context) -> Reading:
    """Read boxes and the verdict."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        head = HEAD.match(log.whole(index)) if log.lines[index].startswith("  ") else None
        place = PLACE.match(log.lines[index + 1]) if head and index + 1 < len(log.lines) else None
        if head and place:
            end = index + 2
            while end < len(log.lines) and not CLOSE.match(log.lines[end - 1]) and log.lines[end]:
                end += 1
            level: Severity = "error" if head["icon"] in "x×" else "warning"
            reading.add(
                Diagnostic(
                    message=head["message"].strip(),
                    severity=level,
                    detail="\n".join(log.lines[index + 1 : end][:30]),
                    file=place["file"],
                    line=int(place["line"]) or None,
                    column=int(place["column"]) or None,
                    log=log.span(index),
                )
            )
            reading.claim(index, end)
            index = end
            continue
        if (total := TOTAL.match(log.lines[index])) or (reading.diagnostics and NOISE.match(log.lines[index])):
            reading.claim(index)
            if total and reading.outcome != "failed":
                reading.outcome = "failed" if log.lines[index].startswith("Failed") else "passed"
        index += 1
    return reading
