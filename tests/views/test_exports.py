"""Findings for other programs: GitHub annotations, SARIF, JUnit."""

import json
import xml.etree.ElementTree as ET

import pytest

from punchlist.model import Diagnostic, Edit, Fix, How, Related, Report
from punchlist.views.github import annotations
from punchlist.views.junit import junit
from punchlist.views.sarif import sarif

LINT = Diagnostic(
    message="unused 'x'", file="src/a b.ts", line=3, column=5, end_line=3, end_column=6, rule="no-x", tool="ox"
)
TEST = Diagnostic(
    message="boom: 50%", detail="expected 1\nreceived 2", file="t.py", line=9, test="t.py::test_a", tool="pytest"
)
WARN = Diagnostic(message="old", file="t.py", line=1, severity="warning", tool="pytest")


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
    assert annotations([d]) == line + "\n"


def test_annotations_stand_in_total_order() -> None:
    assert [line[:8] for line in annotations([WARN, LINT]).splitlines()] == ["::error ", "::warnin"]


def test_sarif_has_a_run_per_tool_with_its_rules_once() -> None:
    log = sarif([LINT, LINT, TEST, WARN])
    assert log["version"] == "2.1.0"
    assert [run["tool"]["driver"]["name"] for run in log["runs"]] == ["ox", "pytest"]
    first = log["runs"][0]
    assert first["tool"]["driver"]["rules"] == [{"id": "no-x"}]
    assert first["results"][0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b.ts"},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 6},
    }
    assert first["columnKind"] == "unicodeCodePoints"


def test_sarif_keeps_fixes_and_related_places() -> None:
    fix = Fix((Edit("a.ts", 1, 1, 1, 5, "y"),), safe=True, title="Remove it")
    d = Diagnostic(message="m", file="a.ts", line=1, tool="t", fix=fix, related=(Related("here", "b.ts", 2),))
    (result,) = sarif([d])["runs"][0]["results"]
    assert result["fixes"][0]["artifactChanges"][0]["replacements"][0] == {
        "deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 5},
        "insertedContent": {"text": "y"},
    }
    assert result["relatedLocations"][0]["message"] == {"text": "here"}


def test_sarif_without_findings_is_still_a_run() -> None:
    assert sarif([], version="1.0")["runs"][0]["results"] == []


def test_junit_is_well_formed_and_counts_cases() -> None:
    report = Report(outcome="failed", diagnostics=(TEST, LINT, WARN), counts={"passed": 7}, how=How(ending="exit"))
    root = ET.fromstring(junit(report, duration_s=1.5))
    assert (root.get("tests"), root.get("failures"), root.get("time")) == ("9", "2", "1.500")
    failure = root.find(".//testcase[@name='t.py::test_a']/failure")
    assert failure is not None
    assert failure.get("message") == "boom: 50%"
    assert "expected 1" in (failure.text or "")
    assert "old" in (root.findtext(".//system-out") or "")


def test_junit_of_a_failure_without_findings_is_not_green() -> None:
    report = Report(outcome="error", excerpt=(("stderr", 1, "sh: vitest: not found"),))
    root = ET.fromstring(junit(report))
    assert root.get("errors") == "1"
    assert root.findtext(".//error") == "sh: vitest: not found"


def test_junit_of_a_passing_run_has_no_failure() -> None:
    root = ET.fromstring(junit(Report(outcome="passed", counts={"passed": 3})))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "0", "0")


def test_hostile_text_stays_well_formed() -> None:
    d = Diagnostic(message="\x00\x1b[31m ]]> <&\"' \ud800", detail="\x0b", file="<a>&.py", line=1, tool="t")
    assert ET.fromstring(junit(Report(outcome="failed", diagnostics=(d,)))).find(".//failure") is not None
    json.dumps(sarif([d]))
    assert annotations([d]).count("\n") == 1


def test_secrets_are_masked_everywhere() -> None:
    d = Diagnostic(message="DB_PASSWORD=hunter2", file="a", line=1, tool="t")
    text = annotations([d]) + json.dumps(sarif([d])) + junit(Report(outcome="failed", diagnostics=(d,)))
    assert "hunter2" not in text
