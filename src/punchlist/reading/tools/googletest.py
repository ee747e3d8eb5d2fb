"""Read GoogleTest's output: failures under their tests, skips, crashes in the middle of a test, brief mode, totals.

Seen with googletest 1.8 to 1.15. A failure belongs to the result line that follows it; what is left open at the end
of the output died with the program.
"""

import re

from punchlist.model import Diagnostic, Related
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import crashes
from punchlist.records import dataclass, field

MARK = re.compile(r"(?P<before>.*?)\[ *(?P<mark>RUN|OK|FAILED|SKIPPED|PASSED|DISABLED|=+|-+) *\] ?(?P<rest>.*)$")
FAILURE = re.compile(
    r"(?P<before>.*?)(?:(?P<file>(?:[A-Za-z]:[\\/])?[^:\n(]+?)[:(](?P<line>\d+)\)?"
    r"|unknown file): (?:Failure|error: ?(?P<same>.*))$"
)
FAILS = re.compile(r": Failure$|: error:")
SKIP = re.compile(r"(?:[A-Za-z]:[\\/])?[^:\n(]+?[:(]\d+\)?: Skipped$")
TIMED = re.compile(r"(?P<name>\S.*?)(?:, where .*?)? \(\d+ ms\)$")
TOTAL = re.compile(r"(\d+) tests?(?:, listed below)?[.:]?$")
TRACE = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\n(]+?)[:(](\d+)\)?: (.*)$")
RAN = re.compile(r"(\d+) tests? from \d+ test (?:suites?|cases?) ran")
SUITE_ITSELF = re.compile(r"(\S+): (?:SetUpTest|TearDownTest)\w+ or ")
# cmocka marks its lines the same way.
CMOCKA = re.compile(r"\[=+\] .*\d+ test\(s\)")
DETAIL_LINES = 60


@dataclass(slots=True)
class Failure:
    """A failed assertion: where it stands and the lines of its text."""

    at: int
    end: int
    file: str | None
    line: int | None
    lines: list[str]


@dataclass(slots=True)
class State:
    """The test that runs, its failures so far, and what the totals say."""

    running: str = ""
    run_at: int = -1
    pending: list[Failure] = field(default_factory=list)
    seen: int = -1
    last: int = -1
    total: int | None = None
    done: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read the tests of one or several programs, stream by stream."""
    reading = Reading()
    if any(CMOCKA.match(line) for line in log.lines):
        return reading
    for first, end in log.streams():
        state = State()
        at = first
        while at < end:
            at = _line(log, at, end, reading, state)
        if state.seen >= 0:
            reading.claim(state.seen, max(state.last + 1, state.seen + 1))
        _end_of_program(log, reading, state, context)
    if reading.diagnostics:
        reading.outcome = "failed"
    elif reading.outcome is None and reading.counts:
        reading.outcome = "passed"
    return reading


def _line(log: Log, at: int, end: int, reading: Reading, state: State) -> int:
    line = log.lines[at]
    if "[" in line and (match := MARK.match(line)):
        return _mark(log, at, end, match, reading, state)
    known = state.running or state.seen >= 0 or line.endswith(": Failure")
    if known and FAILS.search(line) and (match := FAILURE.match(line)):
        return _failure(log, at, end, match, state)
    return at + 1


def _mark(log: Log, at: int, end: int, match: re.Match[str], reading: Reading, state: State) -> int:
    mark, rest = match["mark"], match["rest"]
    state.seen = at if state.seen < 0 else state.seen
    state.last = at
    if mark == "RUN":
        state.running, state.run_at, state.done = rest.strip(), at, False
        state.pending = []
    elif mark in ("OK", "SKIPPED", "FAILED"):
        stop = at + 1
        text = rest
        while not TIMED.match(text) and stop < min(end, at + 4) and ", where " in rest:
            text += " " + log.lines[stop].strip()  # a parameter printed over several lines
            stop += 1
        if timed := TIMED.match(text):
            _result(log, at, mark, timed["name"], reading, state)
            state.last = stop - 1
            return stop
        _total(at, mark, rest, reading, state)
    elif mark == "PASSED" and (total := TOTAL.match(rest)):
        _count(reading, "passed", int(total[1]))
        state.done = True
    elif mark.startswith("=") and (ran := RAN.match(rest)):
        state.total = int(ran[1])
        state.done = True
    return at + 1


def _count(reading: Reading, name: str, value: int) -> None:
    reading.counts[name] = reading.counts.get(name, 0) + value


def _total(at: int, mark: str, rest: str, reading: Reading, state: State) -> None:
    if total := TOTAL.match(rest):
        _count(reading, "failed" if mark == "FAILED" else "skipped", int(total[1]))
        if mark == "FAILED":
            reading.outcome = "failed"
    elif mark == "FAILED" and (suite := SUITE_ITSELF.match(rest)):
        for failure in state.pending:
            failure.lines.append(f"in {rest}")
        state.running = suite[1]
    state.last = at


def _result(log: Log, at: int, mark: str, name: str, reading: Reading, state: State) -> None:
    if mark == "FAILED":
        for failure in state.pending:
            reading.add(_of_failure(log, failure, name))
        if not state.pending:
            reading.add(Diagnostic(message=log.lines[at].strip(), test=name, log=log.span(at)))
    state.pending, state.running = [], ""


def _failure(log: Log, at: int, end: int, match: re.Match[str], state: State) -> int:
    """Take in an assertion's text: up to the next assertion, mark or skip."""
    lines = [match["same"]] if match["same"] else []
    stop = at + 1
    while stop < end and stop < at + 400:
        line = log.lines[stop]
        if ("[" in line and MARK.match(line)) or SKIP.match(line) or (FAILS.search(line) and FAILURE.match(line)):
            break
        lines.append(line)
        stop += 1
    while lines and not lines[-1]:
        lines.pop()
    file = (match["file"] or "").strip() or None
    state.pending.append(Failure(at, stop, file, int(match["line"]) if match["line"] else None, lines))
    state.seen = at if state.seen < 0 else state.seen
    state.last = max(state.last, stop - 1)
    return stop


