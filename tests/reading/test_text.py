"""Bytes to clean lines with the numbers they had."""

import pytest

from punchlist.reading.log import LINE_LIMIT
from punchlist.reading.text import clean, decode, frames, to_log

CLEANED = {
    "colours": ("\x1b[31;1merror\x1b[0m: no", "error: no"),
    "a 256-colour code": ("\x1b[38;5;243mrule\x1b[0m", "rule"),
    "escapes spelled out": ("^[[31merror^[[0m ^[[?25hdone", "error done"),
    "a link": ("\x1b]8;;https://example.org\x1b\\docs\x1b]8;;\x1b\\", "docs"),
    "a link ended by a bell": ("\x1b]8;;https://example.org\x07docs\x1b]8;;\x07", "docs"),
    "a window title": ("\x1b]0;make\x07cc cart.c", "cc cart.c"),
    "a character set": ("\x1b(Bplain\x1b(0", "plain"),
    "one byte CSI": ("\x9b31mred", "red"),
    "overstruck": ("b\x08bo\x08old", "bold"),
    "windows line ends": ("a\r\nb\r\r\nc", "a\nb\nc"),
    "a byte order mark and zeros": ("\ufeffa\x00b", "ab"),
    "a caret of a compiler": ("    ^[tag]", "    ^[tag]"),
    "a regular expression": ("^[[a-z]+$", "^[[a-z]+$"),
}


@pytest.mark.parametrize("name", CLEANED)
def test_what_a_terminal_would_hide_is_taken_out(name: str) -> None:
    dirty, wanted = CLEANED[name]
    assert clean(dirty) == wanted


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("größe".encode(), "größe"),
        ("größe".encode("utf-16"), "größe"),
        ("error: size".encode("utf-16-le"), "error: size"),
        (b"caf\xe9 cart.c:3", "caf\ufffd cart.c:3"),
    ],
)
def test_any_encoding_is_read_without_stopping(raw: bytes, text: str) -> None:
    assert decode(raw).lstrip("\ufeff") == text


def test_progress_is_overwritten_but_an_error_in_it_stays() -> None:
    assert frames("10%\r20%\rdone") == ["done"]
    assert frames("10%\rcart.c:3: error: no\r20%\rdone") == ["cart.c:3: error: no", "done"]


def test_lines_are_numbered_by_their_newlines_and_stderr_below_zero() -> None:
    log = to_log([("stdout", 1, b"a\n\nb\n"), ("stderr", 1, b"c\n")])
    assert (log.lines, log.numbers) == (["a", "", "b", "c"], [1, 2, 3, -1])


def test_frames_of_one_line_have_one_number() -> None:
    log = to_log([("stdout", 1, b"x: error: no\r100%\nend\n")])
    assert (log.lines, log.numbers) == (["x: error: no", "100%", "end"], [1, 1, 2])


def test_a_piece_that_does_not_go_on_leaves_a_gap() -> None:
    log = to_log([("stdout", 1, b"a\nb\n"), ("stdout", 3, b"c\n"), ("stdout", 90, b"d\n")])
    assert log.gaps == {3}
    assert log.numbers == [1, 2, 3, 90]


def test_an_overlong_line_is_short_to_search_and_whole_to_read() -> None:
    raw = b"head" + b"x" * (LINE_LIMIT * 2) + b"tail"
    log = to_log([("stdout", 1, raw)])
    assert len(log.lines[0]) < LINE_LIMIT + 10
    assert log.whole(0) == raw.decode()
