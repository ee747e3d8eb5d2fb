"""Make one run from beginning to end: record it, run it, read its log, record what it meant."""

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from punchlist import platforms
from punchlist.model import How, Report, Trouble
from punchlist.project.discover import tool_path
from punchlist.project.records import Step, expand
from punchlist.reading.command import understand
from punchlist.reading.recognise import by_command
from punchlist.reading.sieve import Buffer
from punchlist.running import pipeline as running_pipeline
from punchlist.running.capture import capture
from punchlist.running.changed import changed_since
from punchlist.running.environment import PRESENTATION, composed
from punchlist.running.folder import meta_of, read_meta, reap, write_meta
from punchlist.running.handle import Handle
from punchlist.running.records import Command, Started
from punchlist.running.seethrough import run_viewers, see_through
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


def _in_thread(project: Project, lives: Lives, live: Live, plan: Plan) -> None:
    try:
        live.run = run_plan(project, live, plan)
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
    return project.store.finish(run.id, Report(outcome="error", how=how), size=_size(folder))


def run_plan(project: Project, live: Live, plan: Plan) -> Run:
    """Run a plan in this thread and record what it meant."""
    folder = project.runs_folder / live.run.id
    private_folder(folder)
    came = _run_steps(project, live, plan, folder) if plan.pipeline else _run_one(project, live, plan, folder)
    live.run = replace(live.run, facts={**live.run.facts, **came.facts})
    report = meaning(project, live.run, plan, folder, came.how, came.notes)
    note = _changed_note(project, live.run)
    if note:
        report = replace(report, notes=(*report.notes, note))
    run = project.store.finish(live.run.id, report, size=_size(folder), facts=came.facts)
    prune(project)
    return run


@dataclass(frozen=True, slots=True)
class Came:
    """How the processes of a run ended: verdict on the processes, what to say about it, what to keep."""

    how: How
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


def _run_one(project: Project, live: Live, plan: Plan, folder: Path) -> Came:
    step = plan.steps[0]
    config, trouble = project.settings()
    env = _environment(project, plan, step, live.run.id)
    text = expand(step.command, project.environ)
    seen = see_through(text, _is_check) if plan.argv is None and plan.see_through else None
    command = Command(
        run=plan.argv or (seen.command if seen else text),
        cwd=str(plan.cwd),
        env=env,
        stdin="inherit" if plan.stdin else "none",
        timeout_s=plan.timeout_s or config.timeout_s,
        ceiling=config.max_output,
    )

    def on_start(started: Started) -> None:
        write_meta(folder, meta_of(step.command, str(plan.cwd), started, run_id=live.run.id))

    finished = capture(command, str(folder), handle=live.handle, on_start=on_start, on_tick=live.tick)
    notes, facts = [*notes_of(finished), *([trouble] if trouble else [])], {}
    if seen and finished.how.ending == "exit":
        run_viewers(seen, str(folder), str(plan.cwd), env, handle=live.handle)
        notes.append(
            f"the exit code is that of `{seen.check}`, whose whole output was read; `{seen.viewers}` saw it after"
        )
    if finished.how != How(ending="exit", exit_code=0) and (plan.on_failure or step.on_failure):
        facts["on_failure"] = _after(project, plan, step, env, folder, live)
    return Came(finished.how, tuple(notes), facts)


def _is_check(text: str) -> bool:
    return bool(by_command(understand(text)))


def _after(project: Project, plan: Plan, step: Step, env: dict[str, str], folder: Path, live: Live) -> dict[str, Any]:
    command = expand(plan.on_failure or step.on_failure or "", project.environ)
    like = running_pipeline.Step(name="on_failure", command=command, cwd=str(plan.cwd), env=env)
    done = running_pipeline.after_failure(like, command, str(folder), live.handle)
    if done is None:
        return {"cmd": plan.on_failure or step.on_failure, "status": "skipped"}
    status = running_pipeline.status_of(done)
    return {
        "cmd": plan.on_failure or step.on_failure,
        "status": "completed" if status == "passed" else status,
        "exit_code": done.how.exit_code,
        "duration_ms": round(done.duration_s * 1000),
    }


