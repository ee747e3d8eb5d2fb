"""What is read of a very large log."""

import pytest

from punchlist.reading.sieve import EDGE, WHOLE_BELOW, edges, is_large, pieces

FILLER = b"".join(b"compiled part %07d of the shop\n" % n for n in range(60_000))
NUMBER = FILLER.count(b"\n")


def test_a_small_log_is_read_whole() -> None:
    assert pieces(b"a\nb\n") == [(1, b"a\nb\n")]
    assert edges(b"a\n") == [(1, b"a\n")]
    assert pieces(b"") == []


@pytest.mark.parametrize("word", [b"cart.c:3: error: no such name", b"FAILED tests/test_cart.py", b"thread panicked"])
def test_what_may_matter_is_kept_with_its_number(word: bytes) -> None:
    raw = FILLER + word + b"\n" + FILLER
    found = [(first, piece) for first, piece in pieces(raw) if word in piece]
    assert len(found) == 1
    first, piece = found[0]
    assert first + piece[: piece.index(word)].count(b"\n") == NUMBER + 1


def test_head_and_end_are_kept_and_most_of_the_rest_is_not() -> None:
    raw = b"head\n" + FILLER * 2 + b"the end\n"
    kept = pieces(raw)
    assert kept[0][1].startswith(b"head\n")
    assert kept[-1][1].endswith(b"the end\n")
    assert sum(len(piece) for _, piece in kept) < 3 * EDGE


def test_a_tools_own_anchor_is_looked_for() -> None:
    raw = FILLER + b"<<< odd mark >>>\n" + FILLER
    assert not any(b"odd mark" in piece for _, piece in pieces(raw))
    assert any(b"odd mark" in piece for _, piece in pieces(raw, [b"<<< "]))


def test_pieces_are_whole_lines_in_order_without_overlap() -> None:
    raw = (FILLER + b"an error here\n") * 3 + FILLER
    kept = pieces(raw)
    ends = [first + piece.count(b"\n") for first, piece in kept]
    assert all(piece.endswith(b"\n") for _, piece in kept)
    assert all(end <= after for end, (after, _) in zip(ends, kept[1:], strict=False))


@pytest.mark.parametrize("start", [b"[", b'<?xml version="1.0"?>', b"<testsuites>"])
def test_a_document_cannot_be_thinned(start: bytes) -> None:
    assert not is_large(start + FILLER)


@pytest.mark.parametrize("start", [b"[12:30:11] start\n", b'{"a": 1}\n', b"plain\n"])
def test_lines_can(start: bytes) -> None:
    assert is_large(start + FILLER)
    assert not is_large(start + FILLER[: WHOLE_BELOW // 2])
