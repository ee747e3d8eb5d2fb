"""Find the few lines of a log that may matter, at the cost of a search."""

from collections.abc import Sequence

from punchlist.reading.log import Log


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


def lines_with(log: Log, *needles: str, start: int = 0, end: int | None = None) -> list[int]:
    """Return the indexes, in order, of the lines that hold one of the needles, from `start` up to before `end`."""
    text = _JOINED.of(log.lines)
    present = [needle for needle in needles if needle in text]
    if not present:
        return []
    part = log.lines if start == 0 and end is None else log.lines[start:end]
    if len(present) == 1:
        needle = present[0]
        return [index for index, line in enumerate(part, start) if needle in line]
    found: set[int] = set()
    for needle in present:
        found.update([index for index, line in enumerate(part, start) if needle in line])
    return sorted(found)
