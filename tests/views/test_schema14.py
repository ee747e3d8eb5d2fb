"""Schema 1.4, held against the documented examples."""

import pytest

from punchlist.analysis.delta import compare
from punchlist.analysis.loops import Churn, Loop, Recurrence
from punchlist.model import Diagnostic, Edit, Fix, How, Outcome, Report, Severity
from punchlist.views.schema14 import (
    STALE,
    CheckFacts,
    EngineState,
    check_response,
    clustered,
    comparison_json,
    issue_detail,
    issues_of,
    loop_status,
    short_ids,
    snapshot_json,
)

FIX = Fix((Edit("a.ts", 1, 1, 1, 2, ""),), safe=True)


def facts(**more: object) -> CheckFacts:
    return CheckFacts(
        check_id="check-3",
        project_root="/p",
        engines={"oxlint": EngineState(status="ok"), "tsc": EngineState(status="ok")},
        **more,  # type: ignore[arg-type]
    )


def found(
    n: int, files: int, rule: str = "TS2322", severity: Severity = "error", *, fix: bool = False
) -> list[Diagnostic]:
    return [
        Diagnostic(
            message=f"Type 'a{i}' is not assignable to type 'number'.",
            file=f"src/file{i % files:02}.ts",
            line=i + 3,
            column=14,
            rule=rule,
            severity=severity,
            tool="tsc",
            fix=FIX if fix else None,
        )
        for i in range(n)
    ]


def test_the_documented_example_has_its_shape() -> None:
    response = check_response(found(21, 11), facts())
    samples = response["clusters"][0].pop("sampleIssueIds")
    assert len(samples) == 2
    assert all(len(s) == 12 for s in samples)
    assert response == {
        "schemaVersion": "1.4",
        "status": "issues_found",
        "projectRoot": "/p",
        "engines": {"oxlint": {"status": "ok"}, "tsc": {"status": "ok"}},
        "totalIssues": 21,
        "clusters": [
            {
                "clusterId": "c4588ddaf",
                "rootCauseSummary": "21 TS2322 issues across 11 files",
                "ruleIds": ["TS2322"],
                "issueCount": 21,
                "fileCount": 11,
                "priority": 1,
            }
        ],
        "remainingIssues": [],
        "omittedIssueCount": 0,
        "truncated": False,
        "checkId": "check-3",
    }


def test_a_single_issue_is_a_flat_record_without_engine_and_message() -> None:
    (record,) = check_response(found(1, 1), facts())["remainingIssues"]
    assert list(record) == ["issueId", "file", "line", "col", "rule", "severity", "fixable"]


@pytest.mark.parametrize(
    ("issues", "priority"),
    [
        (found(4, 3), 1),
        (found(4, 2), 2),
        (found(3, 3), 2),
        (found(2, 2, fix=True), 3),
        (found(2, 2, severity="warning"), 4),
        (found(4, 3, severity="warning"), 5),
        (found(2, 1, severity="warning", fix=True), 5),
    ],
)
def test_the_ladder_of_priorities(issues: list[Diagnostic], priority: int) -> None:
    (cluster,), _ = clustered(issues_of(issues))
    assert cluster.priority == priority


def test_samples_and_actions_appear_where_documented() -> None:
    two = check_response(found(2, 2), facts())["clusters"][0]
    fixable = check_response(found(3, 3, fix=True), facts())["clusters"][0]
    assert "sampleIssueIds" not in two
    assert "suggestedAction" not in two
    assert "suggestedAction" in fixable


def test_clusters_and_records_are_capped_and_the_rest_is_counted() -> None:
    many = [d for k in range(13) for d in found(2 + k, 2, rule=f"R{k:02}")] + found(120, 9, rule="x")
    single = [Diagnostic(message="m", file="a.ts", line=n, rule=f"S{n}", tool="tsc") for n in range(120)]
    response = check_response([*many, *single], facts())
    assert len(response["clusters"]) == 10
    assert [c["issueCount"] for c in response["clusters"]] == [120, *range(14, 5, -1)]
    flat = 120 + 2 + 3 + 4 + 5
    assert (len(response["remainingIssues"]), response["omittedIssueCount"]) == (100, flat - 100)
    assert response["truncated"] is True
    assert "cursor" in response["nextStep"]


@pytest.mark.parametrize(
    ("engines", "issues", "status"),
    [
        ({"tsc": "ok"}, 0, "clean"),
        ({"tsc": "ok"}, 1, "issues_found"),
        ({"tsc": "ok", "oxlint": "error"}, 1, "error"),
        ({"tsc": "error"}, 0, "error"),
        ({"tsc": "disabled"}, 0, "error"),
        ({}, 0, "error"),
    ],
)
def test_the_status_is_never_clean_without_a_success(engines: dict[str, str], issues: int, status: str) -> None:
    states = {name: EngineState(status=s) for name, s in engines.items()}
    about = CheckFacts(check_id="c", project_root="/p", engines=states)
    assert check_response(found(issues, 1), about)["status"] == status


