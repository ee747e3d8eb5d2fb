"""Make a check: the engines run side by side, what they say becomes one report, what they looked at a snapshot."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from punchlist.engines.record import EngineResult
from punchlist.engines.run import Checked, Event, Stop, Warm
from punchlist.engines.run import run as run_engines
from punchlist.model import Diagnostic, How, Outcome, Report, Trouble, in_order
from punchlist.records import replace
from punchlist.running.handle import Handle
from punchlist.service import execute
from punchlist.service.checking import recurring, snapshot
from punchlist.service.checking.asked import Asked, holds
from punchlist.service.checking.logs import pointed, put_away
from punchlist.service.checking.overlap import once
from punchlist.service.files import log_size, private_folder
from punchlist.service.live import Live, Lives
from punchlist.service.plan import Plan
from punchlist.service.project import Project
from punchlist.store import history
from punchlist.store.runs import Run

_MOST_CHANGED = 2.0  # seconds to look for a change before a check under way is joined


class EngineHandle(Handle):
    """Ends all engines of a check."""

    def __init__(self) -> None:
        super().__init__()
        self.stop = Stop()

    def cancel(self, signum: int | None = None) -> None:
        """Ask for the end of everything that runs."""
        super().cancel(signum)
        self.stop.cancel(signum)


def start(project: Project, lives: Lives, asked: Asked, warm: Warm | None = None) -> Run:
    """Start a check and return its run; one of the same scope is joined where nothing changed since it began.

    `warm` are servers that may answer for single files.
    """
    handle = EngineHandle()

    def joins(run: Run) -> bool:
        return not asked.fresh and _unchanged(project, run)

    def make(project: Project, live: Live, _plan: Plan) -> Run:
        return make_check(project, live, asked, handle.stop, warm=warm)

    return execute.start(project, lives, asked.plan(project), make=make, joins=joins, handle=handle)


def _unchanged(project: Project, run: Run) -> bool:
    from punchlist.running.changed import changed_since

    changed = changed_since(str(project.folder), run.started, _MOST_CHANGED)
    return changed is not None and changed.complete and not changed.files


def make_check(
    project: Project,
    live: Live,
    asked: Asked,
    stop: Stop,
    *,
    learns: bool = True,
    state: Path | None = None,
    warm: Warm | None = None,
) -> Run:
    """Run the engines over the scope and record what it meant.

    With `learns` the check counts for recurrence and for the figures of `stats`; `state` is where the engines keep
    their own files (the state folder).
    """
    config = project.config
    folder = project.runs_folder / live.run.id
    private_folder(folder)
    before = execute.newest_before(project, live.run)
    checked = run_engines(
        project.folder,
        config,
        None if asked.whole else (*asked.paths, *asked.more),
        state=state or project.store.folder,
        environ=project.environ,
        fresh=asked.fresh,
        folder=folder,
        stop=stop,
        on_event=_telling(live),
        warm=warm,
    )
    results = checked.results
    steps = put_away(folder, results)
    diagnostics = in_order(once(pointed((d for result in results for d in _named(result)), steps)))
    seen = _snapshot(project, asked, checked, diagnostics)
    snapshot.save(folder, seen)
    report = _report(asked, checked, diagnostics, stop, seen.gone)
    size = log_size(folder)
    known = {
        "source": asked.source,
        "scope": list(asked.paths),
        "more": list(asked.more),
        "engines": {result.engine: _facts(result) for result in results},
        "files": len(checked.files),
        **({"steps": steps} if steps else {}),
        **_nothing(asked, checked, seen.gone),
    }
    try:
        history.add_issue_files(project.store, sorted({d.file for d in diagnostics if d.file}))
        if learns:
            known |= recurring.learn(project, live.run, asked, seen, diagnostics, before)
    except Trouble as trouble:  # what was found is worth more than the memory of it
        report = replace(report, notes=(*report.notes, f"not remembered for loops: {trouble}"))
    done = project.store.finish(live.run.id, report, size=size, facts=known)
    if learns:
        recurring.note_figures(project, done, report, results, size)
    return done


def _telling(live: Live) -> Any:
    """Return what turns events into one line: which engines are done, with their counts, and which run."""
    running: dict[str, float] = {}
    done: list[str] = []

    def tell(event: Event) -> None:
        if event.kind == "started":
            running[event.engine] = event.elapsed_s
        else:
            running.pop(event.engine, None)
            result = event.result
            if result is not None:
                files = result.checked + result.cached
                done.append(f"{event.engine} {result.state}: {len(result.diagnostics)} in {files} files")
        live.said = " · ".join([*done, *(f"{name} running" for name in running)])

    return tell


def _named(result: EngineResult) -> Sequence[Diagnostic]:
    """Findings under the name of the engine that reported them; why an engine failed stands in its state alone."""
    return [
        d if d.tool == result.engine else replace(d, tool=result.engine)
        for d in result.diagnostics
        if d.file or result.state != "error" or d.message not in result.message
    ]


def _snapshot(project: Project, asked: Asked, checked: Checked, diagnostics: Sequence[Diagnostic]) -> snapshot.Snapshot:
    scope = (*asked.paths, *asked.more) if asked.paths else ()
    known = (file for file in history.issue_files(project.store) if holds(scope, file))
    gone = {file for file in known if not os.path.lexists(f"{project.folder}/{file}")}
    return snapshot.Snapshot(
        covered=checked.coverage,
        files=frozenset(checked.files) - gone,
        gone=frozenset(gone.union(checked.gone)),
        finished=frozenset(result.engine for result in checked.results if result.state == "ok"),
        whole=checked.whole,
        lines=snapshot.lines_of(project.folder, diagnostics),
    )


def _report(
    asked: Asked, checked: Checked, diagnostics: tuple[Diagnostic, ...], stop: Stop, gone: frozenset[str]
) -> Report:
    failed = any(result.state == "error" for result in checked.results)
    wanted = [d for d in diagnostics if within(asked.paths, asked.more, d)]
    outcome: Outcome = "failed" if any(d.severity in ("error", "warning") for d in wanted) else "passed"
    if failed or stop.cancelled or _nothing(asked, checked, gone):
        outcome = "error"
    how = How(ending="cancelled") if stop.cancelled else How()
    notes = [*asked.notes, *(note for result in checked.results for note in result.notes)]
    notes += [f"{place or '.'} could not be read: {why}" for place, why in checked.skipped[:5]]
    notes += _left_out(asked, checked)
    hidden = sum(result.hidden for result in checked.results)
    notes += [f"{hidden} findings are in files that the ignore setting leaves out"] if hidden else []
    notes += [checked.cache] if checked.cache else []
    return Report(
        outcome=outcome,
        tools=tuple(result.engine for result in checked.results if result.state != "disabled"),
        diagnostics=diagnostics,
        notes=tuple(dict.fromkeys(notes)),
        partial=failed or stop.cancelled,
        how=how,
    )


def _left_out(asked: Asked, checked: Checked) -> list[str]:
    """Tell which of the files that were named no engine looked at."""
    looked = {file for result in checked.results for file in result.coverage}
    failed = {result.engine for result in checked.results if result.state == "error"}
    left = [path for path in asked.paths if path in checked.files and path not in looked]
    if not left or failed or not looked:
        return []
    more = f" and {len(left) - 5} more" if len(left) > 5 else ""
    return [f"not looked at by any engine: {', '.join(left[:5])}{more}"]


def within(paths: Sequence[str], more: Sequence[str], d: Diagnostic) -> bool:
    """Is a finding in what was asked for? Those of no file always are."""
    return d.file is None or not paths or holds(paths, d.file) or (bool(more) and holds(more, d.file))


def _nothing(asked: Asked, checked: Checked, gone: frozenset[str]) -> dict[str, str]:
    """Return the code and the reason where nothing at all was looked at, {} where something was."""
    if checked.coverage or any(result.state == "error" for result in checked.results):
        return {}
    finished = [result for result in checked.results if result.state == "ok"]
    if finished and gone and all(holds(tuple(gone), path) for path in asked.paths) and asked.paths:
        return {}
    if finished:
        if checked.ignored and not checked.files:
            why = f"the ignore setting leaves out all {checked.ignored} files of the scope"
        else:
            names = ", ".join(result.engine for result in finished)
            why = f"none of the {len(checked.files)} files asked for is one that {names} looks at"
    else:
        missing = [f"{result.engine}: {result.message}" for result in checked.results if result.message]
        why = "; ".join(missing) or "no engine is on: no linter or type checker that is known shows here"
    return {"code": "nothing_checked", "message": f"Nothing was checked: {why.rstrip('.')}."}


def _facts(result: EngineResult) -> dict[str, Any]:
    told: dict[str, Any] = {
        "state": result.state,
        "code": result.code,
        "message": result.message,
        "version": result.version,
        "origin": result.origin,
        "whole": result.whole,
        "checked": result.checked,
        "cached": result.cached,
        "skipped": result.skipped,
        "hidden": result.hidden,
        "ms": result.duration_ms,
        "retryable": result.retryable,
        "next": result.next_step,
        "warm": result.spoke == "warm",
        "why_cold": result.why,
    }
    return {name: value for name, value in told.items() if value or name == "state"}
