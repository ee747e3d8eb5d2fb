"""Findings for other programs: GitHub annotations, SARIF, JUnit."""

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from punchlist.model import Diagnostic, Edit, Fix, How, Related, Report
from punchlist.views.github import annotations
from punchlist.views.junit import junit
from punchlist.views.sarif import Made, Ran, sarif
from punchlist.views.verdict import Facts

LINT = Diagnostic(
    message="unused 'x'", file="src/a b.ts", line=3, column=5, end_line=3, end_column=6, rule="no-x", tool="ox"
)
TEST = Diagnostic(
    message="boom: 50%", detail="expected 1\nreceived 2", file="t.py", line=9, test="t.py::test_a", tool="pytest"
)
WARN = Diagnostic(message="old", file="t.py", line=1, severity="warning", tool="pytest")


def report(*diagnostics: Diagnostic, **more: Any) -> Report:
    outcome = "failed" if any(d.severity == "error" for d in diagnostics) else "passed"
    return Report(**{"outcome": outcome, "diagnostics": diagnostics, "how": How(ending="exit"), **more})


@pytest.mark.parametrize(
    ("d", "line"),
    [
        (LINT, "::error file=src/a b.ts,line=3,endLine=3,col=5,endColumn=6::no-x: unused 'x'"),
        (TEST, "::error file=t.py,line=9,title=t.py%3A%3Atest_a::boom: 50%25%0Aexpected 1%0Areceived 2"),
        (WARN, "::warning file=t.py,line=1::old"),
        (Diagnostic(message="m", severity="hint"), "::notice::m"),
        (Diagnostic(message="m", file="C:\\a,b.c"), "::error file=C%3A\\a%2Cb.c::m"),
    ],
)
def test_an_annotation_escapes_what_github_asks(d: Diagnostic, line: str) -> None:
    assert annotations(report(d)) == line + "\n"


def test_the_first_of_each_group_is_annotated_before_all_other_places() -> None:
    same = [Diagnostic(message="same", file=f"{name}.py", line=1, rule="R") for name in "abc"]
    other = Diagnostic(message="other thing", file="z.py", line=1, rule="S")
    lines = annotations(report(WARN, other, *same)).splitlines()
    assert [line.split("=")[1].split(",")[0] for line in lines] == ["a.py", "z.py", "t.py", "b.py", "c.py"]


@pytest.mark.parametrize(("count", "said"), [(10, ""), (11, "11 errors; GitHub shows 10 of a kind")])
def test_more_annotations_than_github_shows_are_told_first(count: int, said: str) -> None:
    many = [Diagnostic(message="same", file="a.py", line=n + 1) for n in range(count)]
    lines = annotations(report(*many)).splitlines()
    assert lines[0].startswith(f"::notice title=Punchlist::{said}" if said else "::error ")
    assert sum(line.startswith("::error") for line in lines) == count


def test_a_run_that_failed_without_an_error_found_is_annotated_itself() -> None:
    bad = Report(outcome="error", excerpt=(("stderr", 1, "sh: vitest: not found"),))
    assert annotations(bad, facts=Facts(title="npm test")) == "::error::ERROR npm test%0Ash: vitest: not found\n"
    assert annotations(bad, troubles=["eslint: no configuration"]) == "::error::eslint: no configuration\n"
    assert annotations(Report(outcome="passed")) == ""


def test_sarif_has_a_run_per_tool_with_its_rules_once() -> None:
    log = sarif(report(LINT, LINT, TEST, WARN))
    assert log["version"] == "2.1.0"
    assert [run["tool"]["driver"]["name"] for run in log["runs"]] == ["ox", "pytest"]
    first = log["runs"][0]
    (rule,) = first["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"], rule["defaultConfiguration"]) == (
        "no-x",
        {"text": "no-x of ox"},
        {"level": "error"},
    )
    assert first["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b.ts", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 6},
    }
    assert first["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize(
    ("file", "uri", "based"),
    [
        ("src/a.py", "src/a.py", True),
        ("a:b/c#d?.py", "a%3Ab/c%23d%3F.py", True),
        ("../up.py", "../up.py", False),
        ("/usr/lib/x.h", "file:///usr/lib/x.h", False),
        ("C:\\x\\y.cs", "file:///C:/x/y.cs", False),
    ],
)
def test_a_place_in_sarif_is_relative_to_the_root_or_says_that_it_is_not(file: str, uri: str, based: bool) -> None:
    (result,) = sarif(report(Diagnostic(message="m", file=file, tool="t")))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": uri,
        **({"uriBaseId": "%SRCROOT%"} if based else {}),
    }


@pytest.mark.parametrize(
    ("how", "outcome", "expected"),
    [
        (How(ending="exit", exit_code=0), "passed", {"executionSuccessful": True, "exitCode": 0}),
        (How(ending="exit", exit_code=1), "failed", {"executionSuccessful": True, "exitCode": 1}),
        (How(ending="exit", exit_code=2), "error", {"executionSuccessful": False, "exitCode": 2}),
        (
            How(ending="signal", signal=9),
            "error",
            {"executionSuccessful": False, "exitSignalNumber": 9, "exitCodeDescription": "signal"},
        ),
        (
            How(ending="timeout", message="out of time after 5 s"),
            "error",
            {"executionSuccessful": False, "exitCodeDescription": "out of time after 5 s"},
        ),
    ],
)
def test_sarif_says_how_the_run_ended(how: How, outcome: str, expected: dict[str, Any]) -> None:
    (run,) = sarif(report(how=how, outcome=outcome), Made(started=0.0))["runs"]
    (invocation,) = run["invocations"]
    notes = invocation.pop("toolExecutionNotifications", [])
    assert invocation == {**expected, "startTimeUtc": "1970-01-01T00:00:00Z"}
    assert bool(notes) == (outcome == "error")


