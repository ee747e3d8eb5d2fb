"""The default answer, as an agent reads it."""

import pytest

from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, How, Outcome, Report, Severity, Trouble, in_order
from punchlist.views.brief import Facts, brief, page_of_group
from punchlist.views.budget import RUN, Budget, budget, size

FACTS = Facts(title="pytest -q", run_id="test-12", duration_s=4.13)


def report(
    *diagnostics: Diagnostic,
    outcome: Outcome = "failed",
    code: int = 1,
    counts: dict[str, int] | None = None,
    **more: object,
) -> Report:
    return Report(
        outcome=outcome,
        diagnostics=in_order(diagnostics),
        counts=counts or {},
        how=How(ending="exit", exit_code=code),
        **more,  # type: ignore[arg-type]
    )


def lint(
    message: str, file: str, line: int, rule: str = "F401", severity: Severity = "error", detail: str = ""
) -> Diagnostic:
    return Diagnostic(message=message, file=file, line=line, rule=rule, severity=severity, detail=detail)


def failure(name: str, line: int, message: str, file: str = "tests/test_cart.py", detail: str = "") -> Diagnostic:
    return Diagnostic(message=message, file=file, line=line, test=f"{file}::{name}", detail=detail)


def test_a_passing_run_is_one_line() -> None:
    text = brief(report(outcome="passed", code=0, counts={"passed": 214, "skipped": 2}), facts=FACTS)
    assert text == "PASSED pytest -q: 214 passed, 2 skipped · 4.1 s · test-12"


def test_failing_tests_stand_under_their_file_with_line_name_and_message() -> None:
    found = [failure("test_add", 13, "assert 3 == 5"), failure("test_remove", 35, "Failed: DID NOT RAISE KeyError")]
    assert brief(report(*found, counts={"failed": 2, "passed": 7}), facts=FACTS).split("\n") == [
        "FAILED pytest -q: 2 failed, 7 passed · 4.1 s · test-12",
        "tests/test_cart.py",
        " 13 test_add: assert 3 == 5",
        " 35 test_remove: Failed: DID NOT RAISE KeyError",
    ]


def test_a_finding_alone_in_its_file_takes_one_line() -> None:
    text = brief(report(lint("undefined name 'x'", "src/a.py", 3, "F821")), facts=Facts())
    assert text == "FAILED: 1 error\nsrc/a.py:3 F821 undefined name 'x'"


def test_a_message_stands_once_with_all_its_places() -> None:
    places = [("src/a.py", 1), ("src/a.py", 5), ("src/b.py", 3), ("lib/c.py", 2)]
    text = brief(report(*(lint("`os` imported but unused", f, n) for f, n in places)), facts=Facts())
    assert text == "FAILED: 4 errors\nF401 `os` imported but unused: lib/c.py:2 src/{a.py:1,5 b.py:3}"


def test_messages_of_a_group_that_differ_show_how() -> None:
    found = [
        lint(f"`{name}` imported but unused", f, n)
        for name, f, n in [("os", "a.py", 1), ("re", "a.py", 2), ("os", "b.py", 9)]
    ]
    assert brief(report(*found), facts=Facts()).split("\n")[1:] == [
        "F401 `os` imported but unused: a.py:1, 2 `re`; b.py:9"
    ]


def test_messages_that_differ_in_too_many_parts_stand_whole() -> None:
    found = [lint(f"{a} to {a} by {a} and {a}", "a.py", a) for a in (1, 2)]
    assert brief(report(*found), facts=Facts()).split("\n")[1] == "F401 1 to 1 by 1 and 1: a.py:1, 2 2 to 2 by 2 and 2"


def test_errors_come_before_any_warning() -> None:
    found = [lint("w", "a.py", 1, "W1", "warning"), lint("e", "z.py", 9, "E1")]
    assert brief(report(*found), facts=Facts()).split("\n") == [
        "FAILED: 1 error, 1 warning",
        "z.py:9 E1 e",
        "warnings:",
        "a.py:1 W1 w",
    ]


