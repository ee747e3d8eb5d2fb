"""Which lines of two texts are the same ones: anchored at lines that occur once on both sides, as patience diff does.

The standard library's matcher takes seconds where many lines are alike (a hundred `return` lines are enough).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

_MOST_PAIRS = 250_000  # of lines that have no anchor and are compared with each other; more are taken to differ

Block = tuple[int, int, int]
Operation = tuple[str, int, int, int, int]


def blocks(a: Sequence[str], b: Sequence[str]) -> list[Block]:
    """Return runs of equal lines (first in `a`, first in `b`, how many), in order and not overlapping."""
    return sorted(_found(a, b))


def _found(a: Sequence[str], b: Sequence[str]) -> Iterator[Block]:
    waiting = [(0, len(a), 0, len(b))]
    while waiting:
        a1, a2, b1, b2 = waiting.pop()
        head, tail = _common(a, b, (a1, a2, b1, b2))
        if head:
            yield a1, b1, head
        if tail:
            yield a2 - tail, b2 - tail, tail
        a1, a2, b1, b2 = a1 + head, a2 - tail, b1 + head, b2 - tail
        if a1 == a2 or b1 == b2:
            continue
        anchors = _anchors(a, b, (a1, a2, b1, b2))
        if not anchors:
            yield from _close(a, b, (a1, a2, b1, b2))
            continue
        for at, other in anchors:
            yield at, other, 1
            waiting.append((a1, at, b1, other))
            a1, b1 = at + 1, other + 1
        waiting.append((a1, a2, b1, b2))


def _common(a: Sequence[str], b: Sequence[str], part: tuple[int, int, int, int]) -> tuple[int, int]:
    """Return how many lines a part begins and ends with on both sides."""
    a1, a2, b1, b2 = part
    shorter = min(a2 - a1, b2 - b1)
    head = next((i for i in range(shorter) if a[a1 + i] != b[b1 + i]), shorter)
    rest = shorter - head
    return head, next((i for i in range(rest) if a[a2 - 1 - i] != b[b2 - 1 - i]), rest)


def _anchors(a: Sequence[str], b: Sequence[str], part: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Return the longest rising sequence of lines that occur once on each side of a part."""
    a1, a2, b1, b2 = part
    once = {line for line, times in Counter(a[a1:a2]).items() if times == 1}
    once &= {line for line, times in Counter(b[b1:b2]).items() if times == 1}
    if not once:
        return []
    where = {b[at]: at for at in range(b1, b2) if b[at] in once}
    tails: list[int] = []
    last: list[tuple[int, int]] = []
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    for at in range(a1, a2):
        if a[at] in once:
            pair = (at, where[a[at]])
            rank = bisect_left(tails, pair[1])
            before[pair] = last[rank - 1] if rank else None
            tails[rank:] = [pair[1], *tails[rank + 1 :]] if rank < len(tails) else [pair[1]]
            last[rank : rank + 1] = [pair]
    chain: list[tuple[int, int]] = []
    step: tuple[int, int] | None = last[-1]
    while step is not None:
        chain.append(step)
        step = before[step]
    return chain[::-1]


def _close(a: Sequence[str], b: Sequence[str], part: tuple[int, int, int, int]) -> Iterator[Block]:
    """Compare a part without anchors line by line, where it is not too large for that."""
    import difflib

    a1, a2, b1, b2 = part
    if (a2 - a1) * (b2 - b1) <= _MOST_PAIRS:
        matcher = difflib.SequenceMatcher(None, a[a1:a2], b[b1:b2], autojunk=False)
        yield from ((a1 + i, b1 + j, size) for i, j, size in matcher.get_matching_blocks() if size)


def operations(a: Sequence[str], b: Sequence[str]) -> list[Operation]:
    """Return how to get from `a` to `b`: (`equal`, `replace`, `delete` or `insert`, from and to in `a`, in `b`)."""
    found: list[Operation] = []
    i = j = 0
    for at, other, size in [*blocks(a, b), (len(a), len(b), 0)]:
        if i < at or j < other:
            kind = "replace" if i < at and j < other else "delete" if i < at else "insert"
            found.append((kind, i, at, j, other))
        if size and found and found[-1][0] == "equal":
            found[-1] = ("equal", found[-1][1], at + size, found[-1][3], other + size)
        elif size:
            found.append(("equal", at, at + size, other, other + size))
        i, j = at + size, other + size
    return found


def grouped(operations_: Sequence[Operation], context: int) -> Iterator[list[Operation]]:
    """Yield the changes in groups, each with at most `context` equal lines around it."""
    group: list[Operation] = []
    for number, (kind, a1, a2, b1, b2) in enumerate(operations_):
        if kind != "equal":
            group.append((kind, a1, a2, b1, b2))
            continue
        first, last = number == 0, number == len(operations_) - 1
        if first or last or a2 - a1 > 2 * context:
            if not first:
                group.append((kind, a1, min(a2, a1 + context), b1, min(b2, b1 + context)))
                yield _shown(group)
                group = []
            if not last:
                group = [(kind, max(a1, a2 - context), a2, max(b1, b2 - context), b2)]
        else:
            group.append((kind, a1, a2, b1, b2))
    if any(op[0] != "equal" for op in group):
        yield _shown(group)


def _shown(group: Sequence[Operation]) -> list[Operation]:
    return [op for op in group if op[2] > op[1] or op[4] > op[3]]
