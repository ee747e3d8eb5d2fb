"""Make one run: its command or its steps run, its logs read, what it meant recorded."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from punchlist.model import How, Report
from punchlist.project.records import Step, expand
from punchlist.records import dataclass, field, replace
from punchlist.running.capture import capture
from punchlist.running.environment import PRESENTATION, composed
from punchlist.running.folder import meta_of, write_meta
from punchlist.running.records import Command, Finished, Started
from punchlist.service.files import log_size, private_folder
from punchlist.service.live import Live
from punchlist.service.plan import Plan
from punchlist.service.project import Project
from punchlist.store.runs import Run

if TYPE_CHECKING:
    from punchlist.running.seethrough import SeenThrough

# What a run that says nothing does not need is imported where it is used: a quiet command should stay a quick one.


def run_plan(project: Project, live: Live, plan: Plan) -> Run:
    """Run a plan in this thread and record what it meant."""
    folder = project.runs_folder / live.run.id
    private_folder(folder)
    if plan.pipeline:
        from punchlist.service.pipelines import run_steps

        came = run_steps(project, live, plan, folder)
    else:
        came = _run_one(project, live, plan, folder)
    live.run = replace(live.run, facts={**live.run.facts, **came.facts})
    size = log_size(folder)
    report = _meaning(project, live.run, plan, folder, came, silent=size == 0)
    return project.store.finish(live.run.id, report, size=size, facts=came.facts)


def _meaning(project: Project, run: Run, plan: Plan, folder: Path, came: "Came", *, silent: bool) -> Report:
    if silent and came.how == How(ending="exit", exit_code=0) and not plan.reports and not came.facts:
        report = Report(outcome="passed", how=came.how, notes=came.notes)
    else:
        from punchlist.service.meaning import meaning

        report = meaning(project, run, plan, folder, came.how, came.notes)
    note = changed_note(project, run)
    return replace(report, notes=(*report.notes, note)) if note else report


@dataclass(frozen=True, slots=True)
class Came:
    """How the processes of a run ended: verdict on the processes, what to say about it, what to keep."""

    how: How
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


def _run_one(project: Project, live: Live, plan: Plan, folder: Path) -> Came:
    step = plan.steps[0]
    config, trouble = project.settings()
    env = environment(project, plan, step, live.run.id)
    text = expand(step.command, project.environ)
    seen = _seen_through(text) if plan.argv is None and plan.see_through and "|" in text else None
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
        from punchlist.running.seethrough import run_viewers

        run_viewers(seen, str(folder), str(plan.cwd), env, handle=live.handle)
        notes.append(
            f"the exit code is that of `{seen.check}`, whose whole output was read; `{seen.viewers}` saw it after"
        )
    if finished.how != How(ending="exit", exit_code=0) and (plan.on_failure or step.on_failure):
        from punchlist.service.pipelines import after

        facts["on_failure"] = after(project, plan, step, env, folder, live)
    return Came(finished.how, tuple(notes), facts)


def _seen_through(text: str) -> "SeenThrough | None":
    from punchlist.reading.command import understand
    from punchlist.reading.recognise import by_command
    from punchlist.running.seethrough import see_through

    return see_through(text, lambda first: bool(by_command(understand(first))))


def notes_of(finished: Finished) -> tuple[str, ...]:
    """Return what has to be said about how a command ran, beside its verdict."""
    notes = []
    if finished.write_trouble:
        room = "the disk is full" if finished.disk_full else finished.write_trouble
        notes.append(f"the log could not be kept whole ({room}): {finished.dropped:,} bytes are missing")
    if finished.prompt and finished.how.exit_code != 0:
        notes.append(f"it may have waited for an answer: {finished.prompt}")
    if finished.never_ends and finished.how.ending != "timeout":
        notes.append(f"it looks like a watcher or a server that never ends: {finished.never_ends}")
    left = [one for one in finished.left_behind if not one.daemon]
    if left:
        notes.append("still running in the background: " + ", ".join(f"{one.name} ({one.pid})" for one in left[:5]))
    return tuple(notes)


def environment(project: Project, plan: Plan, step: Step, run_id: str) -> dict[str, str]:
    """Return the whole environment of a step: ours with the project's own tools, looks, what the check sets."""
    from punchlist.project.discover import tool_path

    config, _ = project.settings()
    base = dict(project.environ)
    own = [str(path) for path in tool_path(project.folder, plan.cwd)]
    found = base.get("PATH", os.defpath)
    # A check means the project's own tools; a command runs as given, and finds them only where it would find none.
    base["PATH"] = os.pathsep.join([*own, found] if plan.check else [found, *own])
    explicit = {name: expand(value, project.environ) for name, value in {**plan.env, **step.env}.items()}
    wanted = config.presentation
    keep = [v.name for v in PRESENTATION if v.name not in wanted] if isinstance(wanted, tuple) else []
    return composed(base, explicit, run_id=run_id, keep=keep, presentation=bool(wanted))


def changed_note(project: Project, run: Run) -> str:
    """Return a note on the files of the project that changed while a run was made; empty where none did."""
    from punchlist.running.changed import changed_since

    changed = changed_since(str(project.folder), run.started)
    if changed is None or not changed.files:
        return ""
    shown = ", ".join(changed.files[:5])
    more = f" and {len(changed.files) - 5} more" if len(changed.files) > 5 else ""
    at_least = "" if changed.complete else " at least"
    return f"files of the project changed during the run:{at_least} {shown}{more}"