def test_many_places_of_tests_stand_line_by_line() -> None:
    words = ("alpha", "beta", "gamma")
    found = [failure(f"test_{w}_is_as_it_should_be", 7, "boom", f"{w}/tests/test_{w}.py") for w in words]
    assert brief(report(*found), facts=Facts()).split("\n")[1:] == [
        "boom:",
        " alpha/tests/test_alpha.py:7 test_alpha_is_as_it_should_be",
        " beta/tests/test_beta.py:7 test_beta_is_as_it_should_be",
        " gamma/tests/test_gamma.py:7 test_gamma_is_as_it_should_be",
    ]


def test_cases_of_one_parametrised_test_share_its_name() -> None:
    found = [failure(f"test_slug[{case}]", 18, "AssertionError") for case in ("a-b", "c[d]", "e f")]
    assert brief(report(*found), facts=Facts()).split("\n")[1] == (
        "tests/test_cart.py:18 test_slug[a-b], [c[d]], [e f]: AssertionError"
    )


def test_tests_that_end_in_one_own_line_stand_under_it() -> None:
    found = [
        Diagnostic(message="boom", file="src/db.py", line=7, test="test_a"),
        Diagnostic(message="no connection", file="src/db.py", line=7, test="test_b"),
    ]
    assert brief(report(*found), facts=Facts()).split("\n")[1:] == [
        "src/db.py:7 2 tests end here",
        " test_a: boom",
        " test_b: no connection",
    ]


def test_a_test_without_a_place_stands_with_its_name() -> None:
    text = brief(report(Diagnostic(message="got: 1 want: 2", test="shop.ExampleMake")), facts=Facts())
    assert text.split("\n")[1] == "shop.ExampleMake: got: 1 want: 2"


def test_detail_follows_its_finding_with_foreign_frames_folded() -> None:
    detail = (
        "expected 3\nreceived 4\n  at add (src/a.js:3:4)\n  at run (node_modules/x/r.js:1:1)\n  at node:internal/x:2:2"
    )
    text = brief(report(failure("adds", 3, "expected 3, received 4", "a.test.js", detail)), facts=Facts())
    assert text.split("\n")[2:] == ["  expected 3", "  received 4", "    at add (src/a.js:3:4)", "  (2 foreign frames)"]


def test_detail_stays_in_proportion_to_the_log() -> None:
    words = ["alpha", "beta", "gamma", "delta", "eta", "zeta", "iota", "kappa", "rho", "phi"]
    found = [failure(f"test_{w}", n, f"{w} is wrong", detail=f"line of {w}\n" * 40) for n, w in enumerate(words, 1)]
    short = brief(report(*found), facts=Facts(log_chars=9000))
    long = brief(report(*found), facts=Facts(log_chars=90_000))
    assert len(short) < 9000 * 0.2 < len(long)
    assert "detail of" in short


def test_a_log_shorter_than_the_answer_is_the_answer() -> None:
    found = [lint(f"message number {n} that repeats itself a lot", "src/very/long/path.py", n) for n in range(3)]
    log = "3 bad lines\nin path.py\n"
    text = brief(report(*found, code=2), facts=FACTS, plain_log=lambda: log)
    assert text == "FAILED pytest -q: 3 errors · exit 2 · 4.1 s · test-12\n3 bad lines\nin path.py"


def test_a_failure_that_nobody_understood_shows_its_best_lines() -> None:
    text = brief(
        report(outcome="error", code=127, excerpt=(("stderr", 2, "sh: vitest: not found"),)),
        facts=FACTS,
        plain_log=lambda: "x\n" * 40_000,
    )
    assert text == "ERROR pytest -q · exit 127 · 4.1 s · test-12\nsh: vitest: not found"


