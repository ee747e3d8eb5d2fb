"""Read cmocka's standard output: errors with their place, leaks, totals. Seen with 1.1.

Errors go to stderr and results to stdout: where the two were kept apart, the n-th failed test owns the n-th errors.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field, replace

MARK = re.compile(r"\[ +(?P<mark>RUN|OK|ERROR|LINE|FAILED|PASSED|SKIPPED) +\] ?(?P<rest>.*)$|\[=+\] .*\d+ test\(s\)")
LINE = re.compile(r"--- (?P<file>[^\s:][^:]*):(?P<line>\d+): error: (?P<message>.*)$")
LEAK = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+): note: block \S+ allocated here$")
LEAKED = re.compile(r"ERROR: (?P<test>\w+) leaked \d+ block")
TOTAL = re.compile(r"(?:[\w-]+: )?(\d+) test\(s\)")


@dataclass(slots=True)
class State:
    """The test that runs, the errors since, failed names in their order."""

    test: str = ""
    errors: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    listed: bool = False


def parse(log: Log, _context: Context) -> Reading:
    """Read every error; nothing where no line shows that cmocka wrote this."""
    reading, state = Reading(), State()
    if not any("test(s)" in line and MARK.match(line) for line in log.lines):
        return reading
    for first, end in log.streams():
        state.test = ""
        for at in range(first, end):
            line = log.lines[at]
            if line.startswith("[") and (match := MARK.match(line)):
                _mark(log, at, match, reading, state)
            elif match := LEAK.match(line):
                _leak(log, at, match, reading, state)
            elif match := LEAKED.match(line):
                reading.diagnostics = [
                    replace(d, test=d.test or match["test"]) if d.message == "Blocks allocated..." else d
                    for d in reading.diagnostics
                ]
                reading.claim(at)
    unnamed = [index for index, d in enumerate(reading.diagnostics) if not d.test]
    if len(unnamed) == len(reading.diagnostics) == len(state.failed):
        for index, name in zip(unnamed, state.failed, strict=True):
            reading.diagnostics[index] = replace(reading.diagnostics[index], test=name)
    elif len(unnamed) + sum(d.test in state.failed for d in reading.diagnostics) == len(state.failed):
        names = [name for name in state.failed if name not in {d.test for d in reading.diagnostics}]
        for index, name in zip(unnamed, names, strict=False):
            reading.diagnostics[index] = replace(reading.diagnostics[index], test=name)
    return reading


def _mark(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> None:
    mark, rest = match["mark"], (match["rest"] or "").strip()
    reading.claim(at)
    if mark == "RUN":
        state.test, state.errors = rest, []
    elif mark == "ERROR":
        if rest.startswith("--- Test failed with exception"):
            message = rest.removeprefix("--- ")
            reading.add(Diagnostic(message=message, test=state.test or None, log=log.span(at)))
        elif rest.startswith("---"):
            state.errors.append(at)
    elif mark == "LINE" and (place := LINE.match(rest)):
        _error(log, at, place, reading, state)
    elif mark in ("PASSED", "FAILED", "SKIPPED"):
        if total := TOTAL.match(rest):
            name = {"PASSED": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[mark]
            reading.counts[name] = int(total[1])
            reading.outcome = "failed" if mark == "FAILED" or reading.outcome == "failed" else "passed"
        elif mark == "FAILED" and rest not in state.failed:
            state.failed.append(rest)
    if mark in ("OK", "FAILED", "SKIPPED"):
        # What follows its result is another test's: errors come late where stdout is buffered and stderr is not.
        state.test = ""


def _error(log: Log, at: int, place: re.Match[str], reading: Reading, state: State) -> None:
    start = state.errors[0] if state.errors else at
    said = [log.lines[i].split("---", 1)[-1].strip() for i in state.errors]
    state.errors = []
    reading.add(
        Diagnostic(
            message=(said[0] if said else "") or place["message"] or log.lines[at],
            detail="\n".join([*said[1:], place["message"]]),
            file=place["file"],
            line=int(place["line"]),
            test=state.test or None,
            log=log.span(start, at),
        )
    )


def _leak(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> None:
    start = state.errors[0] if state.errors else at
    message = log.lines[start].split("---", 1)[-1].strip() if state.errors else log.lines[at]
    state.errors = []
    reading.add(
        Diagnostic(
            message=message or log.lines[at],
            detail=log.lines[at],
            file=match["file"],
            line=int(match["line"]),
            test=state.test or None,
            log=log.span(start, at),
        )
    )
    reading.claim(at)
