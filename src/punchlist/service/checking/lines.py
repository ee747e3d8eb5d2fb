"""Where a line went: files kept as one number a line, and a map from the lines before to the lines after."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

LineMap = Callable[[str, int], int | None]
Lines = Sequence[int]

_MOST = 20_000  # lines that differ; beyond it the end of a file is taken to have moved as a whole


def numbered(raw: bytes) -> Lines:
    """Return a file as one 32-bit number a line; white space at the end of a line does not count."""
    return array("I", (crc32(line.rstrip()) for line in raw.split(b"\n")))


def line_map(before: Mapping[str, Lines], after: Mapping[str, Lines]) -> LineMap:
    """Return a map of (file, line before) to the line after; None where the line is gone.

    A line that was rewritten goes to the line that took its place. Files of which one side is not known stay.
    """
    known: dict[str, list[int | None]] = {}

    def mapped(file: str, line: int) -> int | None:
        if file not in before or file not in after:
            return line
        if file not in known:
            known[file] = _moved(before[file], after[file])
        lines = known[file]
        return lines[line - 1] if 0 < line <= len(lines) else line

    return mapped


def _moved(before: Lines, after: Lines) -> list[int | None]:
    """Return for each line before the number of the line after, from 1."""
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if before[-1 - i] != after[-1 - i]), rest)
    inside = _between(before[head : len(before) - tail], after[head : len(after) - tail])
    moved: list[int | None] = list(range(1, head + 1))
    moved += [None if line is None else line + head for line in inside]
    moved += range(len(after) - tail + 1, len(after) + 1)
    return moved


def _between(before: Lines, after: Lines) -> list[int | None]:
    if not after or len(before) + len(after) > _MOST:
        return [min(i + 1, len(after)) or None for i in range(len(before))] if after else [None] * len(before)
    from difflib import SequenceMatcher

    moved: list[int | None] = [None] * len(before)
    for kind, a, a_end, b, b_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind in ("equal", "replace"):
            for i in range(a, a_end):
                moved[i] = min(b + i - a + 1, b_end)
    return moved
