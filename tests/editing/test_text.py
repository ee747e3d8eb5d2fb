"""Text of files: offsets, line ends, byte order marks."""

import codecs

import pytest

from punchlist.editing.splices import Positions, Splice, Taken, spliced, together
from punchlist.editing.text import decode, end_at, line_end, lines_of
from punchlist.model import Edit, Trouble


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"a\n",
        b"a\r\nb",
        codecs.BOM_UTF8 + "ä\n".encode(),
        b"caf\xe9\n",
        "\ufeffä\r\n".encode("utf-16-le"),
        "\ufeffx".encode("utf-16-be"),
    ],
)
def test_text_goes_back_to_the_same_bytes(raw: bytes) -> None:
    text = decode(raw, "f")
    assert text.encoded(text.body) == raw


@pytest.mark.parametrize(
    ("body", "lines", "end"),
    [
        ("a\nb", ["a", "b"], "\n"),
        ("a\r\nb\r\nc\n", ["a", "b", "c"], "\r\n"),
        ("a\rb\r", ["a", "b"], "\r"),
        ("a\rb\n", ["a\rb"], "\n"),
        ("", [], "\n"),
        ("\n\n", ["", ""], "\n"),
    ],
)
def test_lines_end_as_they_end(body: str, lines: list[str], end: str) -> None:
    assert ([body[one.start : one.end] for one in lines_of(body)], line_end(body)) == (lines, end)


def test_a_new_line_ends_as_its_neighbours_do() -> None:
    body = "a\nb\r\nc\nd"
    lines = lines_of(body)
    assert [end_at(body, lines, at) for at in (0, 2, 5, 7, 8)] == ["\n", "\r\n", "\n", "\n", "\n"]


def edit(body: str, *places: tuple[int, int, int, int, str]) -> str:
    text = decode(body.encode(), "f")
    positions = Positions(text, "f")
    return spliced(text.body, together((positions.splice(Edit("f", *place)) for place in places), "f", text.body))


@pytest.mark.parametrize(
    ("body", "place", "after"),
    [
        ("abc\n", (1, 2, 1, 3, "X"), "aXc\n"),
        ("abc\n", (1, 4, 1, 4, "X"), "abcX\n"),
        ("a\nb\n", (1, 1, 2, 1, ""), "b\n"),
        ("a\nb\n", (1, 2, 2, 1, " "), "a b\n"),
        ("a\nb\n", (3, 1, 3, 1, "c\n"), "a\nb\nc\n"),
        ("a\nb", (3, 1, 3, 1, "c"), "a\nbc"),
        ("", (1, 1, 1, 1, "c\n"), "c\n"),
        ("a\r\nb\r\n", (2, 1, 2, 1, "x\ny\n"), "a\r\nx\r\ny\r\nb\r\n"),
        ("a\r\nb\r\n", (1, 2, 1, 2, "!"), "a!\r\nb\r\n"),
        ("ä€𝄞x\n", (1, 4, 1, 5, "y"), "ä€𝄞y\n"),
    ],
)
def test_an_edit_counts_in_characters_from_one(body: str, place: tuple[int, int, int, int, str], after: str) -> None:
    assert edit(body, place) == after


@pytest.mark.parametrize("place", [(9, 1, 9, 1, ""), (1, 9, 1, 9, ""), (2, 1, 1, 1, ""), (3, 2, 3, 2, "")])
def test_an_edit_beyond_the_text_is_refused(place: tuple[int, int, int, int, str]) -> None:
    with pytest.raises(Trouble) as caught:
        edit("ab\ncd\n", place)
    assert caught.value.code == "invalid_range"


def test_equal_edits_are_one_and_overlapping_ones_are_refused() -> None:
    assert edit("abc\n", (1, 1, 1, 2, "X"), (1, 1, 1, 2, "X")) == "Xbc\n"
    assert edit("abc\n", (1, 2, 1, 3, "Y"), (1, 1, 1, 2, "X")) == "XYc\n"
    for other in [(1, 1, 1, 3, "Z"), (1, 1, 1, 2, "Z")]:
        with pytest.raises(Trouble, match="f:1") as caught:
            edit("abc\n", (1, 1, 1, 2, "X"), other)
        assert caught.value.code == "overlapping_edits"
    with pytest.raises(Trouble):
        edit("abc\n", (1, 2, 1, 2, "X"), (1, 2, 1, 2, "Y"))


def test_a_splice_fits_beside_and_not_across_others() -> None:
    taken = Taken()
    for splice in (Splice(10, 20, ""), Splice(0, 3, "a"), Splice(30, 30, "b")):
        assert taken.fits(splice)
        taken.add(splice)
    fits = [Splice(3, 10, ""), Splice(20, 30, ""), Splice(30, 30, "b"), Splice(30, 35, "")]
    meets = [Splice(2, 4, ""), Splice(0, 50, ""), Splice(15, 15, "x"), Splice(30, 30, "c"), Splice(29, 31, "")]
    assert [taken.fits(one) for one in fits] == [True] * 4
    assert [taken.fits(one) for one in meets] == [False] * 5
