"""Answers about runs as the JSON values that Signal's and quiet-shell's clients parse."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from punchlist.model import Report, signal_status
from punchlist.service.logs import folder_of, plain_text, take
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views import signal_json
from punchlist.views.signal_json import SignalRun, SignalStep


def signal_run(run: Run, report: Report | None = None) -> SignalRun:
    """Return what Signal's shapes say about a run."""
    how, outcome = (report.how, report.outcome) if report else (run.how, run.outcome)
    status = "running" if run.state == "running" else signal_status(how, outcome or "unknown")
    steps = tuple(
        SignalStep(step["name"], step.get("status", "pending"), step.get("exit_code"), step.get("duration_ms"))
        for step in run.facts.get("steps", ())
    )
    duration = None if run.state == "running" else round(run.duration_s * 1000)
    return SignalRun(
        run_id=run.id, check=run.title, status=status, exit_code=how.exit_code, duration_ms=duration, steps=steps
    )


def summary(project: Project, run: Run, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return Signal's summary of a run; `options` are its max_groups, max_occurrences, severity and sort_by."""
    if run.state == "running":
        return {"run_id": run.id, "check": run.title, "status": "running", "summary": f"{run.title} is still running"}
    report = project.store.report(run.id)
    wanted = {
        name: options[name] for name in ("max_groups", "max_occurrences", "severity", "sort_by") if name in options
    }
    tail = None
    if not report.diagnostics:
        folder = folder_of(project.runs_folder, run)
        texts = []
        for stream in ("stdout", "stderr"):
            total = take(folder, stream, last=0).total
            part = take(folder, stream, first=max(1, total - 60))
            texts.append("\n".join(text for _, text in part.lines))
        tail = signal_json.raw_tail(texts[0], texts[1])
    streams = {
        f"{n}-{step.name}:{s}": step.name
        for n, step in enumerate(signal_run(run).steps, 1)
        for s in ("stdout", "stderr")
    }
    return signal_json.run_summary(report, signal_run(run, report), raw_tail=tail, step_of=streams or None, **wanted)


def meta(run: Run) -> dict[str, Any]:
    """Return Signal's record of a run."""
    after = run.facts.get("on_failure")
    timeout = run.facts.get("timeout_s")
    return signal_json.run_meta(
        signal_run(run),
        cmd=run.command,
        cwd=run.cwd,
        started_at=_iso(run.started),
        finished_at=_iso(run.ended) if run.ended else None,
        timeout_ms=round(timeout * 1000) if timeout else None,
        on_failure=after,
    )


def checks(project: Project) -> dict[str, Any]:
    """Return Signal's list of checks."""
    default = project.config.timeout_s
    listed = []
    for check in project.checks().values():
        steps = [
            {
                "name": step.name,
                "cmd": step.command,
                "adapter": step.adapter or check.parser or "auto",
                "timeout_ms": round((step.timeout_s or check.timeout_s or default) * 1000),
            }
            for step in check.steps
        ]
        listed.append(
            signal_json.check_json(
                check.name,
                steps,
                adapter=check.parser or check.steps[0].adapter or "auto",
                timeout_ms=round((check.timeout_s or check.steps[0].timeout_s or default) * 1000),
                pipeline=check.pipeline,
                fail_fast=check.fail_fast,
            )
        )
    return signal_json.list_checks(listed)


def log_text(project: Project, run: Run, limit: int) -> str:
    """Return a run's whole log as text, or its last lines where it is longer than `limit` bytes."""
    folder = folder_of(project.runs_folder, run)
    whole = plain_text(folder, limit)
    if whole is not None:
        return whole
    total = take(folder, "merged", last=0).total
    return "\n".join(text for _, text in take(folder, "merged", first=max(1, total - 200)).lines)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
