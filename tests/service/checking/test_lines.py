"""Lines followed through an edit."""

import random

import pytest

from punchlist.service.checking.lines import line_map, numbered

A = b"one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        (A, [1, 2, 3, 4, 5]),
        (b"zero\n" + A, [2, 3, 4, 5, 6]),
        (b"one\nthree\nfour\nfive\n", [1, None, 2, 3, 4]),
        (b"one\ntwo\nTHREE\nfour\nfive\n", [1, 2, 3, 4, 5]),
        (b"one\ntwo  \nthree\r\nfour\nfive\n", [1, 2, 3, 4, 5]),
        (b"new\none\ntwo\nthree\nfour\n", [2, 3, 4, 5, None]),
        (b"", [None] * 5),
    ],
)
def test_each_line_is_found_where_it_went(after: bytes, moved: list[int | None]) -> None:
    where = line_map({"f": numbered(A)}, {"f": numbered(after)})
    assert [where("f", line) for line in range(1, 6)] == moved


def test_a_file_of_which_one_side_is_not_known_stays() -> None:
    assert line_map({}, {"f": numbered(A)})("f", 3) == 3
    assert line_map({"f": numbered(A)}, {})("f", 3) == 3


def test_a_line_past_the_end_stays() -> None:
    assert line_map({"f": numbered(A)}, {"f": numbered(b"x\n" + A)})("f", 99) == 99


def test_kept_lines_keep_their_order_in_any_edit() -> None:
    chance = random.Random(4)
    for _ in range(60):
        before = [str(chance.randrange(12)) for _ in range(chance.randrange(1, 40))]
        after = [line for line in before if chance.random() > 0.2]
        after.insert(chance.randrange(len(after) + 1), "new")
        where = line_map({"f": numbered("\n".join(before).encode())}, {"f": numbered("\n".join(after).encode())})
        found = [line for n in range(1, len(before) + 1) if (line := where("f", n)) is not None]
        assert found == sorted(found)
        assert all(1 <= line <= len(after) for line in found)
