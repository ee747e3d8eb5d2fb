"""Signal MCP's shapes, held against what its clients parse."""

from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, How, Outcome, Report, Span, in_order
from punchlist.views.signal_json import (
    SignalRun,
    SignalStep,
    check_json,
    diff_result,
    log_slice,
    raw_tail,
    rerun_result,
    run_meta,
    run_summary,
    summary_line,
)

RUN = SignalRun(run_id="types-3", check="types", status="failed", exit_code=1, duration_ms=4)


def lint(
    message: str, line: int = 3, rule: str | None = "TS2322", file: str = "src/a.ts", at: int = 1, **more: object
) -> Diagnostic:
    span = Span("stdout", at, at)
    return Diagnostic(message=message, file=file, line=line, column=5, rule=rule, log=span, **more)  # type: ignore[arg-type]


def report(*diagnostics: Diagnostic, outcome: Outcome = "failed") -> Report:
    how = How(ending="exit", exit_code=0 if outcome == "passed" else 1)
    return Report(outcome=outcome, diagnostics=in_order(diagnostics), how=how)


def test_a_summary_has_the_documented_keys_in_their_order() -> None:
    answer = run_summary(report(lint("Type 'a' is not 'b'")), RUN)
    assert list(answer) == [
        *(
            "run_id",
            "check",
            "status",
            "exit_code",
            "duration_ms",
            "error_count",
            "group_count",
            "summary",
            "top_groups",
        )
    ]
    (only,) = answer["top_groups"]
    assert len(only.pop("fingerprint")) == 12
    assert only == {
        "type": "error",
        "symbol": "TS2322",
        "message": "Type 'a' is not 'b'",
        "count": 1,
        "files": ["src/a.ts"],
        "occurrences": [{"file": "src/a.ts", "line": 3, "column": 5}],
        "first_position": 0,
        "last_position": 0,
    }
    assert answer["summary"] == "types failed with 1 error grouped into 1 category"


def test_an_occurrence_with_another_message_shows_it() -> None:
    answer = run_summary(report(lint("Type 'a' is not 'b'"), lint("Type 'x' is not 'y'", line=9)), RUN)
    assert [o.get("context") for o in answer["top_groups"][0]["occurrences"]] == [None, "Type 'x' is not 'y'"]


def test_groups_and_occurrences_are_capped_and_still_counted() -> None:
    found = [lint(f"m{w} here", line=n, rule=f"R{w}") for w in "abcdefg" for n in range(1, 9)]
    answer = run_summary(report(*found), RUN, max_groups=2, max_occurrences=3)
    assert (answer["error_count"], answer["group_count"], len(answer["top_groups"])) == (56, 7, 2)
    assert [len(g["occurrences"]) for g in answer["top_groups"]] == [3, 3]
    assert [g["count"] for g in answer["top_groups"]] == [8, 8]


def test_sorting_goes_by_count_or_by_the_place_in_the_log() -> None:
    found = [
        lint("rare", rule="A", at=1),
        lint("often", rule="B", at=2),
        lint("often", line=7, rule="B", at=9),
        lint("late", rule="C", at=20),
    ]
    order = {
        sort: [g["symbol"] for g in run_summary(report(*found), RUN, sort_by=sort)["top_groups"]]
        for sort in ("count", "first", "last")
    }  # type: ignore[arg-type]
    assert order == {"count": ["B", "A", "C"], "first": ["A", "B", "C"], "last": ["C", "B", "A"]}


def test_severity_filters_groups_and_counts_alike() -> None:
    answer = run_summary(report(lint("e"), lint("w", severity="warning", rule="W")), RUN, severity="warning")
    assert (answer["error_count"], answer["group_count"]) == (1, 1)
    assert answer["top_groups"][0]["type"] == "warning"


def test_a_single_failing_test_is_named_by_its_id() -> None:
    failing = Diagnostic(message="boom", file="t.py", line=2, test="t.py::test_a")
    assert run_summary(report(failing), RUN)["top_groups"][0]["symbol"] == "t.py::test_a"


def test_a_failing_run_without_a_finding_shows_its_tail() -> None:
    answer = run_summary(report(outcome="error"), RUN, raw_tail=raw_tail("a\n\nb", "c"))
    assert answer["raw_tail"] == "a\nb\nc"
    assert answer["summary"] == "types failed (exit 1) — no parsed errors"


def test_a_tail_has_thirty_lines_and_no_wide_one() -> None:
    tail = raw_tail("\n".join(str(n) for n in range(100)), "x" * 10_000).split("\n")
    assert (len(tail), tail[0], len(tail[-1])) == (30, "71", 500)


