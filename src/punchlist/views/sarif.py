"""SARIF 2.1.0, as GitHub code scanning and editors read it."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from punchlist.analysis.fingerprint import fingerprint
from punchlist.model import SEVERITIES, Diagnostic, Edit, Related, Report, in_order
from punchlist.records import dataclass
from punchlist.views.masking import mask

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
BASE = "%SRCROOT%"
OURS = "punchlist"
_SAFE = "/@+~!$&'(),;="
_LEVEL = {"error": "error", "warning": "warning", "info": "note", "hint": "note"}
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A tool that took part, also one that found nothing; `trouble` says what kept it from doing its work."""

    name: str
    version: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """How a report came about: Punchlist's version, the tools (of a check), begin and end in seconds since 1970."""

    version: str = ""
    tools: Sequence[Ran] = ()
    started: float | None = None
    ended: float | None = None


def sarif(report: Report, made: Made | None = None) -> dict[str, Any]:
    """Shape a report as one SARIF log: a run per tool, also of one without findings, so that its old alerts close.

    A tool that found nothing because it could not work has no run, since that would close its alerts too: a run of
    `punchlist` says what kept it. Columns are code points and say so. Paths are relative to `%SRCROOT%`. A finding
    without a file is a notification of the invocation: code scanning refuses a whole file for one result without a
    place.
    """
    made = made or Made()
    works = report.outcome in ("passed", "failed")
    by_tool: dict[str, list[Diagnostic]] = {name: [] for name in report.tools if works}
    by_tool |= {ran.name: [] for ran in made.tools if not ran.trouble}
    for d in in_order(report.diagnostics):
        by_tool.setdefault(d.tool or OURS, []).append(d)
    mute = [ran.trouble for ran in made.tools if ran.trouble and ran.name not in by_tool]
    if mute or not by_tool:
        by_tool.setdefault(OURS, [])
    known = {ran.name: ran for ran in made.tools} | {
        OURS: Ran(name=OURS, version=made.version, trouble="\n".join(mute))
    }
    runs = [_run(tool, by_tool[tool], known.get(tool), report, made) for tool in sorted(by_tool)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}


def _run(tool: str, diagnostics: list[Diagnostic], ran: Ran | None, report: Report, made: Made) -> dict[str, Any]:
    rules: dict[str, list[Diagnostic]] = {}
    for d in diagnostics:
        rules.setdefault(_rule(d), []).append(d)
    index = {rule: i for i, rule in enumerate(sorted(rules))}
    driver: dict[str, Any] = {"name": tool, "rules": [_described(rule, tool, rules[rule]) for rule in index]}
    if ran and ran.version:
        driver["version"] = ran.version
    placeless = [_notification(d, index) for d in diagnostics if not d.file]
    of_check = ran if made.tools and (tool != OURS or (ran and ran.trouble)) else None
    return {
        "tool": {"driver": driver},
        "invocations": [_invocation(of_check, report, made, placeless)],
        "originalUriBaseIds": {BASE: {"description": {"text": "The root of the repository"}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, index) for d in diagnostics if d.file],
    }


def _rule(d: Diagnostic) -> str:
    return d.rule or ("test-failure" if d.test else "finding")


def _described(rule: str, tool: str, findings: Iterable[Diagnostic]) -> dict[str, Any]:
    """A rule as code scanning needs it: what is known of it is its name, its tool, and how grave its findings are."""
    worst = min((d.severity for d in findings), key=SEVERITIES.index)
    kinds = {"test-failure": f"A test of {tool} fails", "finding": f"A finding of {tool} without a rule"}
    said = kinds.get(rule, f"{rule} of {tool}")
    return {
        "id": rule,
        "shortDescription": {"text": said},
        "fullDescription": {"text": said},
        "help": {"text": f"{said}. What is wrong stands in each finding; {tool}'s documentation explains its rules."},
        "defaultConfiguration": {"level": _LEVEL[worst]},
    }


def _invocation(ran: Ran | None, report: Report, made: Made, placeless: list[dict[str, Any]]) -> dict[str, Any]:
    how = report.how
    done = not ran.trouble if ran else report.outcome in ("passed", "failed")
    out: dict[str, Any] = {"executionSuccessful": done}
    if not ran:
        out |= {"exitCode": how.exit_code} if how.exit_code is not None else {}
        out |= {"exitSignalNumber": how.signal} if how.signal is not None else {}
        if how.ending not in ("exit", "none"):
            out["exitCodeDescription"] = mask(how.message) or how.ending.replace("_", " ")
    times = {"startTimeUtc": made.started, "endTimeUtc": made.ended}
    out |= {name: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) for name, at in times.items() if at is not None}
    told = [] if done else [_trouble(ran, report)]
    if told + placeless:
        out["toolExecutionNotifications"] = told + placeless
    return out


def _trouble(ran: Ran | None, report: Report) -> dict[str, Any]:
    lines = "\n".join(text for _, _, text in report.excerpt)
    said = (ran.trouble if ran else "") or report.how.message or lines or f"the run ended as: {report.outcome}"
    return {"level": "error" if report.outcome != "unknown" else "warning", "message": {"text": mask(said)}}


def _notification(d: Diagnostic, index: Mapping[str, int]) -> dict[str, Any]:
    rule = {"id": _rule(d), "index": index[_rule(d)]}
    return {"level": _LEVEL[d.severity], "message": {"text": _told(d)}, "associatedRule": rule}


def _told(d: Diagnostic) -> str:
    text = f"{d.test}: {d.message}" if d.test else d.message
    if d.detail.strip():
        text += f"\n{d.detail[:4000].rstrip()}"
    return mask(text)


def _result(d: Diagnostic, index: Mapping[str, int]) -> dict[str, Any]:
    place = _place(d.file or "", d.line, d.column, d.end_line, d.end_column)
    out: dict[str, Any] = {
        "ruleId": _rule(d),
        "ruleIndex": index[_rule(d)],
        "level": _LEVEL[d.severity],
        "message": {"text": _told(d)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"punchlist/v1": fingerprint(d)},
    }
    if d.times > 1:
        out["occurrenceCount"] = d.times
    related = [_related(r) for r in d.related if r.file]
    if related:
        out["relatedLocations"] = related
    if d.fix and d.fix.edits:
        title = (d.fix.title or "Fix") + ("" if d.fix.safe else " (may change what the code does)")
        out["fixes"] = [{"description": {"text": mask(title)}, "artifactChanges": _changes(d.fix.edits)}]
    return out


def _place(
    file: str, line: int | None, column: int | None, end_line: int | None = None, end_column: int | None = None
) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(file)}
    numbers = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    region = {name: n for name, n in numbers.items() if n} if line else {}
    return {**place, "region": region} if region else place


def _artifact(file: str) -> dict[str, Any]:
    """A file of the project, relative to its root; one outside by its whole address, or as it is written."""
    if file.startswith(("/", "\\")) or _DRIVE.match(file):
        path = file.replace("\\", "/")
        return {
            "uri": "file://" + ("" if path.startswith("/") else "/") + quote(path, safe=_SAFE + ":", errors="replace")
        }
    uri = quote(file, safe=_SAFE, errors="replace")
    return {"uri": uri} if ".." in file.split("/") else {"uri": uri, "uriBaseId": BASE}


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
        {"artifactLocation": _artifact(file), "replacements": replacements} for file, replacements in by_file.items()
    ]
