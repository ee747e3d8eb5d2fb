"""The order index of a run: which bytes of which stream came when, and the merged log that follows from it.

File `order`: 4 bytes `PLO1`, then 9-byte little-endian records: stream (1 stdout, 2 stderr), length in bytes,
milliseconds since the start. Offsets follow by adding up. Bytes of a log that no record speaks of came last.
"""

import os
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import mmap

STREAMS = ("stdout", "stderr")
MAGIC = b"PLO1"
_RECORD = struct.Struct("<BLL")
_LONGEST = (1 << 32) - 1
_CLOSE_MS = 50  # arrivals of one stream this close together are one record
_STEP = 1 << 20
_ROOMY = 8 << 20  # an index past this size keeps the order by the second only


class Arrival(NamedTuple):
    """Bytes `first` to `last` (end-exclusive) of `stream`, arrived `ms` after the start."""

    stream: str
    first: int
    last: int
    ms: int


class Line(NamedTuple):
    """A whole line in order of arrival: stream, 1-based number there, bytes without the newline, time."""

    stream: str
    number: int
    text: bytes
    ms: int


class OrderWriter:
    """Collects arrivals into index records; `take` hands out the bytes to append to the file."""

    def __init__(self) -> None:
        self._out = bytearray(MAGIC)
        self._written = 0
        self._stream = -1
        self._since = 0
        self._lengths = [0, 0]

    def add(self, stream: int, length: int, ms: int) -> None:
        """Note that `length` more bytes of stream 0 or 1 arrived `ms` milliseconds after the start."""
        roomy = self._written < _ROOMY
        near = ms - self._since < (_CLOSE_MS if roomy else 1000)
        fits = self._lengths[stream] + length <= _LONGEST
        if not (near and fits and (stream == self._stream or not roomy)):
            self._close()
            self._stream, self._since = stream, ms
        self._lengths[stream] += length

    def _close(self) -> None:
        for stream, length in enumerate(self._lengths):
            if length:
                self._out += _RECORD.pack(stream + 1, length, min(self._since, _LONGEST))
        self._lengths = [0, 0]

    def take(self, last: bool = False) -> bytes:
        """Return the records since the last call; with `last` also the one still growing."""
        if last:
            self._close()
        out = bytes(self._out)
        self._written += len(out)
        self._out.clear()
        return out


def arrivals(index: bytes, sizes: tuple[int, int]) -> Iterator[Arrival]:
    """Read an index: arrivals in order, cut to the sizes of the two logs; what it does not cover comes at the end."""
    at = [0, 0]
    ms = 0
    body = memoryview(index)[len(MAGIC) :] if index[: len(MAGIC)] == MAGIC else memoryview(b"")
    for which, length, since in _RECORD.iter_unpack(body[: len(body) // _RECORD.size * _RECORD.size]):
        if which not in (1, 2):
            break
        ms = since
        first, last = at[which - 1], min(at[which - 1] + length, sizes[which - 1])
        if last > first:
            yield Arrival(STREAMS[which - 1], first, last, ms)
            at[which - 1] = last
    for stream in (0, 1):
        if sizes[stream] > at[stream]:
            yield Arrival(STREAMS[stream], at[stream], sizes[stream], ms)


def merged_lines(folder: str, first: int = 1, last: int | None = None, prefix: str = "") -> Iterator[Line]:
    """Yield lines `first` to `last` (1-based, inclusive) of the merged log in `folder`, each where it was completed.

    A last line without newline stands where its last byte came. Lines before the wanted ones are only counted.
    """
    logs = [_mapped(os.path.join(folder, f"{prefix}{name}.log")) for name in STREAMS]
    try:
        with open(os.path.join(folder, f"{prefix}order"), "rb") as file:
            index = file.read()
    except OSError:
        index = b""
    try:
        yield from _merge(logs, index, first, last)
    finally:
        for log in logs:
            if not isinstance(log, bytes):
                log.close()


def _mapped(path: str) -> "mmap.mmap | bytes":
    import mmap

    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if os.fstat(file.fileno()).st_size else b""
    except OSError:
        return b""


def _merge(logs: list["mmap.mmap | bytes"], index: bytes, first: int, last: int | None) -> Iterator[Line]:
    starts, numbers = [0, 0], [0, 0]
    pieces = list(arrivals(index, (len(logs[0]), len(logs[1]))))
    finals = {piece.stream: place for place, piece in enumerate(pieces)}
    for place, piece in enumerate(pieces):
        which = STREAMS.index(piece.stream)
        log = logs[which]
        final = finals[piece.stream] == place
        if sum(numbers) < first - 1 and not final:
            count = _newlines(log, piece)
            if sum(numbers) + count < first:
                numbers[which] += count
                starts[which] = log.rfind(b"\n", piece.first, piece.last) + 1 if count else starts[which]
                continue
        for end in _line_ends(log, piece, final):
            numbers[which] += 1
            merged = sum(numbers)
            if merged >= first:
                yield Line(piece.stream, numbers[which], log[starts[which] : end].removesuffix(b"\n"), piece.ms)
            starts[which] = end
            if last is not None and merged >= last:
                return


def _newlines(log: "mmap.mmap | bytes", piece: Arrival) -> int:
    steps = range(piece.first, piece.last, _STEP)
    return sum(log[at : min(at + _STEP, piece.last)].count(b"\n") for at in steps)


def _line_ends(log: "mmap.mmap | bytes", piece: Arrival, final: bool) -> Iterator[int]:
    at = piece.first
    while (found := log.find(b"\n", at, piece.last)) >= 0:
        at = found + 1
        yield at
    if final and at < piece.last:
        yield piece.last
