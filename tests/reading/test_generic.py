"""Places and messages of tools nobody parses, and shells that could not start a program."""

# ruff: noqa: E501  logs read best line by line
import pytest

from punchlist.model import Diagnostic
from punchlist.reading.log import Context
from punchlist.reading.text import to_log
from punchlist.reading.tools.generic import parse


def read(text: str, code: int | None = 1) -> list[Diagnostic]:
    return parse(to_log([("stdout", 1, text.encode())]), Context((), code)).diagnostics


PLACES = {
    "place, severity, message": ("src/cart.zz:14:9: error: no such name", "src/cart.zz", 14, 9, "error", "no such name"),
    "without a column": ("src/cart.zz:14: warning: unused", "src/cart.zz", 14, None, "warning", "unused"),
    "in brackets": ("src/cart.zz(14,9): error Z102: no such name", "src/cart.zz", 14, 9, "error", "no such name"),
    "one number in brackets": ("src/cart.zz(14): warning: unused", "src/cart.zz", 14, None, "warning", "unused"),
    "windows": ("C:\\work\\shop\\cart.zz:14:9: error: no such name", "C:\\work\\shop\\cart.zz", 14, 9, "error", "no such name"),
    "windows in brackets": ("C:\\work\\shop\\cart.zz(14,9): error Z1: no such name", "C:\\work\\shop\\cart.zz", 14, 9, "error", "no such name"),
    "severity first": ("error: src/cart.zz:14:9: no such name", "src/cart.zz", 14, 9, "error", "no such name"),
    "severity in capitals": ("ERROR: cart.zz:14: no such name", "cart.zz", 14, None, "error", "no such name"),
    "a range": ("cart.zz:14:9-12: error: no such name", "cart.zz", 14, 9, "error", "no such name"),
    "another language": ("src/caisse.zz:3:1: error: nom « total » inconnu", "src/caisse.zz", 3, 1, "error", "nom « total » inconnu"),
    "indented": ("    src/cart.zz:14:9: error: no such name", "src/cart.zz", 14, 9, "error", "no such name"),
    "a fatal error": ("cart.zz:1:1: fatal error: cannot open", "cart.zz", 1, 1, "error", "cannot open"),
    "no word for how bad": ("cart.zz:14:9: no such name", "cart.zz", 14, 9, "error", "no such name"),
    "a folder with blanks": ("src/my shop/cart.zz:14:9: error: no such name", "src/my shop/cart.zz", 14, 9, "error", "no such name"),
    "a windows folder with blanks": ("C:\\Users\\A B\\cart.zz:14:9: error: no such name", "C:\\Users\\A B\\cart.zz", 14, 9, "error", "no such name"),
    "a blank in brackets": ("src/my shop/cart.zz(14,9): error Z1: no such name", "src/my shop/cart.zz", 14, 9, "error", "no such name"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_a_place_and_a_message_make_a_finding(name: str) -> None:
    line, *wanted = PLACES[name]
    found = [[d.file, d.line, d.column, d.severity, d.message] for d in read(f"starting\n{line}\ndone\n")]
    assert found == [wanted]


SHELLS = [
    "sh: 1: zigzag: not found",
    "bash: line 3: zigzag: command not found",
    "/bin/bash: ./run.sh: Permission denied",
    "zsh: command not found: zigzag",
    "env: 'zigzag': No such file or directory",
    "/usr/bin/env: ‘zigzag’: No such file or directory",
    "make: zigzag: No such file or directory",
    "./build.sh: line 7: zigzag: command not found",
    "fish: Unknown command: zigzag",
    "zigzag : The term 'zigzag' is not recognized as the name of a cmdlet, function, script file, or operable program.",
    "'zigzag' is not recognized as an internal or external command,",
]


@pytest.mark.parametrize("line", SHELLS)
def test_a_shell_that_could_not_start_a_program_says_so_itself(line: str) -> None:
    assert [d.message for d in read(f"before\n{line}\n", 127)] == [line]


QUIET = {
    "addresses": "listening on http://localhost:8080\nhttps://example.org:443/a: error: see there\n127.0.0.1:5432: error: none",
    "times": "12:30:45: starting\n2026-04-23T11:39:24: order stored",
    "stack frames": "    at total (src/cart.js:14:9)\n  File \"cart.py\", line 3, in total",
    "a passing test with a bad name": "ok 3 - cart.zz:14:9: error: is reported",
    "prose": "Note: errors are kept in error.log: see there",
    "key and value": "timeout: 30\nerror: 0\nwarning: none",
    "ratios": "ratio 3:4: fine\nscore 10:2: won",
    "a source excerpt": "   14 | total: 3:4",
    "an ipv6 address": "connected to [::1]:5432: ok",
    "words before a place": "see src/cart.zz:14:9: error: is a message of the compiler",
    "a sentence with slashes": "we read and/or write it 3:4: error: none",
    "a docker image": "registry.example.org:5000/shop:1.2: Pulling from shop",
}  # fmt: skip


@pytest.mark.parametrize("name", QUIET)
def test_what_is_no_place_makes_no_finding(name: str) -> None:
    assert read(QUIET[name]) == []


@pytest.mark.parametrize("line", ["cart.zz:14:9: no such name", "src/cart.go:3: order stored"])
def test_a_log_that_passed_has_no_bare_places(line: str) -> None:
    assert read(f"{line}\n", 0) == []


def test_a_long_line_of_blanks_and_slashes_costs_little() -> None:
    assert read(("a b/" * 4_000) + ":") == []


def test_bare_places_are_not_findings_beside_stated_ones() -> None:
    assert [d.message for d in read("cart.zz:14:9: error: bad\nlog.go:3: order stored\n")] == ["bad"]


def test_a_rule_between_severity_and_message_is_kept() -> None:
    assert [(d.rule, d.message) for d in read("a.zz(3,4): error ZZ1034: bad\nb.zz:3: warning [style/name]: odd\n")] == [
        ("ZZ1034", "bad"),
        ("style/name", "odd"),
    ]
