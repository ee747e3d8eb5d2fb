"""SARIF 2.1.0, as GitHub code scanning and editors read it."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from punchlist.analysis.fingerprint import fingerprint
from punchlist.model import Diagnostic, Edit, Related, in_order
from punchlist.views.masking import mask

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SAFE = "/@:+~!$&'(),;="
_LEVEL = {"error": "error", "warning": "warning", "info": "note", "hint": "note"}


def sarif(diagnostics: Iterable[Diagnostic], *, version: str = "") -> dict[str, Any]:
    """Shape findings as one SARIF log: a run per tool, rules listed once, columns in code points."""
    by_tool: dict[str, list[Diagnostic]] = {}
    for d in in_order(diagnostics):
        by_tool.setdefault(d.tool or "punchlist", []).append(d)
    runs = [_run(tool, by_tool[tool], version) for tool in sorted(by_tool)] or [_run("punchlist", [], version)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}


def _run(tool: str, diagnostics: list[Diagnostic], version: str) -> dict[str, Any]:
    rules = sorted({_rule(d) for d in diagnostics})
    index = {rule: i for i, rule in enumerate(rules)}
    driver: dict[str, Any] = {"name": tool, "rules": [{"id": rule} for rule in rules]}
    if version and tool == "punchlist":
        driver["version"] = version
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, index) for d in diagnostics],
    }


def _rule(d: Diagnostic) -> str:
    return d.rule or ("test-failure" if d.test else "finding")


def _result(d: Diagnostic, index: dict[str, int]) -> dict[str, Any]:
    text = f"{d.test}: {d.message}" if d.test else d.message
    if d.detail.strip():
        text += f"\n{d.detail[:4000].rstrip()}"
    out: dict[str, Any] = {
        "ruleId": _rule(d),
        "ruleIndex": index[_rule(d)],
        "level": _LEVEL[d.severity],
        "message": {"text": mask(text)},
        "partialFingerprints": {"punchlist/v1": fingerprint(d)},
    }
    if d.file:
        out["locations"] = [{"physicalLocation": _place(d.file, d.line, d.column, d.end_line, d.end_column)}]
    related = [_related(r) for r in d.related if r.file]
    if related:
        out["relatedLocations"] = related
    if d.fix and d.fix.edits:
        out["fixes"] = [{"description": {"text": d.fix.title or "fix"}, "artifactChanges": _changes(d.fix.edits)}]
    return out


def _place(
    file: str, line: int | None, column: int | None, end_line: int | None = None, end_column: int | None = None
) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(file, safe=_SAFE, errors="replace")}}
    numbers = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    region = {name: n for name, n in numbers.items() if n} if line else {}
    return {**place, "region": region} if region else place


def _related(r: Related) -> dict[str, Any]:
    return {
        "message": {"text": mask(r.message)},
        "physicalLocation": _place(r.file or "", r.line, r.column),
    }


def _changes(edits: Iterable[Edit]) -> list[dict[str, Any]]:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for e in edits:
        region = {"startLine": e.line, "startColumn": e.column, "endLine": e.end_line, "endColumn": e.end_column}
        by_file.setdefault(e.file, []).append({"deletedRegion": region, "insertedContent": {"text": e.text}})
    return [
        {"artifactLocation": {"uri": quote(file, safe=_SAFE, errors="replace")}, "replacements": replacements}
        for file, replacements in by_file.items()
    ]
