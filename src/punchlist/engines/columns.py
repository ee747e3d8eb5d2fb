"""Columns as the model counts them: tools count UTF-16 units or bytes, which differs where lines are not ASCII."""

from collections.abc import Callable, Iterable

from punchlist.engines.record import Columns
from punchlist.model import Diagnostic, Edit, Fix, Related
from punchlist.records import replace

Read = Callable[[str], bytes | None]
_LARGEST = 4 << 20


def in_characters(diagnostics: Iterable[Diagnostic], unit: Columns, read: Read) -> list[Diagnostic]:
    """Return the findings with columns in code points; `read` gives the bytes of a root-relative file, or None.

    A file that cannot be read, and a line that is not there, keep the columns as printed.
    """
    if unit == "characters":
        return list(diagnostics)
    texts = _Texts(unit, read)
    return [_converted(d, texts) for d in diagnostics]


class _Texts:
    def __init__(self, unit: Columns, read: Read) -> None:
        self.unit, self.read = unit, read
        self._lines: dict[str, list[str] | None] = {}

    def column(self, file: str | None, line: int | None, column: int | None) -> int | None:
        """Return the column in code points."""
        if file is None or line is None or column is None or column < 2:
            return column
        lines = self._of(file)
        if lines is None or line > len(lines):
            return column
        text = lines[line - 1]
        if text.isascii():
            return column
        if self.unit == "utf8":
            return len(text.encode("utf-8", "replace")[: column - 1].decode("utf-8", "ignore")) + 1
        return len(text.encode("utf-16-le", "replace")[: (column - 1) * 2].decode("utf-16-le", "ignore")) + 1

    def _of(self, file: str) -> list[str] | None:
        """Return a file's lines, None where they are plain ASCII or cannot be had."""
        if file not in self._lines:
            raw = self.read(file)
            plain = raw is None or len(raw) > _LARGEST or raw.isascii()
            self._lines[file] = None if raw is None or plain else raw.decode("utf-8", "replace").split("\n")
        return self._lines[file]


def _converted(d: Diagnostic, texts: _Texts) -> Diagnostic:
    column = texts.column(d.file, d.line, d.column)
    end = texts.column(d.file, d.end_line, d.end_column)
    related = tuple(Related(r.message, r.file, r.line, texts.column(r.file, r.line, r.column)) for r in d.related)
    fix = Fix(tuple(_edit(e, texts) for e in d.fix.edits), d.fix.safe, d.fix.title) if d.fix else None
    if (column, end, related, fix) == (d.column, d.end_column, d.related, d.fix):
        return d
    return replace(d, column=column, end_column=end, related=related, fix=fix)


def _edit(e: Edit, texts: _Texts) -> Edit:
    return replace(
        e,
        column=texts.column(e.file, e.line, e.column) or e.column,
        end_column=texts.column(e.file, e.end_line, e.end_column) or e.end_column,
    )
