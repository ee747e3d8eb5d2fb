"""Read ctest: its table, -V and --output-on-failure, the tests' own output by the framework that printed it.

Seen with CMake 3.16 to 3.31. The percentage counts skipped tests as passed; the table tells them apart.
"""

import importlib
import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field, replace

START = re.compile(r"\s*Start\s+(\d+): (.+)$")
ROW = re.compile(r"\s*\d+/\d+ Test\s+#(\d+): (.*)$")
PASSED = re.compile(r"\s*\d+/\d+ Test\s+#(\d+): [^*]*   Passed +\d+\.\d+ sec$")
# `name ....***Failed  reason  0.01 sec`; text may stand between the dots and the stars (`Subprocess aborted`).
ENDED = re.compile(
    r"(?P<name>.*?) ?\.*(?P<status>(?:   Passed|[A-Z][\w ]*?\*\*\*[\w(): ]*?"
    r"|\*\*\*[A-Z][\w(): ]*?))(?:  (?P<reason>.*?))?\s+(?P<time>\d+\.\d+ sec)$",
    re.S,
)
PREFIX = re.compile(r"(\d+): ?(.*)$")
SUMMARY = re.compile(r"\d+% tests passed, (\d+) tests? failed out of (\d+)")
LISTED = re.compile(r"\s+(\d+) - (.+?) \((\w[^()]*)\)(?:\s+\S.*)?$")
NONE_FOUND = re.compile(r"No tests were found!*$")
CHATTER = re.compile(
    r"Test project |Internal ctest |UpdateCTestConfiguration|Constructing a list|Done constructing"
    r"|Updating test list|Added \d+ tests|"
    r"Checking test dependency|test \d+$|Total Test time|The following tests |Errors while running CTest"
    r"|Output from these tests|"
    r"Use \"--rerun|Label Time Summary|Parse Config file|Add coverage|SetCTestConfiguration|Connecting to"
    r"|\d+: Test command: |"
    r"\d+: Working Directory: |\d+: Test timeout computed|\d+: Environment variables|No tests were found"
)
UNUSABLE = re.compile(
    r"Failed to change working directory to |Cannot find file: .*DartConfiguration|Unknown argument: "
)
UNRUNNABLE = re.compile(
    r"(?:Unable to find executable: |Could not find executable |Could not find path to executable)(.+)$"
)
ANY_FAILURE = re.compile(
    r"error|fail|expected|assert|mismatch|unexpected|exception|not equal|panic|abort|fatal|wrong|!=|differ", re.I
)
# Readers of what a test printed, the most specific first.
INNER = ("cmocka", "googletest", "catch2", "doctest_cpp", "boost_test", "c_tests", "sanitizers", "valgrind", "crashes")
ONE_TEST = re.compile(r"Note: Google Test filter = [^*:?]+$")
SKIPPED = ("Skipped", "Not Run (Disabled)", "Disabled")
OUTPUT_LINES = 5000


@dataclass(slots=True)
class Test:
    """One row of the table: its status as printed, and the lines of its output (index, text)."""

    number: int
    name: str
    at: int
    end: int
    status: str = ""
    reason: str = ""
    output: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class State:
    """Rows by number, output by number, what the summary says."""

    rows: dict[int, Test] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    output: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    open: int = 0
    total: int | None = None
    failed: int | None = None
    empty: int = -1
    unrunnable: list[tuple[int, str]] = field(default_factory=list)
    begun: bool = False
    prefixed: bool = False  # -V: every line of output stands behind its test's number


def parse(log: Log, context: Context) -> Reading:
    """Read the table and what failed tests printed."""
    reading, state = Reading(), State()
    at = 0
    while at < len(log.lines):
        at = _line(log, at, reading, state)
    for test in state.rows.values():
        test.output = state.output.get(test.number, [])
        if _is_failure(test):
            reading.diagnostics += failures_of(log, test, state, context)
    _verdict(log, reading, state, context)
    return reading


def _line(log: Log, at: int, reading: Reading, state: State) -> int:
    line = log.lines[at]
    if not line:
        return at + 1
    if " Test " in line[:40] and line.endswith(" sec") and (match := PASSED.match(line)):
        number = int(match[1])
        state.rows[number] = Test(number, state.names.get(number, ""), at, at + 1, "Passed")
        state.begun, state.open = True, 0
        reading.claim(at)
        return at + 1
    if " Test " in line[:40] and (match := ROW.match(line)):
        return _row(log, at, match, reading, state)
    if "Start" in line[:16] and (match := START.match(line)):
        state.names[int(match[1])] = match[2]
        state.open, state.begun = 0, True
        reading.claim(at)
        return at + 1
    if match := SUMMARY.search(line):
        state.failed, state.total, state.open = int(match[1]), int(match[2]), 0
        reading.claim(at)
        return at + 1
    if CHATTER.match(line) and not _inside(log, at, state):
        state.begun |= line.startswith(("Test project", "Internal ctest"))
        state.open = 0
        state.prefixed |= ": Test command: " in line
        if NONE_FOUND.match(line):
            state.empty = at
        reading.claim(at)
        return at + 1
    if UNUSABLE.match(line):
        reading.add(Diagnostic(message=line, log=log.span(at)))
        reading.outcome = "error"
        reading.claim(at)
        return at + 1
    if match := UNRUNNABLE.match(line):
        state.unrunnable.append((at, line))
        reading.claim(at)
        return at + 1
    if state.begun and line[0].isdigit() and (match := PREFIX.match(line)) and int(match[1]) in state.names:
        _keep(state, int(match[1]), at, match[2])
        reading.claim(at)
        return at + 1
    if state.failed is not None and (match := LISTED.match(line)):
        _listed(at, match, state)
        reading.claim(at)
        return at + 1
    if state.open and log.numbers[at] > 0:
        _keep(state, state.open, at, line)
        reading.claim(at)
    return at + 1