def test_a_failure_without_a_word_says_so() -> None:
    text = brief(report(outcome="error", code=3), facts=FACTS, plain_log=lambda: "")
    assert text == "ERROR pytest -q · exit 3, nothing in the log says why · 4.1 s · test-12"


def test_exit_zero_with_failures_says_why_it_failed() -> None:
    text = brief(report(failure("test_a", 1, "m"), code=0, counts={"failed": 1}), facts=FACTS)
    assert text.startswith("FAILED pytest -q: 1 failed · exit 0, but its log shows failures · ")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (How(ending="timeout"), "out of time"),
        (How(ending="signal", signal=11), "ended by signal 11"),
        (How(ending="not_found", message="no such program: vitset"), "command not found: no such program: vitset"),
        (How(ending="not_found", message="command not found: vitset"), "command not found: vitset"),
        (How(ending="cancelled"), "cancelled"),
        (How(ending="ceiling"), "ended at the output ceiling"),
    ],
)
def test_each_way_to_end_badly_has_its_own_words(how: How, said: str) -> None:
    assert brief(Report(outcome="error", how=how), facts=Facts(title="x")) == f"ERROR x · {said}"


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({}, "FAILED: 1 error, 1 warning"),
        ({"errors": 1, "warnings": 1}, "FAILED: 1 error, 1 warning"),
        ({"errors": 40, "warnings": 1}, "FAILED: 40 errors (1 listed), 1 warning"),
        ({"passed": 3, "failed": 2}, "FAILED: 1 error, 1 warning, 2 failed, 3 passed"),
    ],
)
def test_findings_are_counted_and_a_tools_larger_number_is_said(counts: dict[str, int], said: str) -> None:
    found = [lint("m", "a.py", 1), lint("w", "a.py", 2, "W", "warning")]
    assert brief(report(*found, counts=counts), facts=Facts()).split("\n")[0] == said


def test_failing_tests_are_counted_where_the_tool_does_not() -> None:
    found = [failure("test_a", 1, "m"), failure("test_b", 2, "m"), failure("test_b", 9, "teardown")]
    assert brief(report(*found), facts=Facts()).split("\n")[0] == "FAILED: 2 failed"


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("/home/dev/shop/.venv/bin/pytest -q", "pytest -q"),
        ("./gradlew test", "./gradlew test"),
        ("sh -c 'a\nb'", "sh -c 'a b'"),
        ("x" * 300, "x" * 79 + "…"),
    ],
)
def test_the_verdict_names_the_command_in_short(title: str, said: str) -> None:
    assert brief(report(outcome="passed", code=0), facts=Facts(title=title)) == f"PASSED {said}"


def test_what_changed_stands_under_the_verdict() -> None:
    now = report(failure("test_b", 2, "m"))
    since = compare(report(failure("test_a", 1, "m"), failure("test_b", 2, "m")), now, before_id="test-11")
    facts = Facts(title="pytest", run_id="test-12", since=since)
    assert brief(now, facts=facts).split("\n")[1] == "since test-11: 1 fixed, 1 same"


def test_a_run_that_passes_as_before_says_no_more() -> None:
    now = report(outcome="passed", code=0)
    facts = Facts(title="true", run_id="true-2", since=compare(now, now, before_id="true-1"))
    assert brief(now, facts=facts) == "PASSED true · true-2"


def test_a_run_that_passes_after_failures_says_what_was_fixed() -> None:
    now = report(outcome="passed", code=0)
    since = compare(report(failure("test_a", 1, "m")), now, before_id="test-1")
    assert brief(now, facts=Facts(title="t", since=since)) == "PASSED t · since test-1: 1 fixed"


def test_a_few_new_findings_among_old_ones_are_named() -> None:
    now = report(failure("test_b", 2, "m"), failure("test_c", 9, "n"))
    since = compare(report(failure("test_b", 2, "m")), now, before_id="test-11")
    text = brief(now, facts=Facts(title="pytest", since=since))
    assert text.split("\n")[1] == "since test-11: 1 new, 1 same (new: test_c)"


