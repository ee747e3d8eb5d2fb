"""Find the XML documents of a log and read them, also those that are cut, glued to other text or not well-formed."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from punchlist.reading.log import Log, Reading
from punchlist.records import dataclass

# XML 1.0 allows neither these characters nor references to them; test runners write both.
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
ILLEGAL_REFERENCE = re.compile(r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]));")
LOOSE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)")
LOOSE_BRACKET = re.compile(r"<(?![\w/!?])")
ATTRIBUTE = re.compile(r'="[^"<>]*<[^"]*"')
JUNK_AFTER_ROOT = 9
# How many times the length of a log its damaged documents may be read in all, so that hostile input costs linear time.
WASTE = 20
_SKIPPED = r"<!\[CDATA\[.*?\]\]>|<!--.*?-->|"


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its root, the lines it stands on (indexes, `end` excluded), and its text as printed.

    `whole` is false where it is cut or damaged; then the tree holds what stands before the damage. `starts` are the
    offsets of its lines in `text`.
    """

    root: Element
    first: int
    end: int
    whole: bool
    text: str
    starts: Sequence[int]

    def lines_of(self, *tags: str) -> list[tuple[int, int]]:
        """Return (line index, offset in `text`) of each opening tag with one of these names, in document order."""
        pattern = re.compile(rf"{_SKIPPED}<(?:\w+:)?({'|'.join(tags)})(?=[\s/>])", re.DOTALL)
        return [
            (self.first + bisect_right(self.starts, match.start()) - 1, match.start())
            for match in pattern.finditer(self.text)
            if match[1]
        ]

    def attribute(self, offset: int, name: str) -> str:
        """Return an attribute of the tag at `offset` of the text with its raw line ends, or "" where it has none.

        A parser of XML turns the line ends within attributes into blanks.
        """
        match = re.compile(rf"""<[^"'>]*?(?:\s[\w:.-]+=(?:"[^"]*"|'[^']*'))*?\s{name}=(?:"([^"]*)"|'([^']*)')""").match(
            self.text, offset
        )
        return unescaped(match[1] or match[2] or "") if match else ""

    def claim(self, reading: Reading) -> None:
        """Claim the lines of the document."""
        reading.claim(self.first, self.end)


def unescaped(text: str) -> str:
    """Resolve the five named entities and numeric references."""
    if "&" not in text:
        return text
    from html import unescape

    return unescape(text)


def documents(log: Log, *roots: str) -> Iterator[Document]:
    """Yield the documents whose root element has one of these names."""
    begins = re.compile(
        rf"(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE[^>\[]*>\s*)*<({'|'.join(roots)})(?=[\s/>])"
    )
    for first, end in log.streams():
        lines = [log.whole(index) for index in range(first, end)] if log.long else log.lines[first:end]
        text = "\n".join(lines)
        if not any(f"<{root}" in text for root in roots):
            continue
        starts = [0, *accumulate(len(line) + 1 for line in lines)][:-1]
        at = waste = 0
        while waste <= WASTE * len(text) and (match := begins.search(text, at)):
            document, at = _document(text, match.start(), starts, first)
            if document is None or not document.whole:
                waste += len(text) - match.start()
            if document is not None:
                yield document


def _document(text: str, offset: int, starts: list[int], first: int) -> tuple[Document | None, int]:
    """Read the document that begins at `offset`; with it the offset to look further from."""
    follows = text.find("<?xml", offset + 5)
    piece = text[offset:] if follows < 0 else text[offset:follows]
    root, whole, stop = _tree(piece)
    if root is None:
        return None, offset + 5
    line = bisect_right(starts, offset) - 1
    last = bisect_right(starts, offset + max(stop - 1, 0)) - 1
    own = [max(0, start - offset) for start in starts[line : last + 1]]
    return Document(root, first + line, first + last + 1, whole, piece[:stop], own), offset + max(stop, 5)


def _tree(piece: str) -> tuple[Element | None, bool, int]:
    """Parse as it is, then repaired: (root, whole, where the document ends)."""
    if "<!ENTITY" in piece:
        return None, False, 0
    root, whole, stop = _parsed(piece)
    if whole:
        return root, whole, stop
    best = root, False, stop
    # A repair keeps the number of lines; offsets are used for lines only, so its length may differ.
    for mended in _mended(piece):
        root, whole, mended_stop = _parsed(mended)
        if root is not None and (whole or mended_stop > best[2]):
            best = root, whole, _same_line(mended, mended_stop, piece)
        if whole:
            break
    return best


def _mended(piece: str) -> Iterator[str]:
    piece = LOOSE_AMPERSAND.sub("&amp;", ILLEGAL_REFERENCE.sub("\ufffd", ILLEGAL.sub("\ufffd", piece)))
    yield piece
    piece = ATTRIBUTE.sub(lambda match: match[0].replace("<", "&lt;"), LOOSE_BRACKET.sub("&lt;", piece))
    yield piece


def _same_line(mended: str, stop: int, piece: str) -> int:
    """The end, in the text as printed, of the line on which `stop` lies in the mended text."""
    wanted = mended.count("\n", 0, stop)
    at = -1
    for _ in range(wanted + 1):
        at = piece.find("\n", at + 1)
        if at < 0:
            return len(piece)
    return at


def _parsed(piece: str) -> tuple[Element | None, bool, int]:
    builder = ElementTree.TreeBuilder()
    parser = ElementTree.XMLParser(target=builder)
    try:
        parser.feed(piece)
        parser.close()
    except ElementTree.ParseError as error:
        line, column = error.position
        stop = _offset(piece, line, column)
        root = _finished(builder)
        whole = error.code == JUNK_AFTER_ROOT or (root is not None and _closed(piece, root, stop))
        if whole and root is not None:
            tag = root.tag.rsplit("}")[-1]
            stop = max(piece.rfind(f"{tag}>", 0, stop) + len(tag) + 1, piece.rfind("/>", 0, stop) + 2)
        return root, whole and root is not None, stop
    except (ValueError, RecursionError):
        return None, False, 0
    return _finished(builder), True, len(piece.rstrip())


def _closed(piece: str, root: Element, stop: int) -> bool:
    """Whether nothing but text stands between the root's end tag and `stop`: not all of it is junk to the parser."""
    ends = list(re.finditer(rf"</(?:[\w-]+:)?{re.escape(name_of(root))}\s*>", piece[:stop]))
    return bool(ends) and "<" not in piece[ends[-1].end() : stop]


def _finished(builder: ElementTree.TreeBuilder) -> Element | None:
    try:
        root: Element | None = builder.close()
    except AssertionError:
        return None
    return root


def _offset(text: str, line: int, column: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return min(at + column, len(text))


def name_of(element: Element) -> str:
    """Return an element's name without its name space."""
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""


def whole_text(element: Element) -> str:
    """Return the text of an element and of what stands within it."""
    return "".join(element.itertext())
