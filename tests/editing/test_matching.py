"""Which lines of two texts are the same ones."""

import random
import time

import pytest

from punchlist.editing.matching import blocks, grouped, operations


@pytest.mark.parametrize("seed", range(120))
def test_operations_lead_from_one_text_to_the_other(seed: int) -> None:
    chance = random.Random(seed)
    words = "abcdefgh"[: chance.randint(1, 8)]
    a = [chance.choice(words) + (str(chance.randint(0, 40)) if seed % 2 else "") for _ in range(chance.randint(0, 40))]
    b = list(a)
    for _ in range(chance.randint(0, 8)):
        at = chance.randint(0, len(b))
        b[at : at + chance.randint(0, 3)] = [chance.choice(words) for _ in range(chance.randint(0, 3))]
    made: list[str] = []
    at = other = 0
    for kind, a1, a2, b1, b2 in operations(a, b):
        assert (a1, b1) == (at, other)
        assert (kind == "equal") == (a[a1:a2] == b[b1:b2])
        made += b[b1:b2]
        at, other = a2, b2
    assert (made, at) == (b, len(a))
    for context in (0, 1, 3):
        shown = [op for group in grouped(operations(a, b), context) for op in group if op[0] != "equal"]
        assert shown == [op for op in operations(a, b) if op[0] != "equal"]
        for group in grouped(operations(a, b), context):
            assert all(op[2] - op[1] <= 2 * context for op in group if op[0] == "equal")


def test_lines_that_occur_once_keep_their_neighbours_together() -> None:
    a = ["def f():", "    return", "", "def g():", "    return"]
    b = ["def f():", "    return", "", "def new():", "    return", "", "def g():", "    return"]
    assert [op[0] for op in operations(a, b)] == ["equal", "insert", "equal"]
    assert blocks(["x"], ["y"]) == []


def test_many_equal_lines_and_whole_rewrites_take_no_time() -> None:
    alike = [line for n in range(4000) for line in (f"def f{n}():", "    import re", "    return 1", "", "")]
    begin = time.process_time()
    changed = operations(alike, [line for line in alike if line != "    import re"])
    assert sum(op[0] != "equal" for op in changed) == 4000
    operations([f"x{n}" for n in range(50_000)], [f"y{n}" for n in range(50_000)])
    operations(["same"] * 20_000, ["same", "other"] * 10_000)
    assert time.process_time() - begin < 5
