"""Answers about checks as text: the punch list with the engines' states, one issue or group, an edit's effect."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from punchlist.analysis.delta import Delta
from punchlist.analysis.loops import Recurrence, signature
from punchlist.model import Diagnostic, Report
from punchlist.service.checking import recurring
from punchlist.service.checking.asked import holds
from punchlist.service.checking.compare import asked_only, covering, difference
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views.brief import Calls, Facts, brief, duration, page_of_group, within
from punchlist.views.budget import CHARS_PER_TOKEN, PROJECT, Budget, size
from punchlist.views.change import change
from punchlist.views.masking import mask
from punchlist.views.places import one_line

CLI_CALLS = Calls()
MCP_CALLS = Calls(
    page='get_issue_detail {{"checkId":"{run}","cursor":"{page}"}}',
    group='get_issue_detail {{"checkId":"{run}","clusterId":"{group}","cursor":"{page}"}}',
)
TITLES = {
    "new": "broke",
    "changed": "changed",
    "same": "left",
    "fixed": "fixed",
    "unseen": "not looked at again",
    "first": "not looked at before",
}
_OUTSIDE = 5
_REASON = 300


def check_text(
    project: Project,
    run: Run,
    *,
    budget: Budget = PROJECT,
    page: int = 1,
    group: str | None = None,
    calls: Calls = CLI_CALLS,
    report: Report | None = None,
) -> str:
    """Return the answer about a finished check within a budget; `page` and `group` reach what it leaves out."""
    calls = within(calls, budget)
    report = report or project.store.report(run.id)
    shown, outside = asked_only(report, run)
    before = covering(project, run) if group is None else None
    since = in_scope(difference(project, before, run, report=report), shown, run) if before else None
    facts = Facts(title=run.title, run_id=run.id, duration_s=run.duration_s, since=since, calls=calls)
    if group is not None:
        return page_of_group(report, group, page, facts=facts, budget=budget)
    above = [*engine_lines(run), *recurring.lines(_of_these(recurring.of_run(run), shown.diagnostics))]
    below = [_elsewhere(outside)] if outside else []
    extra = mask("\n".join([*above, *below]))
    room = Budget(max(80, budget.tokens - size(extra) // CHARS_PER_TOKEN), budget.asked)
    text = brief(shown, facts=facts, budget=room, page=page)
    if page > 1:
        return text
    head, _, rest = text.partition("\n")
    return "\n".join(filter(None, [head, *map(mask, above), rest, *map(mask, below)]))


def _of_these(found: Recurrence, diagnostics: Sequence[Diagnostic]) -> Recurrence:
    """What recurs among these findings."""
    if not (found.loops or found.churns):
        return found
    signatures = {signature(d) for d in diagnostics}
    files = {d.file for d in diagnostics}
    return Recurrence(
        tuple(loop for loop in found.loops if loop.signature in signatures),
        tuple(churn for churn in found.churns if churn.file in files),
    )


def in_scope(delta: Delta, shown: Report, run: Run) -> Delta:
    """Return what a comparison says of the scope of a check alone."""
    scope = run.facts.get("scope", ())
    if not scope:
        return delta
    wanted = set(shown.diagnostics)

    def asked(d: Diagnostic) -> bool:
        return d.file is None or holds(scope, d.file) or d in wanted

    return delta._replace(
        added=tuple(filter(asked, delta.added)),
        removed=tuple(filter(asked, delta.removed)),
        persisting=tuple(pair for pair in delta.persisting if asked(pair[1])),
        changed=tuple(pair for pair in delta.changed if asked(pair[1])),
        unobserved=tuple(filter(asked, delta.unobserved)),
        first_seen=tuple(filter(asked, delta.first_seen)),
    )


def _elsewhere(outside: Sequence[Diagnostic]) -> str:
    files = list(dict.fromkeys(d.file for d in outside if d.file))
    named = ", ".join(files[:_OUTSIDE]) + (f" and {len(files) - _OUTSIDE} more" if len(files) > _OUTSIDE else "")
    return one_line(f"+ {len(outside)} in files that were not asked for: {named}")


def engine_lines(run: Run) -> list[str]:
    """Return how the engines fared: those that came to their end in one line, each other one with its reason."""
    engines: Mapping[str, Mapping[str, Any]] = run.facts.get("engines", {})
    by_count: dict[tuple[int, str], list[str]] = {}
    for name, told in engines.items():
        if told["state"] == "ok":
            checked, cached = told.get("checked", 0), told.get("cached", 0)
            how = " (warm server)" if told.get("warm") else " (cached)" if cached and not checked else ""
            by_count.setdefault((checked + cached, how), []).append(_with_version(name, told))
    parts = []
    for (files, how), names in by_count.items():
        counted = f"{files} file{'s' * (files != 1)}" if files else "no file"
        parts.append(f"{', '.join(names)} {counted}{how}")
    bad = [f"{name} ERROR: {_bare(name, told)}" for name, told in engines.items() if told["state"] == "error"]
    off = [f"{name} off: {told['message']}" for name, told in engines.items() if _is_missing(told)]
    line = " · ".join(one_line(part, _REASON) for part in [*bad, *parts, *off])
    nothing = one_line(run.facts.get("message") or "")
    steps = [f"next: {told['next']}" for told in engines.values() if told.get("next")]
    return [*([nothing] if nothing else []), *([line] if line and not (nothing and not parts) else []), *steps[:2]]


def _is_missing(told: Mapping[str, Any]) -> bool:
    return told["state"] == "disabled" and bool(told.get("message"))


def _with_version(name: str, told: Mapping[str, Any]) -> str:
    version = told.get("version", "")
    origin = told.get("origin", "")
    return f"{name} {version}".rstrip() + (f" ({origin})" if origin == "system" else "")


def _bare(name: str, told: Mapping[str, Any]) -> str:
    return str(told.get("message", "failed")).removeprefix(f"{name} ")


def _of_edit(delta: Delta, shown: Report, run: Run) -> Delta:
    """Return a comparison without what stays in files that nobody asked for: what broke there is the edit's."""
    inside = in_scope(delta, shown, run)
    return inside._replace(added=delta.added, removed=delta.removed, changed=delta.changed)


