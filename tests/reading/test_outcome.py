"""What a run means: how it ended, and what its log says."""

import pytest

from punchlist.model import Diagnostic, How, Outcome
from punchlist.reading.outcome import Said, outcome, said

NOTHING = Said(None, errors=False, findings=False)
ERRORS = Said(None, errors=True, findings=True)
WARNINGS = Said(None, errors=False, findings=True)


def verdict(word: Outcome, *, errors: bool = False, findings: bool = False) -> Said:
    return Said(word, errors, findings)


CASES: list[tuple[How, list[Said], Outcome]] = [
    (How(ending="exit", exit_code=0), [], "passed"),
    (How(ending="exit", exit_code=0), [NOTHING], "passed"),
    (How(ending="exit", exit_code=0), [WARNINGS], "passed"),
    (How(ending="exit", exit_code=0), [ERRORS], "failed"),
    (How(ending="exit", exit_code=0), [verdict("passed", errors=True, findings=True)], "passed"),
    (How(ending="exit", exit_code=0), [verdict("passed"), verdict("failed")], "failed"),
    (How(ending="exit", exit_code=0), [verdict("error")], "error"),
    (How(ending="exit", exit_code=1), [], "error"),
    (How(ending="exit", exit_code=1), [NOTHING], "error"),
    (How(ending="exit", exit_code=1), [ERRORS], "failed"),
    (How(ending="exit", exit_code=1), [WARNINGS], "failed"),
    (How(ending="exit", exit_code=1), [verdict("passed", findings=True)], "error"),
    (How(ending="exit", exit_code=2), [verdict("error", errors=True)], "error"),
    (How(ending="exit", exit_code=2), [verdict("error", errors=True), verdict("failed")], "failed"),
    (How(ending="none"), [], "unknown"),
    (How(ending="none"), [verdict("passed")], "passed"),
    (How(ending="none"), [ERRORS], "failed"),
    (How(ending="none"), [WARNINGS], "unknown"),
    (How(ending="signal", signal=9), [verdict("passed")], "error"),
    (How(ending="timeout"), [verdict("passed")], "error"),
]


@pytest.mark.parametrize(("how", "readings", "wanted"), CASES)
def test_exit_code_and_log_decide_together(how: How, readings: list[Said], wanted: Outcome) -> None:
    assert outcome(how, readings) == wanted


def test_a_flaky_test_is_no_error_of_the_run() -> None:
    assert said(None, [Diagnostic(message="x", state="flaky")]) == NOTHING
    assert said(None, [Diagnostic(message="x")]) == ERRORS
