"""Read pytest's warnings summary: below the tests that raised them, one indented block a warning."""

import re
from collections.abc import Iterator

from punchlist.model import Diagnostic
from punchlist.reading.log import Log
from punchlist.reading.tools.pytest_runs import Section

PLACED = re.compile(
    r"  (?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d+): (?P<rule>[A-Za-z_][\w.]*): ?(?P<message>.*)$"
)
BARE = re.compile(r"  (?P<rule>[A-Za-z_][\w.]*Warning): (?P<message>.*)$")
SHOWN_TESTS = 5


def warnings(log: Log, section: Section) -> Iterator[Diagnostic]:
    """Yield the warnings of a section, each with the tests that raised it."""
    tests: list[str] = []
    index = section.first + 1
    while index < section.end:
        line = log.lines[index]
        match = PLACED.match(line) or BARE.match(line)
        if match is not None:
            end = index + 1
            while end < section.end and _goes_on(log.lines, end):
                end += 1
            yield _warning(log, match, tests, index, end)
            index = end
            continue
        if line and line[0] != " ":
            if index > section.first + 1 and not log.lines[index - 1]:
                tests = []
            tests.append(line)
        index += 1


def _goes_on(lines: list[str], index: int) -> bool:
    """Whether a line belongs to the warning above it; a blank one does where more of it follows."""
    line = lines[index]
    if not line:
        return index + 1 < len(lines) and lines[index + 1].startswith("  ") and not PLACED.match(lines[index + 1])
    return line.startswith("  ") and not PLACED.match(line)


def _warning(log: Log, match: re.Match[str], tests: list[str], index: int, end: int) -> Diagnostic:
    parts = match.groupdict()
    more = [line.strip() for line in log.lines[index + 1 : end] if line.strip()]
    message = log.whole(index)[match.start("message") :].strip()
    if not message and more:
        message = more.pop(0)
    raised = tests[:SHOWN_TESTS] + ([f"and {len(tests) - SHOWN_TESTS} more"] if len(tests) > SHOWN_TESTS else [])
    file = parts.get("file")
    return Diagnostic(
        severity="warning",
        message=message or parts["rule"],
        detail="\n".join([*more[:12], *(f"raised by {test}" for test in raised)]),
        file=file if file != "sys" else None,
        line=int(parts["line"]) or None if file and file != "sys" else None,
        rule=parts["rule"],
        log=log.span(index, end - 1),
    )
