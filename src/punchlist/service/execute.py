"""Make one run from beginning to end: record it, run it, read its log, record what it meant."""

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from punchlist import platforms
from punchlist.model import How
from punchlist.project.discover import tool_path
from punchlist.project.records import Step, expand
from punchlist.running.capture import capture
from punchlist.running.environment import composed
from punchlist.running.folder import meta_of, read_meta, reap, write_meta
from punchlist.running.handle import Handle
from punchlist.running.records import Command, Finished, Started
from punchlist.service.live import Live, Lives
from punchlist.service.meaning import meaning, notes_of
from punchlist.service.plan import Plan, of_command
from punchlist.service.project import Project
from punchlist.store.runs import Run


def start(project: Project, lives: Lives, plan: Plan) -> Run:
    """Start a run in a thread of its own and return it; the same check already running anywhere is joined instead."""
    with lives.lock:
        live = lives.with_key(plan.key)
        if live is not None:
            return live.run
        if plan.kind == "check":
            for run in project.store.running(plan.key):
                if run.owner != os.getpid() and owner_lives(run):
                    return run
        run = _begin(project, plan)
        live = Live(run, Handle())
        lives.add(live)
    thread = threading.Thread(target=_in_thread, args=(project, lives, live, plan), name=run.id, daemon=True)
    thread.start()
    return run


def wait(project: Project, lives: Lives, run_id: str, seconds: float | None) -> Run:
    """Wait until a run is over, at most `seconds` (None: as long as it takes), and return it as it then stands."""
    until = None if seconds is None else time.monotonic() + seconds
    live = lives.by_id.get(run_id)
    if live is not None:
        live.done.wait(seconds)
        if live.fault is not None:
            raise live.fault
    run = project.store.get(run_id)
    while live is None and run.state == "running" and (until is None or time.monotonic() < until):
        if not owner_lives(run):
            return interrupted(project, run)
        time.sleep(0.1)
        run = project.store.get(run_id)
    return run


def owner_lives(run: Run) -> bool:
    """Whether the process that made this run is still there."""
    if run.owner is None:
        return False
    process = platforms.process(run.owner)
    return process is not None and process.start == run.owner_start


def interrupted(project: Project, run: Run) -> Run:
    """Record that a run's owner died; what it printed is read as it stands."""
    folder = project.runs_folder / run.id
    how = How(ending="owner_died", message="the process that ran it was killed; its log is kept up to then")
    report = meaning(project, run, _plan_of(run), folder, how, ())
    return project.store.finish(run.id, report, size=_size(folder), state="interrupted")


def recover(project: Project) -> list[Run]:
    """Turn runs whose owner died into interrupted ones, ending what they left running."""
    gone = [run for run in project.store.running() if run.owner != os.getpid() and not owner_lives(run)]
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
    facts: dict[str, Any] = {"timeout_s": plan.timeout_s or project.config.timeout_s}
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


def _in_thread(project: Project, lives: Lives, live: Live, plan: Plan) -> None:
    try:
        live.run = run_plan(project, live, plan)
    except BaseException as fault:  # noqa: BLE001  the waiting caller raises it in its own thread
        live.fault = fault
    finally:
        lives.drop(live)


def run_plan(project: Project, live: Live, plan: Plan) -> Run:
    """Run a plan in this thread and record what it meant."""
    folder = project.runs_folder / live.run.id
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    finished, facts = _run(project, live, plan, folder)
    live.run = replace(live.run, facts={**live.run.facts, **facts})
    report = meaning(project, live.run, plan, folder, finished.how, notes_of(finished))
    run = project.store.finish(live.run.id, report, size=_size(folder), facts=facts)
    prune(project)
    return run


def _run(project: Project, live: Live, plan: Plan, folder: Path) -> tuple[Finished, dict[str, Any]]:
    config = project.config
    step = plan.steps[0]
    env = _environment(project, plan, step, live.run.id)
    run: str | tuple[str, ...] = plan.argv or expand(step.command, env)
    command = Command(
        run=run,
        cwd=str(plan.cwd),
        env=env,
        stdin="inherit" if plan.stdin else "none",
        timeout_s=plan.timeout_s or config.timeout_s,
        ceiling=config.max_output,
    )

    def on_start(started: Started) -> None:
        write_meta(folder, meta_of(step.command, str(plan.cwd), started, run_id=live.run.id))

    return capture(command, str(folder), handle=live.handle, on_start=on_start, on_tick=live.tick), {}


def _environment(project: Project, plan: Plan, step: Step, run_id: str) -> dict[str, str]:
    config = project.config
    base = dict(project.environ)
    own = [str(path) for path in tool_path(project.folder)]
    base["PATH"] = os.pathsep.join([*own, base.get("PATH", os.defpath)])
    explicit = {name: expand(value, project.environ) for name, value in {**plan.env, **step.env}.items()}
    presentation = config.presentation
    return composed(base, explicit, run_id=run_id, presentation=bool(presentation))


def prune(project: Project) -> list[Run]:
    """Let go of what retention does not keep: folders and reports; the ids stay known."""
    keep = project.config.keep
    gone = project.store.to_prune(keep=keep.runs, keep_engines=keep.engine_checks, most_bytes=keep.bytes)
    remove(project, gone)
    return gone


def remove(project: Project, runs: Sequence[Run]) -> None:
    """Remove these runs' folders and reports."""
    import shutil

    project.store.prune(runs)
    for run in runs:
        shutil.rmtree(project.runs_folder / run.id, ignore_errors=True)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.log")) if folder.is_dir() else 0


def begin_reading(project: Project, command: str, title: str) -> Run:
    """Record a run that only reads a log."""
    plan = of_command(project, command or title)
    return _begin(project, replace(plan, key=f"read:{plan.key}" if command else f"read:{title}", kind="read"))


def stop_foreign(project: Project, run: Run) -> None:
    """End the process tree of a run that another process owns."""
    meta = read_meta(project.runs_folder / run.id)
    if meta is not None:
        reap(meta)
