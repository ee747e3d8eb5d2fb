"""SARIF held against the structure of its schema (2.1.0): which members an object has, which it must have."""

import json
from typing import Any

import pytest

from punchlist.model import Diagnostic, Edit, Fix, Related
from punchlist.views.sarif import sarif

# Object of the schema -> (members it must have, further members it may have, of those that a linter's log needs). The
# schema allows no others. A member's own object stands in MEMBERS.
OBJECTS: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"version", "runs"}, {"$schema", "properties"}),
    "run": ({"tool"}, {"results", "columnKind", "artifacts", "invocations", "originalUriBaseIds", "properties"}),
    "tool": ({"driver"}, {"extensions", "properties"}),
    "toolComponent": ({"name"}, {"rules", "version", "semanticVersion", "informationUri", "fullName", "properties"}),
    "reportingDescriptor": ({"id"}, {"name", "shortDescription", "fullDescription", "helpUri", "help", "properties"}),
    "result": (
        {"message"},
        {"ruleId", "ruleIndex", "level", "kind", "locations", "relatedLocations", "fixes", "partialFingerprints"},
    ),
    "message": (set(), {"text", "markdown", "id", "arguments"}),
    "location": (set(), {"id", "physicalLocation", "message", "logicalLocations"}),
    "physicalLocation": (set(), {"artifactLocation", "region", "contextRegion"}),
    "artifactLocation": (set(), {"uri", "uriBaseId", "index"}),
    "region": (set(), {"startLine", "startColumn", "endLine", "endColumn", "snippet", "message"}),
    "fix": ({"artifactChanges"}, {"description"}),
    "artifactChange": ({"artifactLocation", "replacements"}, set()),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
    "artifactContent": (set(), {"text", "binary"}),
    "free": (set(), set()),
}
MEMBERS = {
    "runs": "run",
    "tool": "tool",
    "driver": "toolComponent",
    "rules": "reportingDescriptor",
    "results": "result",
    "message": "message",
    "description": "message",
    "locations": "location",
    "relatedLocations": "location",
    "physicalLocation": "physicalLocation",
    "artifactLocation": "artifactLocation",
    "region": "region",
    "deletedRegion": "region",
    "fixes": "fix",
    "artifactChanges": "artifactChange",
    "replacements": "replacement",
    "insertedContent": "artifactContent",
    "partialFingerprints": "free",
}
LISTS = {"runs", "rules", "results", "locations", "relatedLocations", "fixes", "artifactChanges", "replacements"}

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
CASES = [
    [],
    [WHOLE],
    [Diagnostic(message="nothing but words")],
    [Diagnostic(message="m", file="a.py", severity="hint", test="a.py::t", tool="pytest"), WHOLE],
    [Diagnostic(message="\x00\ud800", file="C:\\x\\y.cs", line=1, tool="t")],
]


def faults(value: Any, kind: str, path: str) -> list[str]:
    """Return what the schema would not take."""
    required, allowed = OBJECTS[kind]
    found = [f"{path}: {name} is missing" for name in required - set(value)]
    for name, member in value.items():
        here = f"{path}.{name}"
        if kind != "free" and name not in required | allowed:
            found.append(f"{here} is unknown")
        if isinstance(member, list) != (name in LISTS):
            found.append(f"{here}: a list where none is allowed, or none where one is")
        for one in member if isinstance(member, list) else [member]:
            if isinstance(one, dict):
                found += faults(one, MEMBERS[name], here)
        if name.startswith(("start", "end")) and not (isinstance(member, int) and member >= 1):
            found.append(f"{here}: not a number from 1")
    if kind == "fix" and not value["artifactChanges"]:
        found.append(f"{path}: no change")
    return found


@pytest.mark.parametrize("diagnostics", CASES)
def test_sarif_keeps_to_the_structure_of_its_schema(diagnostics: list[Diagnostic]) -> None:
    log = json.loads(json.dumps(sarif(diagnostics, version="1.0")).encode("utf-8", "replace"))
    assert faults(log, "log", "$") == []
    for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert len(rules) == len(set(rules))
        for result in run["results"]:
            assert rules[result["ruleIndex"]] == result["ruleId"]
            assert result["level"] in ("none", "note", "warning", "error")
            assert result["message"]["text"]
