"""What two linters both report is said once."""

import pytest

from punchlist.model import Diagnostic, Fix
from punchlist.service.checking.overlap import once


def one(tool: str, rule: str, line: int = 3, **more: object) -> Diagnostic:
    return Diagnostic(message=f"said by {tool}", tool=tool, rule=rule, file="a.ts", line=line, column=5, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rules",
    [
        ("no-debugger", "no-debugger"),
        ("no-debugger", "eslint(no-debugger)"),
        ("no-debugger", "lint/suspicious/noDebugger"),
    ],
)
def test_the_same_rule_in_the_same_place_is_one_finding_that_names_both(rules: tuple[str, str]) -> None:
    other = "biome" if "/" in rules[1] else "oxlint"
    (found,) = once([one(other, rules[1], fix=Fix((), True)), one("eslint", rules[0])])
    assert (found.tool, found.fix) == ("eslint", Fix((), True))
    assert found.detail == f"also: {other} {rules[1]}"


@pytest.mark.parametrize(
    "pair",
    [
        (one("eslint", "no-var"), one("oxlint", "no-debugger")),
        (one("eslint", "no-var"), one("oxlint", "no-var", line=4)),
        (one("eslint", "no-var"), one("tsc", "no-var")),
        (one("eslint", "no-var"), one("eslint", "no-var")),
    ],
)
def test_other_findings_stay_apart(pair: tuple[Diagnostic, Diagnostic]) -> None:
    assert list(once(pair)) == list(pair)
