"""Answers about checks as the JSON values of schema 1.4."""

import json
from datetime import UTC, datetime
from typing import Any

from punchlist.analysis.delta import Delta
from punchlist.model import Diagnostic, Report
from punchlist.service.checking import recurring
from punchlist.service.checking.compare import asked_only
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views import schema14
from punchlist.views.schema14 import CheckFacts, EngineState

PAGE = 100


def facts_of(project: Project, run: Run, filtered: int = 0) -> CheckFacts:
    """Return what a response says beside its issues."""
    engines = {
        name: EngineState(status=told["state"], message=told.get("message"))
        for name, told in run.facts.get("engines", {}).items()
        if told["state"] != "disabled" or told.get("message")
    }
    return CheckFacts(
        check_id=run.id,
        project_root=str(project.folder),
        engines=engines,
        filtered=filtered,
        recurrence=recurring.of_run(run),
        code=run.facts.get("code"),
        message=run.facts.get("message"),
    )


def response(project: Project, run: Run, *, compact: bool | None = None) -> dict[str, Any]:
    """Return the answer of `check_project` and `check_files`; `compact` None means as the settings say."""
    if run.state == "running":
        return {"schemaVersion": schema14.VERSION, "status": "running", "checkId": run.id}
    shown, outside = asked_only(project.store.report(run.id), run)
    wanted = project.settings()[0].compact if compact is None else compact
    value = schema14.check_response(shown.diagnostics, facts_of(project, run, len(outside)), compact=wanted)
    for name, told in run.facts.get("engines", {}).items():
        if told["state"] == "error":
            extra = {"code": told.get("code"), "retryable": told.get("retryable", False), "nextStep": told.get("next")}
            value["engines"][name] |= {key: one for key, one in extra.items() if one is not None}
    return value


def size(value: Any) -> int:
    """Return the bytes of a value on the wire."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def snapshot(project: Project, run: Run) -> dict[str, Any]:
    """Return the answer of `get_diagnostic_snapshot`, for a check or any other run."""
    shown, _ = asked_only(project.store.report(run.id), run)
    when = datetime.fromtimestamp(run.started, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    facts = facts_of(project, run)
    engines: dict[str, dict[str, Any]] = run.facts.get("engines", {})
    if not engines:
        from punchlist.records import replace

        facts = replace(facts, engines={tool: EngineState(status="ok") for tool in shown.tools})
    value = schema14.snapshot_json(
        shown.diagnostics,
        facts,
        source=run.facts.get("source", run.kind),
        timestamp=when,
        scope=run.facts.get("scope") or ["."],
    )
    hits = sum(told.get("cached", 0) for told in engines.values())
    misses = sum(told.get("checked", 0) for told in engines.values())
    coverage = {
        name: {key: told.get(key, 0) for key in ("checked", "cached", "skipped", "hidden", "ms")}
        | {"version": told.get("version"), "origin": told.get("origin")}
        for name, told in engines.items()
        if told["state"] != "disabled"
    }
    return value | ({"cache": {"hits": hits, "misses": misses}, "coverage": coverage} if engines else {})


def detail(report: Report, *, cluster_id: str | None, issue_id: str | None, page: int) -> dict[str, Any]:
    """Return the answer of `get_issue_detail`, one page of it."""
    value = schema14.issue_detail(
        report.diagnostics, cluster_id=cluster_id, issue_id=issue_id, first=(page - 1) * PAGE, limit=PAGE
    )
    if value.get("remaining"):
        value["nextCursor"] = str(page + 1)
    return value


def found(report: Report, name: str) -> list[Diagnostic]:
    """Return the findings that an issue id, or the beginning of one, names."""
    issues = schema14.issues_of(report.diagnostics)
    exact = [issue.diagnostic for issue in issues if issue.id == name]
    return exact or [issue.diagnostic for issue in issues if len(name) >= 4 and issue.id.startswith(name)]


def rule_of_cluster(report: Report, cluster_id: str) -> str | None:
    """Return the rule that a cluster id stands for in a report."""
    by_rule: dict[str, list[schema14.Issue]] = {}
    for issue in schema14.issues_of(report.diagnostics):
        by_rule.setdefault(issue.rule, []).append(issue)
    return next(
        (rule for rule, those in by_rule.items() if schema14.Cluster(rule=rule, issues=tuple(those)).id == cluster_id),
        None,
    )


def comparison(delta: Delta) -> dict[str, Any]:
    """Return the answer of `compare_diagnostics`; `verdict` is unknown where a side did not come to its end."""
    value = schema14.comparison_json(delta)
    return {**value, "verdict": verdict(delta)}


def verdict(delta: Delta) -> str:
    """Return clean, worse, left or unknown; clean needs both sides whole and everything looked at again."""
    if not (delta.before.complete and delta.after.complete):
        return "unknown"
    if delta.added:
        return "worse"
    if delta.unobserved:
        return "unknown"
    return "left" if delta.persisting or delta.changed or delta.first_seen else "clean"


def priorities(report: Report) -> list[int]:
    """Return the priority of every issue: that of its cluster, or its own where it stands alone."""
    by_rule: dict[str, list[schema14.Issue]] = {}
    for issue in schema14.issues_of(report.diagnostics):
        by_rule.setdefault(issue.rule, []).append(issue)
    out: list[int] = []
    for rule, those in by_rule.items():
        cluster = schema14.Cluster(rule=rule, issues=tuple(those))
        out += [cluster.priority if len(those) > 1 else those[0].priority] * len(those)
    return out
