"""The JSON of a reading."""

import json

from punchlist.model import Diagnostic, Edit, Fix, How, Related, Report, Span
from punchlist.views.as_json import read_json


def test_a_reading_has_the_documented_shape() -> None:
    d = Diagnostic(
        message="boom",
        detail="expected 1",
        file="t.py",
        line=3,
        test="t.py::test_a",
        tool="pytest",
        log=Span("stdout", 4, 9),
    )
    report = Report(
        outcome="failed",
        tools=("pytest",),
        counts={"failed": 1},
        diagnostics=(d,),
        notes=("one note",),
        how=How(ending="exit", exit_code=1),
    )
    answer = read_json(report)
    fingerprint = answer["groups"][0].pop("fingerprint")
    assert len(fingerprint) == 12
    assert answer == {
        "outcome": "failed",
        "tool": "pytest",
        "counts": {"failed": 1},
        "exit_code": 1,
        "diagnostics": [
            {
                "severity": "error",
                "message": "boom",
                "detail": "expected 1",
                "file": "t.py",
                "line": 3,
                "test": "t.py::test_a",
                "tool": "pytest",
                "log": {"stream": "stdout", "first": 4, "last": 9},
            }
        ],
        "groups": [{"severity": "error", "message": "boom", "count": 1, "diagnostics": [0]}],
        "notes": ["one note"],
    }


def test_everything_a_diagnostic_knows_is_in_the_answer() -> None:
    d = Diagnostic(
        message="m",
        severity="warning",
        file="a.py",
        line=1,
        column=2,
        end_line=1,
        end_column=5,
        rule="F401",
        package="web",
        derived=True,
        state="flaky",
        times=3,
        related=(Related("defined here", "b.py", 9),),
        fix=Fix((Edit("a.py", 1, 1, 1, 5, ""),), safe=True, title="Remove"),
    )
    (one,) = read_json(Report(outcome="passed", diagnostics=(d,)))["diagnostics"]
    assert one["end_column"] == 5
    assert one["related"] == [{"message": "defined here", "file": "b.py", "line": 9}]
    assert one["fix"]["edits"][0]["end_column"] == 5
    assert (one["times"], one["state"], one["derived"], one["package"]) == (3, "flaky", True, "web")


def test_absent_fields_are_left_out() -> None:
    answer = read_json(Report(outcome="unknown", diagnostics=(Diagnostic(message="m"),)))
    assert "null" not in json.dumps(answer)
    assert set(answer) == {"outcome", "counts", "diagnostics", "groups", "notes"}


def test_secrets_are_masked() -> None:
    d = Diagnostic(message="DB_PASSWORD=hunter2", detail="API_KEY=abcdef12")
    assert "hunter2" not in json.dumps(read_json(Report(outcome="failed", diagnostics=(d,))))
