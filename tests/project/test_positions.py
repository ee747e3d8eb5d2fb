import pytest

from punchlist.project.positions import KeyPath, json_lines, line_of, toml_lines

TOML = '''\
title = "x"
[a.b]
c.d = 1
"e f" = 2
text = """
fake = 3
[fake]
"""
[[a.list]]
x = 1
[[a.list]]
x = 2
[a.list.sub]
y = 3
[checks]
inline = { command = "x", timeout = 3 }
many = [
  { name = "one" },
  { name = "two", odd = 1 },
]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 1),
        (("a", "b"), 2),
        (("a", "b", "c", "d"), 3),
        (("a", "b", "e f"), 4),
        (("a", "list", 0, "x"), 10),
        (("a", "list", 1, "x"), 12),
        (("a", "list", 1, "sub", "y"), 14),
        (("checks", "inline", "timeout"), 16),
        (("checks", "many", 1, "odd"), 19),
        (("fake",), None),
        (("nothing", "here"), None),
    ],
)
def test_toml_keys_are_found_where_they_stand(path: KeyPath, line: int | None) -> None:
    assert line_of(toml_lines(TOML), path, TOML) == line


JSON = """{
  "a": {"b": [1,
    {"c": "}"}, [true,
    null]]},
  "d\\"e": 2, // said
  /* a
  block */ "f": []
}"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 2),
        (("a", "b", 0), 2),
        (("a", "b", 1), 3),
        (("a", "b", 1, "c"), 3),
        (("a", "b", 2, 1), 4),
        (('d"e',), 5),
        (("f",), 7),
        (("f", 0), 7),
        (("g",), None),
    ],
)
def test_json_keys_and_items_are_found_where_they_stand(path: KeyPath, line: int | None) -> None:
    assert line_of(json_lines(JSON), path, JSON) == line