@pytest.mark.parametrize(
    ("message", "detail", "said"),
    [
        (
            "assertion `left == right` failed",
            "  left: 1\n right: 2\nstack",
            "assertion `left == right` failed left: 1 right: 2",
        ),
        ("CHECK( x == 3 )", "with expansion:\n  2 == 3", "CHECK( x == 3 ) with expansion: 2 == 3"),
        (
            "Expected equality of these values:",
            "  f(1)\n    Which is: 2\n  3",
            "Expected equality of these values: f(1) Which is: 2 3",
        ),
        (
            "expect(received).toBe(expected)",
            "Expected: 4\nReceived: 3",
            "expect(received).toBe(expected) Expected: 4 Received: 3",
        ),
        ("AssertionError: too few", "assert 1 == 3\n +  where 1 = f()", "AssertionError: too few assert 1 == 3"),
        ("boom", "in the middle of it", "boom"),
    ],
)
def test_expected_and_received_values_stand_beside_the_message(message: str, detail: str, said: str) -> None:
    text = brief(report(failure("test_a", 3, message, detail=detail)), facts=Facts())
    assert text.split("\n")[1] == f"tests/test_cart.py:3 test_a: {said}"


def test_a_repeated_line_of_a_detail_stands_once_with_its_number() -> None:
    detail = "connection closed by the pool\n" * 30 + "the real reason"
    text = brief(report(failure("test_a", 3, "boom", detail=detail)), facts=Facts())
    assert text.split("\n")[2:] == ["  connection closed by the pool (x30)", "  the real reason"]


def test_source_code_around_a_finding_is_left_to_the_file() -> None:
    detail = "\n".join(
        [
            " --> src/a.rs:3:5",
            "  |",
            "2 | fn f() {",
            '3 |     1 + "a"',
            "  |       ^ no implementation for `{integer} + &str`",
            "  = help: parse it first",
        ]
    )
    found = report(lint("cannot add", "src/a.rs", 3, "E0277", detail=detail))
    assert brief(found, facts=Facts()).split("\n")[1:] == [
        "src/a.rs:3 E0277 cannot add (no implementation for `{integer} + &str`)",
        '  3 |     1 + "a"',
        "    |       ^ no implementation for `{integer} + &str`",
        "    = help: parse it first",
    ]
    assert "fn f()" in page_of_group(found, "E0277", facts=Facts())


def test_the_end_of_a_long_detail_is_kept() -> None:
    detail = "\n".join(f"step {n}" for n in range(500))
    text = brief(report(failure("test_a", 3, "boom", detail=detail)), facts=Facts())
    assert "step 0\n" in text
    assert "step 499" in text
    assert "(+440 lines)" in text


def test_files_with_the_same_lines_are_named_together() -> None:
    found = [lint("bad thing", f"src/{name}.py", 7) for name in "ab"] + [lint("bad thing", "src/c.py", 9)]
    assert brief(report(*found), facts=Facts()).split("\n")[1] == "F401 bad thing: src/{a.py,b.py}:7 src/c.py:9"


