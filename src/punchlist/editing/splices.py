"""Replacements at offsets of one text: made from edits, held against each other, carried out."""

from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import NamedTuple

from punchlist.editing.text import Line, Text, end_at, lines_of, with_ends
from punchlist.model import Edit, Trouble


class Splice(NamedTuple):
    """Replace `start` to `end` (offsets, end-exclusive; equal ones insert) by `text`."""

    start: int
    end: int
    text: str


class Taken:
    """Splices of one text that go together: equal ones are one, no two of them touch the same characters."""

    def __init__(self) -> None:
        self.splices: list[Splice] = []

    def fits(self, new: Splice) -> bool:
        """Whether a splice can be added: it is there already, or meets none."""
        at = bisect_left(self.splices, (new.start,))
        if at and _meet(self.splices[at - 1], new):
            return False
        while at < len(self.splices) and self.splices[at].start <= new.end:
            if _meet(self.splices[at], new):
                return False
            at += 1
        return True

    def add(self, new: Splice) -> None:
        """Add a splice that fits."""
        if new not in self.splices[(at := bisect_left(self.splices, new)) : at + 1]:
            insort(self.splices, new)


def _meet(one: Splice, other: Splice) -> bool:
    if one == other:
        return False
    both_insert = one.start == one.end == other.start == other.end
    return both_insert or (one.start < other.end and other.start < one.end)


def together(splices: Iterable[Splice], file: str, body: str) -> list[Splice]:
    """Return splices in order, equal ones once; those that overlap are a Trouble (`overlapping_edits`)."""
    taken = Taken()
    for splice in splices:
        if not taken.fits(splice):
            line = body.count("\n", 0, splice.start) + 1
            raise Trouble(
                f"{file}:{line}: two edits change the same text in different ways; send them one after the other",
                "overlapping_edits",
            )
        taken.add(splice)
    return taken.splices


def spliced(body: str, splices: Iterable[Splice]) -> str:
    """Return the body with splices (in order, none overlapping) carried out."""
    parts = []
    at = 0
    for splice in splices:
        parts += [body[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, body[at:]])


class Positions:
    """Turns line and column of one text into offsets."""

    def __init__(self, text: Text, file: str) -> None:
        self.text, self.file = text, file
        self.lines = lines_of(text.body)

    def splice(self, edit: Edit) -> Splice:
        """Return an edit as a splice, its text with the line ends of its place; one beyond the text is a Trouble."""
        start, end = self._offset(edit.line, edit.column), self._offset(edit.end_line, edit.end_column)
        if end < start:
            raise Trouble(
                f"{self.file}: the edit ends ({edit.end_line}:{edit.end_column}) before it begins "
                f"({edit.line}:{edit.column})",
                "invalid_range",
            )
        return Splice(start, end, with_ends(edit.text, end_at(self.text.body, self.lines, start)))

    def _offset(self, line: int, column: int) -> int:
        count = len(self.lines)
        if line == count + 1 and column == 1:
            return len(self.text.body)
        if 1 <= line <= count:
            there: Line = self.lines[line - 1]
            at = there.start + column - 1
            if there.start <= at <= there.end or at == there.next:
                return at
        raise Trouble(
            f"{self.file} has no place {line}:{column} ({count} lines; lines and columns count from 1, in characters)",
            "invalid_range",
        )
