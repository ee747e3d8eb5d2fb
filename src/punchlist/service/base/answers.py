"""What is new since the base commit, what was there before, and what is gone: as text and as values."""

from typing import Any

from punchlist.analysis.delta import Delta
from punchlist.model import Report
from punchlist.service.checking import snapshot
from punchlist.service.checking.answers import engine_lines, in_scope
from punchlist.service.checking.compare import asked_only, difference
from punchlist.service.checking.lines import LineMap, Lines, line_map, numbered
from punchlist.service.checking.selection import blob
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views.brief import CLI_CALLS, Calls, Facts, verdict
from punchlist.views.budget import CHARS_PER_TOKEN, Budget, size
from punchlist.views.change import change
from punchlist.views.masking import mask
from punchlist.views.schema14 import comparison_json

TITLES = {
    "new": "new",
    "changed": "there before, now otherwise",
    "same": "old",
    "fixed": "gone",
    "unseen": "not looked at now",
    "first": "not looked at in the base",
}


def name_of(base: Run) -> str:
    """Return what an answer calls a base: the revision asked for and the commit."""
    revision, commit = base.facts.get("revision", ""), base.facts.get("commit", "")
    return f"base {revision} ({commit[:10]})" if revision and not commit.startswith(revision) else f"base {commit[:10]}"


def since_base(project: Project, base: Run, run: Run) -> Delta | None:
    """Compare a run with its base; None where the base is unknown."""
    if base.state == "running" or "unknown" in base.facts or base.outcome not in ("passed", "failed"):
        return None
    lines: LineMap | None = None
    if run.facts.get("engines") is None:
        old, new = project.store.report(base.id), project.store.report(run.id)
        lines = line_map(_before(project, base, old), snapshot.lines_of(project.folder, new.diagnostics))
    delta = difference(project, base, run, lines=lines)
    return in_scope(delta, asked_only(project.store.report(run.id), run)[0], run)


def _before(project: Project, base: Run, report: Report) -> dict[str, Lines]:
    found: dict[str, Lines] = {}
    for file in sorted({d.file for d in report.diagnostics if d.file}):
        raw = blob(project.folder, base.facts["commit"], file)
        if raw is not None:
            found[file] = numbered(raw)
    return found


def base_line(base: Run, delta: Delta | None) -> str:
    """Return the counts in one line; of an unknown base the reason, and that nothing is called new or old."""
    if base.state == "running":
        return f"{name_of(base)}: still being checked ({base.id})"
    if delta is None:
        why = base.facts.get("unknown", "its check did not come to its end")
        return f"{name_of(base)}: unknown: {why}; nothing is called new or old"
    old = len(delta.persisting) + len(delta.changed)
    parts = [f"{len(delta.added)} new", f"{old} old"]
    gone, unseen = len(delta.removed), len(delta.unobserved)
    parts += [f"{gone} gone"] if gone or not unseen else []
    parts += [f"{unseen} not looked at now"] if unseen else []
    parts += [f"{len(delta.first_seen)} not looked at in the base"] if delta.first_seen else []
    return f"{name_of(base)}: {', '.join(parts)}"


def with_base(
    project: Project, run: Run, base: Run, *, budget: Budget, calls: Calls = CLI_CALLS, title: str = ""
) -> str | None:
    """Return the answer about a run with each finding under new, old or gone; None where the base is not known."""
    delta = since_base(project, base, run)
    if delta is None:
        return None
    report, _ = asked_only(project.store.report(run.id), run)
    facts = Facts(title=title or run.title, run_id=run.id, duration_s=run.duration_s, calls=calls)
    above = [verdict(report, facts), *(engine_lines(run) if run.facts.get("engines") is not None else [])]
    above += [base_line(base, delta), *(f"note: {note}" for note in report.notes[:3])]
    head = mask("\n".join(above))
    if delta.empty:
        return head
    room = Budget(max(80, budget.tokens - size(head) // CHARS_PER_TOKEN), budget.asked)
    body = change(delta, facts=facts, budget=room, titles=TITLES).partition("\n")[2]
    return f"{head}\n{body}".rstrip("\n")


def value_of(project: Project, run: Run, base: Run) -> dict[str, Any]:
    """Return the comparison with the base as a value: status known, unknown or running, and the issues of each kind."""
    about = {"revision": base.facts.get("revision"), "commit": base.facts.get("commit"), "runId": base.id}
    if base.state == "running":
        return {"status": "running", **about}
    delta = since_base(project, base, run)
    if delta is None:
        return {"status": "unknown", "reason": base.facts.get("unknown", ""), **about}
    told = comparison_json(delta)
    kept = {"new": "introduced", "old": "unchanged", "gone": "resolved", "notObserved": "notObserved"}
    return {"status": "known", **about, **{name: told[key] for name, key in kept.items() if key in told}}