def test_compact_keys_replace_the_long_ones() -> None:
    response = check_response(found(1, 1), facts(filtered=4), compact=True)
    assert (response["v"], response["total"], response["omitted"], response["filteredOut"]) == ("1.4", 1, 0, 4)
    assert len(response["remaining"]) == 1
    assert {"projectRoot", "schemaVersion", "filteredOutCount"}.isdisjoint(response)


def test_filtered_issues_are_counted_under_both_names_and_explained() -> None:
    response = check_response([], facts(filtered=2))
    assert (response["filteredOutIssueCount"], response["filteredOutCount"]) == (2, 2)
    assert "check_project" in response["nextStep"]


def test_warnings_of_recurrence_are_objects_only_when_active() -> None:
    again = Recurrence((Loop("TS1:bad", 2),), (Churn("a.ts", "TS1", 3),))
    response = check_response([], facts(recurrence=again))
    assert response["loopWarning"]["occurrences"] == 2
    assert response["fileRuleChurnWarning"]["checkCount"] == 3
    assert "loopWarning" not in check_response([], facts())


def test_ids_are_unique_and_survive_a_moved_line() -> None:
    same = [Diagnostic(message="Unexpected 'x'.", file="a.ts", line=n, rule="no-x", tool="oxlint") for n in (9, 9, 30)]
    ids = [i.id for i in issues_of(same)]
    moved = [
        Diagnostic(message="Unexpected 'x'.", file="a.ts", line=n, rule="no-x", tool="oxlint") for n in (12, 12, 33)
    ]
    assert len(set(ids)) == 3
    assert ids == [i.id for i in issues_of(moved)]
    assert all(len(i) == 64 for i in ids)


def test_short_ids_tell_all_issues_apart() -> None:
    issues = issues_of(found(300, 7))
    short = short_ids(issues)
    assert len(set(short.values())) == 300
    assert all(full.startswith(s) for full, s in short.items())


def test_details_are_found_by_cluster_by_id_and_by_its_start() -> None:
    issues = found(5, 3)
    by_cluster = issue_detail(issues, cluster_id="c4588ddaf")["issues"]
    one = by_cluster[0]
    assert len(by_cluster) == 5
    assert list(one) == [
        *("issueId", "file", "line", "col", "engine", "rule", "severity", "message", "fixable", "clusterId")
    ]
    assert issue_detail(issues, issue_id=one["issueId"])["issues"] == [one]
    assert issue_detail(issues, issue_id=one["issueId"][:12])["issues"] == [one]


def test_an_unknown_id_is_stale() -> None:
    assert issue_detail(found(1, 1), issue_id="feedfeedfeed") == STALE
    assert STALE["status"] == "stale"


def test_details_come_page_by_page() -> None:
    issues = found(250, 9)
    pages = [issue_detail(issues, first=n, limit=100) for n in (0, 100, 200)]
    assert [len(p["issues"]) for p in pages] == [100, 100, 50]
    assert [p.get("remaining") for p in pages] == [150, 50, None]


def test_messages_are_whole_and_on_one_line() -> None:
    long = Diagnostic(message="a\n  b " + "x" * 300, file="a.ts", line=1, rule="r", tool="tsc")
    assert issue_detail([long])["issues"][0]["message"] == "a b " + "x" * 300


def test_a_snapshot_has_no_issues_but_their_counts() -> None:
    snapshot = snapshot_json(found(3, 3), facts(), source="files", timestamp="2026-01-01T00:00:00Z", scope=["a.ts"])
    assert (snapshot["checkId"], snapshot["source"], snapshot["totalIssues"]) == ("check-3", "files", 3)
    assert "issues" not in snapshot


def report(*diagnostics: Diagnostic, outcome: Outcome = "failed") -> Report:
    return Report(outcome=outcome, diagnostics=diagnostics, how=How(ending="exit", exit_code=1))


def test_a_comparison_counts_errors_and_lists_warnings() -> None:
    before = report(*found(2, 1, rule="A"), *found(1, 1, rule="W", severity="warning"))
    after = report(*found(1, 1, rule="A"), *found(1, 1, rule="B"))
    answer = comparison_json(compare(before, after))
    assert [i["rule"] for i in answer["introduced"]] == ["B"]
    assert [i["rule"] for i in answer["resolved"]] == ["W", "A"]
    assert [i["rule"] for i in answer["unchanged"]] == ["A"]
    assert (answer["errorsIntroduced"], answer["errorsResolved"], answer["netDelta"]) == (1, 1, 0)
    assert answer["warningsResolved"] == 1


def test_a_comparison_with_a_crash_is_unknown_and_resolves_nothing() -> None:
    answer = comparison_json(compare(report(*found(2, 1)), report(outcome="error"), after_id="check-9"))
    assert (answer["resolved"], len(answer["notObserved"])) == ([], 2)
    assert answer["nextStep"].startswith("Unknown: check-9")


def test_the_loop_status_without_loops_is_the_documented_one() -> None:
    assert loop_status(Recurrence()) == {
        "looping": False,
        "signatures": [],
        "fileChurning": False,
        "fileRuleChurns": [],
    }
