"""Which parsers a log wants."""

import pytest

from punchlist.reading.command import understand
from punchlist.reading.recognise import by_signs, candidates
from punchlist.reading.registry import PARSERS

COMMANDS = {
    "pytest -q": "pytest",
    "cd api && python -m pytest": "pytest",
    "cargo +nightly --locked test": "cargo",
    "go vet ./...": "go-build",
    "npx eslint .": "eslint",
    "npx tsc --noEmit": "tsc",
    "ruff check .": "ruff",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_its_parser(command: str) -> None:
    assert any(COMMANDS[command] in c.parser.name for c in candidates(understand(command), ""))


def test_the_words_of_the_command_go_with_its_parser() -> None:
    found = [c for c in candidates(understand("cd api && pytest -q"), "") if c.parser.name == "pytest"]
    assert [(c.words, c.directory) for c in found] == [(("pytest", "-q"), "api")]


def test_a_log_shows_its_tools_without_a_command() -> None:
    text = "======= test session starts =======\nplatform linux -- Python 3.12.1, pytest-8.3.0\n"
    assert "pytest" in [c.parser.name for c in candidates([], text)]


def test_each_parser_is_tried_once_and_in_the_registrys_order() -> None:
    names = [c.parser.name for c in candidates(understand("pytest; ruff check ."), "pytest-8.3.0 session starts")]
    order = [p.name for p in PARSERS if p.name in names]
    assert names == order


@pytest.mark.parametrize("text", ["", "all is well", "done in 3 s\n", "order stored\nerror log rotated\n"])
def test_plain_talk_wants_no_parser(text: str) -> None:
    assert by_signs(text) == []
