"""Signalint's schema 1.4: clusters and flat records of a project check, details, comparison, loops. Keys are theirs."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from punchlist.analysis.delta import Delta
from punchlist.analysis.fingerprint import split, squash
from punchlist.analysis.loops import Churn, Loop, Recurrence
from punchlist.model import Diagnostic
from punchlist.records import dataclass, field
from punchlist.views.masking import mask

VERSION = "1.4"
MAX_CLUSTERS = 10
MAX_RECORDS = 100
STALE = {"status": "stale", "message": "This check is no longer kept, or has no such cluster or issue; check again."}
_SHORT = 12
_COMPACT = {
    "schemaVersion": "v",
    "totalIssues": "total",
    "remainingIssues": "remaining",
    "omittedIssueCount": "omitted",
    "filteredOutIssueCount": "filteredOut",
    "filteredOutCount": "filteredOut",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One diagnostic as schema 1.4 knows it: positions from 1, severity error or warning, an id of 64 hex digits."""

    id: str
    file: str
    line: int
    col: int
    engine: str
    rule: str
    severity: str
    message: str
    fixable: bool
    diagnostic: Diagnostic

    @property
    def priority(self) -> int:
        """Priority of the issue alone, 2 to 5."""
        return _priority(error=self.severity == "error", fixable=self.fixable, systemic=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Issues of one rule, at least two; `systemic` are more than 3 issues in more than 2 files."""

    rule: str
    issues: tuple[Issue, ...]

    @property
    def files(self) -> int:
        """How many files it touches."""
        return len({i.file for i in self.issues})

    @property
    def systemic(self) -> bool:
        """More than 3 issues in more than 2 files?"""
        return len(self.issues) > 3 and self.files > 2

    @property
    def error(self) -> bool:
        """Is any of the issues an error?"""
        return any(i.severity == "error" for i in self.issues)

    @property
    def fixable(self) -> bool:
        """Can every issue be fixed by its engine?"""
        return all(i.fixable for i in self.issues)

    @property
    def priority(self) -> int:
        """Priority of the cluster, 1 (first) to 5."""
        return _priority(error=self.error, fixable=self.fixable, systemic=self.systemic)

    @property
    def id(self) -> str:
        """`c` and 8 hex digits of rule, severity and systemic: the same in every check."""
        text = f"{self.rule}|{'error' if self.error else 'warning'}|{str(self.systemic).lower()}"
        return "c" + hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineState:
    """How an engine fared: ok, error or disabled."""

    status: str
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFacts:
    """What a check response says beside its issues; `filtered` issues are in files that nobody asked for."""

    check_id: str
    project_root: str
    engines: Mapping[str, EngineState]
    filtered: int = 0
    recurrence: Recurrence = field(default_factory=Recurrence)
    code: str | None = None
    message: str | None = None


def _priority(*, error: bool, fixable: bool, systemic: bool) -> int:
    if error:
        return 1 if systemic else 3 if fixable else 2
    return 5 if systemic or fixable else 4


def issues_of(diagnostics: Iterable[Diagnostic]) -> tuple[Issue, ...]:
    """Issues in the order file, line, column, engine; ids are unique in a check and do not depend on lines."""
    ordered = sorted(
        diagnostics, key=lambda d: (d.file or ".", d.line or 1, d.column or 1, d.tool, d.rule or "", d.message)
    )
    times: dict[tuple[str, ...], int] = {}
    issues = []
    for d in ordered:
        rule = d.rule or d.test or "error"
        key = (d.tool, d.file or ".", rule, split(d.message)[0], d.severity)
        times[key] = times.get(key, 0) + 1
        digest = hashlib.sha256("\0".join([*key, str(times[key])]).encode("utf-8", "replace")).hexdigest()
        issues.append(
            Issue(
                id=digest,
                file=d.file or ".",
                line=d.line or 1,
                col=d.column or 1,
                engine=d.tool,
                rule=rule,
                severity="error" if d.severity == "error" else "warning",
                message=squash(d.message),
                fixable=d.fix is not None,
                diagnostic=d,
            )
        )
    return tuple(issues)


def clustered(issues: Sequence[Issue]) -> tuple[tuple[Cluster, ...], tuple[Issue, ...]]:
    """Clusters in their order (at most 10), and the flat rest in its order (all of it)."""
    by_rule: dict[str, list[Issue]] = {}
    for issue in issues:
        by_rule.setdefault(issue.rule, []).append(issue)
    clusters = [Cluster(rule=rule, issues=tuple(those)) for rule, those in by_rule.items() if len(those) > 1]
    clusters.sort(key=lambda c: (c.priority, -len(c.issues), c.rule))
    kept = tuple(clusters[:MAX_CLUSTERS])
    inside = {i.id for c in kept for i in c.issues}
    flat = sorted((i for i in issues if i.id not in inside), key=lambda i: (i.priority, i.file, i.line, i.col, i.id))
    return kept, tuple(flat)


def check_response(diagnostics: Iterable[Diagnostic], facts: CheckFacts, *, compact: bool = False) -> dict[str, Any]:
    """Shape the answer of `check_project` and `check_files`."""
    issues = issues_of(diagnostics)
    clusters, flat = clustered(issues)
    short = short_ids(issues)
    omitted = max(0, len(flat) - MAX_RECORDS)
    out: dict[str, Any] = {
        "schemaVersion": VERSION,
        "status": _status(issues, facts),
        "projectRoot": facts.project_root,
        "engines": _engines(facts.engines),
        "totalIssues": len(issues),
        "clusters": [_cluster(c, short) for c in clusters],
        "remainingIssues": [_record(i, short) for i in flat[:MAX_RECORDS]],
        "omittedIssueCount": omitted,
    }
    if facts.filtered:
        out |= {"filteredOutIssueCount": facts.filtered, "filteredOutCount": facts.filtered}
    if omitted or facts.filtered:
        out["nextStep"] = _next_step(facts, omitted)
    out["truncated"] = omitted > 0
    if facts.recurrence.loops:
        out["loopWarning"] = _loop(facts.recurrence.loops[0])
    if facts.recurrence.churns:
        out["fileRuleChurnWarning"] = _churn(facts.recurrence.churns[0])
    out["checkId"] = facts.check_id
    out |= {name: value for name, value in (("code", facts.code), ("message", facts.message)) if value is not None}
    return compacted(out) if compact else out


def compacted(response: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the long keys of a check response and leave out the root."""
    return {_COMPACT.get(name, name): value for name, value in response.items() if name != "projectRoot"}


def _status(issues: Sequence[Issue], facts: CheckFacts) -> str:
    states = [e.status for e in facts.engines.values()]
    if facts.code or "error" in states or "ok" not in states:
        return "error"
    return "issues_found" if issues else "clean"


def _engines(engines: Mapping[str, EngineState]) -> dict[str, Any]:
    return {
        name: {"status": e.status} | ({"message": mask(e.message)} if e.message else {}) for name, e in engines.items()
    }


def _cluster(c: Cluster, short: Mapping[str, str]) -> dict[str, Any]:
    issues, files = len(c.issues), c.files
    summary = f"{issues} {c.rule} issue{'s' * (issues != 1)} across {files} file{'s' * (files != 1)}"
    out: dict[str, Any] = {
        "clusterId": c.id,
        "rootCauseSummary": mask(summary),
        "ruleIds": [c.rule],
        "issueCount": issues,
        "fileCount": files,
        "priority": c.priority,
    }
    if c.fixable:
        out["suggestedAction"] = f"Let the engine fix {c.rule} in {files} file{'s' * (files != 1)}"
    if issues > 2:
        out["sampleIssueIds"] = [short[i.id] for i in c.issues[:2]]
    return out


def _record(i: Issue, short: Mapping[str, str]) -> dict[str, Any]:
    return {
        "issueId": short[i.id],
        "file": i.file,
        "line": i.line,
        "col": i.col,
        "rule": i.rule,
        "severity": i.severity,
        "fixable": i.fixable,
    }


def _next_step(facts: CheckFacts, omitted: int) -> str:
    said = []
    if omitted:
        said.append(f"{omitted} more issues: get_issue_detail with checkId {facts.check_id} and a cursor.")
    if facts.filtered:
        said.append(f"{facts.filtered} issues are in files that were not asked for: check_project shows them.")
    return " ".join(said)


def short_ids(issues: Iterable[Issue]) -> dict[str, str]:
    """Shortest ids of at least 12 digits that tell the issues of a check apart, by full id."""
    ids = sorted({i.id for i in issues})
    length = dict.fromkeys(ids, _SHORT)
    for one, other in pairwise(ids):
        common = next((n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), len(one))
        length[one], length[other] = max(length[one], common + 1), max(length[other], common + 1)
    return {one: one[: length[one]] for one in ids}


def issue_json(i: Issue, cluster_id: str | None = None) -> dict[str, Any]:
    """Shape one issue whole: full id, whole message, cluster."""
    out: dict[str, Any] = {
        "issueId": i.id,
        "file": i.file,
        "line": i.line,
        "col": i.col,
        "engine": i.engine,
        "rule": i.rule,
        "severity": i.severity,
        "message": mask(i.message),
        "fixable": i.fixable,
    }
    return out if cluster_id is None else {**out, "clusterId": cluster_id}


def issue_detail(
    diagnostics: Iterable[Diagnostic],
    *,
    cluster_id: str | None = None,
    issue_id: str | None = None,
    first: int = 0,
    limit: int | None = None,
) -> dict[str, Any]:
    """Shape the answer of `get_issue_detail`; without an id all issues, clusters first. Unknown ids are stale.

    `first` and `limit` cut a page out of the issues; `remaining` counts what follows it (only where something does).
    """
    issues = issues_of(diagnostics)
    clusters, flat = clustered(issues)
    cluster_of = {i.id: c.id for c in clusters for i in c.issues}
    if cluster_id is not None:
        found = [i for c in clusters if c.id == cluster_id for i in c.issues]
    elif issue_id is not None:
        found = [i for i in issues if i.id == issue_id] or [i for i in issues if issue_id and i.id.startswith(issue_id)]
    else:
        found = [*(i for c in clusters for i in c.issues), *flat]
    if not found and (cluster_id is not None or issue_id is not None):
        return dict(STALE)
    page = found[first:] if limit is None else found[first : first + limit]
    out: dict[str, Any] = {"issues": [issue_json(i, cluster_of.get(i.id)) for i in page]}
    left = len(found) - first - len(page)
    return {**out, "remaining": left} if left > 0 else out


def snapshot_json(
    diagnostics: Iterable[Diagnostic], facts: CheckFacts, *, source: str, timestamp: str, scope: Sequence[str]
) -> dict[str, Any]:
    """Shape the answer of `get_diagnostic_snapshot`; `source` is project, files or lsp, `timestamp` ISO 8601 in UTC."""
    response = check_response(diagnostics, facts)
    kept = ("engines", "totalIssues", "clusters", "remainingIssues", "omittedIssueCount", "truncated")
    about = {"checkId": facts.check_id, "source": source, "timestamp": timestamp, "scope": list(scope)}
    return {**about, **{name: response[name] for name in kept}}


def comparison_json(delta: Delta) -> dict[str, Any]:
    """Shape the answer of `compare_diagnostics`.

    A finding that changed its message is resolved and introduced. `notObserved` (only where there is something) are
    issues of which only one side looked at the file; `netDelta` counts errors alone.
    """
    introduced = issues_of([*delta.added, *(after for _, after in delta.changed)])
    resolved = issues_of([*delta.removed, *(before for before, _ in delta.changed)])
    new, gone = _by_severity(introduced), _by_severity(resolved)
    out: dict[str, Any] = {
        "introduced": [issue_json(i) for i in introduced],
        "resolved": [issue_json(i) for i in resolved],
        "unchanged": [issue_json(i) for i in issues_of(after for _, after in delta.persisting)],
        "errorsIntroduced": new["error"],
        "errorsResolved": gone["error"],
        "netDelta": new["error"] - gone["error"],
        "warningsIntroduced": new["warning"],
        "warningsResolved": gone["warning"],
        "nextStep": _advice(delta, len(introduced)),
    }
    if delta.unobserved or delta.first_seen:
        out["notObserved"] = [issue_json(i) for i in issues_of([*delta.unobserved, *delta.first_seen])]
    return out


def _by_severity(issues: Iterable[Issue]) -> dict[str, int]:
    counts = {"error": 0, "warning": 0}
    for i in issues:
        counts[i.severity] += 1
    return counts


def _advice(delta: Delta, introduced: int) -> str:
    if not (delta.before.complete and delta.after.complete):
        side = delta.after if not delta.after.complete else delta.before
        return f"Unknown: {side.run_id or 'one side'} did not complete ({side.outcome}); check again first."
    if introduced:
        return f"{introduced} new: look at them first."
    if delta.unobserved:
        return f"Nothing new; {len(delta.unobserved)} were not looked at again, so nobody knows."
    return f"Nothing new; {len(delta.persisting)} left." if delta.persisting else "Clean."


def loop_status(found: Recurrence) -> dict[str, Any]:
    """Shape the answer of `get_loop_status`."""
    return {
        "looping": bool(found.loops),
        "signatures": [_loop(loop) for loop in found.loops],
        "fileChurning": bool(found.churns),
        "fileRuleChurns": [_churn(churn) for churn in found.churns],
    }


def _loop(loop: Loop) -> dict[str, Any]:
    out: dict[str, Any] = {"signature": loop.signature, "occurrences": loop.occurrences, "hint": loop.hint}
    return {**out, "edits": list(loop.edits)} if loop.edits else out


def _churn(churn: Churn) -> dict[str, Any]:
    return {"file": churn.file, "rule": churn.rule, "checkCount": churn.check_count, "hint": churn.hint}
