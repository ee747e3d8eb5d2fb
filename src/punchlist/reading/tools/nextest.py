"""Read cargo nextest: status lines, the output of failed tests, retries and leaks, the summary; seen: 0.9.30 on."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import libtest
from punchlist.records import dataclass, field

STATUS = re.compile(
    r"\s*(?:TRY (?P<attempt>\d+) )?(?P<word>PASS|FAIL|FLAKY \d+/\d+|SLOW|TIMEOUT|TERMINATING|TERMINATED"
    r"|TMT|SKIP|LEAK|LEAK-FAIL|FAIL \+ LEAK|FL\+LK|ABORT|SIG[A-Z]+|"
    r"XFAIL|RETRY|DELAY|START|SETUP \w+) \[>? *(?P<time>[\d.]+)s\] (?:\([ \d/]+\) )?(?P<binary>\S+) (?P<test>\S.*)$"
)
OUTPUT = re.compile(r"-{3} (?:TRY \d+ )?(?:STDOUT|STDERR|OUTPUT): +(?P<binary>\S+) (?P<test>\S.*?) -{3,}$")
OUTPUT_NEW = re.compile(r"\s+(?:stdout|stderr|output) ─+$")
SUMMARY = re.compile(r"\s*Summary \[ *[\d.]+s\] (?:(?P<done>\d+)/)?(?P<run>\d+) tests? run: (?P<rest>.*)$")
PART = re.compile(r"(\d+) (passed|failed|skipped|flaky|timed out|exec failed|slow|leaky)")
RULE = re.compile(r"[─-]{8,}$")
CHATTER = re.compile(
    r"\s*(?:Starting \d+ tests? across|Nextest run ID|Cancel+ing due to|Running \d+|Summary |info: "
    r"|Canceled)"
)
ENDED = re.compile(r"error: test run failed$|error: no tests to run")
NO_TESTS = re.compile(r"error: no tests to run")
BAD = ("FAIL", "TIMEOUT", "TERMINATED", "TMT", "ABORT", "SIG", "LEAK-FAIL", "FL+LK", "XFAIL")


@dataclass(slots=True)
class State:
    """Failed tests with the line that says so, the lines of their output, which of them passed on a retry."""

    failed: dict[tuple[str, str], int] = field(default_factory=dict)
    output: dict[tuple[str, str], list[tuple[int, str]]] = field(default_factory=dict)
    flaky: set[tuple[str, str]] = field(default_factory=set)
    last: tuple[str, str] = ("", "")


def parse(log: Log, context: Context) -> Reading:
    """Read every status line and the output blocks between them."""
    reading, state = Reading(), State()
    at = 0
    while at < len(log.lines):
        at = _line(log, at, reading, state) if log.lines[at] else at + 1
    for key, first in state.failed.items():
        found = _failure(log, key, first, state)
        reading.add(found)
    if reading.claimed and not reading.counts and context.exit_code not in (0, None) and state.failed:
        reading.partial = True
    if any(d.state != "flaky" for d in reading.diagnostics):
        reading.outcome = reading.outcome or "failed"
    return reading


def _line(log: Log, at: int, reading: Reading, state: State) -> int:
    line = log.lines[at]
    if "] " in line and (match := STATUS.match(line)):
        _status(at, match, state)
        reading.claim(at)
    elif line.startswith("---") and (match := OUTPUT.match(line)):
        return _output(log, at, (match["binary"], match["test"]), 0, reading, state)
    elif line.endswith("───") and OUTPUT_NEW.match(line):
        return _output(log, at, state.last, 4, reading, state)
    elif match := SUMMARY.match(line):
        _totals(match, reading)
        reading.claim(at)
    elif ENDED.match(line):
        if NO_TESTS.match(line):
            reading.add(Diagnostic(message=line.removeprefix("error: "), log=log.span(at)))
            reading.outcome = "error"
        reading.claim(at)
    elif CHATTER.match(line) or RULE.match(line):
        reading.claim(at)
    return at + 1


def _status(at: int, match: re.Match[str], state: State) -> None:
    word, key = match["word"], (match["binary"], match["test"])
    state.last = key
    if word.startswith("FLAKY"):
        state.flaky.add(key)
    elif word.startswith(BAD):
        state.failed.setdefault(key, at)
    elif word == "PASS" and match["attempt"]:
        state.flaky.add(key)


def _output(log: Log, at: int, key: tuple[str, str], indent: int, reading: Reading, state: State) -> int:
    """Take in the lines of a test's output, up to the next status line, rule or output heading."""
    end = at + 1
    lines = state.output.setdefault(key, [])
    if not lines:
        lines.append((at, ""))
    while end < len(log.lines):
        line = log.lines[end]
        if line and (
            STATUS.match(line)
            or OUTPUT.match(line)
            or OUTPUT_NEW.match(line)
            or SUMMARY.match(line)
            or RULE.match(line)
        ):
            break
        if line and CHATTER.match(line) and not line.startswith("    "):
            break
        lines.append((end, line[indent:] if line.startswith(" " * indent) else line))
        end += 1
    reading.claim(at, end)
    return end


def _totals(match: re.Match[str], reading: Reading) -> None:
    counts = {"passed": 0, "failed": 0}
    for number, word in PART.findall(match["rest"]):
        name = {"timed out": "failed", "exec failed": "failed"}.get(word, word)
        if name in ("passed", "failed", "skipped", "flaky"):
            counts[name] = counts.get(name, 0) + int(number)
    reading.counts = counts
    reading.outcome = "failed" if counts["failed"] else "passed"


def _failure(log: Log, key: tuple[str, str], at: int, state: State) -> Diagnostic:
    flaky = "flaky" if key in state.flaky else ""
    output = state.output.get(key)
    if output is None:
        return Diagnostic(
            message=log.lines[at].strip(),
            severity="warning" if flaky else "error",
            test=key[1],
            package=key[0],
            state=flaky,
            log=log.span(at),
        )
    inner = Log([text for _, text in output], [log.numbers[index] for index, _ in output])
    found = libtest.from_output(inner, 0, len(output), key[1], None)
    message = found.message
    if message.startswith(("test result: ", "running ")) or not message:
        message = log.lines[at].strip()
    return Diagnostic(
        message=message,
        detail=found.detail,
        file=found.file,
        line=found.line,
        column=found.column,
        test=key[1],
        package=key[0],
        state=flaky,
        severity="warning" if flaky else "error",
        log=found.log if message == found.message else log.span(at),
    )
