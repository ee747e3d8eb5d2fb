"""Read ansible-lint (5 to 26): full and brief text, parseable lines; its json and sarif are read by those formats."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.usage import read_usage

RULE = r"(?P<rule>[a-z][a-z0-9-]*(?:\[[\w\s./:-]+\])?|[A-Z]?\d{3})"
HEADER = re.compile(rf"{RULE}: (?P<message>\S.*?)(?P<warning> \(warning\))?$")
PLACE = re.compile(r"(?P<file>\S[^:\n]*?\.[\w.-]+|[\w./-]+):(?P<line>\d+)(?::(?P<column>\d+))?(?: (?P<detail>.+))?$")
PARSEABLE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: "
    rf"(?:\[?{RULE}\]?(?: \[\w+\])?:? )(?P<message>\S.*?)(?P<warning> \(warning\))?$"
)
TOTALS = re.compile(
    r"(?P<verdict>Failed|Passed)(?: with [\w ]+)?: (?P<errors>\d+) failure\(s\),? (?:and )?(?P<warnings>\d+)"
    r" warning\(s\)"
)
OLD_TOTALS = re.compile(r"Finished with (?P<errors>\d+) failure\(s\), (?P<warnings>\d+) warning\(s\)")
CHATTER = re.compile(
    r"(?:WARNING|INFO) +|Read documentation for|# Rule Violation|You can skip specific|  +\d+ [a-z]"
    r"|A new release|Rule profile|warn_list:|skip_list:|#|(?:count )?tag +"
)
TROUBLE = re.compile(r"(?:CRITICAL|ERROR) +(?P<message>.+)")
NEEDLES = (
    ": ",
    "failure(s)",
)


def parse(log: Log, context: Context) -> Reading:
    """Read ansible-lint's text."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "ansible-lint"
    if named and read_usage(log, reading, "ansible-lint"):
        return reading
    if not lines_with(log, *NEEDLES):
        return reading
    index = 0
    while index < len(log.lines):
        index = _line(log, index, named, reading)
    return reading


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    below = log.lines[index + 1] if index + 1 < len(log.lines) else ""
    if (match := HEADER.match(line)) and (place := PLACE.match(below)):
        end = index + 2
        # The full format goes on with an excerpt until a blank line.
        while end < len(log.lines) and log.lines[end] and not _starts(log, end) and not TOTALS.match(log.lines[end]):
            end += 1
        detail = "\n".join(filter(None, [place["detail"] or "", *log.lines[index + 2 : end]]))
        _add(reading, log, match, place, detail, index, end)
        return end
    if match := PARSEABLE.match(line):
        _add(reading, log, match, match, "", index, index + 1)
    elif match := TOTALS.match(line) or OLD_TOTALS.match(line):
        reading.counts["errors"], reading.counts["warnings"] = int(match["errors"]), int(match["warnings"])
        reading.expected = int(match["errors"]) + int(match["warnings"])
        reading.outcome = "failed" if reading.counts["errors"] else "passed"
        reading.claim(index)
    elif named and CHATTER.match(line):
        reading.claim(index)
    elif named and (match := TROUBLE.match(line)):
        reading.add(Diagnostic(message=match["message"], tool="ansible-lint", log=log.span(index)))
        reading.outcome = "error"
        reading.claim(index)
    return index + 1


def _starts(log: Log, index: int) -> bool:
    below = log.lines[index + 1] if index + 1 < len(log.lines) else ""
    return bool(HEADER.match(log.lines[index]) and PLACE.match(below))


def _add(
    reading: Reading, log: Log, head: re.Match[str], place: re.Match[str], detail: str, first: int, end: int
) -> None:
    reading.add(
        Diagnostic(
            message=head["message"],
            detail=detail,
            severity="warning" if head["warning"] else "error",
            file=place["file"],
            line=number(place["line"]),
            column=number(place["column"]),
            rule=head["rule"],
            tool="ansible-lint",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)
