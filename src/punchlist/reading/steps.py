"""The steps of a CI job: where each begins, and which of them failed."""

import re
from collections.abc import Sequence
from itertools import pairwise

from punchlist.reading.log import Log
from punchlist.records import dataclass, replace

# GitHub Actions, Azure Pipelines, Jenkins, GitLab, Buildkite.
STEP = re.compile(
    r"##\[group\]Run |##\[section\]Starting: |\[Pipeline\] (?:sh|bat|powershell|pwsh)\b|Executing \"step_script\""
    r"|(?:---|~~~|\+\+\+) (?::[\w+-]+:|Running (?:commands|script|agent))"
)
STARTS = ("##[", "[Pipeline]", "Executing", "--- ", "~~~ ", "+++ ")
# What ends a step that failed. After it CI systems clean up; nothing there explains anything.
END = re.compile(
    r"completed with exit code [1-9]|##\[error\]|Job failed|Build step .* marked build as failure"
    r"|exited with (?:code|status) [1-9]|script returned exit code|Exited with code|^Finished: (?:FAILURE|ABORTED)"
    r"|^The command \".*\" (?:exited with [1-9]|failed)",
    re.I,
)
CLEANUP = re.compile(
    r"(?:Post job cleanup|Cleaning up orphan processes|Post Run |Stopping and removing|Cleaning up project)", re.I
)
JOB = "Complete job name:"
HEADER = 300
BELOW = 40


@dataclass(frozen=True, slots=True)
class Step:
    """A step that failed: indexes of the line that begins it, of its first output and of the line that ended it.

    `end` is the index after what it still said below that line.
    """

    title: int
    first: int
    last: int
    end: int
    named: bool


def has_steps(texts: Sequence[str]) -> bool:
    """Whether a log is that of a CI job, with marks where its steps begin."""
    return any(STEP.match(text) for text in texts if text.startswith(STARTS))


def failing_steps(texts: Sequence[str]) -> list[Step]:
    """Find the steps in which the work failed, in order; the whole log as one where nothing marks its steps."""
    starts = [at for at, text in enumerate(texts) if text.startswith(STARTS) and STEP.match(text)]
    steps = []
    for title, end in pairwise([*starts, len(texts)]):
        stop = next((at for at in range(title, end) if CLEANUP.match(texts[at])), end)
        marks = [at for at in range(title, stop) if END.search(texts[at][:200])]
        if marks:
            steps.append(_step(texts, title, marks[-1], stop))
    if steps:
        return steps
    stop = next((at for at, text in enumerate(texts) if CLEANUP.match(text)), len(texts))
    marks = [at for at in range(stop) if END.search(texts[at][:200])]
    last = marks[-1] if marks else max(0, min(stop, len(texts)) - 1)
    title = next((at for at in reversed(starts) if at <= last), -1)
    return [_step(texts, title, last, stop) if title >= 0 else Step(0, 0, last, len(texts), named=False)]


def _step(texts: Sequence[str], title: int, last: int, stop: int) -> Step:
    # The script and its environment stand in a group of their own before what they print.
    header = range(title, min(title + HEADER, last)) if texts[title].startswith("##[group]") else ()
    first = next((at for at in header if texts[at].startswith("##[endgroup]")), title) + 1
    return Step(title, first, last, max(last + 1, min(stop, last + BELOW)), named=True)


def only_failing(log: Log) -> Log:
    """Return the log of a CI job without its steps that passed: what their tools said on the way is no finding."""
    starts = [at for at, line in enumerate(log.lines) if line.startswith(STARTS) and STEP.match(line)]
    if not starts:
        return log
    failed = [
        (first, end)
        for first, end in pairwise([*starts, len(log.lines)])
        if any(line.startswith("##[error]") for line in log.lines[first:end])
    ]
    return _parts(log, [(first, _cleanup(log, first, end)) for first, end in failed]) if failed else log


def _cleanup(log: Log, first: int, end: int) -> int:
    return next((at for at in range(first, end) if CLEANUP.match(log.lines[at])), end)


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
