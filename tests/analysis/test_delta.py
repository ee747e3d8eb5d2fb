"""Comparing two runs: fixed, new, same, changed, and what nobody looked at."""

import pytest

from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, How, Outcome, Report


def test_(name: str, message: str = "assert 1 == 2", line: int = 5) -> Diagnostic:
    return Diagnostic(
        message=message, file="tests/test_a.py", line=line, test=f"tests/test_a.py::{name}", tool="pytest"
    )


test_.__test__ = False  # type: ignore[attr-defined]


def lint(line: int, message: str = "unused 'x'", rule: str = "F841", file: str = "a.py") -> Diagnostic:
    return Diagnostic(message=message, file=file, line=line, rule=rule, tool="ruff")


def report(*diagnostics: Diagnostic, outcome: Outcome = "failed", partial: bool = False, **counts: int) -> Report:
    how = How(ending="exit", exit_code=0 if outcome == "passed" else 1)
    return Report(outcome=outcome, diagnostics=diagnostics, counts=counts, partial=partial, how=how)


def test_the_line_counts_fixed_new_and_same() -> None:
    before = report(test_("a"), test_("b"), test_("c"), failed=3)
    after = report(test_("c"), test_("d"), failed=2)
    assert compare(before, after, before_id="test-11").line() == "since test-11: 2 fixed, 1 new, 1 same"


def test_a_finding_whose_line_moved_is_the_same() -> None:
    delta = compare(report(lint(3)), report(lint(9)))
    assert (len(delta.persisting), delta.added, delta.removed) == (1, (), ())


def test_of_two_equal_findings_the_nearest_line_stays() -> None:
    delta = compare(report(lint(3), lint(50)), report(lint(52)))
    assert [d.line for d in delta.removed] == [3]


def test_a_line_map_decides_which_of_two_equal_findings_stayed() -> None:
    def moved(file: str, line: int) -> int | None:
        return line + 42 if line == 3 else None

    delta = compare(report(lint(3), lint(50)), report(lint(45)), lines=moved)
    assert [d.line for d in delta.removed] == [50]


def test_a_test_that_fails_for_another_reason_is_changed() -> None:
    delta = compare(report(test_("a")), report(test_("a", "KeyError: 'sku'", line=9)), before_id="test-1")
    assert len(delta.changed) == 1
    assert delta.line() == "since test-1: 1 fail for another reason"


def test_another_number_in_the_message_is_the_same_reason() -> None:
    delta = compare(report(test_("a")), report(test_("a", "assert 1 == 3")))
    assert len(delta.persisting) == 1


@pytest.mark.parametrize(
    "after",
    [
        report(outcome="error"),
        report(partial=True, failed=1),
        Report(outcome="error", how=How(ending="timeout")),
        Report(outcome="error", how=How(ending="signal", signal=9)),
    ],
)
def test_a_run_that_did_not_complete_fixes_nothing(after: Report) -> None:
    delta = compare(report(test_("a"), lint(1)), after, before_id="t-1")
    assert delta.removed == ()
    assert len(delta.unobserved) == 2
    assert delta.line() == "since t-1: 2 not looked at again"
    assert not delta.certain


def test_tests_behind_a_compile_error_were_not_looked_at() -> None:
    after = report(Diagnostic(message="cannot find 'x'", file="src/lib.rs", line=3, rule="E0425"))
    delta = compare(report(test_("a"), failed=1), after)
    assert (len(delta.unobserved), len(delta.added), delta.removed) == (1, 1, ())


def test_a_passed_run_fixes_everything() -> None:
    delta = compare(report(test_("a"), lint(1)), report(outcome="passed", passed=4))
    assert len(delta.removed) == 2
    assert delta.certain


def test_a_file_outside_the_coverage_is_never_fixed() -> None:
    before = report(lint(1, file="a.py"), lint(1, file="b.py"))
    delta = compare(before, report(outcome="passed"), covered=frozenset({("ruff", "a.py")}))
    assert [d.file for d in delta.removed] == ["a.py"]
    assert [d.file for d in delta.unobserved] == ["b.py"]


def test_a_finding_in_a_file_that_was_not_looked_at_before_is_not_new() -> None:
    after = report(lint(1, file="a.py"), lint(1, file="b.py"))
    delta = compare(report(outcome="passed"), after, before_id="c-1", covered_before=frozenset({("ruff", "a.py")}))
    assert [d.file for d in delta.added] == ["a.py"]
    assert [d.file for d in delta.first_seen] == ["b.py"]
    assert delta.line() == "since c-1: 1 new, 1 in files not looked at before"
    assert not delta.certain


def test_what_an_incomplete_run_did_not_see_may_be_old() -> None:
    delta = compare(report(outcome="error"), report(test_("a")), before_id="t-1")
    assert delta.line() == "since t-1: 1 new or not seen by t-1"


def test_each_side_says_how_it_ended() -> None:
    delta = compare(report(lint(1)), report(outcome="passed"), before_id="a-1", after_id="a-2")
    assert (delta.before.outcome, delta.after.outcome) == ("failed", "passed")


def test_the_same_place_with_another_text_is_changed() -> None:
    delta = compare(report(lint(3, "has no attribute 'a'")), report(lint(3, "takes no arguments")))
    assert len(delta.changed) == 1


def test_many_equal_findings_are_compared_in_reasonable_time() -> None:
    before = report(*(lint(i) for i in range(3000)))
    after = report(*(lint(i + 1) for i in range(2999)))
    assert len(compare(before, after).removed) == 1
