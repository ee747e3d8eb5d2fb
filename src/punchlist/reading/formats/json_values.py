"""Find the JSON values of a log: the whole output, one a line, or embedded between other lines."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from punchlist.reading.log import Log, Reading
from punchlist.records import dataclass, replace

_DECODE = json.JSONDecoder().raw_decode
# A value that does not begin its line must begin like an object (or a list of them): `text[{"a": 1}]`.
_INSIDE = re.compile(r'\[\s*\{\s*"|\{\s*"')
_NEXT = re.compile(r"[\s,;]*[\[{]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')
# How many times the log's length failed attempts may read in all, so that hostile input costs linear time.
_WASTE = 6
_CLOSER = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON object or list and the lines it stands on: `first` up to, not including, `end` (indexes into the log).

    `whole` is false where the log ends inside of the value; then `value` holds the complete elements before that.
    """

    value: dict[str, object] | list[object]
    first: int
    end: int
    whole: bool = True

    def dicts(self) -> list[dict[str, object]]:
        """Return the value as objects: itself, or the objects of a list."""
        if isinstance(self.value, dict):
            return [self.value]
        return [item for item in self.value if isinstance(item, dict)]


def values(log: Log) -> Iterator[Value]:
    """Yield every JSON object or list of the log, in order, stream by stream.

    A value may begin a line, or stand behind other text of one line; what follows it is passed over. Costs about what
    `json.loads` of the same text costs.
    """
    if not log.numbers:
        return
    if min(log.numbers) > 0 or max(log.numbers) < 0:
        yield from _of_stream(log, range(len(log.numbers)))
        return
    for sign in (1, -1):
        yield from _of_stream(log, [i for i, number in enumerate(log.numbers) if number * sign > 0])


def _of_stream(log: Log, indexes: Sequence[int]) -> Iterator[Value]:
    text = ""
    starts: list[int] = []
    waste = 0
    at = 0
    while at < len(indexes):
        line = log.whole(indexes[at])
        begin = _begin(line)
        if begin < 0:
            at += 1
            continue
        found = _decoded(line, begin)
        if found is not None:
            yield Value(found[0], indexes[at], indexes[at] + 1)
            yield from _glued(line, found[1], indexes[at])
            at += 1
            continue
        if line.endswith(("{", "[", ",", "}", "]", '"', ":")) or at == len(indexes) - 1:
            if not text:
                text, starts = _joined(log, indexes)
            budget = waste < _WASTE * len(text)
            block = _block(text, starts, at, begin) if budget else None
            if block is not None and block[0] is not None:
                yield Value(block[0], indexes[at], indexes[block[1] - 1] + 1, block[2])
                at = block[1]
                continue
            waste += block[1] if block else 0
        at += 1


def _glued(line: str, end: int, index: int) -> Iterator[Value]:
    """Values that follow another on its line without a break."""
    while end < len(line) and (match := _NEXT.match(line, end)):
        found = _decoded(line, match.end() - 1)
        if found is None:
            return
        yield Value(found[0], index, index + 1)
        end = found[1]


def _begin(line: str) -> int:
    """Where in the line a value may begin, or -1."""
    head = line[:1]
    if head in "{[" and head:
        return 0
    if head == " " or head == "\t":
        begin = len(line) - len(line.lstrip())
        if line[begin] in "{[":
            return begin
    if line.endswith(("}", "]")) and '"' in line and (match := _INSIDE.search(line)):
        return match.start()
    return -1


def _joined(log: Log, indexes: Sequence[int]) -> tuple[str, list[int]]:
    """The lines as one text, and the offset each begins at."""
    lines = log.lines if len(indexes) == len(log.lines) and not log.long else [log.whole(index) for index in indexes]
    ends = accumulate(map(len, lines))
    return "\n".join(lines), [0, *(end + at for at, end in enumerate(ends, start=1))][:-1]


def _decoded(text: str, begin: int) -> tuple[dict[str, object] | list[object], int] | None:
    try:
        value, end = _DECODE(text, begin)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, (dict, list)) else None