def _of_failure(log: Log, failure: Failure, name: str | None) -> Diagnostic:
    lines = failure.lines
    while lines and not lines[0].strip():
        lines = lines[1:]
    lines = lines or [log.lines[failure.at]]
    related: list[Related] = []
    if "Google Test trace:" in lines:
        traces = (TRACE.match(text) for text in lines[lines.index("Google Test trace:") + 1 :])
        related = [Related(trace[3], trace[1], int(trace[2])) for trace in traces if trace]
    return Diagnostic(
        message=lines[0].strip(), detail="\n".join(lines[1:DETAIL_LINES]), file=failure.file, line=failure.line,
        test=name, related=tuple(related), log=log.span(failure.at, failure.end - 1),
    )  # fmt: skip


def _end_of_program(log: Log, reading: Reading, state: State, context: Context) -> None:
    """What is open when the output ends: a test that died, or assertions outside of tests."""
    if state.running and state.run_at >= 0:
        reading.partial = True
        for failure in state.pending:
            reading.add(_of_failure(log, failure, state.running))
        _died(log, reading, state, context)
        return
    for failure in state.pending:
        reading.add(_of_failure(log, failure, state.running or None))
    if state.total == 0:
        reading.notes.append("GoogleTest ran 0 tests")
    if state.seen >= 0 and not state.done and state.total is None and not reading.counts:
        reading.partial = True


def _died(log: Log, reading: Reading, state: State, context: Context) -> None:
    """Name the test that was running, with the line that says how the program ended, where one does."""
    for at in range(state.run_at + 1, len(log.lines)):
        found, stop, is_shell = crashes.death_at(log, at)
        if found is not None:
            reading.add(
                Diagnostic(
                    message=found.message, detail=found.detail, file=found.file, line=found.line, rule=found.rule,
                    test=state.running, log=found.log,
                )
            )  # fmt: skip
            reading.claim(at, stop)
            if is_shell:
                return
            for later in range(stop, len(log.lines)):
                if crashes.death_at(log, later)[2]:
                    reading.claim(later)
            return
    if context.exit_code is not None and not any("Sanitizer" in line for line in log.lines[state.run_at :]):
        printed = [line for line in log.lines[state.run_at + 1 : state.last + 1] if line]
        reading.add(
            Diagnostic(
                message=log.lines[state.run_at].strip(), detail="\n".join(printed[-10:]), test=state.running,
                log=log.span(state.run_at),
            )
        )  # fmt: skip