def word(n: int) -> str:
    """A word of letters for a number: messages that differ in numbers only are one group."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(n))


def test_notes_and_hints_beside_errors_are_counted_not_listed() -> None:
    found = [lint("e", "a.py", 1), lint("see there", "a.py", 2, "note", "info")]
    text = brief(report(*found), facts=FACTS)
    assert text.split("\n")[-1] == "+ 1 note: punchlist show test-12 --page 2"
    assert "see there" in brief(report(*found), facts=FACTS, page=2)


@pytest.mark.parametrize("count", [1, 3, 4, 50])
def test_notes_of_a_passing_run_are_shown_or_counted_and_on_a_page(count: int) -> None:
    found = [lint(f"note about {word(n)}", "a.py", n, f"N{n}", "info") for n in range(1, count + 1)]
    passing = report(*found, outcome="passed", code=0)
    text = brief(passing, facts=FACTS)
    if count > 3:
        assert "\n" not in text
        assert text.endswith(f" · {count} notes: punchlist show test-12 --page 2")
        text = "".join(brief(passing, facts=FACTS, page=page) for page in (2, 3, 4))
    assert all(f"note about {word(n)}" in text for n in range(1, count + 1))


def test_secrets_are_masked() -> None:
    assert "hunter2" not in brief(report(lint("DB_PASSWORD=hunter2 is wrong", "a.py", 1)), facts=Facts())


def many(kinds: int, files: int, detail: str = "") -> list[Diagnostic]:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    return [
        lint(
            f"'{words[n % 10]}' {words[k % 10]} {words[k // 10]} is wrong",
            f"src/m{n % 7}/file{n}.py",
            10_000 + n,
            f"R{k}",
            detail=detail,
        )
        for k in range(kinds)
        for n in range(files)
    ]


PAGED = [(1, 900, ""), (90, 1, ""), (30, 20, ""), (12, 3, "because\nof this"), (20, 4, "x y\n" * 30)]


@pytest.mark.parametrize(("kinds", "files", "detail"), PAGED)
def test_pages_together_show_every_finding(kinds: int, files: int, detail: str) -> None:
    one = report(*many(kinds, files, detail))
    pages, page = [], 1
    while not pages or "no page" not in pages[-1]:
        pages.append(brief(one, facts=FACTS, page=page))
        page += 1
        assert page < 400
    text = "\n".join(pages)
    shown = {d.line for d in one.diagnostics if f"{d.line}" in text}
    assert shown == {d.line for d in one.diagnostics}
    for d in one.diagnostics:
        assert f"{d.rule} " in text
    assert all(size(p) <= RUN.chars for p in pages)


@pytest.mark.parametrize("tokens", [60, 100, 300, 1000, 2400, 100_000])
@pytest.mark.parametrize(("kinds", "files"), [(1, 1), (1, 2000), (100, 30)])
def test_an_answer_never_exceeds_its_budget(tokens: int, kinds: int, files: int) -> None:
    text = brief(report(*many(kinds, files)), facts=FACTS, budget=budget(tokens))
    assert size(text) <= min(max(tokens * 3, 240), 8000)


def test_an_answer_in_any_script_stays_under_eight_kilobytes() -> None:
    found = [
        failure(f"試験_{n}", n, f"値が違います 期待値 {n} 実際の値は全く別のものでした", detail="詳細な説明文\n" * 40)
        for n in range(1, 400)
    ]
    text = brief(report(*found), facts=FACTS, budget=budget(100_000))
    assert len(text.encode()) <= 8000


def test_what_is_left_out_is_counted_exactly() -> None:
    one = report(*many(100, 30))
    last = brief(one, facts=FACTS, budget=Budget(300)).split("\n")[-1]
    assert last.endswith("punchlist show test-12 --page 2")
    assert int(last.split()[1]) > 2900


def test_every_kind_is_named_before_places_are() -> None:
    text = brief(report(*many(20, 60)), facts=FACTS)
    assert all(f"R{k} " in text for k in range(20))
    assert " more in " in text


def test_the_same_input_gives_the_same_answer() -> None:
    found = many(9, 9)
    assert brief(report(*found), facts=FACTS) == brief(report(*reversed(found)), facts=FACTS)


def test_a_group_is_shown_whole_page_by_page() -> None:
    one = report(*many(2, 900))
    text, page = "", 1
    while page == 1 or f"--page {page}" in text:
        text += page_of_group(one, "R1", page, facts=FACTS) + "\n"
        page += 1
    assert all(str(d.line) in text for d in one.diagnostics if d.rule == "R1")
    assert "R0 " not in text


def test_an_unknown_group_is_said() -> None:
    with pytest.raises(Trouble, match="no group 'R7' in test-12: name a rule"):
        page_of_group(report(*many(2, 2)), "R7", facts=FACTS)
