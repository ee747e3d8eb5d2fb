"""What comes back and what never ends, over all checks of a project; and what each check cost."""

from collections.abc import Iterable, Sequence
from typing import Any

from punchlist.analysis.loops import Churn, Loop, Memory, Recurrence, Snapshot, seen
from punchlist.engines.record import EngineResult
from punchlist.model import Diagnostic, Report, Trouble
from punchlist.records import replace
from punchlist.service.checking import snapshot as snapshots
from punchlist.service.checking.asked import Asked, holds
from punchlist.service.project import Project
from punchlist.store import history
from punchlist.store.runs import Run
from punchlist.views.places import one_line

_MOST_EDITS = 8
_NEWEST_EDITS = 4
_MOST_RULES = 5


def learn(
    project: Project,
    run: Run,
    asked: Asked,
    looked: snapshots.Snapshot,
    diagnostics: Sequence[Diagnostic],
    before: Run | None,
) -> dict[str, Any]:
    """Take a check into the project's memory; return the loops and churns it then knows, as facts of the run."""
    focused = asked.source == "files"
    gone = {(engine, file) for engine in looked.finished for file in looked.gone}
    shown = [d for d in diagnostics if d.file and holds(asked.paths, d.file)] if focused else diagnostics
    covered = looked.covered | gone
    if focused:
        covered = frozenset((engine, file) for engine, file in covered if holds(asked.paths, file))
    one = Snapshot(
        seen=seen(shown),
        finished=looked.finished,
        covered=frozenset(covered),
        focused=focused,
    )
    if _turned(project, one):
        one = replace(one, edits=_edits(project, run, before))
    found = Recurrence()

    def change(plain: Any) -> Any:
        nonlocal found
        memory = Memory.from_plain(plain)
        memory.take(one)
        found = memory.found()
        return memory.to_plain()

    history.update_recurrence(project.store, change)
    return to_facts(found)


def _turned(project: Project, one: Snapshot) -> bool:
    """Does a kind of finding appear or go with this check? Only then it matters what was edited before it."""
    memory = Memory.from_plain(history.recurrence_state(project.store))
    before = {name for name, trail in memory.trails.items() if trail.places}
    memory.take(one)
    return before != {name for name, trail in memory.trails.items() if trail.places}


def _edits(project: Project, run: Run, before: Run | None) -> tuple[str, ...]:
    """Return what was edited since the check before, as one text, () where that is not known or nothing was."""
    if before is None:
        return ()
    from punchlist.running.changed import changed_since

    changed = changed_since(str(project.folder), before.started)
    if changed is None or not changed.files:
        return ()
    files = changed.files
    more = f" and {len(files) - _MOST_EDITS} more" if len(files) > _MOST_EDITS else ""
    return (f"before {run.id}: {', '.join(files[:_MOST_EDITS])}{more}",)


def to_facts(found: Recurrence) -> dict[str, Any]:
    """Return loops and churns as plain values, {} where there are none."""
    loops = [[loop.signature, loop.occurrences, list(loop.edits)] for loop in found.loops[:20]]
    churns = [[churn.file, churn.rule, churn.check_count] for churn in found.churns[:20]]
    return {name: value for name, value in (("loops", loops), ("churns", churns)) if value}


def of_run(run: Run) -> Recurrence:
    """Return the loops and churns that were known when a check was made."""
    return Recurrence(
        tuple(Loop(name, n, tuple(edits)) for name, n, edits in run.facts.get("loops", ())),
        tuple(Churn(file, rule, n) for file, rule, n in run.facts.get("churns", ())),
    )


def now(project: Project) -> Recurrence:
    """Return the loops and churns that are known now."""
    return Memory.from_plain(history.recurrence_state(project.store)).found()


def lines(found: Recurrence) -> list[str]:
    """Return one line a loop and a churn, with the edits that lay between."""
    said = []
    for loop in found.loops:
        edits = f" (edits {_shortly(loop.edits)})" if loop.edits else ""
        said.append(one_line(f"loop: {loop.signature}: {loop.hint}{edits}"))
    by_file: dict[str, list[Churn]] = {}
    for churn in found.churns:
        by_file.setdefault(churn.file, []).append(churn)
    for file, churns in by_file.items():
        rules = ", ".join(churn.rule for churn in churns[:_MOST_RULES])
        more = f" and {len(churns) - _MOST_RULES} more" if len(churns) > _MOST_RULES else ""
        said.append(f"churn: {one_line(file)} still breaks {rules}{more} after {churns[0].check_count} checks in a row")
    return said


def _shortly(edits: Sequence[str]) -> str:
    """Name the newest edits, those of the same files together: `before check-2, check-4: a.py`."""
    by_files: dict[str, list[str]] = {}
    for edit in edits[-_NEWEST_EDITS:]:
        run, _, files = edit.removeprefix("before ").partition(": ")
        by_files.setdefault(files, []).append(run)
    return "; ".join(f"before {', '.join(runs)}: {files}" for files, runs in by_files.items())


def _as_issue(d: Diagnostic) -> dict[str, Any]:
    """An issue as the list of all issues would show it, for its length."""
    return {
        "issueId": "0" * 64,
        "file": d.file,
        "line": d.line,
        "col": d.column,
        "engine": d.tool,
        "rule": d.rule,
        "severity": d.severity,
        "message": d.message,
        "fixable": d.fix is not None,
    }


def note_figures(project: Project, run: Run, report: Report, results: Iterable[EngineResult], size: int) -> None:
    """Keep what a check cost; a database that is busy or full loses only that."""
    import json
    from contextlib import suppress

    issues = [_as_issue(d) for d in report.diagnostics]
    raw = len(json.dumps(issues, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")) if issues else 0
    engines = list(results)
    with suppress(Trouble):
        history.record(
            project.store,
            history.Figures(
                run_id=run.id,
                at=run.started,
                source=str(run.facts.get("source", "")),
                latency_ms=round(run.duration_s * 1000),
                hits=sum(result.cached for result in engines),
                misses=sum(result.checked for result in engines),
                raw_bytes=raw,
                native_bytes=size,
                loops=tuple(str(loop[0]) for loop in run.facts.get("loops", ())),
            ),
        )
