"""Read `rustfmt --check`: a diff for each place (`Diff in file:12:`, before 1.7 `Diff in file at line 12:`)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import filled

DIFF = re.compile(r"Diff in (?P<file>.+?)(?::(?P<line>\d+):?| at line (?P<line2>\d+):)$")
WARNING = re.compile(r"Warning: (?P<message>.+)$")


def parse(log: Log, _context: Context) -> Reading:
    """Read each diff; its first line is the finding, the lines below it the detail."""
    reading = Reading()
    at = 0
    while at < len(log.lines):
        match = DIFF.match(log.lines[at]) if log.lines[at].startswith("Diff in ") else None
        if match is None:
            at += 1
            continue
        end = at + 1
        while end < len(log.lines) and not log.lines[end].startswith("Diff in ") and _is_diff(log.lines[end], log, end):
            end += 1
        end = filled(log.lines, at + 1, end)
        reading.add(
            Diagnostic(
                message=log.lines[at],
                severity="error",
                detail="\n".join(log.lines[at + 1 : end][:60]),
                file=match["file"],
                line=int(match["line"] or match["line2"]),
                log=log.span(at, end - 1),
            )
        )
        reading.claim(at, end)
        reading.outcome = "failed"
        at = end
    return reading


def _is_diff(line: str, log: Log, at: int) -> bool:
    return (not line or line[0] in "+- ⏎") and (log.numbers[at] < 0) == (log.numbers[at - 1] < 0)
