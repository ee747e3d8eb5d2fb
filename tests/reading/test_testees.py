"""What the code under test printed is no finding of the tools it quotes."""

import pytest

from punchlist.model import How, Report
from punchlist.reading.command import understand
from punchlist.reading.reader import read
from punchlist.reading.testees import runners

NOISE = "src/main.c:3:5: error: expected ';'\nsrc/a.ts(4,7): error TS2322: Type 'x'.\n"
PASSED = f"{NOISE}============ 2 passed in 0.01s ============\n"

COMMANDS = {
    "pytest -s": ("pytest",),
    "cd api && FOO=1 npx jest --ci | tail -5": ("jest",),
    "pytest -q && ruff check .": (),
    "make test": (),
    "./run.sh": (),
    "": (),
}


def report(command: str, log: str, exit_code: int = 0) -> Report:
    return read(log.encode(), command=command, how=How(ending="exit", exit_code=exit_code))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_only_test_runners_or_it_is_not(command: str) -> None:
    assert runners(understand(command), "") == COMMANDS[command]


def test_npm_names_in_the_log_what_its_script_runs() -> None:
    assert runners(understand("npm test"), "\n> app@1.0.0 test\n> mocha\n") == ("mocha",)
    assert runners(understand("npm test"), "\n> app@1.0.0 pretest\n> tsc\n\n> app@1.0.0 test\n> mocha\n") == ()


def test_a_passing_run_has_no_errors_of_tools_that_its_tests_quote() -> None:
    assert report("pytest -s", PASSED).outcome == "passed"
    assert report("pytest -s", PASSED).diagnostics == ()


def test_other_tools_are_read_where_the_command_may_run_them() -> None:
    assert {d.tool for d in report("make check", PASSED, 2).diagnostics} >= {"tsc"}


def test_other_tools_are_read_where_passing_tests_do_not_explain_the_exit_code() -> None:
    assert report("pytest -s", PASSED, 1).diagnostics


def test_the_exit_code_of_a_pipe_that_cuts_the_log_is_no_verdict_of_the_tool() -> None:
    assert report("pytest -q | head -2", "....F..\n").outcome != "passed"
    assert report("cmake --build . 2>&1 | tail -2", "[ 50%] Building C object a.o\n").outcome == "unknown"
    assert report("pytest -q | tail -1", "2 passed in 0.01s\n").outcome == "passed"
    assert report("eslint src | head", "").outcome == "passed"


def test_totals_with_failures_are_no_pass_whatever_part_of_the_log_is_left() -> None:
    assert report("npx jest 2>&1 | tail -2", "Tests:       1 failed, 2 passed, 3 total\n").outcome == "failed"
