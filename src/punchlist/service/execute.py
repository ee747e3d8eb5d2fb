"""Runs from start to end: begun or joined, waited for, stopped, recovered, let go."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from punchlist import platforms
from punchlist.model import How, Report, Trouble
from punchlist.project.records import Step
from punchlist.records import replace
from punchlist.running.folder import owner_alive, read_meta, reap
from punchlist.running.handle import Handle
from punchlist.service.files import log_size, private_folder, remove_folder, write_private
from punchlist.service.live import Live, Lives
from punchlist.service.making import run_plan
from punchlist.service.plan import Plan, of_command
from punchlist.service.project import Project
from punchlist.store.runs import Run

# Kinds of runs that mean the same whoever makes them.
JOINED = ("check", "engines", "base")
_STARTS_S = 2.0


def start(
    project: Project,
    lives: Lives,
    plan: Plan,
    *,
    make: Callable[[Project, Live, Plan], Run] = run_plan,
    joins: Callable[[Run], bool] = lambda _: True,
    handle: Handle | None = None,
) -> Run:
    """Start a run in a thread of its own and return it; the same check already running anywhere is joined instead.

    `make` makes the run, and `joins` tells whether one that is under way will do; `handle` ends it.
    """
    with lives.lock:
        live = lives.with_key(plan.key)
        if live is not None and joins(live.run):
            return live.run
        if plan.kind in JOINED:
            for run in project.store.running(plan.key):
                if run.owner != os.getpid() and owner_lives(project, run) and joins(run):
                    return run
        run = _begin(project, plan)
        live = Live(run, handle or Handle())
        lives.add(live)
    thread = threading.Thread(target=_in_thread, args=(project, lives, live, plan, make), name=run.id, daemon=True)
    thread.start()
    return run


def newest_before(project: Project, run: Run) -> Run | None:
    """Return the newest finished run of the same kind before this one."""
    found = project.store.newest(kind=run.kind, limit=10)
    return next((one for one in found if one.state == "done" and one.started < run.started), None)


def wait(project: Project, lives: Lives, run_id: str, seconds: float | None) -> Run:
    """Wait until a run is over, at most `seconds` (None: as long as it takes), and return it as it then stands."""
    until = None if seconds is None else time.monotonic() + seconds
    live = lives.by_id.get(run_id)
    if live is not None:
        live.done.wait(seconds)
    run = project.store.get(run_id)
    while live is None and run.state == "running" and (until is None or time.monotonic() < until):
        if not owner_lives(project, run):
            return interrupted(project, run)
        time.sleep(0.1)
        run = project.store.get(run_id)
    return run


def owner_lives(project: Project, run: Run) -> bool:
    """Whether the process that made this run is still there."""
    if run.owner is None:
        return False
    meta = read_meta(project.runs_folder / run.id)
    if meta is not None:
        return owner_alive(meta)
    process = platforms.process(run.owner)
    return process is not None and process.start == run.owner_start


def interrupted(project: Project, run: Run) -> Run:
    """Record that a run's owner died; what it printed is read as it stands."""
    folder = project.runs_folder / run.id
    how = How(ending="owner_died", message="the process that ran it was killed; its log is kept up to then")
    from punchlist.service.meaning import meaning

    report = meaning(project, run, _plan_of(run), folder, how, ())
    return project.store.finish(run.id, report, size=log_size(folder), state="interrupted")


def recover(project: Project) -> list[Run]:
    """Turn runs whose owner died into interrupted ones, ending what they left running."""
    gone = [run for run in project.store.running() if run.owner != os.getpid() and not owner_lives(project, run)]
    for run in gone:
        stop_foreign(project, run)
    return [interrupted(project, run) for run in gone]


def _plan_of(run: Run) -> Plan:
    return Plan(
        name=run.slug,
        kind=run.kind,
        key=run.key,
        title=run.title,
        steps=(Step(name="command", command=run.command),),
        cwd=Path(run.cwd),
        env={},
        timeout_s=None,
        parser=run.facts.get("parser"),
    )


def _begin(project: Project, plan: Plan) -> Run:
    me = platforms.process(os.getpid())
    facts: dict[str, Any] = {"timeout_s": plan.timeout_s or project.settings()[0].timeout_s}
    if plan.parser:
        facts["parser"] = plan.parser
    if plan.pipeline:
        facts["steps"] = [{"name": step.name, "status": "pending"} for step in plan.steps]
    return project.store.begin(
        name=plan.name,
        kind=plan.kind,
        key=plan.key,
        title=plan.title,
        command=plan.command,
        cwd=str(plan.cwd),
        owner=os.getpid(),
        owner_start=me.start if me else "",
        facts=facts,
    )


def _in_thread(
    project: Project, lives: Lives, live: Live, plan: Plan, make: Callable[[Project, Live, Plan], Run]
) -> None:
    try:
        live.run = make(project, live, plan)
        prune(project)
    except Exception as fault:  # noqa: BLE001  whatever goes wrong with us, the run gets its end and its log stays
        live.run = _faulted(project, live.run, fault)
    finally:
        lives.drop(live)


def _faulted(project: Project, run: Run, fault: Exception) -> Run:
    """Record a fault of ours as the run's verdict; the traceback stands in its folder."""
    import traceback

    folder = project.runs_folder / run.id
    private_folder(folder)
    write_private(folder / "fault.txt", "".join(traceback.format_exception(fault)).encode("utf-8", "replace"))
    message = str(fault) if isinstance(fault, Trouble) else f"{type(fault).__name__}: {fault}"
    how = How(ending="fault", message=f"{message} (a fault of Punchlist's; fault.txt in the run's folder says more)")
    return project.store.finish(run.id, Report(outcome="error", how=how), size=log_size(folder))


def prune(project: Project) -> list[Run]:
    """Let go of what retention does not keep: folders and reports; the ids stay known."""
    keep = project.settings()[0].keep
    gone = project.store.to_prune(keep=keep.runs, keep_engines=keep.engine_checks, most_bytes=keep.bytes)
    remove(project, gone)
    return gone


def remove(project: Project, runs: Sequence[Run]) -> None:
    """Remove these runs' folders and reports."""
    project.store.prune(runs)
    for run in runs:
        remove_folder(project.runs_folder / run.id)


def begin_reading(project: Project, command: str, title: str) -> Run:
    """Record a run that only reads a log."""
    plan = of_command(project, command or title)
    return _begin(project, replace(plan, key=f"read:{plan.key}" if command else f"read:{title}", kind="read"))


def stop_foreign(project: Project, run: Run) -> None:
    """End the process tree of a run that another process owns; that one, where it lives, records how it ended."""
    until = time.monotonic() + _STARTS_S
    while True:
        meta = read_meta(project.runs_folder / run.id)
        if meta is not None and meta.get("child"):
            reap(meta, owned=True)
            return
        # Its owner may be about to start what is to be stopped.
        if time.monotonic() > until or not owner_lives(project, run):
            return
        time.sleep(0.02)
