"""Find the few lines of a log that may matter, at the cost of a search over all of its text."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from punchlist.reading.log import Log
from punchlist.records import replace


class _Joined:
    """The text of the log that was searched last: the parsers that read a log one after the other share it."""

    lines: Sequence[str] = ()
    text = ""

    def of(self, lines: Sequence[str]) -> str:
        """Return the lines as one text."""
        if lines is not self.lines:
            self.lines, self.text = lines, "\n".join(lines)
        return self.text


_JOINED = _Joined()


def lines_with(log: Log, *needles: str | re.Pattern[str], start: int = 0, end: int | None = None) -> list[int]:
    """Return the indexes, in order, of the lines that hold one of the needles, from `start` up to before `end`.

    A needle that is a pattern must not match across a line's end.
    """
    text = _JOINED.of(log.lines)
    present = [needle for needle in needles if isinstance(needle, str) and needle in text]
    patterns = [needle for needle in needles if isinstance(needle, re.Pattern)]
    if not present and not patterns:
        return []
    part = log.lines if start == 0 and end is None else log.lines[start:end]
    if len(present) == 1 and not patterns:
        needle = present[0]
        return [index for index, line in enumerate(part, start) if needle in line]
    found: set[int] = set()
    for needle in present:
        found.update([index for index, line in enumerate(part, start) if needle in line])
    for pattern in patterns:
        last = len(log.lines) if end is None else end
        found.update(index for index in _matching(log.lines, text, pattern) if start <= index < last)
    return sorted(found)


def _matching(lines: Sequence[str], text: str, pattern: re.Pattern[str]) -> list[int]:
    starts = [0, *(end + at for at, end in enumerate(accumulate(map(len, lines)), start=1))]
    found: list[int] = []
    position, low = 0, 0
    while position <= len(text) and (match := pattern.search(text, position)):
        low = bisect_right(starts, match.start(), low) - 1
        found.append(low)
        position = starts[low + 1] if low + 1 < len(starts) else len(text) + 1
    return found


def filled(lines: Sequence[str], first: int, end: int) -> int:
    """Return where a block that goes on to before `end` stops without the empty lines at its end, at least `first`."""
    while end > first and not lines[end - 1]:
        end -= 1
    return end


def only_near(log: Log, pattern: re.Pattern[str], after: int) -> Log:
    """Return the log with all lines blank but those with the pattern and up to `after` lines below each."""
    lines = [""] * len(log.lines)
    for index in lines_with(log, pattern):
        lines[index : index + after + 1] = log.lines[index : index + after + 1]
    return replace(log, lines=lines)
