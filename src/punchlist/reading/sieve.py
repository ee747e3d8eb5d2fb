"""Make a very large log small before it is read: keep the lines around what may matter, its head and its end."""

import re
from collections.abc import Iterable, Iterator, Sequence
from mmap import mmap

Buffer = bytes | mmap
Piece = tuple[int, bytes]
"""Part of one stream: number of its first line, bytes."""

WHOLE_BELOW = 400_000
"""Logs up to this many bytes are read whole."""
DOCUMENT_BELOW = 100_000_000
"""So are JSON arrays and XML documents up to this many bytes: a part of them cannot be read."""
BEFORE, AFTER = 4_000, 12_000
EDGE = 64_000
MOST_WINDOWS = 4_000
LONG_LINE = 65_536

# Each literal costs one pass over the log, so there are few. With a known tool its own anchors stand beside these.
CORE = (b"rror", b"FAIL", b"ailed", b"panic", b"Traceback")
GENERAL = (*CORE, b"xception", b"atal", b"ailure", b"not ok", b"FATAL", b"borted")


def is_large(raw: Buffer) -> bool:
    """Whether a stream is thinned before it is read."""
    return len(raw) > WHOLE_BELOW and not _is_document(raw)


def edges(raw: Buffer) -> list[Piece]:
    """Return the head and the end of a large stream, for a first look at what made it; a small one whole."""
    if not is_large(raw):
        return [(1, raw[:])] if len(raw) else []
    size = len(raw)
    return list(_cut(raw, [(0, EDGE), (size - EDGE, size)], count=False))


def pieces(raw: Buffer, anchors: Iterable[bytes] = ()) -> list[Piece]:
    """Return the parts worth reading, whole lines each, in order: everything of a stream that is not large.

    Of a large one head, end and a window around each anchor stay; `anchors` are those of the tools that made it, and
    stand beside the core ones; without any, the general ones serve.
    """
    size = len(raw)
    if not is_large(raw):
        return [(1, raw[:])] if size else []
    own = tuple(anchors)
    wanted = _distinct((*CORE, *own) if own else GENERAL)
    spans = [(0, EDGE), (size - EDGE, size)]
    for anchor in wanted:
        spans += _windows(raw, anchor)
    return list(_cut(raw, _merged(spans, size)))


def _is_document(raw: Buffer) -> bool:
    head = raw[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if len(raw) > DOCUMENT_BELOW or not head:
        return False
    if head.startswith((b"[", b"<?xml", b"<test")):
        return not re.match(rb"\[[ \d:.A-Z-]*\]", head)
    # One object a line is a stream, and can be thinned; anything else that begins so is one document.
    first = raw[: raw.find(b"\n", 0, 1 << 20) + 1]
    return head.startswith(b"{") and not first.rstrip().endswith(b"}")


def _distinct(anchors: Sequence[bytes]) -> list[bytes]:
    """The anchors without those that contain another one: where they stand, it stands too."""
    unique = list(dict.fromkeys(anchors))
    return [a for a in unique if not any(b != a and b in a for b in unique)]


def _windows(raw: Buffer, anchor: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    reached = -1
    for match in re.compile(re.escape(anchor)).finditer(raw):
        at = match.start()
        if at < reached:
            continue
        found.append((at - BEFORE, at + AFTER))
        reached = at + AFTER // 2
        if len(found) >= MOST_WINDOWS:
            break
    return found


def _merged(spans: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start, end = max(0, start), min(size, end)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cut(raw: Buffer, windows: Iterable[tuple[int, int]], *, count: bool = True) -> Iterator[Piece]:
    number, counted, reached = 1, 0, 0
    for start, end in windows:
        start = max(reached, _line_start(raw, max(0, start)))
        end = _line_end(raw, end)
        if start >= end:
            continue
        number += _newlines(raw, counted, start) if count else 0
        counted = start
        reached = end
        yield number, raw[start:end]


def _line_start(raw: Buffer, at: int) -> int:
    low = max(0, at - LONG_LINE)
    found = raw.rfind(b"\n", low, at)
    return found + 1 if found >= 0 else low


def _line_end(raw: Buffer, at: int) -> int:
    high = min(len(raw), at + LONG_LINE)
    found = raw.find(b"\n", at, high)
    return found + 1 if found >= 0 else high


def _newlines(raw: Buffer, start: int, end: int) -> int:
    step = 1 << 18
    return sum(raw[at : min(at + step, end)].count(b"\n") for at in range(start, end, step))