def _run_steps(project: Project, live: Live, plan: Plan, folder: Path) -> Came:
    write_meta(folder, meta_of(plan.command, str(plan.cwd), None, run_id=live.run.id))
    steps = [_ready(project, plan, step, live.run.id) for step in plan.steps]
    after = None
    if plan.on_failure:
        after = replace(
            steps[0], name="on_failure", command=expand(plan.on_failure, project.environ), cwd=str(plan.cwd)
        )
    result = running_pipeline.run_pipeline(
        steps,
        str(folder),
        fail_fast=plan.fail_fast,
        timeout_s=plan.timeout_s,
        ceiling=project.config.max_output,
        on_failure=after,
        handle=live.handle,
        on_tick=lambda _number, progress: live.tick(progress),
    )
    facts: dict[str, Any] = {"steps": [_step_facts(step) for step in result.steps]}
    notes = [note for step in result.steps if step.finished for note in notes_of(step.finished)]
    if result.failed_step is not None:
        failed = result.steps[result.failed_step]
        skipped = [step.name for step in result.steps if step.status == "skipped"]
        left = f"; not run: {', '.join(skipped)}" if skipped else ""
        notes.append(f"step {result.failed_step + 1} of {len(result.steps)} ({failed.name}) {failed.status}{left}")
    return Came(result.how, tuple(notes), facts)


def _ready(project: Project, plan: Plan, step: Step, run_id: str) -> running_pipeline.Step:
    cwd = plan.cwd / expand(step.cwd, project.environ) if step.cwd else plan.cwd
    return running_pipeline.Step(
        name=step.name,
        command=expand(step.command, project.environ),
        cwd=str(cwd),
        env=_environment(project, plan, step, run_id),
        timeout_s=step.timeout_s or project.config.timeout_s,
        on_failure=expand(step.on_failure, project.environ) if step.on_failure else None,
    )


def _step_facts(step: running_pipeline.StepResult) -> dict[str, Any]:
    words = {"passed": "completed", "timeout": "timeout", "killed": "killed", "failed": "failed", "skipped": "skipped"}
    done = step.finished
    return {
        "name": step.name,
        "status": words.get(step.status, step.status),
        "exit_code": done.how.exit_code if done else None,
        "duration_ms": round(done.duration_s * 1000) if done else None,
        "folder": Path(step.folder).name,
        "ending": done.how.ending if done else None,
        "signal": done.how.signal if done else None,
    }


def _environment(project: Project, plan: Plan, step: Step, run_id: str) -> dict[str, str]:
    config, _ = project.settings()
    base = dict(project.environ)
    own = [str(path) for path in tool_path(project.folder, plan.cwd)]
    base["PATH"] = os.pathsep.join([*own, base.get("PATH", os.defpath)])
    explicit = {name: expand(value, project.environ) for name, value in {**plan.env, **step.env}.items()}
    wanted = config.presentation
    keep = [v.name for v in PRESENTATION if v.name not in wanted] if isinstance(wanted, tuple) else []
    return composed(base, explicit, run_id=run_id, keep=keep, presentation=bool(wanted))


def _changed_note(project: Project, run: Run) -> str:
    changed = changed_since(str(project.folder), run.started)
    if changed is None or not changed.files:
        return ""
    shown = ", ".join(changed.files[:5])
    more = f" and {len(changed.files) - 5} more" if len(changed.files) > 5 else ""
    return f"files of the project changed during the run: {shown}{more}"


def private_folder(folder: Path) -> None:
    """Make the folder of a run, and the one that holds all of them, for its owner alone."""
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def write_private(path: Path, raw: Buffer) -> None:
    """Write bytes to a new file that only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(raw)


def prune(project: Project) -> list[Run]:
    """Let go of what retention does not keep: folders and reports; the ids stay known."""
    keep = project.settings()[0].keep
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
