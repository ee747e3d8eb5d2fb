"""The steps of a CI job."""

# ruff: noqa: E501, RUF005  logs read best line by line

import pytest

from punchlist.reading.steps import failing_steps, has_steps, only_failing
from punchlist.reading.text import to_log

JOBS = {
    "github": (
        ["##[group]Run make", "env:", "##[endgroup]", "fine", "##[group]Run make test", "##[endgroup]", "bad"]
        + ["##[error]Process completed with exit code 2.", "Post job cleanup.", "error: none"],
        (4, 6, 7),
    ),
    "azure": (
        ["##[section]Starting: Build", "fine", "##[section]Starting: Test", "bad", "##[error]Bash exited with code '1'."]
        + ["##[section]Finishing: Test"],
        (2, 3, 4),
    ),
    "jenkins": (["[Pipeline] sh", "+ make", "fine", "[Pipeline] sh", "+ make test", "script returned exit code 1"], (3, 4, 5)),
    "gitlab": (
        ['Executing "step_script" stage of the job script', "$ make", "bad", "ERROR: Job failed: exit code 1"],
        (0, 1, 3),
    ),
    "buildkite": (["~~~ Running commands", "$ make", "bad", "Error: The command exited with status 2"], (0, 1, 3)),
    "travis": (["$ make", "bad", 'The command "make" exited with 2.', "Done."], (0, 0, 2)),
    "no marks at all": (["one", "two"], (0, 0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", JOBS)
def test_the_step_that_failed_is_found(name: str) -> None:
    lines, wanted = JOBS[name]
    step = failing_steps(lines)[-1]
    assert (step.title, step.first, step.last) == wanted


def test_a_test_that_failed_is_no_step_and_a_diff_neither() -> None:
    assert not has_steps(["--- FAIL: TestCart (0.00s)", "--- a/cart.c", "+++ b/cart.c"])


def test_of_a_job_only_the_steps_that_failed_are_read() -> None:
    log = to_log([("stdout", 1, "\n".join(JOBS["github"][0]).encode())])
    assert [only_failing(log).lines[0], only_failing(log).numbers[0]] == ["##[group]Run make test", 5]


def test_what_an_error_still_says_below_belongs_to_its_step_and_cleaning_up_does_not() -> None:
    lines = [
        "##[group]Run script",
        "##[endgroup]",
        "##[error]Unhandled: HttpError",
        "  status: 403",
        "Post job cleanup.",
        "x",
    ]
    step = failing_steps(lines)[0]
    assert (step.last, step.end) == (2, 4)
    assert only_failing(to_log([("stdout", 1, "\n".join(lines).encode())])).lines == lines[:4]


def test_a_job_without_a_failed_step_is_read_whole() -> None:
    log = to_log([("stdout", 1, b"##[group]Run make\nfine\n##[group]Run make test\nfine\n")])
    assert only_failing(log) is log


def test_an_empty_log_has_one_empty_step() -> None:
    assert [(step.first, step.last) for step in failing_steps([])] == [(0, 0)]
