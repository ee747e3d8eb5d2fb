"""One search finds the lines worth a look, and only those."""

import re

import pytest

from punchlist.reading.log import Log
from punchlist.reading.scan import lines_with, only_near


def log_of(*lines: str) -> Log:
    return Log(list(lines), list(range(1, len(lines) + 1)))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((), []),
        (("",), []),
        (("error",), [0]),
        (("ok", "error error", "", "an error"), [1, 3]),
        (("error", "error"), [0, 1]),
        (("ok", "error at the end of the text"), [1]),
    ],
)
def test_each_line_with_the_pattern_is_found_once(lines: tuple[str, ...], found: list[int]) -> None:
    assert lines_with(log_of(*lines), re.compile("error")) == found


def test_lines_away_from_the_pattern_are_blank() -> None:
    kept = only_near(log_of("a", "error", "b", "c", "d"), re.compile("error"), 2)
    assert kept.lines == ["", "error", "b", "c", ""]
