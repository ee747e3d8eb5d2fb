"""What changed between any two runs, with what each of them really looked at, lines followed through the edits."""

from collections.abc import Sequence

from punchlist.analysis.delta import Delta, Side, compare, complete
from punchlist.analysis.groups import unique
from punchlist.model import Diagnostic, Report, in_order
from punchlist.records import replace
from punchlist.service.checking import snapshot
from punchlist.service.checking.asked import holds
from punchlist.service.checking.lines import LineMap, line_map
from punchlist.service.checking.snapshot import Snapshot
from punchlist.service.project import Project
from punchlist.store.runs import Run


def seen_by(project: Project, run: Run) -> Snapshot | None:
    """Return what a check looked at, nothing where that is lost; None for a run of a command."""
    if run.facts.get("engines") is None:
        return None
    return snapshot.load(project.runs_folder / run.id) or Snapshot()


def difference(
    project: Project, before: Run, after: Run, *, lines: LineMap | None = None, report: Report | None = None
) -> Delta:
    """Compare two finished runs of whatever kind.

    Of checks by engines only what both looked at counts. A run of another command tells nothing of what an earlier run
    had found: that is not observed, never fixed. `report` is that of the later run, where it is at hand.
    """
    old, new = project.store.report(before.id), report or project.store.report(after.id)
    first, second = seen_by(project, before), seen_by(project, after)
    if first is None or second is None:
        delta = compare(old, new, before_id=before.id, after_id=after.id, lines=lines)
        return delta if _same_check(before, after) else _apart(delta)
    if old.diagnostics == new.diagnostics and first.lines == second.lines:
        return _unchanged(before, after, old, new)
    files = {d.file for report in (old, new) for d in report.diagnostics if d.file}
    delta = compare(
        old,
        new,
        before_id=before.id,
        after_id=after.id,
        lines=lines or line_map(first.lines, second.lines),
        covered=second.observed(files) | _beside(old, first, second),
        covered_before=first.observed(files) | _beside(new, second, first),
    )
    return _of_no_file(delta, first, second)


def _beside(report: Report, own: Snapshot, other: Snapshot) -> frozenset[tuple[str, str]]:
    """Pairs that an engine told of without looking at the file as such: its configuration, a package it came upon.

    Another check that ended over as much would have told of them too.
    """
    if own.whole and not other.whole:
        return frozenset()
    told = {(d.tool, d.file) for d in report.diagnostics if d.file} - own.covered
    return frozenset(pair for pair in told if pair[0] in other.finished)


def _unchanged(before: Run, after: Run, old: Report, new: Report) -> Delta:
    pairs = tuple((d, d) for d in unique(new.diagnostics))
    sides = Side(before.id, old.outcome, complete(old)), Side(after.id, new.outcome, complete(new))
    return Delta(before=sides[0], after=sides[1], persisting=pairs)


def _same_check(before: Run, after: Run) -> bool:
    if before.key == after.key or after.key == f"rerun:{before.key}":
        return True
    return before.key.startswith("base:") and before.facts.get("of") == after.key


def _apart(delta: Delta) -> Delta:
    """Of what another check found nobody knows whether it is fixed, or new."""
    return delta._replace(
        added=(),
        removed=(),
        unobserved=in_order([*delta.unobserved, *delta.removed]),
        first_seen=in_order([*delta.first_seen, *delta.added]),
    )


def _of_no_file(delta: Delta, first: Snapshot, second: Snapshot) -> Delta:
    """A finding about a project as a whole is gone only where its engine came to its end over as much."""

    def unknown(d: Diagnostic, side: Snapshot, other: Snapshot) -> bool:
        return d.file is None and (d.tool not in side.finished or (other.whole and not side.whole))

    gone = tuple(d for d in delta.removed if not unknown(d, second, first))
    new = tuple(d for d in delta.added if not unknown(d, first, second))
    unseen = [d for d in delta.removed if unknown(d, second, first)]
    first_seen = [d for d in delta.added if unknown(d, first, second)]
    return delta._replace(
        removed=gone,
        added=new,
        unobserved=in_order([*delta.unobserved, *unseen]),
        first_seen=in_order([*delta.first_seen, *first_seen]),
    )


def covering(project: Project, run: Run) -> Run | None:
    """Return the newest earlier check that looked at all a check was asked for: something to compare it with.

    One that came to its end goes before a newer one that did not.
    """
    wanted = tuple(run.facts.get("scope", ()))
    partial: Run | None = None
    for one in project.store.newest(kind="engines", limit=25):
        if one.started >= run.started or one.id == run.id or one.outcome in (None, "running"):
            continue
        if one.state != "done" or one.facts.get("code") == "nothing_checked" or one.how.ending == "cancelled":
            continue
        scope = tuple(one.facts.get("scope", ()))
        if not scope or (wanted and all(holds(scope, path) for path in wanted)):
            if one.outcome in ("passed", "failed"):
                return one
            partial = partial or one
    return partial


def asked_only(report: Report, run: Run) -> tuple[Report, tuple[Diagnostic, ...]]:
    """Return the report of a check without findings that nobody asked for, and these."""
    scope: Sequence[str] = run.facts.get("scope", ())
    if not scope:
        return report, ()
    more: Sequence[str] = run.facts.get("more", ())
    inside = tuple(d for d in report.diagnostics if _inside(d, scope, more))
    if len(inside) == len(report.diagnostics):
        return report, ()
    kept = {id(d) for d in inside}
    return replace(report, diagnostics=inside), tuple(d for d in report.diagnostics if id(d) not in kept)


def _inside(d: Diagnostic, scope: Sequence[str], more: Sequence[str]) -> bool:
    return d.file is None or holds(scope, d.file) or (bool(more) and holds(more, d.file))