def _block(
    text: str, starts: list[int], at: int, begin: int
) -> tuple[dict[str, object] | list[object] | None, int, bool]:
    """Read a value over several lines: (value, one past its last line, whole), or (None, characters read, _)."""
    offset = starts[at] + begin
    try:
        value, end = _DECODE(text, offset)
    except RecursionError:
        return None, len(text) // 4, False
    except json.JSONDecodeError as error:
        if "nterminated" not in error.msg and error.pos < len(text.rstrip()):
            return None, error.pos - offset, False
        value = _repaired(text, offset)
        return value, len(starts) if value is not None else len(text) - offset, False
    except ValueError:
        return None, len(text) // 4, False
    return value, _line_of(starts, end - 1, at) + 1, True


def _line_of(starts: list[int], offset: int, low: int) -> int:
    return bisect_right(starts, offset, low) - 1


def _repaired(text: str, offset: int) -> dict[str, object] | list[object] | None:
    """Read a value that the end of the text cuts: everything up to its last complete inner object or list."""
    stack: list[str] = []
    best: tuple[int, str] | None = None
    for match in _TOKEN.finditer(text, offset):
        token = match[0]
        if token in _CLOSER:
            stack.append(_CLOSER[token])
        elif token in ("]", "}"):
            if not stack or stack.pop() != token:
                return None
            if stack:
                best = match.end(), "".join(reversed(stack))
    if best is None:
        return None
    found = _decoded(text[offset : best[0]] + best[1], 0)
    return found[0] if found else None


def claim(reading: Reading, log: Log, value: Value) -> None:
    """Claim the lines of a value, without lines that another stream printed between them."""
    sign = log.numbers[value.first] < 0
    start = None
    for index in range(value.first, value.end):
        if (log.numbers[index] < 0) == sign:
            start = index if start is None else start
        elif start is not None:
            reading.claim(start, index)
            start = None
    if start is not None:
        reading.claim(start, value.end)


def lines_with(log: Log, value: Value, needle: str, after: int) -> int:
    """Return the first line of the value at or behind index `after` that holds the text, or `after` itself.

    `needle` is plain text: it is looked for as JSON writes it.
    """
    start = max(after, value.first)
    if value.end - start <= 1:
        return start
    plain = json.dumps(needle, ensure_ascii=False)[1:-1]
    escaped = plain if plain.isascii() else json.dumps(needle)[1:-1]
    whole = log.whole if log.long else log.lines.__getitem__
    for index in range(start, value.end):
        line = whole(index)
        if plain in line or escaped in line:
            return index
    return start


def without(log: Log, reading: Reading) -> Log:
    """Return the log with the lines that were claimed made blank."""
    if not reading.claimed:
        return log
    lines = list(log.lines)
    for first, end in reading.claimed:
        lines[first:end] = [""] * (min(end, len(lines)) - first)
    return replace(log, lines=lines)


# -- Shapes of untrusted values


def text_of(source: object, *keys: str) -> str:
    """Follow keys into nested objects and return the string there, or ""."""
    value = inner(source, *keys)
    return value if isinstance(value, str) else ""


def message_of(source: object, *keys: str) -> tuple[str, str]:
    """Return the first line of the text there, "no message" where it says nothing, and its other lines."""
    message, _, rest = text_of(source, *keys).strip().partition("\n")
    return message.strip() or "no message", rest


def number_of(source: object, *keys: str) -> int | None:
    """Follow keys into nested objects and return the positive whole number there (also as a string), or None."""
    value = inner(source, *keys)
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value == value and abs(value) < 1e9:
        value = int(value)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    return value if isinstance(value, int) and value > 0 else None


def list_of(source: object, *keys: str) -> list[object]:
    """Follow keys into nested objects and return the list there, or an empty one."""
    value = inner(source, *keys)
    return value if isinstance(value, list) else []


def dicts_of(source: object, *keys: str) -> list[dict[str, object]]:
    """Follow keys into nested objects and return the objects of the list there."""
    return [item for item in list_of(source, *keys) if isinstance(item, dict)]


def inner(source: object, *keys: str) -> object:
    """Follow keys into nested objects, or return None."""
    for key in keys:
        if not isinstance(source, dict):
            return None
        source = source.get(key)
    return source
