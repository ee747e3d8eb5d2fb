"""Read Maven's test results (surefire and failsafe, 2.12 to 3.5): each failing test with its trace, totals, reruns."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import jvm_trace
from punchlist.records import dataclass, field, replace

LEVEL = re.compile(r"\[(?P<level>ERROR|WARNING|INFO|WARN)\] ?")
HEAD = re.compile(
    r"(?:\[ERROR\] +)?(?P<name>\S.*?) +(?:-- +)?Time elapsed: [\d.,]+ s(?:ec)? +<<< (?P<what>FAILURE|ERROR)!"
    r"(?: -+ in (?P<class>\S+))?\s*$"
)
CLASS_TOTALS = re.compile(r"(?:\[\w+\] +)?Tests run: \d+, .*Time elapsed: ")
TOTALS = re.compile(
    r"(?:\[\w+\] +)?Tests run: ?(?P<run>\d+), Failures: ?(?P<failed>\d+), Errors: ?(?P<errors>\d+), "
    r"Skipped: ?(?P<skipped>\d+)(?:, Flakes: ?(?P<flaky>\d+))?\s*$"
)
METHOD = re.compile(r"(?P<method>[^()]+(?:\{.*?\}(?:\[\d+\])?)?)\((?P<class>[\w.$]+)\)(?P<rest>\[\d+\])?$")
SUMMARY = re.compile(
    r"(?:\[(?:ERROR|WARNING)\] +|)(?P<what>Failures|Errors|Failed tests|Tests in error|Flakes"
    r"|Flaky tests):\s*(?P<rest>\S.*)?$"
)
ENTRY = re.compile(
    r"(?:\[(?:ERROR|WARNING)\])? {1,4}(?P<name>[A-Za-z_][\w$]*(?:>[\w$]+)?\.[\w$]+(?:\[[^\]]*\])?)(?::(?P<line>\d+))?"
    r"(?P<via>(?:->[\w$.]+(?::\d+)?)*) (?P<message>.*)$"
)
RUN = re.compile(r"(?:\[\w+\])? +Run (?P<number>\d+): (?P<text>.*)$")
RERUN = re.compile(r"(?:\[(?:ERROR|WARNING)\]) (?P<name>[\w.$]+\.\w+(?:\(.*\))?(?:\[\d+\])?)$")
STOP = (
    "Running ",
    "[INFO]",
    "[ERROR] Tests run:",
    "[WARNING]",
    "[ERROR] Failures:",
    "[ERROR] Errors:",
    "Tests run:",
    "Results :",
)
LONGEST = 600


@dataclass(slots=True)
class Tests:
    """What was read of test runs: failing tests, those that passed when run again, lines understood."""

    failures: list[Diagnostic] = field(default_factory=list)
    flaky: set[str] = field(default_factory=set)
    rerun: set[str] = field(default_factory=set)
    totals: int = 0


def read(log: Log, reading: Reading) -> Tests:
    """Add failing tests and totals to a reading."""
    tests = Tests()
    if not lines_with(log, "Tests run:", "<<< FAILURE!", "<<< ERROR!"):
        return tests
    lines = log.lines
    pending: list[Diagnostic] = []
    done = 0
    for index in lines_with(
        log, "<<< ", "Tests run:", "Failures:", "Errors:", "Flakes:", "ests in error:", "ailed tests:", "laky tests:"
    ):
        if index < done:
            continue
        line = lines[index]
        if "Tests run:" in line:
            if match := TOTALS.match(line):
                _totals(match, index, reading, tests)
                tests.failures += pending
                pending = []
            elif CLASS_TOTALS.match(line):
                reading.claim(index)
        elif "<<< " in line and (match := HEAD.match(line)):
            end = _block_end(lines, index + 1)
            pending.append(_failure(log, index, end, match))
            reading.claim(index, end)
            done = end
        elif match := SUMMARY.match(line):
            end = _summary(log, index, match, pending, tests)
            reading.claim(index, end)
            done = end
    tests.failures += pending
    tests.failures = _final(tests)
    for failure in tests.failures:
        reading.add(failure)
    return tests


def _totals(match: re.Match[str], index: int, reading: Reading, tests: Tests) -> None:
    run, failed, errors, skipped = (int(match[name]) for name in ("run", "failed", "errors", "skipped"))
    counts = {"passed": run - failed - errors - skipped, "failed": failed, "errors": errors, "skipped": skipped}
    if match["flaky"]:
        counts["flaky"] = int(match["flaky"])
    for name, number in counts.items():
        reading.counts[name] = reading.counts.get(name, 0) + max(number, 0)
    reading.claim(index)
    tests.totals += 1


def _block_end(lines: Sequence[str], start: int) -> int:
    """The end of a trace: a blank line below its frames, or the next thing that Maven says."""
    traced = False
    for index in range(start, min(len(lines), start + LONGEST)):
        line = lines[index]
        if line.startswith(STOP) or (line.startswith("[ERROR]") and ("<<< " in line or "Tests run:" in line)):
            return index
        traced = traced or jvm_trace.is_trace_line(line)
        if not line and (
            traced or index + 1 >= len(lines) or lines[index + 1].startswith(("[", "Tests run:", "Running"))
        ):
            return index
    return min(len(lines), start + LONGEST)


def test_id(name: str) -> str:
    """Return `package.Class.method`, whichever way round this version prints it."""
    match = METHOD.match(name)
    if match and "." in match["class"]:
        return f"{match['class']}.{match['method'].strip()}{match['rest'] or ''}"
    return name


def _failure(log: Log, index: int, end: int, match: re.Match[str]) -> Diagnostic:
    trace = jvm_trace.read([log.whole(i) for i in range(index + 1, end)])
    test = test_id(match["name"])
    if match["class"] and "." not in test.split("(")[0]:
        test = f"{match['class']}.{test}"
    test = _nested(test, trace)
    own = jvm_trace.own_frame(trace.frames, test.split("(")[0].rsplit(".", 1)[0])
    return Diagnostic(
        message=trace.message or match["what"].lower(),
        detail="\n".join(trace.detail),
        file=own.path if own else None,
        line=own.line if own else None,
        test=test,
        derived=own is not None and own.path != own.file,
        log=log.span(index, end - 1),
    )


def _nested(test: str, trace: jvm_trace.Trace) -> str:
    """Surefire names the outer class of a nested test; the frame of the method itself tells the inner one."""
    owner, _, method = test.partition("(")[0].rpartition(".")
    for frame in trace.frames:
        inner, _, called = frame.call.rpartition(".")
        if called == method and inner.startswith(f"{owner}$"):
            return inner + test[len(owner) :]
    return test


def _summary(log: Log, index: int, match: re.Match[str], pending: list[Diagnostic], tests: Tests) -> int:
    """The list below `Failures:` names failures again; it counts where no trace was printed. It also tells reruns."""
    lines = log.lines
    flakes = match["what"].startswith("Fla")
    whole = bool(pending)
    end = index + 1
    current = ""
    while end < len(lines) and end < index + 20_000:
        line = lines[end]
        if not line.strip() or "Tests run:" in line or SUMMARY.match(line) or line in ("[INFO]", "[ERROR]"):
            break
        if again := RERUN.match(line):
            current = again["name"]
            if flakes:
                tests.flaky.add(current)
            else:
                tests.rerun.add(current)
            if not flakes and not whole:
                pending.append(Diagnostic(message=current, test=current, log=log.span(end)))
        elif run := RUN.match(line):
            if not whole and not flakes and run["number"] == "1" and pending:
                pending[-1] = replace(pending[-1], message=run["text"], log=log.span(end - 1, end))
        elif not whole and not flakes and (entry := ENTRY.match(line)):
            pending.append(_entry(log, end, entry))
        end += 1
    return end


def _entry(log: Log, index: int, entry: re.Match[str]) -> Diagnostic:
    """`MoneyTest.negative:30 expected ...`; the class has no package here, its file is named like it."""
    name = entry["name"]
    owner = re.split(r"[>.$]", name)[0]
    return Diagnostic(
        message=entry["message"].removeprefix("» ").strip() or name,
        file=f"{owner}.java" if entry["line"] else None,
        line=int(entry["line"]) if entry["line"] else None,
        test=name,
        derived=bool(entry["line"]),
        log=log.span(index),
    )


def _final(tests: Tests) -> list[Diagnostic]:
    """One entry a test: what passed when run again is flaky, what failed each time stands once."""
    if not tests.flaky and not tests.rerun:
        return tests.failures
    final: list[Diagnostic] = []
    seen: set[str] = set()
    for d in tests.failures:
        if d.test in tests.flaky:
            if d.test not in seen:
                final.append(replace(d, state="flaky", severity="warning"))
            seen.add(d.test or "")
        elif d.test not in tests.rerun or d.test not in seen:
            final.append(d)
            seen.add(d.test or "")
    return final
