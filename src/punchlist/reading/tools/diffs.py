"""Unified diffs that formatters print: which files, and where each change begins."""

import re

from punchlist.reading.log import Log
from punchlist.reading.scan import filled
from punchlist.records import dataclass

OLD = re.compile(r"--- (?:a/)?(?P<file>.+?)(?:\t.*|:before\t?.*|  ?\d{4}-\d\d-\d\d .*|  ?\((?:original|before).*\))?$")
HUNK = re.compile(r"@@ -(?P<line>\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")
MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The diff of one file: lines `first` up to, not including, `end`; `line` is the first changed line of the file."""

    file: str
    line: int | None
    first: int
    end: int

    def text(self, log: Log) -> str:
        """Return the hunks."""
        return "\n".join(log.lines[self.first + 2 : min(self.end, self.first + 2 + MOST_LINES)])


def file_diffs(log: Log) -> list[FileDiff]:
    """Return the unified diffs of a log, in order."""
    found = []
    index = 0
    lines = log.lines
    while index + 2 < len(lines):
        if lines[index].startswith("--- ") and lines[index + 1].startswith("+++ ") and HUNK.match(lines[index + 2]):
            end = _end(log, index + 2)
            match = OLD.match(lines[index])
            if match:
                found.append(FileDiff(match["file"].strip(), _first_change(log, index + 2, end), index, end))
            index = end
        else:
            index += 1
    return found


def _end(log: Log, index: int) -> int:
    stream = log.numbers[index] < 0
    end = index
    while end < len(log.lines) and (log.numbers[end] < 0) == stream:
        line = log.lines[end]
        if line.startswith("--- ") and end + 1 < len(log.lines) and log.lines[end + 1].startswith("+++ "):
            break
        if line and line[0] not in " +-\\@":
            break
        end += 1
    return filled(log.lines, index, end)


def _first_change(log: Log, index: int, end: int) -> int | None:
    match = HUNK.match(log.lines[index])
    if not match:
        return None
    line = int(match["line"])
    for at in range(index + 1, end):
        if log.lines[at][:1] in ("+", "-"):
            break
        line += 1
    return max(line, 1)
