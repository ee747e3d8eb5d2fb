"""A file's bytes as text that goes back to the same bytes: byte order mark, encoding and every line end kept."""

import codecs
import re
from bisect import bisect_right
from collections.abc import Sequence

from punchlist.model import Trouble
from punchlist.records import dataclass

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Text:
    """What `file` says: `body` is its text with line ends as they are; bytes that are no UTF-8 stand as surrogates."""

    body: str
    bom: bytes = b""
    encoding: str = "utf-8"
    file: str = ""

    def encoded(self, body: str) -> bytes:
        """Return another body as bytes in this file's encoding, behind its byte order mark.

        A file whose only characters beyond ASCII are bytes that are no UTF-8 is in some 8-bit encoding: which one is
        not known, so that others put into it are a Trouble (`unknown_encoding`).
        """
        if self.encoding != "utf-8":
            return self.bom + body.encode(self.encoding, "surrogatepass")
        if not self.body.isascii() and not _beyond_ascii(self.body) and _beyond_ascii(body):
            raise Trouble(
                f"{self.file} is not UTF-8 and tells no other encoding: only plain ASCII can be put into it, "
                "until it is made UTF-8",
                "unknown_encoding",
            )
        try:
            return self.bom + body.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise Trouble(f"text with half a surrogate pair cannot be written: {error}", "invalid_arguments") from error


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a body: where it starts, where its text ends, where the next line starts."""

    start: int
    end: int
    next: int


def _beyond_ascii(body: str) -> bool:
    """Whether a body has characters beyond ASCII, those not counted that stand for bytes of another encoding."""
    return re.search(r"[^\x00-\x7f\udc80-\udcff]", body) is not None


def decode(raw: bytes, file: str) -> Text:
    """Return a file's bytes as text; a binary file (one with NUL bytes) is a Trouble (`not_text`)."""
    for bom, encoding in _UTF16.items():
        if raw.startswith(bom):
            try:
                return Text(raw[2:].decode(encoding, "surrogatepass"), bom, encoding, file)
            except UnicodeDecodeError as error:
                raise Trouble(f"{file} begins like UTF-16 but is not; it is not edited", "not_text") from error
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    if b"\0" in raw:
        raise Trouble(f"{file} is a binary file; it is not edited", "not_text")
    return Text(raw[len(bom) :].decode("utf-8", "surrogateescape"), bom, file=file)


def lines_of(body: str) -> list[Line]:
    """Return the lines of a body; the text behind the last line end is a line only where there is some.

    A line ends with `\\n` or `\\r\\n`; with `\\r` only in a body that has no `\\n` at all (old Mac files).
    """
    mark = "\n" if "\n" in body or "\r" not in body else "\r"
    lines = []
    start = 0
    while start < len(body):
        at = body.find(mark, start)
        if at < 0:
            lines.append(Line(start, len(body), len(body)))
            break
        end = at - 1 if mark == "\n" and at > start and body[at - 1] == "\r" else at
        lines.append(Line(start, end, at + 1))
        start = at + 1
    return lines


def line_end(body: str) -> str:
    """Return how most lines of a body end: `\\n`, `\\r\\n` or `\\r`; `\\n` where none does."""
    windows = body.count("\r\n")
    if windows * 2 > body.count("\n"):
        return "\r\n"
    return "\r" if "\r" in body and "\n" not in body else "\n"


def end_at(body: str, lines: Sequence[Line], at: int) -> str:
    """Return the line end of the line that holds offset `at`, or of the one before it; else what most lines have."""
    number = bisect_right(lines, at, key=lambda line: line.start) - 1
    for at in (number, number - 1):
        if at >= 0 and lines[at].next > lines[at].end:
            return body[lines[at].end : lines[at].next]
    return line_end(body)


def with_ends(text: str, end: str) -> str:
    """Return a text whose lines all end with `end`."""
    plain = text.replace("\r\n", "\n")
    return plain if end == "\n" else plain.replace("\n", end)
