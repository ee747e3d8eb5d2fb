from punchlist.reading.log import Log
from punchlist.reading.scan import lines_with


def log(*lines: str) -> Log:
    return Log(list(lines), list(range(1, len(lines) + 1)))


def test_lines_with_any_needle_come_once_and_in_order() -> None:
    assert lines_with(log("b", "a b", "c", "a"), "a", "b") == [0, 1, 3]


def test_only_the_asked_part_is_searched() -> None:
    assert lines_with(log("a", "a", "x", "a"), "a", start=1, end=3) == [1]


def test_a_second_log_is_not_answered_from_the_first() -> None:
    lines_with(log("a"), "a")
    assert lines_with(log("b"), "a") == []
