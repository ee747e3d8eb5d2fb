"""JSON values are found wherever they stand in a log."""

import pytest

from punchlist.reading.formats.json_values import values
from punchlist.reading.text import to_log

FOUND = {
    "alone": (b'{"a": 1}\n', [({"a": 1}, 0, 1, True)]),
    "one a line": (b'{"a": 1}\n{"a": 2}\n', [({"a": 1}, 0, 1, True), ({"a": 2}, 1, 2, True)]),
    "pretty-printed between other lines": (b'go\n[\n  {"a": 1},\n  {\n  }\n]\nend\n', [([{"a": 1}, {}], 1, 6, True)]),
    "behind text on its line": (b'warning: old[{"a": 1}]\n', [([{"a": 1}], 0, 1, True)]),
    "cut by the end, over lines": (b'[\n{"a": 1},\n{"b": [1, 2', [([{"a": 1}], 0, 3, False)]),
    "cut by the end, on one line": (b'{"r": [{"a": 1}, {"a', [({"r": [{"a": 1}]}, 0, 1, False)]),
    "none": (b"[INFO] built\n{ x }\n[1/3] done]\n", []),
}


@pytest.mark.parametrize("name", FOUND)
def test_values_are_found_with_their_lines(name: str) -> None:
    raw, expected = FOUND[name]
    found = [(v.value, v.first, v.end, v.whole) for v in values(to_log([("stdout", 1, raw)]))]
    assert found == expected


def test_a_line_of_the_other_stream_does_not_break_a_value() -> None:
    log = to_log([("stdout", 1, b'{\n"a":\n'), ("stderr", 1, b"note\n"), ("stdout", 3, b"1}\n")])
    assert [(v.value, v.first, v.end) for v in values(log)] == [({"a": 1}, 0, 4)]


@pytest.mark.parametrize("raw", [b"[" * 50_000, b"[\n" * 20_000, b'{"a":\n' * 20_000, b'["\\', b"{", b"[1e999]"])
def test_hostile_input_gives_no_error(raw: bytes) -> None:
    assert [v for v in values(to_log([("stdout", 1, raw)])) if v.whole and v.value != [float("inf")]] == []
