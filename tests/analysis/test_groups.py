"""Groups: what counts as the same kind of finding, and that nothing is dropped."""

import pytest

from punchlist.analysis.fingerprint import fingerprint, rule_name, split
from punchlist.analysis.groups import find, group, unique
from punchlist.analysis.ranking import consequence, foreign, ranked
from punchlist.model import Diagnostic


def lint(
    message: str, file: str | None = "a.py", line: int | None = 1, rule: str | None = "F401", **more: object
) -> Diagnostic:
    return Diagnostic(message=message, file=file, line=line, rule=rule, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("`os` imported but unused", "`sys` imported but unused"),
        ("Cannot find module './a'", "Cannot find module './b/c'"),
        ("expected 3 to be 4", "expected 15 to be 16"),
        ("took 13ms", "took 14ms"),
        ("at 0x7f12ab", "at 0x7f99cd"),
        ('String() = "0.5 EUR", want "1"', 'String() = "x", want ""'),
        ("cannot open src/a.c", "cannot open lib/deep/b.c"),
        ("no   such\tthing", "no such thing"),
        ("»price« fehlt ‘a’", "»price« fehlt ‘b’"),
    ],
)
def test_messages_that_differ_in_names_numbers_and_paths_are_of_one_kind(one: str, other: str) -> None:
    assert fingerprint(lint(one)) == fingerprint(lint(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("can't open it, don't ask", "can't close it, don't ask"),
        ("name is undefined", "name is unused"),
    ],
)
def test_messages_that_say_something_else_are_kept_apart(one: str, other: str) -> None:
    assert fingerprint(lint(one)) != fingerprint(lint(other))


def test_a_fingerprint_is_twelve_hex_digits_and_stable() -> None:
    assert fingerprint(lint("`os` imported but unused")) == "8fad836e714c"


@pytest.mark.parametrize("rule", ["eslint(no-var)", "No-Var", "eslint::no-var"])
def test_rules_are_compared_without_their_tools_name_space(rule: str) -> None:
    assert rule_name(rule) == "no-var"


def test_a_message_parts_into_template_and_varying_parts() -> None:
    template, parts = split("Type 'string' is not 'number' in src/a.ts line 3")
    assert template.count("\x00") == 4
    assert parts == ("'string'", "'number'", "src/a.ts", "3")


def test_a_group_keeps_every_message_and_place() -> None:
    found = [lint("`os` imported but unused"), lint("`re` imported but unused", line=2), lint("x", rule="E1")]
    groups = group(found)
    assert [g.count for g in groups] == [1, 2]
    assert sorted(d.message for g in groups for d in g.diagnostics) == sorted(d.message for d in found)


def test_errors_and_warnings_of_one_rule_are_two_groups() -> None:
    assert len(group([lint("m"), lint("m", severity="warning")])) == 2


def test_tests_that_end_in_one_own_line_are_one_cause() -> None:
    failures = [
        Diagnostic(message="boom", file="src/db.py", line=7, test="test_a"),
        Diagnostic(message="no connection", file="src/db.py", line=7, test="test_b"),
        Diagnostic(message="boom", file="src/other.py", line=9, test="test_c"),
    ]
    groups = group(failures)
    assert [(g.cause, g.count) for g in groups] == [(True, 2), (False, 1)]


def test_one_test_with_two_messages_in_a_line_is_no_shared_cause() -> None:
    failures = [Diagnostic(message=m, file="t.py", line=7, test="test_a") for m in ("boom", "teardown broke")]
    assert not any(g.cause for g in group(failures))


def test_exact_repeats_are_dropped_and_other_columns_kept() -> None:
    found = [lint("m", column=1), lint("m", column=1), lint("m", column=9)]
    assert len(unique(found)) == 2


@pytest.mark.parametrize("name", ["F401", "2", "a.py"])
def test_a_group_is_found_by_rule_rank_or_file(name: str) -> None:
    groups = group([lint("`os` imported but unused"), lint("bad", file="b.py", rule="E1")])
    wanted = {"F401": "F401", "2": "E1", "a.py": "F401"}[name]
    assert [g.rule for g in find(groups, name)] == [wanted]


def test_a_group_is_found_by_the_start_of_its_fingerprint() -> None:
    (only,) = group([lint("m")])
    assert find([only], only.fingerprint[:6]) == (only,)


@pytest.mark.parametrize(
    "file",
    ["node_modules/x/i.js", "/usr/lib/python3.11/ast.py", ".venv/lib/python3.12/site-packages/a.py", "node:internal/x"],
)
def test_installed_code_is_foreign(file: str) -> None:
    assert foreign(file)


@pytest.mark.parametrize("file", ["src/a.py", "tests/usr/a.py", "vendor/own.php", None])
def test_project_code_is_its_own(file: str | None) -> None:
    assert not foreign(file)


@pytest.mark.parametrize(
    "message",
    [
        "make: *** [Makefile:4: all] Error 1",
        "could not compile `shop` (lib) due to 3 previous errors",
        "Command failed with exit code 2",
        "There are failing tests",
        "npm ERR! code ELIFECYCLE",
    ],
)
def test_what_only_reports_another_failure_is_a_consequence(message: str) -> None:
    assert consequence(Diagnostic(message=message))


def test_groups_are_read_in_the_order_cause_own_code_tests_consequence_warning() -> None:
    found = [
        lint("w", severity="warning"),
        Diagnostic(message="make: *** [all] Error 1"),
        Diagnostic(message="failed", test="test_x", file="t.py", line=1),
        lint("in a library", file="node_modules/a.js", rule="T1"),
        lint("does not compile", file="z.py", rule="T2"),
        lint("does not compile either", file="b.py", rule="T3"),
    ]
    assert [g.message for g in ranked(group(found))] == [
        "does not compile either",
        "does not compile",
        "failed",
        "in a library",
        "make: *** [all] Error 1",
        "w",
    ]


def test_the_order_does_not_depend_on_the_order_of_the_input() -> None:
    found = [lint(f"m{i % 3} here", line=i, file=f"f{i % 4}.py", rule=f"R{i % 5}") for i in range(40)]
    assert ranked(group(found)) == ranked(group(reversed(found)))
