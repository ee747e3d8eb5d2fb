"""Which programs a command line really runs, and where."""

import pytest

from punchlist.reading.command import understand

RUNS = {
    "pytest -q": ["pytest"],
    "python -m pytest -q": ["pytest"],
    "python3.12 -m mypy .": ["mypy"],
    "uv run --with x pytest": ["pytest"],
    "poetry run pytest": ["pytest"],
    "npx eslint src": ["eslint"],
    "npx --yes tsc -p .": ["tsc"],
    "CI=1 npx jest": ["jest"],
    "env -u HOME FOO=1 make test": ["make"],
    "bash -c 'cargo test && cargo clippy'": ["cargo", "cargo"],
    "cd web && npm ci; npx vitest run | tee log": ["npm", "vitest", "tee"],
    "docker exec -w /app web pytest": ["pytest"],
    "docker run --rm -v .:/app img go test ./...": ["go"],
    "bundle exec rspec": ["rspec"],
    "time nice -n 5 ninja": ["ninja"],
    "./node_modules/.bin/eslint .": ["eslint"],
    "/usr/bin/x86_64-linux-gnu-gcc-13 -c a.c": ["gcc"],
    "coverage run -m pytest": ["pytest"],
    "sudo -u ci make": ["make"],
    "a 'b": ["a"],
    "": [],
}


@pytest.mark.parametrize("command", RUNS)
def test_wrappers_are_taken_off(command: str) -> None:
    assert [run.program for run in understand(command)][: len(RUNS[command])] == RUNS[command]


FOLDERS = {
    "cd web && npx jest": "web",
    "cd web/app && cd ../api && npx jest": "web/api",
    "make -C lib test": "lib",
    "npx jest": "",
}


@pytest.mark.parametrize("command", FOLDERS)
def test_the_folder_a_program_runs_in_is_followed(command: str) -> None:
    assert understand(command)[-1].directory == FOLDERS[command]


def test_a_script_stands_for_its_command() -> None:
    def scripts(runner: str, name: str) -> str | None:
        return {("npm", "test"): "jest --ci", ("make", "lint"): "ruff check ."}.get((runner, name))

    assert [run.words for run in understand("npm test", scripts) if run.program == "jest"] == [("jest", "--ci")]
    assert [run.program for run in understand("make lint", scripts)][-1] == "ruff"


def test_a_script_that_calls_itself_ends() -> None:
    assert understand("npm test", lambda *_: "npm test")
