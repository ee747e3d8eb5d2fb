import pytest

from punchlist.model import How, Report
from punchlist.reading.reader import read
from punchlist.reading.tools.pytest_runs import read_totals
from punchlist.reading.tools.pytest_summary import Entry, align, split_id


def title(text: str) -> str:
    return f" {text} ".center(80, "_")


def rule(text: str) -> str:
    return f" {text} ".center(80, "=")


def report(*lines: str, command: str = "pytest", code: int = 1) -> Report:
    raw = "\n".join(lines).encode()
    return read(raw, command=command, how=How(ending="exit", exit_code=code), root="/home/dev/shop")


START = rule("test session starts")
BLOCK = (
    title("test_a"),
    "",
    "    def test_a():",
    ">       assert 1 == 2",
    "E       assert 1 == 2",
    "",
    "tests/test_a.py:4: AssertionError",
)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("=== 1 failed, 2 passed in 0.12s ===", {"failed": 1, "passed": 2}),
        ("3 error in 3.36 seconds", {"errors": 3}),
        ("5 passed, 1 warning in 65.20s (0:01:05)", {"passed": 5, "warnings": 1}),
        ("2 failed, 6 subtests passed in 1.00s", {"failed": 2, "subtests_passed": 6}),
        ("no tests ran in 0.01s", {}),
        ("1/3 tests collected (2 deselected) in 0.01s", {"collected": 1, "deselected": 2}),
        ("took 3 seconds in 2.0s", None),
        ("1 failed", None),
    ],
)
def test_totals_of_every_version_are_read(line: str, counts: dict[str, int] | None) -> None:
    assert read_totals(line) == counts


@pytest.mark.parametrize(
    ("text", "known", "parts"),
    [
        ("t.py::test_a - boom - bang", set(), ("t.py::test_a", "boom - bang")),
        ("t.py::test_a[x - y] - boom", set(), ("t.py::test_a[x - y]", "boom")),
        ("t.py::test_a[a] - b] - boom", {"test_a[a] - b]"}, ("t.py::test_a[a] - b]", "boom")),
        ("t.py::test_a", set(), ("t.py::test_a", "")),
    ],
)
def test_parameters_may_hold_what_separates_the_reason(text: str, known: set[str], parts: tuple[str, str]) -> None:
    assert split_id(text, known) == parts


def test_reasons_without_an_entry_do_not_shift_the_others() -> None:
    entries = [Entry("failed", f"t.py::{name}", said, 0) for name, said in [("a", "A"), ("b", ""), ("c", "C...")]]
    assert align(["A", "C and more"], entries) == [entries[0], entries[2]]


def test_a_failure_printed_by_the_code_under_test_is_none_of_ours() -> None:
    found = report(
        START,
        *(rule("FAILURES"), *BLOCK),
        "----------------------------- Captured stdout call -----------------------------",
        title("test_fake"),
        "E       assert 'fake'",
        rule("short test summary info"),
        "FAILED tests/test_fake.py::test_fake - fake",
        rule("9 failed in 0.10s"),
        rule("short test summary info"),
        "FAILED tests/test_a.py::test_a - assert 1 == 2",
        rule("1 failed in 0.12s"),
    )
    assert [(d.test, d.line) for d in found.diagnostics] == [("tests/test_a.py::test_a", 4)]
    assert found.counts == {"failed": 1}


def test_two_quiet_runs_in_one_log_are_two() -> None:
    part = (
        "F.                                                                       [100%]",
        rule("FAILURES"),
        *BLOCK,
        rule("short test summary info"),
        "FAILED tests/test_a.py::test_a - assert 1 == 2",
        "1 failed, 1 passed in 0.12s",
    )
    found = report(*part, *part, command="pytest -q a; pytest -q b")
    assert found.counts == {"failed": 2, "passed": 2}


def test_a_run_without_totals_is_partial_and_never_passed() -> None:
    found = report(START, "collected 3 items", "", "tests/test_a.py .", code=0, command="pytest")
    assert found.partial
    failing = report(START, "collected 3 items", "", "tests/test_a.py .F", code=1)
    assert failing.partial
    assert failing.outcome == "failed"


def test_a_log_that_ends_within_a_failure_says_so() -> None:
    found = report(START, "tests/test_a.py F", rule("FAILURES"), *BLOCK[:3])
    assert not found.diagnostics
    assert "the log ends within the failure of test_a" in found.notes


def test_exit_zero_with_failures_is_a_failure() -> None:
    lines = (START, rule("FAILURES"), *BLOCK, rule("1 failed in 0.12s"))
    assert report(*lines, command="pytest | tee log", code=0).outcome == "failed"


def test_only_collection_errors_mean_that_nothing_ran() -> None:
    lines = (
        START,
        rule("ERRORS"),
        title("ERROR collecting tests/test_a.py"),
        "tests/test_a.py:1: in <module>",
        "    import nope",
        "E   ModuleNotFoundError: No module named 'nope'",
        rule("short test summary info"),
        "ERROR tests/test_a.py",
    )
    assert report(*lines, rule("1 error in 0.12s"), code=2).outcome == "error"
    assert report(*lines, rule("2 passed, 1 error in 0.12s"), code=1).outcome == "failed"


def test_a_test_that_calls_pytest_keeps_its_output_to_itself() -> None:
    inner = (START, rule("FAILURES"), title("test_inner"), "E       assert 0", rule("1 failed in 0.01s"))
    found = report(
        START,
        *(rule("FAILURES"), *BLOCK),
        "----------------------------- Captured stdout call -----------------------------",
        *inner,
        rule("short test summary info"),
        "FAILED tests/test_a.py::test_a - assert 1 == 2",
        rule("1 failed, 3 passed in 0.12s"),
    )
    assert [d.test for d in found.diagnostics] == ["tests/test_a.py::test_a"]
    assert found.counts == {"failed": 1, "passed": 3}


def test_a_windows_path_is_a_place() -> None:
    block = (*BLOCK[:-1], "tests\\unit\\test_a.py:4: AssertionError")
    found = report(START, rule("FAILURES"), *block, rule("1 failed in 0.12s"))
    assert [(d.file, d.line) for d in found.diagnostics] == [("tests/unit/test_a.py", 4)]


def test_sessions_of_nox_keep_their_failures_apart() -> None:
    part = (rule("FAILURES"), *BLOCK, rule("short test summary info"))
    summary = ("FAILED tests/test_a.py::test_a - assert 1 == 2", "1 failed in 0.12s")
    stdout = "\n".join((*part, *summary, *part, *summary)).encode()
    stderr = b"\n".join(
        b"nox > Running session tests-3.%d\nnox > pytest -q\nnox > Session tests-3.%d failed." % (n, n)
        for n in (12, 13)
    )
    found = read(stdout, stderr, command="nox", how=How(ending="exit", exit_code=1))
    assert [d.package for d in found.diagnostics] == ["tests-3.12", "tests-3.13"]
