"""Read Ant (1.7 to 1.10): test cases of its junit tasks, what broke the build; compilers have parsers of their own."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import jvm_trace

TASK = re.compile(r" *\[(?:junit\w*|\w+:junit)\] ?(?P<text>.*)$")
SUITE = re.compile(r"(?:Running|Testsuite:) (?P<name>[\w.$]+)$")
TOTALS = re.compile(
    r"Tests run: (?P<run>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+)(?:, Skipped: (?P<skipped>\d+))?,"
    r" Time "
)
# plain: `Testcase: adds took 0 sec`, the verdict on the next line; brief: `Testcase: mult(ShopTest):\tFAILED`
CASE = re.compile(r"Testcase: (?P<name>[^()\s]\S*?)(?:\((?P<owner>[\w.$]+)\):\s*(?P<word>\S.*)?| took [\d.,]+ sec)$")
VERDICT = re.compile(r"\s*(?:FAILED|Caused an ERROR)$")
SUITE_ENDED = re.compile(r"Test (?P<name>[\w.$]+) FAILED(?: \(.*\))?$")
BROKE = re.compile(r"(?P<file>(?:[A-Za-z]:)?[^:\n]+\.(?:xml|ant)):(?P<line>\d+): (?P<message>.*)$")
NOT_RUN = re.compile(
    r"(?:Buildfile: .* does not exist!|Target \"[^\"]*\" does not exist in the project .*|Unknown argument: .*)$"
)
ELSEWHERE = re.compile(r"Compile failed; see the compiler error output|(?:Test \S+ failed|.*\btests? failed)\b", re.I)
LOOK = 400


def parse(log: Log, _context: Context) -> Reading:
    """Read failing test cases and each suite's totals, then what Ant says broke the build where that explains more."""
    reading = Reading()
    _tests(log, reading)
    for index in lines_with(log, "BUILD SUCCESSFUL", "BUILD FAILED", " does not exist", "Unknown argument: "):
        line = log.lines[index].strip()
        if line == "BUILD SUCCESSFUL":
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)
        elif line == "BUILD FAILED":
            _broken(log, index, reading)
        elif NOT_RUN.match(line):
            reading.add(Diagnostic(message=line, tool="ant", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
    if reading.diagnostics and reading.outcome != "error":
        reading.outcome = "failed"
    return reading


def _tests(log: Log, reading: Reading) -> None:
    suites: dict[str, dict[str, int]] = {}
    suite = ""
    index = 0
    tasks = {at: m["text"] for at in lines_with(log, "[junit", ":junit]") if (m := TASK.match(log.whole(at)))}
    for index in list(tasks):
        text = tasks[index]
        if match := SUITE.match(text):
            suite = match["name"]
        elif match := TOTALS.match(text):
            suites[suite] = {name: int(value or 0) for name, value in match.groupdict().items()}
        elif match := CASE.match(text):
            _case(match, suite, tasks, log, index, reading)
        elif not SUITE_ENDED.match(text):
            continue
        reading.claim(index)
    for one in suites.values():
        passed = one["run"] - one["failed"] - one["errors"] - one["skipped"]
        for name, value in (("passed", passed), *((n, one[n]) for n in ("failed", "errors", "skipped"))):
            reading.counts[name] = reading.counts.get(name, 0) + max(value, 0)
    if reading.counts.get("failed") or reading.counts.get("errors"):
        reading.outcome = "failed"


def _case(match: re.Match[str], suite: str, tasks: dict[int, str], log: Log, index: int, reading: Reading) -> None:
    start = index + 1
    word = match["word"] or ""
    if not word:
        word = tasks.get(start, "")
        start += 1
    if not VERDICT.match(word):
        return
    end = start
    while end in tasks and end < start + LOOK and not CASE.match(tasks[end]) and not SUITE.match(tasks[end]):
        if not tasks[end].strip() and not tasks.get(end + 1, "").strip():
            break
        end += 1
    while end > start and not tasks[end - 1].strip():
        end -= 1
    body = [tasks[at] for at in range(start, end)]
    # The message stands once alone and once behind the exception's type.
    raised = next((at for at, text in enumerate(body[:20]) if jvm_trace.RAISED.match(text.strip())), 0)
    trace = jvm_trace.read(body[raised:])
    owner = match["owner"] or suite
    own = jvm_trace.own_frame(trace.frames, owner)
    reading.add(
        Diagnostic(
            message=trace.message or match["name"],
            detail="\n".join(trace.detail),
            file=own.path if own else None,
            line=own.line if own else None,
            test=f"{owner}.{match['name']}" if owner else match["name"],
            tool="ant",
            derived=own is not None and own.path != own.file,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)


def _broken(log: Log, index: int, reading: Reading) -> None:
    """`BUILD FAILED`, then the build file's line and why, through as many files as called one another."""
    places: list[tuple[int, re.Match[str]]] = []
    end = index + 1
    while end < len(log.lines) and end < index + LOOK and log.lines[end]:
        if match := BROKE.match(log.lines[end]):
            places.append((end, match))
        end += 1
    reading.claim(index, end)
    if not places:
        if end > index + 1:
            message = log.lines[index + 1].strip()
            reading.add(Diagnostic(message=message, tool="ant", log=log.span(index + 1, end - 1)))
            reading.outcome = "error" if NOT_RUN.match(message) else "failed"
        return
    at, match = places[-1]
    found = Diagnostic(
        message=match["message"] or log.lines[min(at + 1, end - 1)].strip(),
        detail="\n".join(log.lines[at + 1 : end]),
        file=match["file"],
        line=int(match["line"]),
        tool="ant",
        log=log.span(at, end - 1),
    )
    if ELSEWHERE.match(match["message"]):
        reading.weak.append(found)
    else:
        reading.add(found)
    reading.outcome = "failed"