def edit_text(project: Project, run: Run, before: Run | None, note: str, *, budget: Budget, calls: Calls) -> str:
    """Return one short screen on an edit: what it fixed, broke and left, and what was not looked at."""
    if before is None:
        first = "nothing to compare with yet: the next after_edit_check tells what changed"
        return "\n".join(filter(None, [check_text(project, run, budget=budget, calls=calls), f"note: {note or first}"]))
    report = project.store.report(run.id)
    delta = difference(project, before, run, report=report)
    shown, _ = asked_only(report, run)
    seen = _of_edit(delta, shown, run)
    elsewhere = len(delta.unobserved) - len(seen.unobserved)
    head = f"{edit_verdict(seen, report)} · {duration(run.duration_s)} · {run.id}, compared with {before.id}"
    above = [head, *engine_lines(run), *([f"note: {note}"] if note else [])]
    above += [f"note: {said}" for said in report.notes[:3]]
    above += recurring.lines(_of_these(recurring.of_run(run), shown.diagnostics))[:3]
    below = [f"not looked at: {elsewhere} known finding{'s' * (elsewhere != 1)} in other files"] if elsewhere else []
    extra = "\n".join([*above, *below])
    room = Budget(max(100, budget.tokens - size(extra) // CHARS_PER_TOKEN), budget.asked)
    facts = Facts(title=run.title, run_id=run.id, calls=calls)
    body = change(seen, facts=facts, budget=room, titles=TITLES).partition("\n")[2] if not seen.empty else ""
    return "\n".join(filter(None, [mask("\n".join(above)), body, *below]))


def edit_verdict(delta: Delta, report: Report) -> str:
    """Return the first words on an edit, with exact counts; unknown where a side did not come to its end."""
    counts = [
        (len(delta.removed), "fixed"),
        (len(delta.added), "broke"),
        (len(delta.changed), "changed"),
        (len(delta.persisting), "left"),
        (len(delta.unobserved), "not looked at again"),
        (len(delta.first_seen), "not looked at before"),
    ]
    said = ", ".join(f"{n} {word}" for n, word in counts if n) or "nothing wrong before or after"
    if not (delta.before.complete and delta.after.complete):
        side = delta.after if not delta.after.complete else delta.before
        return f"UNKNOWN: {side.run_id} did not come to its end; as far as is known: {said}"
    if report.outcome == "error":
        return f"ERROR: {said}"
    clean = not (delta.added or delta.changed or delta.persisting or delta.unobserved or delta.first_seen)
    return f"{'CLEAN' if clean else 'WORSE' if delta.added else 'LEFT'}: {said}"


def issue_text(found: Iterable[Diagnostic], run: Run) -> str:
    """Return single findings whole: place, rule, message, detail, related places, the fix the engine offers."""
    parts = []
    for d in found:
        place = ":".join(str(part) for part in (d.file, d.line, d.column) if part)
        lines = [" ".join(filter(None, [place, d.severity, d.tool, d.rule, d.message]))]
        lines += [f"  {line}" for line in d.detail.splitlines()]
        lines += [f"  {r.file}:{r.line} {r.message}" if r.file else f"  {r.message}" for r in d.related]
        if d.fix:
            lines.append(f"  fix ({'safe' if d.fix.safe else 'unsafe'}): {d.fix.title}".rstrip(": "))
            lines += [f"    {e.line}:{e.column}-{e.end_line}:{e.end_column} -> {e.text!r}" for e in d.fix.edits[:10]]
        parts.append("\n".join(lines))
    return mask("\n".join([*parts, f"({run.id})"]))
