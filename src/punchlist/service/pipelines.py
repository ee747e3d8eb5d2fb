"""Runs of several steps, and what is to run when one has failed."""

from pathlib import Path
from typing import Any

from punchlist.project.records import Step, expand
from punchlist.records import replace
from punchlist.running import pipeline as running
from punchlist.running.folder import meta_of, write_meta
from punchlist.running.records import Started
from punchlist.service.live import Live
from punchlist.service.making import Came, environment, notes_of
from punchlist.service.plan import Plan
from punchlist.service.project import Project


def after(project: Project, plan: Plan, step: Step, env: dict[str, str], folder: Path, live: Live) -> dict[str, Any]:
    """Run what is to run after a command failed; return what became of it for the run's facts."""
    command = expand(plan.on_failure or step.on_failure or "", project.environ)
    like = running.Step(name="on_failure", command=command, cwd=str(plan.cwd), env=env)
    done = running.after_failure(like, command, str(folder), live.handle)
    if done is None:
        return {"cmd": plan.on_failure or step.on_failure, "status": "skipped"}
    status = running.status_of(done)
    return {
        "cmd": plan.on_failure or step.on_failure,
        "status": "completed" if status == "passed" else status,
        "exit_code": done.how.exit_code,
        "duration_ms": round(done.duration_s * 1000),
    }


def run_steps(project: Project, live: Live, plan: Plan, folder: Path) -> Came:
    """Run the steps of a plan one after the other."""

    def on_start(number: int, started: Started) -> None:
        write_meta(folder, meta_of(plan.steps[number].command, str(plan.cwd), started, run_id=live.run.id))

    write_meta(folder, meta_of(plan.command, str(plan.cwd), None, run_id=live.run.id))
    config, _ = project.settings()
    steps = [_ready(project, plan, step, live.run.id) for step in plan.steps]
    last = None
    if plan.on_failure:
        last = replace(steps[0], name="on_failure", command=expand(plan.on_failure, project.environ), cwd=str(plan.cwd))
    result = running.run_pipeline(
        steps,
        str(folder),
        fail_fast=plan.fail_fast,
        timeout_s=plan.timeout_s,
        ceiling=config.max_output,
        on_failure=last,
        handle=live.handle,
        on_start=on_start,
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


def _ready(project: Project, plan: Plan, step: Step, run_id: str) -> running.Step:
    config, _ = project.settings()
    cwd = plan.cwd / expand(step.cwd, project.environ) if step.cwd else plan.cwd
    return running.Step(
        name=step.name,
        command=expand(step.command, project.environ),
        cwd=str(cwd),
        env=environment(project, plan, step, run_id),
        timeout_s=step.timeout_s or config.timeout_s,
        on_failure=expand(step.on_failure, project.environ) if step.on_failure else None,
    )


def _step_facts(step: running.StepResult) -> dict[str, Any]:
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