def _inside(log: Log, at: int, state: State) -> bool:
    """Whether a line that looks like ctest's stands in a test's output (a ctest that runs ctest)."""
    return bool(state.open) and not log.lines[at].startswith(
        ("Total Test", "The following", "Errors while", "Label", "Output", "Use")
    )


def _keep(state: State, number: int, at: int, text: str) -> None:
    lines = state.output.setdefault(number, [])
    if len(lines) < OUTPUT_LINES:
        lines.append((at, text))


def _row(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int:
    """A row, over several lines where a reason or a name holds line breaks."""
    number, text, end = int(match[1]), match[2], at + 1
    ended = ENDED.match(text)
    while ended is None and end < min(len(log.lines), at + 12):
        if ROW.match(log.lines[end]) or START.match(log.lines[end]):
            break
        text += "\n" + log.lines[end]
        end += 1
        ended = ENDED.match(text)
    if ended is None:
        return at + 1
    test = Test(
        number, ended["name"].rstrip(), at, end, ended["status"].strip(), " ".join((ended["reason"] or "").split())
    )
    test.name = state.names.get(number, test.name)
    state.rows[number] = test
    state.begun = True
    state.open = number if _is_failure(test) and not state.prefixed else 0
    reading.claim(at, end)
    return end


def _listed(at: int, match: re.Match[str], state: State) -> None:
    """A name in the closing list: known from the table, unless the table's row was not readable."""
    number, status = int(match[1]), match[3]
    if number not in state.rows:
        state.rows[number] = Test(number, match[2], at, at + 1, f"***{status}")


def _is_failure(test: Test) -> bool:
    word = test.status.split("***")[-1].strip()
    return "***" in test.status and word not in SKIPPED and not word.startswith(SKIPPED)


def failures_of(log: Log, test: Test, state: State, context: Context) -> list[Diagnostic]:
    """The findings of one failed test: by its framework's own words, else ctest's."""
    word = test.status[test.status.index("***") :]
    if test.output and not test.reason and "Timeout" not in word:
        found = _inner(log, test, context)
        if found:
            return found
    message = test.reason or test.status
    if not test.reason and test.output and word.strip() == "***Failed":
        chosen = _best(test.output)
        if chosen is not None:
            rest = [text for at, text in test.output if at != chosen[0] and text.strip()]
            return [
                Diagnostic(
                    message=chosen[1].strip(), detail="\n".join(rest[-40:]), test=test.name, log=log.span(chosen[0])
                )
            ]
    detail = [word.strip()] if test.reason else []
    detail += [text for _, text in test.output if text.strip()][-30:]
    detail += [text for _, text in state.unrunnable] if "Not Run" in word else []
    return [Diagnostic(message=message, detail="\n".join(detail), test=test.name, log=log.span(test.at, test.end - 1))]


def _best(output: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    lines = [one for one in output if one[1].strip()]
    return next((one for one in lines if ANY_FAILURE.search(one[1])), lines[-1] if lines else None)


def _inner(log: Log, test: Test, context: Context) -> list[Diagnostic]:
    """Read a test's output by the frameworks that may have printed it; the first that finds errors has the word."""
    lines = Log([text.rstrip() for _, text in test.output], [log.numbers[at] for at, _ in test.output])
    inner = Context((), 1, context.root)
    for name in INNER:
        reading: Reading = importlib.import_module(f"punchlist.reading.tools.{name}").parse(lines, inner)
        errors = [d for d in reading.diagnostics if d.severity == "error"]
        if errors:
            single = any(ONE_TEST.match(line) for line in lines.lines)
            crashed = "Exception" in test.status and all(d.message.startswith("[ RUN") for d in errors)
            if crashed:
                return []
            return [replace(d, test=test.name if single or not d.test else d.test, tool=d.tool or name) for d in errors]
    return []


def _verdict(log: Log, reading: Reading, state: State, context: Context) -> None:
    if state.rows:
        words = [test.status.split("***")[-1].strip() for test in state.rows.values()]
        skipped = sum(word.startswith(SKIPPED) for word in words)
        passed = sum(test.status == "Passed" for test in state.rows.values())
        if state.total is not None and state.failed is not None:
            reading.counts = {"passed": passed or state.total - state.failed, "failed": state.failed}
            if skipped:
                reading.counts["skipped"] = skipped
    if state.empty >= 0 and not state.rows:
        zero = context.exit_code == 0
        line = log.lines[state.empty]
        reading.add(Diagnostic(message=line, severity="warning" if zero else "error", log=log.span(state.empty)))
        reading.outcome = None if zero else "error"
    elif state.failed or any(_is_failure(test) for test in state.rows.values()):
        reading.outcome = "failed"
    elif state.total is not None:
        reading.outcome = "passed"
    reading.partial = bool(state.rows or state.names) and state.total is None
    if not (state.rows or state.names or state.empty >= 0 or state.total is not None or reading.diagnostics):
        reading.claimed.clear()
