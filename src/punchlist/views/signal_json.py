"""Signal MCP's documented JSON: run summaries, diffs, checks, runs, log slices. Keys, caps and order are theirs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from punchlist.analysis.delta import Delta
from punchlist.analysis.fingerprint import squash
from punchlist.analysis.groups import Group, group, unique
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic, Report, Severity
from punchlist.records import dataclass
from punchlist.views.masking import mask

SortBy = Literal["count", "last", "first"]

MAX_GROUPS = 5
MAX_OCCURRENCES = 5
MAX_PER_SECTION = 10
RAW_TAIL_LINES = 30
_TAIL_WIDTH = 500
_DETAIL = 600


@dataclass(frozen=True, slots=True)
class SignalStep:
    """One step of a pipeline: status is pending, running, completed, failed, timeout, killed or skipped."""

    name: str
    status: str
    exit_code: int | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRun:
    """What a summary says about a run beside its report. `status` is one of Signal's words (`model.signal_status`)."""

    run_id: str
    check: str
    status: str
    exit_code: int | None = None
    duration_ms: int | None = None
    steps: tuple[SignalStep, ...] = ()


def run_summary(
    report: Report,
    run: SignalRun,
    *,
    max_groups: int = MAX_GROUPS,
    max_occurrences: int = MAX_OCCURRENCES,
    severity: Severity | None = None,
    sort_by: SortBy = "count",
    raw_tail: str | None = None,
    step_of: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Shape a run's summary; `raw_tail` is shown only where a run that did not pass has no finding.

    `step_of` names the step of a stream of the log (`Span.stream`) for the groups of a pipeline.
    """
    positions = log_positions(report.diagnostics)
    groups = _sorted(
        [g for g in ranked(group(unique(report.diagnostics))) if severity in (None, g.severity)], sort_by, positions
    )
    found = sum(g.count for g in groups)
    out: dict[str, Any] = {
        "run_id": run.run_id,
        "check": run.check,
        "status": run.status,
        "exit_code": run.exit_code,
        "duration_ms": run.duration_ms,
        "error_count": found,
        "group_count": len(groups),
        "summary": summary_line(run, found, len(groups)),
        "top_groups": [error_group(g, positions, max_occurrences, step_of) for g in groups[:max_groups]],
    }
    if run.steps:
        out |= _steps(run)
    if raw_tail is not None and not report.diagnostics and run.status not in ("completed", "running"):
        out["raw_tail"] = mask(raw_tail)
    return out


def _steps(run: SignalRun) -> dict[str, Any]:
    failed = next((s.name for s in run.steps if s.status in ("failed", "timeout", "killed")), None)
    steps = [
        {"name": s.name, "status": s.status, "exit_code": s.exit_code, "duration_ms": s.duration_ms} for s in run.steps
    ]
    return {"kind": "multi-step", "failed_step": failed, "step_count": len(run.steps), "steps": steps}


def summary_line(run: SignalRun, found: int, groups: int) -> str:
    """Write Signal's sentence about a run."""
    if run.status == "running":
        return f"{run.check} is still running"
    if run.status == "completed" and not found:
        steps = f" ({len(run.steps)} steps)" if run.steps else ""
        return f"{run.check} passed{steps} in {run.duration_ms}ms"
    failed = [(n, s) for n, s in enumerate(run.steps, 1) if s.status in ("failed", "timeout", "killed")]
    if failed:
        number, step = failed[0]
        code = "?" if step.exit_code is None else step.exit_code
        return f"{run.check} failed at step {number}/{len(run.steps)} ({step.name}) with exit {code}"
    if not found:
        code = "?" if run.exit_code is None else run.exit_code
        return f"{run.check} {run.status} (exit {code}) — no parsed errors"
    errors = f"{found} error" if found == 1 else f"{found} errors"
    into = f"{groups} category" if groups == 1 else f"{groups} categories"
    return f"{run.check} {run.status} with {errors} grouped into {into}"


def log_positions(diagnostics: Iterable[Diagnostic]) -> dict[int, int]:
    """Rank of each finding in the order of the log, by identity of the record; from 0."""
    listed = list(diagnostics)
    in_log = sorted(range(len(listed)), key=lambda i: ((span := listed[i].log) is None, span or (), i))
    return {id(listed[i]): rank for rank, i in enumerate(in_log)}


def _sorted(groups: list[Group], sort_by: SortBy, positions: Mapping[int, int]) -> list[Group]:
    if sort_by == "count":
        return sorted(groups, key=lambda g: -g.count)
    if sort_by == "first":
        return sorted(groups, key=lambda g: _span(g, positions)[0])
    return sorted(groups, key=lambda g: -_span(g, positions)[1])


def _span(g: Group, positions: Mapping[int, int]) -> tuple[int, int]:
    ranks = [positions.get(id(d), 0) for d in g.diagnostics]
    return min(ranks), max(ranks)


def error_group(
    g: Group,
    positions: Mapping[int, int],
    max_occurrences: int | None = None,
    step_of: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Shape a group as Signal does; an occurrence whose message or test differs says so in `context`."""
    first = g.diagnostics[0]
    occurrences = [_occurrence(d, first) for d in g.diagnostics[:max_occurrences]]
    begin, end = _span(g, positions)
    out: dict[str, Any] = {"fingerprint": g.fingerprint, "type": g.severity}
    if symbol := g.rule or (first.test if len({d.test for d in g.diagnostics}) == 1 else None):
        out["symbol"] = mask(symbol)
    out |= {
        "message": mask(g.message),
        "count": g.count,
        "files": list(g.files),
        "occurrences": occurrences,
        "first_position": begin,
        "last_position": end,
    }
    if step_of and first.log and first.log.stream in step_of:
        out["step"] = step_of[first.log.stream]
    return out


def _occurrence(d: Diagnostic, head: Diagnostic) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in ("file", "line", "column"):
        if getattr(d, name) is not None:
            out[name] = getattr(d, name)
    said = [d.test] if d.test and d.test != head.test else []
    if squash(d.message) != squash(head.message):
        said.append(d.message)
    context = ": ".join(filter(None, said))
    if d.detail.strip():
        context = f"{context}\n{d.detail[:_DETAIL].rstrip()}".lstrip("\n")
    if context:
        out["context"] = mask(context)
    return out


def raw_tail(stdout: str, stderr: str) -> str:
    """Return the last 30 lines that are not blank of both streams, stdout first, each cut at 500 characters."""
    lines = [line[:_TAIL_WIDTH] for line in f"{stdout}\n{stderr}".splitlines() if line.strip()]
    return mask("\n".join(lines[-RAW_TAIL_LINES:]))


# ---------------------------------------------------------------- diff


def diff_result(delta: Delta, *, max_per_section: int = MAX_PER_SECTION) -> dict[str, Any]:
    """Shape the difference of two runs by groups.

    A group is removed when every finding of it was looked at again and is gone; what was not looked at again is in no
    section, and a `note` (only then there) says so.
    """
    pairs = (*delta.persisting, *delta.changed)
    before_of = {id(after): before for before, after in pairs}
    then = _by_key([*delta.removed, *delta.unobserved, *before_of.values()])
    now = _by_key([*delta.added, *(after for _, after in pairs)])
    removed = {id(d) for d in delta.removed}
    both = [g for g in now.values() if g.fingerprint in then or any(id(d) in before_of for d in g.diagnostics)]
    new = [g for g in now.values() if g not in both]
    gone = [g for fp, g in then.items() if fp not in now and all(id(d) in removed for d in g.diagnostics)]
    out = {
        "prev_run_id": delta.before.run_id,
        "next_run_id": delta.after.run_id,
        "added": [_whole(g) for g in new[:max_per_section]],
        "removed": [_whole(g) for g in gone[:max_per_section]],
        "persisting": [_counted(g, then, before_of) for g in both[:max_per_section]],
        "stats": {"added_count": len(new), "removed_count": len(gone), "persisting_count": len(both)},
    }
    note = _note(delta)
    return {**out, "note": note} if note else out


def _by_key(diagnostics: Iterable[Diagnostic]) -> dict[str, Group]:
    return {g.fingerprint: g for g in ranked(group(diagnostics))}


def _whole(g: Group) -> dict[str, Any]:
    return error_group(g, log_positions(g.diagnostics))


def _counted(g: Group, then: Mapping[str, Group], before_of: Mapping[int, Diagnostic]) -> dict[str, Any]:
    earlier = then.get(g.fingerprint)
    before = earlier.count if earlier else sum(id(d) in before_of for d in g.diagnostics)
    return {**_whole(g), "prev_count": before, "next_count": g.count, "delta": g.count - before}


def _note(delta: Delta) -> str | None:
    said = [
        f"{side.run_id} did not complete ({side.outcome})" for side in (delta.before, delta.after) if not side.complete
    ]
    if delta.unobserved:
        said.append(f"{len(delta.unobserved)} findings of {delta.before.run_id} were not looked at again")
    return "; ".join(said) or None


# ---------------------------------------------------------------- checks, runs, logs


def check_json(
    name: str,
    steps: Sequence[Mapping[str, Any]],
    *,
    adapter: str,
    timeout_ms: int,
    pipeline: bool = False,
    fail_fast: bool = True,
) -> dict[str, Any]:
    """Shape one check of `list_checks`; each step is a mapping with name, cmd, adapter and timeout_ms."""
    if not pipeline:
        cmd = mask(str(steps[0]["cmd"]))
        return {"name": name, "kind": "single", "cmd": cmd, "adapter": adapter, "timeout_ms": timeout_ms}
    listed = [
        {"name": s["name"], "cmd": mask(str(s["cmd"])), "adapter": s["adapter"], "timeout_ms": s["timeout_ms"]}
        for s in steps
    ]
    return {"name": name, "kind": "multi-step", "fail_fast": fail_fast, "step_count": len(listed), "steps": listed}


def list_checks(checks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Shape the answer of `list_checks` from `check_json` entries."""
    return {"checks": list(checks)}


def run_meta(
    run: SignalRun,
    *,
    cmd: str | None,
    cwd: str,
    started_at: str,
    finished_at: str | None,
    timeout_ms: int | None,
    on_failure: Mapping[str, Any] | None = None,
    fail_fast: bool = True,
) -> dict[str, Any]:
    """Shape the answer of `get_run_status`.

    Times are ISO 8601 in UTC; `on_failure` has cmd, status, exit_code and duration_ms of what ran after a failure.
    """
    after = on_failure or {}
    out: dict[str, Any] = {"kind": "multi-step" if run.steps else "single", "run_id": run.run_id, "check": run.check}
    if not run.steps:
        out["cmd"] = mask(cmd or "")
    out |= {
        "cwd": cwd,
        "status": run.status,
        "exit_code": run.exit_code,
        "started_at": started_at,
        "finished_at": finished_at,
        "duration_ms": run.duration_ms,
    }
    if run.steps:
        shaped = _steps(run)
        names = [s.name for s in run.steps]
        failed = shaped["failed_step"]
        out |= {"fail_fast": fail_fast, "failed_step": failed}
        out["failed_step_index"] = names.index(failed) if failed is not None else None
        out["steps"] = [{"index": i, **step} for i, step in enumerate(shaped["steps"])]
        return out
    return {
        **out,
        "timeout_ms": timeout_ms,
        "on_failure_cmd": mask(after["cmd"]) if after.get("cmd") else None,
        "on_failure_status": after.get("status"),
        "on_failure_exit_code": after.get("exit_code"),
        "on_failure_duration_ms": after.get("duration_ms"),
    }


def log_slice(lines: Sequence[str], *, total: int, first: int, last: int) -> dict[str, Any]:
    """Shape the answer of `get_log_slice`: lines `first` to `last` (1-based) of `total`."""
    return {
        "lines": mask("\n".join(lines)).split("\n") if lines else [],
        "total_lines": total,
        "from_line": first,
        "to_line": last,
    }


def rerun_result(source_run_id: str, run: SignalRun, cmd: str, lines: Sequence[str], total: int) -> dict[str, Any]:
    """Shape the answer of `rerun_failed`."""
    return {
        "source_run_id": source_run_id,
        "rerun_run_id": run.run_id,
        "rerun_cmd": mask(cmd),
        "status": run.status,
        "exit_code": run.exit_code,
        "duration_ms": run.duration_ms,
        "log": {"lines": mask("\n".join(lines)).split("\n") if lines else [], "total_lines": total},
    }
