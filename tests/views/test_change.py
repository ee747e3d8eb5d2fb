"""What changed, on one short screen."""

import pytest

from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, How, Outcome, Report
from punchlist.views.brief import Facts
from punchlist.views.budget import budget, size
from punchlist.views.change import change


def lint(message: str, line: int, rule: str = "R1", file: str = "a.py") -> Diagnostic:
    return Diagnostic(message=message, file=file, line=line, rule=rule, tool="t")


def report(*diagnostics: Diagnostic, outcome: Outcome = "failed") -> Report:
    return Report(outcome=outcome, diagnostics=diagnostics, how=How(ending="exit", exit_code=1))


def test_each_section_says_what_and_how_many() -> None:
    before = report(lint("stays", 3), lint("goes", 4, "R2"), lint("bad 'x' here", 9, "R4"))
    after = report(lint("stays", 5), lint("comes", 1, "R3", "b.py"), lint("other thing", 9, "R4"))
    text = change(compare(before, after, before_id="c-1", after_id="c-2"), facts=Facts())
    assert text.split("\n") == [
        "c-1 (failed) -> c-2 (failed): 1 fixed, 1 new, 1 changed, 1 same",
        "new (1):",
        "b.py:1 R3 comes",
        "changed (1):",
        "a.py:9 R4 other thing",
        "  was: bad 'x' here",
        "still there (1):",
        "a.py:5 R1 stays",
        "fixed (1):",
        "a.py:4 R2 goes",
    ]


def test_a_crash_shows_what_was_not_looked_at_again() -> None:
    delta = compare(report(lint("m", 1)), report(outcome="error"), before_id="c-1", after_id="c-2")
    assert change(delta, facts=Facts()).split("\n") == [
        "c-1 (failed) -> c-2 (error): 1 not looked at again",
        "not looked at again (1):",
        "a.py:1 R1 m",
    ]


def test_sections_may_have_other_names() -> None:
    titles = {"new": "yours", "changed": "changed", "same": "there before", "fixed": "gone", "unseen": "unknown"}
    delta = compare(
        report(lint("old", 1)), report(lint("old", 1), lint("mine", 2, "R2")), before_id="base", after_id="c-2"
    )
    text = change(delta, facts=Facts(), titles=titles)
    assert "yours (1):\na.py:2 R2 mine\nthere before (1):" in text


@pytest.mark.parametrize("tokens", [100, 300, 1500])
def test_a_comparison_fits_its_budget_and_counts_the_rest(tokens: int) -> None:
    before = report(*(lint("old thing", n, f"R{n % 40}", f"src/f{n % 90}.py") for n in range(1, 2000)))
    after = report(*(lint("new thing", n, f"N{n % 40}", f"src/f{n % 90}.py") for n in range(1, 2000)))
    text = change(compare(before, after, before_id="c-1", after_id="c-2"), facts=Facts(), budget=budget(tokens))
    assert size(text) <= tokens * 3
    assert "new (1999)" in text
    assert "fixed (1999)" in text
    assert text.split("\n")[-1].endswith("not shown: punchlist show c-2 --page 1")
