"""The steps of a CI job: where each begins, and which of them failed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from punchlist.reading.log import Log

# GitHub Actions, Azure Pipelines, Jenkins, GitLab.
STEP = re.compile(r"##\[group\]Run |##\[section\]Starting: |\[Pipeline\] sh|Executing \"step_script\"")
STARTS = ("##[", "[Pipeline]", "Executing")
# What ends a job that failed. After it CI systems clean up; nothing there explains anything.
END = re.compile(
    r"completed with exit code [1-9]|##\[error\]|Job failed|Build step .* marked build as failure"
    r"|exited with code [1-9]",
    re.I,
)
CLEANUP = re.compile(
    r"(?:Post job cleanup|Cleaning up orphan processes|Post Run |Stopping and removing|Cleaning up project)", re.I
)


@dataclass(frozen=True, slots=True)
class Step:
    """Where the work ended: indexes of the line that begins the step, of its first output and of its last line."""

    title: int
    first: int
    last: int
    named: bool


def has_steps(texts: Sequence[str]) -> bool:
    """Whether a log is that of a CI job, with marks where its steps begin."""
    return any(STEP.match(text) for text in texts if text.startswith(STARTS))


def failing_step(texts: Sequence[str]) -> Step:
    """Find the part of a log in which the work ended; the whole log where nothing marks its steps."""
    cleanup = next((at for at, text in enumerate(texts) if CLEANUP.match(text)), len(texts))
    marks = [at for at in range(cleanup) if END.search(texts[at][:200])]
    last = marks[-1] if marks else max(0, min(cleanup, len(texts)) - 1)
    title = next((at for at in range(last, -1, -1) if STEP.match(texts[at])), -1)
    if title < 0:
        return Step(0, 0, last, named=False)
    # The script and its environment stand in a group of their own before what they print.
    header = next((at for at in range(title, min(title + 200, last)) if texts[at].startswith("##[endgroup]")), title)
    return Step(title, header + 1, last, named=True)


def only_failing(log: Log) -> Log:
    """Return the log of a CI job without its steps that passed: what their tools said on the way is no finding."""
    starts = [at for at, line in enumerate(log.lines) if line.startswith(STARTS) and STEP.match(line)]
    if not starts:
        return log
    bounds = list(zip(starts, [*starts[1:], len(log.lines)], strict=True))
    failed = [
        (first, end) for first, end in bounds if any(line.startswith("##[error]") for line in log.lines[first:end])
    ]
    return _parts(log, failed) if failed else log


def _parts(log: Log, parts: Sequence[tuple[int, int]]) -> Log:
    kept = [index for first, end in parts for index in range(first, end)]
    place = {index: at for at, index in enumerate(kept)}
    gaps = {place[first] for first, _ in parts} | {place[at] for at in log.gaps if at in place}
    return replace(
        log,
        lines=[log.lines[index] for index in kept],
        numbers=[log.numbers[index] for index in kept],
        long={place[index]: text for index, text in log.long.items() if index in place},
        gaps=frozenset(gaps),
    )
