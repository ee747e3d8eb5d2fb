import pytest

from punchlist.model import How
from punchlist.reading.reader import read
from punchlist.reading.tools.unittest import test_id as identify

RULE, DASHES = "=" * 70, "-" * 70


@pytest.mark.parametrize(
    ("printed", "test"),
    [
        ("test_a (tests.test_x.T.test_a)", "tests.test_x.T.test_a"),
        ("test_a (tests.test_x.T)", "tests.test_x.T.test_a"),
        ("test_a (tests.test_x.T) (i=1)", "tests.test_x.T.test_a (i=1)"),
        ("test_a (tests.test_x.T.test_a) [why] (i=1)", "tests.test_x.T.test_a [why] (i=1)"),
        ("setUpClass (tests.test_x.T)", "setUpClass (tests.test_x.T)"),
        ("tests.test_y (unittest.loader._FailedTest)", "unittest.loader._FailedTest.tests.test_y"),
        ("tests.test_x.T.test_a", "tests.test_x.T.test_a"),
    ],
)
def test_ids_are_the_same_for_every_version(printed: str, test: str) -> None:
    assert identify(printed) == test


@pytest.mark.parametrize(
    ("verdict", "code", "outcome"),
    [
        ("FAILED (failures=1)", 1, "failed"),
        ("OK (skipped=1)", 0, "passed"),
        ("NO TESTS RAN", 5, "error"),
    ],
)
def test_the_last_line_is_the_verdict(verdict: str, code: int, outcome: str) -> None:
    log = f"{DASHES}\nRan 3 tests in 0.1s\n\n{verdict}\n".encode()
    found = read(b"", log, command="python -m unittest", how=How(ending="exit", exit_code=code))
    assert (found.outcome, found.counts["run"]) == (outcome, 3)


def test_output_that_looks_like_a_failure_is_none() -> None:
    log = f"FAIL: test_fake (tests.T)\nfetching\n{DASHES}\nRan 3 tests in 0.1s\n\nOK\n".encode()
    found = read(b"", log, command="python -m unittest", how=How(ending="exit", exit_code=0))
    assert (found.outcome, found.diagnostics) == ("passed", ())


def test_a_log_that_ends_within_a_failure_says_so() -> None:
    log = f"F\n{RULE}\nFAIL: test_a (tests.test_x.T.test_a)\n{DASHES}\nTraceback (most recent call last):\n".encode()
    found = read(b"", log, command="python -m unittest", how=How(ending="exit", exit_code=1))
    assert found.partial
    assert found.notes == ("the log ends within the failure of tests.test_x.T.test_a",)
