"""Lines of the log in an answer."""

from punchlist.model import Diagnostic, Report
from punchlist.views.brief import Facts, brief
from punchlist.views.budget import Budget, size
from punchlist.views.evidence import excerpt, room_for_findings, with_evidence

JOB = (
    "Complete job name: test",
    "##[group]Run make test",
    "##[endgroup]",
    *(f"cart.c:{n}:1: error: no such name" for n in range(60)),
    "--- FAIL: TestCart (0.10s)",
    "make: *** [Makefile:3: test] Error 1",
    "##[error]Process completed with exit code 2.",
)


def report(lines: tuple[str, ...] = JOB, *messages: str) -> Report:
    return Report(
        outcome="failed",
        diagnostics=tuple(Diagnostic(message=m, file=f"src/f{n}.c", line=n + 1) for n, m in enumerate(messages)),
        excerpt=tuple(("stdout", n, line) for n, line in enumerate(lines, 1)),
    )


def test_a_ci_job_keeps_a_share_of_the_answer_for_what_else_it_said() -> None:
    text = brief(report(JOB, *(f"message {n} " + "tells a long story " * 8 for n in range(200))), facts=Facts())
    assert "##[group]Run make test" in text
    assert "--- FAIL: TestCart" in text
    assert "##[error]Process completed with exit code 2." in text
    assert size(text) <= Budget(1500).chars


def test_findings_have_the_whole_budget_where_nothing_stands_beside_them() -> None:
    assert room_for_findings(report((), "x"), Budget(1500)) == Budget(1500)
    assert room_for_findings(report(JOB, "x"), Budget(1500)).tokens == 1000


def test_lines_come_in_the_order_of_the_log() -> None:
    text = with_evidence("FAILED", report(JOB, "x"), 600)
    added = text.split("\n")[2:]
    assert added == sorted(added, key=JOB.index)
    assert added[:2] == ["Complete job name: test", "##[group]Run make test"]


def test_a_line_that_the_answer_holds_already_is_not_said_again() -> None:
    text = with_evidence("FAILED\n--- FAIL: TestCart (0.10s)", report(JOB, "x"), 2000)
    assert text.count("--- FAIL: TestCart (0.10s)") == 1


def test_a_finding_in_its_tools_own_words_stands_a_few_times_at_most() -> None:
    text = with_evidence("FAILED\ncart.c:1 error: no such name", report(JOB, "no such name"), 4500)
    assert text.count("1: error: no such name") <= 3


def test_nothing_is_added_without_room_or_without_an_error() -> None:
    assert with_evidence("FAILED", report(JOB, "x"), 150) == "FAILED"
    assert with_evidence("FAILED", report(JOB), 4500) == "FAILED"


def test_alone_the_best_lines_fit_their_share_and_keep_the_end() -> None:
    lines = excerpt(report(JOB), Budget(300))
    assert sum(size(line) + 1 for line in lines) <= 810
    assert lines[-1] == "##[error]Process completed with exit code 2."


def test_a_plain_log_gives_at_most_half_of_the_budget() -> None:
    plain = tuple(f"error: part {n} is missing" for n in range(300))
    assert sum(size(line) + 1 for line in excerpt(report(plain), Budget(300))) <= 450
