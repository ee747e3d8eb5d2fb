"""Run the steps of a check one after the other, and the command that is to run when one has failed."""

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, TypeVar

from punchlist.model import How
from punchlist.records import dataclass, replace
from punchlist.running.capture import capture
from punchlist.running.handle import Handle
from punchlist.running.records import CEILING, Command, Finished, Progress, Started

Status = Literal["pending", "running", "passed", "failed", "timeout", "killed", "skipped"]

T = TypeVar("T")
U = TypeVar("U")

ON_FAILURE_S = 60.0
ON_FAILURE = "on_failure."


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a pipeline, ready to run: variables expanded, `cwd` absolute, `env` the whole environment."""

    name: str
    command: str | tuple[str, ...]
    cwd: str
    env: Mapping[str, str] | None = None
    timeout_s: float | None = None
    on_failure: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What became of a step; `folder` holds its logs, `finished` is None for one that was not run."""

    name: str
    status: Status
    folder: str
    finished: Finished | None = None
    on_failure: Finished | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineResult:
    """What became of a pipeline. `how` is that of the first step that failed (`failed_step`, 0-based), else exit 0."""

    how: How
    steps: tuple[StepResult, ...]
    failed_step: int | None
    started_at: float
    duration_s: float
    on_failure: Finished | None = None


def step_folder(folder: str, number: int, name: str) -> str:
    """Return the folder of a step (`number` counts from 1) below the run's: `steps/2-lint`."""
    return os.path.join(folder, "steps", f"{number}-{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:60] or 'step'}")


def status_of(finished: Finished) -> Status:
    """Return the status of a step that was run."""
    if finished.how.ending == "exit" and finished.how.exit_code == 0:
        return "passed"
    known: dict[str, Status] = {"timeout": "timeout", "signal": "killed", "cancelled": "killed", "ceiling": "killed"}
    return known.get(finished.how.ending, "failed")


def run_pipeline(
    steps: Sequence[Step],
    folder: str,
    *,
    fail_fast: bool = True,
    timeout_s: float | None = None,
    ceiling: int = CEILING,
    on_failure: Step | None = None,
    handle: Handle | None = None,
    on_step: Callable[[int, Status], None] | None = None,
    on_start: Callable[[int, Started], None] | None = None,
    on_tick: Callable[[int, Progress], None] | None = None,
    passed: Callable[[int, Finished], bool] | None = None,
) -> PipelineResult:
    """Run steps in order, each with its logs in `steps/N-name`; with `fail_fast` the first failure skips the rest.

    `timeout_s` bounds the whole pipeline beside the steps' own limits, `ceiling` (bytes) all its output. `on_failure`
    runs once after a pipeline that failed or ran out of time, not after one that was cancelled; its logs are
    `on_failure.stdout.log` and `on_failure.stderr.log` in `folder`, a step's own in the step's folder. `on_step` hears
    of every change of a step's status, `on_start` and `on_tick` of the processes. `passed` may say of a step with
    exit 0 that it failed after all.
    """
    handle = handle or Handle()
    started_at, clock = time.time(), time.monotonic()
    results: list[StepResult] = []
    failed: int | None = None
    for number, step in enumerate(steps):
        home = step_folder(folder, number + 1, step.name)
        left_s = None if timeout_s is None else timeout_s - (time.monotonic() - clock)
        over = handle.cancelled or (failed is not None and fail_fast) or (left_s is not None and left_s <= 0)
        if over:
            result = StepResult(name=step.name, status="skipped", folder=home)
        else:
            if on_step is not None:
                on_step(number, "running")
            limits = _Limits(left_s, timeout_s, ceiling - sum(sum(r.finished.sizes) for r in results if r.finished))
            calls = _Calls(_of(on_start, number), _of(on_tick, number), _of(passed, number))
            result = _run_step(step, home, limits, handle, calls)
            failed = number if failed is None and result.status != "passed" else failed
        results.append(result)
        if on_step is not None:
            on_step(number, result.status)
    how = _how(results, failed, timeout_s, handle)
    clean = failed is None and how.ending == "exit"
    return PipelineResult(
        how=how,
        steps=tuple(results),
        failed_step=failed,
        started_at=started_at,
        duration_s=time.monotonic() - clock,
        on_failure=None if clean or not on_failure else after_failure(on_failure, on_failure.command, folder, handle),
    )


@dataclass(frozen=True, slots=True)
class _Limits:
    left_s: float | None
    whole_s: float | None
    room: int


@dataclass(frozen=True, slots=True)
class _Calls:
    on_start: Callable[[Started], None] | None
    on_tick: Callable[[Progress], None] | None
    passed: Callable[[Finished], bool] | None


def _of(call: Callable[[int, T], U] | None, number: int) -> Callable[[T], U] | None:
    return partial(call, number) if call is not None else None


def _run_step(
    step: Step,
    folder: str,
    limits: _Limits,
    handle: Handle,
    calls: _Calls,
) -> StepResult:
    own = limits.left_s is None or (step.timeout_s is not None and step.timeout_s < limits.left_s)
    limit = step.timeout_s if own else limits.left_s
    command = Command(run=step.command, cwd=step.cwd, env=step.env, timeout_s=limit, ceiling=max(0, limits.room))
    finished = capture(command, folder, handle=handle, on_start=calls.on_start, on_tick=calls.on_tick)
    if finished.how.ending == "timeout" and not own:
        finished = replace(finished, how=_out_of_time(limits.whole_s, step.name))
    status = status_of(finished)
    if status == "passed" and calls.passed is not None and not calls.passed(finished):
        status = "failed"
    after = None if status == "passed" else after_failure(step, step.on_failure, folder, handle)
    return StepResult(name=step.name, status=status, folder=folder, finished=finished, on_failure=after)


def _out_of_time(whole_s: float | None, name: str) -> How:
    return How(ending="timeout", message=f"the pipeline was out of time after {whole_s:g} s, in step {name}")


def _how(results: list[StepResult], failed: int | None, timeout_s: float | None, handle: Handle) -> How:
    finished = results[failed].finished if failed is not None else None
    if finished is not None:
        return finished.how
    skipped = next((result for result in results if result.status == "skipped"), None)
    if handle.cancelled:
        return How(ending="cancelled", signal=handle.signal, message="cancelled between two steps")
    if skipped is not None:
        return _out_of_time(timeout_s, f"{skipped.name} (not begun)")
    return How(ending="exit", exit_code=0)


def after_failure(
    like: Step, command: str | tuple[str, ...] | None, folder: str, handle: Handle, timeout_s: float = ON_FAILURE_S
) -> Finished | None:
    """Run what is to run after a failure, in the place and environment of `like`; None where there is nothing to run.

    Its logs are `on_failure.stdout.log` and `on_failure.stderr.log` in `folder`. Not run when the caller cancelled.
    """
    if command is None or handle.cancelled:
        return None
    after = Command(run=command, cwd=like.cwd, env=like.env, timeout_s=timeout_s)
    return capture(after, folder, handle=handle, prefix=ON_FAILURE)
