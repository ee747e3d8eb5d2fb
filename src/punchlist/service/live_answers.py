"""Answers about live diagnostics: text for a model, and the JSON values that clients of schema 1.4 parse."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from punchlist.engines.registry import BY_NAME
from punchlist.model import Outcome, Report
from punchlist.records import replace
from punchlist.service.checking import values
from punchlist.service.live_diagnostics import EXTERNAL, Batch, Seen, Source, View
from punchlist.service.project import Project
from punchlist.views import schema14
from punchlist.views.brief import Calls, Facts, brief
from punchlist.views.budget import RUN, Budget
from punchlist.views.masking import mask

MOST_ISSUES = 1_000
_NAMED = 5
_FACTS = schema14.CheckFacts(check_id="", project_root="", engines={"live": schema14.EngineState(status="ok")})


def batch_text(batch: Batch) -> str:
    """Return one line on a batch: what it held, what it replaced, what did not fit, and its id."""
    files = f"{len(batch.files)} file{'s' * (len(batch.files) != 1)}" if batch.files else "all files of the source"
    said = [f"{batch.held} diagnostic{'s' * (batch.held != 1)} in {files}" if batch.held else f"{files} cleared"]
    said += [f"{batch.replaced} earlier ones replaced"] if batch.replaced else []
    said += [f"{batch.dropped} of the batch not kept: it is over the limit"] if batch.dropped else []
    said += [f"{batch.evicted} of the oldest let go"] if batch.evicted else []
    return mask(f"{', '.join(said)} · {batch.run.id} ({batch.run.title})")


def batch_value(project: Project, batch: Batch) -> dict[str, Any]:
    """Return the answer of `ingest_diagnostics`: the snapshot of the batch under both its names."""
    value = values.snapshot(project, batch.run)
    server = batch.run.facts.get("server")
    return {
        "snapshotId": batch.run.id,
        **value,
        **({"serverName": server} if server else {}),
        "ingested": batch.held,
        "replaced": batch.replaced,
        "dropped": batch.dropped + batch.evicted,
    }


def view_text(found: View, filters: Mapping[str, Any], *, budget: Budget = RUN, page: int = 1) -> str:
    """Return what is known now within a budget; the call that shows the next page repeats the filters."""
    again = json.dumps({**filters, "cursor": "PAGE"}, ensure_ascii=False)
    call = f"get_live_diagnostics {again}".replace("{", "{{").replace("}", "}}").replace("PAGE", "{page}")
    name = found.check.id if found.check else "live"
    title = " + ".join(["live", *([found.check.title] if found.check else []), *found.sources[:_NAMED]])
    if found.severity:
        title = f"{title} (only {found.severity})"
    facts = Facts(title=title, run_id=name, calls=Calls(page=call, group=call))
    return brief(_report(found), facts=facts, budget=budget, page=page)


def _report(found: View) -> Report:
    notes = []
    weighty = any(d.severity in ("error", "warning") for d in found.diagnostics)
    outcome: Outcome = "failed" if weighty else "passed"
    if found.seen and found.severity in ("info", "hint"):
        outcome = "unknown"  # a list of notes tells nothing of errors
    if found.check is None and not found.sources:
        outcome = "unknown"
        notes.append("no check is kept and nothing was handed over yet: check_project looks at the project")
    elif found.unseen:
        outcome = outcome if outcome == "failed" else "unknown"
        names = ", ".join(found.unseen[:_NAMED]) + (" ..." if len(found.unseen) > _NAMED else "")
        notes.append(f"nobody looked at {names} yet: check_files does")
    if found.check is not None and found.check.outcome == "error":
        outcome = "error"
        notes.append(f"{found.check.id} is not complete; get_diagnostic_snapshot says why")
    if found.old:
        names = ", ".join(found.old[:_NAMED]) + (" ..." if len(found.old) > _NAMED else "")
        notes.append(f"written since they were looked at, so what is said of them may be out of date: {names}")
    return Report(outcome=outcome, diagnostics=tuple(map(_attributed, found.seen)), notes=tuple(notes))


def _attributed(one: Seen) -> Any:
    """A finding of several sources with the further ones named in its detail."""
    others = list(dict.fromkeys(source.shown for source in one.sources[1:]))
    if not others:
        return one.diagnostic
    detail = f"{one.diagnostic.detail}\nalso: {', '.join(others)}".lstrip("\n")
    return replace(one.diagnostic, detail=detail)


def view_value(found: View, *, page: int = 1) -> dict[str, Any]:
    """Return the answer of `get_live_diagnostics`: clusters, flat rest and the issues, 1,000 to a page."""
    by_id = {id(one.diagnostic): one for one in found.seen}
    issues = schema14.issues_of(found.diagnostics)
    clusters, _ = schema14.clustered(issues)
    cluster_of = {i.id: c.id for c in clusters for i in c.issues}
    first = (page - 1) * MOST_ISSUES
    shown = issues[first : first + MOST_ISSUES]
    facts = schema14.CheckFacts(
        check_id=found.check.id if found.check else "",
        project_root="",
        engines={"live": schema14.EngineState(status="ok")},
    )
    response = schema14.check_response(found.diagnostics, facts)
    names = ("totalIssues", "clusters", "remainingIssues", "omittedIssueCount", "truncated")
    value = {name: response[name] for name in names}
    value["issues"] = [_issue(i, cluster_of.get(i.id), by_id[id(i.diagnostic)]) for i in shown]
    value["outOfDateFiles"] = list(found.old)
    if found.check:
        value["checkId"] = found.check.id
    if len(issues) > first + len(shown):
        value |= {"remaining": len(issues) - first - len(shown), "nextCursor": str(page + 1)}
    return value


def _issue(issue: schema14.Issue, cluster: str | None, seen: Seen) -> dict[str, Any]:
    first = seen.sources[0]
    value = schema14.issue_json(issue, cluster)
    if first.kind != "check" and first.server:
        value["serverName"] = first.server
    value |= {"sourceKind": _kind(first), "provenance": _provenance(first)}
    if len(seen.sources) > 1:
        value["alsoFrom"] = [_provenance(source) for source in seen.sources[1:]]
    return value


def _kind(source: Source) -> str:
    if source.kind != "check":
        return source.kind
    engine = BY_NAME.get(source.name)
    return "compiler" if engine is not None and engine.kind == "types" else "linter"


def _provenance(source: Source) -> dict[str, Any]:
    when = datetime.fromtimestamp(source.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    engine = source.name if source.kind in ("check", "editor") else EXTERNAL
    named = {"serverName": source.server} if source.server else {}
    about = {"kind": _kind(source), "engine": engine, **named, "timestamp": when, "checkId": source.run_id}
    return about | ({"source": source.name} if source.kind == "lsp" and source.name != "lsp" else {})
