"""Make a very large log small before it is read: keep the lines around what may matter, its head and its end."""

import re
from collections.abc import Iterable, Iterator
from mmap import mmap

Buffer = bytes | mmap

WHOLE_BELOW = 2_000_000
"""Logs up to this many bytes are read whole."""
BEFORE, AFTER = 4_000, 12_000
EDGE = 256_000
MOST_WINDOWS = 40_000
LONG_LINE = 8_000_000

# What any tool's trouble may be marked with; each begins with a literal, so that one pass costs what a search costs.
GENERAL = (
    b"rror",
    b"FAIL",
    b"ailed",
    b"ailure",
    b"panic",
    b"Traceback",
    b"xception",
    b"not ok",
    b"FATAL",
    b"atal:",
    b"Aborted",
)


def pieces(raw: Buffer, anchors: Iterable[bytes] = ()) -> list[tuple[int, bytes]]:
    """Return the parts worth reading as (number of the first line, bytes), whole lines each, in order.

    A log of up to WHOLE_BELOW bytes is one part. Of a larger one head, end and a window around each anchor stay.
    """
    size = len(raw)
    if size <= WHOLE_BELOW:
        return [(1, bytes(raw[:]))] if size else []
    return list(_cut(raw, _windows(raw, (*GENERAL, *anchors))))


def _windows(raw: Buffer, anchors: tuple[bytes, ...]) -> list[tuple[int, int]]:
    size = len(raw)
    spans = [(0, EDGE), (size - EDGE, size)]
    for anchor in dict.fromkeys(anchors):
        hits = 0
        at = -1
        for match in re.finditer(re.escape(anchor), raw):
            if match.start() < at:
                continue
            spans.append((match.start() - BEFORE, match.start() + AFTER))
            at = match.start() + AFTER // 2
            hits += 1
            if hits >= MOST_WINDOWS:
                break
    return _merged(spans, size)


def _merged(spans: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start, end = max(0, start), min(size, end)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cut(raw: Buffer, windows: list[tuple[int, int]]) -> Iterator[tuple[int, bytes]]:
    number, counted, reached = 1, 0, 0
    for start, end in windows:
        start = max(reached, _line_start(raw, start))
        end = _line_end(raw, end)
        if start >= end:
            continue
        number += _newlines(raw, counted, start)
        counted = start
        reached = end
        yield number, bytes(raw[start:end])


def _line_start(raw: Buffer, at: int) -> int:
    low = max(0, at - LONG_LINE)
    found = raw.rfind(b"\n", low, at)
    return found + 1 if found >= 0 else low or 0


def _line_end(raw: Buffer, at: int) -> int:
    high = min(len(raw), at + LONG_LINE)
    found = raw.find(b"\n", at, high)
    return found + 1 if found >= 0 else high


def _newlines(raw: Buffer, start: int, end: int) -> int:
    step = 1 << 22
    return sum(raw[at : min(at + step, end)].count(b"\n") for at in range(start, end, step))