def test_sarif_has_a_run_of_every_tool_that_worked_so_that_old_alerts_close() -> None:
    made = Made(tools=(Ran(name="ox", version="1.2"), Ran(name="ruff")))
    runs = {run["tool"]["driver"]["name"]: run for run in sarif(report(LINT), made)["runs"]}
    assert sorted(runs) == ["ox", "ruff"]
    assert runs["ox"]["tool"]["driver"]["version"] == "1.2"
    assert (runs["ruff"]["results"], runs["ruff"]["invocations"]) == ([], [{"executionSuccessful": True}])


def test_sarif_has_no_run_of_a_tool_that_could_not_work_so_that_its_alerts_stay() -> None:
    made = Made(tools=(Ran(name="ox"), Ran(name="bad", trouble="bad: crashed")))
    runs = {run["tool"]["driver"]["name"]: run for run in sarif(report(LINT, outcome="error"), made)["runs"]}
    assert sorted(runs) == ["ox", "punchlist"]
    assert runs["ox"]["invocations"] == [{"executionSuccessful": True}]
    assert runs["punchlist"]["invocations"][0] == {
        "executionSuccessful": False,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": "bad: crashed"}}],
    }
    crashed = sarif(Report(outcome="error", tools=("pytest",), how=How(ending="exit", exit_code=3)))
    assert [run["tool"]["driver"]["name"] for run in crashed["runs"]] == ["punchlist"]


def test_sarif_of_a_tool_that_found_something_before_it_broke_says_both() -> None:
    made = Made(tools=(Ran(name="ox", trouble="ox: crashed"),))
    (run,) = sarif(report(LINT, outcome="error"), made)["runs"]
    assert len(run["results"]) == 1
    assert run["invocations"][0]["executionSuccessful"] is False


def test_a_finding_without_a_file_is_a_notification_in_sarif() -> None:
    (run,) = sarif(report(Diagnostic(message="m", rule="R", tool="t")))["runs"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert run["results"] == []
    assert note == {"level": "error", "message": {"text": "m"}, "associatedRule": {"id": "R", "index": 0}}


@pytest.mark.parametrize(("safe", "title"), [(True, "Remove it"), (False, "Remove it (may change what the code does)")])
def test_sarif_keeps_fixes_and_related_places(safe: bool, title: str) -> None:
    fix = Fix((Edit("a.ts", 1, 1, 1, 5, "y"),), safe=safe, title="Remove it")
    d = Diagnostic(message="m", file="a.ts", line=1, tool="t", fix=fix, related=(Related("here", "b.ts", 2),))
    (result,) = sarif(report(d))["runs"][0]["results"]
    assert result["fixes"][0]["description"] == {"text": title}
    assert result["fixes"][0]["artifactChanges"][0]["replacements"][0] == {
        "deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 5},
        "insertedContent": {"text": "y"},
    }
    assert result["relatedLocations"][0]["message"] == {"text": "here"}


def test_junit_counts_its_cases_and_keeps_the_tools_own_counts_as_properties() -> None:
    root = ET.fromstring(junit(report(TEST, LINT, WARN, counts={"passed": 7}), duration_s=1.5))
    assert (root.get("tests"), root.get("failures"), root.get("time")) == ("3", "2", "1.500")
    assert [p.attrib for p in root.findall(".//property")] == [{"name": "passed", "value": "7"}]
    failure = root.find(".//testcase[@name='t.py::test_a']/failure")
    assert failure is not None
    assert failure.get("message") == "boom: 50%"
    assert (failure.text or "").startswith("t.py:9 error boom: 50%\nexpected 1")
    assert "old" in (root.findtext(".//system-out") or "")


def test_one_test_of_two_packages_is_two_cases_in_junit() -> None:
    two = [Diagnostic(message="m", test="adds", tool="vitest", package=name) for name in ("api", "web")]
    root = ET.fromstring(junit(report(*two)))
    assert [case.get("classname") for case in root.iter("testcase")] == ["vitest api", "vitest web"]


@pytest.mark.parametrize(
    ("made", "kind", "text"),
    [
        (Report(outcome="error", excerpt=(("stderr", 1, "sh: vitest: not found"),)), "error", "sh: vitest: not found"),
        (Report(outcome="error", diagnostics=(TEST,), how=How(ending="timeout")), "error", "ERROR run: 1 failed"),
        (Report(outcome="failed", diagnostics=(WARN,)), "error", "FAILED run: 1 warning"),
        (Report(outcome="unknown"), "skipped", "UNKNOWN run"),
        (Report(outcome="passed", counts={"passed": 3}), "system-out", "3 passed"),
    ],
)
def test_a_run_that_no_failing_case_explains_is_a_case_itself(made: Report, kind: str, text: str) -> None:
    said = ET.fromstring(junit(made, name="run")).findtext(f".//testcase[@classname='punchlist'][@name='run']/{kind}")
    assert (said or "").startswith(text)


def test_hostile_text_stays_well_formed() -> None:
    d = Diagnostic(message="\x00\x1b[31m ]]> <&\"' \ud800", detail="\x0b", file="<a>&.py", line=1, tool="t")
    assert ET.fromstring(junit(Report(outcome="failed", diagnostics=(d,)))).find(".//failure") is not None
    json.dumps(sarif(report(d)))
    assert annotations(report(d)).count("\n") == 1


def test_secrets_are_masked_everywhere() -> None:
    d = Diagnostic(message="DB_PASSWORD=hunter2", file="a", line=1, tool="t")
    text = annotations(report(d)) + json.dumps(sarif(report(d))) + junit(Report(outcome="failed", diagnostics=(d,)))
    assert "hunter2" not in text
