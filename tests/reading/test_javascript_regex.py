import json
import shutil
import subprocess
from functools import lru_cache

import pytest
import regex

from punchlist.reading.javascript_regex import UntranslatableError, translate

PATTERNS = [
    r"(FAIL|●|✕)", r"error\[E", r"E   ", r"[\w-.]+:\d+", r"[^]x", r"[]", r"a{,3}", r"{foo}", r"\/path\/",
    r"(?<y>a)\k<y>", r"(a)?\1b", r"\s+$", r"^\s", r"[\s\S]", r"\e", r"[a-\d]", r"\u00e9", r"\x41", r"\x4", r"\cA",
    r"(?<=a+)b", r"(?<!a)b", r"x{2}", r"x{2,}", r"x{2,3}?", r"[[]", r"[&&]", r"\bé", r"\w+é", r"(?!foo)bar", r"\.",
    r"a|", r"[$^]", r"}", r"]", r"\0", r"[\b]", r"[+--]", r"(?:a|b)*?c", r"[^\]]+", r"\-", r"[\-a]", r"[é-ü]",
    r"\d{1,3}%", r"(?<a>x)(?<b>y)\k<b>", r"[\d-z]", r"[a-z-9]", r"[-a]", r"[a-]", r"\_", r"\01", r"[\1]", r"\Afoo",
    r"\Z", r"\k", r"a$b", r"(foo)(bar)\2", r"[^\s]+", r"\d+ms", r"\c1", r"[\c]",
]  # fmt: skip
TEXTS = [
    "FAIL x", "error[E0308]", "E   assert", "src/a-b.ts:12", "\nx", "a{,3}", "{foo}", "/path/x", "aa", "b", "ab",
    "  ", "\u00a0x", "a\n", "e", "-", "5", "é", "A", "\x01", "aab", "xx", "xxx", "[", "&", "|", "a", "bar", "foobar",
    "$", "}", "]", "\0", "\b", ",", "+", ".", "ac", "ERROR", "%99%", "xyy", "xyyy", "z", "_", "\\", "ü", "12%", "",
    "\u2003", "Afoo", "Z", "k", "\\c1", "a$b", "foobarbar", "٣ms", "3ms",
]  # fmt: skip
NODE = """
const [patterns, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const find = (p, t) => { const m = new RegExp(p).exec(t); return m && [m.index, m[0]]; };
console.log(JSON.stringify(patterns.map(p => texts.map(t => find(p, t)))));
"""


@lru_cache(maxsize=1)
def by_node() -> dict[str, list[list[object] | None]]:
    given = json.dumps([PATTERNS, TEXTS])
    answer = subprocess.run(["node", "-e", NODE], input=given, text=True, capture_output=True, check=True).stdout
    return dict(zip(PATTERNS, json.loads(answer), strict=True))


@pytest.mark.tools
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("pattern", PATTERNS)
def test_an_expression_finds_what_node_finds(pattern: str) -> None:
    compiled = regex.compile(translate(pattern), regex.ASCII)
    found = [[m.start(), m[0]] if (m := compiled.search(text)) else None for text in TEXTS]
    assert found == by_node()[pattern]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?i)error", "(?i:...)"),
        ("(?P<x>a)", "no group"),
        ("(?>a)", "no group"),
        ("(?#a)", "no group"),
        ("a++", "nothing to repeat"),
        ("*a", "nothing to repeat"),
        ("(?<a>?xu)", "nothing to repeat"),
        ("a|+", "nothing to repeat"),
        ("(?:{2}a)", "nothing to repeat"),
        ("^*", "nothing to repeat"),
        ("a{2}{3}", "nothing to repeat"),
        ("[abc", "not closed"),
        ("abc\\", "ends in a backslash"),
        (r"\p{L}", "u flag"),
        (r"\u{1F600}", "u flag"),
        (r"(?<x>a)\k<y>", "names no group"),
    ],
)
def test_what_cannot_be_carried_over_is_refused_with_a_reason(pattern: str, said: str) -> None:
    with pytest.raises(UntranslatableError) as raised:
        translate(pattern)
    assert said in str(raised.value)


def test_case_can_be_ignored_in_a_group() -> None:
    assert regex.search(translate("(?i:error) X"), "ERROR X")
    assert not regex.search(translate("(?i:error) X"), "ERROR x")