def test_sentences_about_other_endings() -> None:
    done = SignalRun(run_id="t-1", check="t", status="completed", exit_code=0, duration_ms=12)
    steps = (SignalStep("one", "completed", 0, 3), SignalStep("two", "failed", 1, 4), SignalStep("three", "skipped"))
    several = SignalRun(run_id="t-1", check="t", status="failed", exit_code=1, duration_ms=9, steps=steps)
    assert summary_line(done, 0, 0) == "t passed in 12ms"
    assert summary_line(done, 2, 1) == "t completed with 2 errors grouped into 1 category"
    assert summary_line(several, 4, 2) == "t failed at step 2/3 (two) with exit 1"
    assert (
        summary_line(SignalRun(run_id="t", check="t", status="timeout"), 0, 0)
        == "t timeout (exit ?) — no parsed errors"
    )
    assert summary_line(SignalRun(run_id="t", check="t", status="running"), 0, 0) == "t is still running"


def test_a_pipeline_names_its_steps() -> None:
    steps = (SignalStep("one", "completed", 0, 3), SignalStep("two", "failed", 1, 4))
    run = SignalRun(run_id="t-1", check="t", status="failed", exit_code=1, duration_ms=9, steps=steps)
    answer = run_summary(report(lint("m")), run)
    assert (answer["kind"], answer["failed_step"], answer["step_count"]) == ("multi-step", "two", 2)
    assert answer["steps"][0] == {"name": "one", "status": "completed", "exit_code": 0, "duration_ms": 3}


def test_a_diff_has_three_sections_and_exact_counts() -> None:
    before = report(lint("fixed", rule="A"), lint("stays", rule="B"), lint("stays", line=90, rule="B"))
    after = report(lint("stays", rule="B"), lint("new", rule="C"))
    answer = diff_result(compare(before, after, before_id="t-1", after_id="t-2"))
    assert list(answer) == ["prev_run_id", "next_run_id", "added", "removed", "persisting", "stats"]
    assert [g["symbol"] for g in answer["added"]] == ["C"]
    assert [g["symbol"] for g in answer["removed"]] == ["A"]
    (same,) = answer["persisting"]
    assert (same["prev_count"], same["next_count"], same["delta"]) == (2, 1, -1)
    assert answer["stats"] == {"added_count": 1, "removed_count": 1, "persisting_count": 1}


def test_a_crash_removes_nothing_and_says_so() -> None:
    answer = diff_result(compare(report(lint("m")), report(outcome="error"), before_id="t-1", after_id="t-2"))
    assert (answer["removed"], answer["stats"]["removed_count"]) == ([], 0)
    assert answer["note"] == "t-2 did not complete (error); 1 findings of t-1 were not looked at again"


def test_a_test_with_another_reason_persists() -> None:
    before = report(Diagnostic(message="boom", test="a", file="t.py", line=1))
    after = report(Diagnostic(message="other thing", test="a", file="t.py", line=1))
    answer = diff_result(compare(before, after))
    assert answer["stats"] == {"added_count": 0, "removed_count": 0, "persisting_count": 1}
    assert answer["persisting"][0]["message"] == "other thing"


def test_sections_of_a_diff_are_capped() -> None:
    after = report(*(lint(f"m{w} new", rule=f"R{w}") for w in "abcdefghijklmno"))
    answer = diff_result(compare(report(outcome="passed"), after), max_per_section=4)
    assert (len(answer["added"]), answer["stats"]["added_count"]) == (4, 15)


def test_a_check_shows_its_command_unexpanded_and_masked() -> None:
    one = {"name": "test", "cmd": "API_TOKEN=abcdef123 pytest ${ARGS}", "adapter": "pytest", "timeout_ms": 60000}
    assert check_json("test", [one], adapter="pytest", timeout_ms=60000) == {
        "name": "test",
        "kind": "single",
        "cmd": "API_TOKEN=[masked] pytest ${ARGS}",
        "adapter": "pytest",
        "timeout_ms": 60000,
    }


def test_a_pipeline_check_lists_its_steps() -> None:
    one = {"name": "a", "cmd": "true", "adapter": "generic", "timeout_ms": 1}
    answer = check_json("all", [one, one], adapter="generic", timeout_ms=1, pipeline=True)
    assert (answer["kind"], answer["fail_fast"], answer["step_count"], answer["steps"][0]) == (
        "multi-step",
        True,
        2,
        one,
    )


def test_the_status_of_a_run_has_every_documented_field() -> None:
    meta = run_meta(RUN, cmd="tsc", cwd="/p", started_at="2026-01-01T00:00:00Z", finished_at=None, timeout_ms=60000)
    assert list(meta) == [
        *("kind", "run_id", "check", "cmd", "cwd", "status", "exit_code", "started_at", "finished_at", "duration_ms"),
        *("timeout_ms", "on_failure_cmd", "on_failure_status", "on_failure_exit_code", "on_failure_duration_ms"),
    ]


def test_slices_and_reruns_keep_their_lines_in_place() -> None:
    assert log_slice(["a", "DB_PASSWORD=hunter2"], total=9, first=2, last=3) == {
        "lines": ["a", "DB_PASSWORD=[masked]"],
        "total_lines": 9,
        "from_line": 2,
        "to_line": 3,
    }
    assert rerun_result("t-1", RUN, "pytest x", ["l"], 1)["log"] == {"lines": ["l"], "total_lines": 1}
