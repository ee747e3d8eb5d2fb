"""Read `go test`: plain and -v output, subtests, examples, fuzzing, panics, timeouts, data races, failed packages.

Seen with Go 1.13 to 1.27. What a test printed stands before its result line with -v and below it without.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import go_build, go_folders
from punchlist.reading.tools.go_trace import Crash, crash_at, race_at
from punchlist.records import dataclass, field, replace

STEP = re.compile(r"=== (RUN|PAUSE|CONT|NAME)\s+(\S.*)$")
# The same without anything printed in front of it: by far the most lines.
PLAIN_RESULT = re.compile(r"( *)--- (FAIL|PASS|SKIP|BENCH): (\S+) \((\d[\d.]*(?:s|ms|m|h))\)$")
RESULT = re.compile(r"(.*?)--- (FAIL|PASS|SKIP|BENCH): (\S.*?)(?: \((\d+(?:\.\d+)?(?:s|ms|m|h))\))?$")
PACKAGE = re.compile(r"(ok  |FAIL|\?   |---)\t(\S+)(?:\t| )(.*)$")
BARE_COVER = re.compile(r"\t(\S+)\t\tcoverage: ")
ENTRY = re.compile(r"(\s+)((?:[A-Za-z]:)?[^\s:][^:]*\.go):(\d+): ?(.*)$")
# Output without a line end stands in front of a logged line.
GLUED = re.compile(r"\S.*?( {4,})([\w./-]+\.go):(\d+): ?(.*)$")
NOT_BUILT = re.compile(r"\[(build|setup) failed\]")
FAILURE_WORDS = re.compile(
    r"\b(?:want(?:ed)?|expect(?:ed)?|got|unexpected|errors?|err|fail(?:ed|ure)?|mismatch|not equal|should|must|missing|"
    r"invalid|cannot|could not|can't|panic|time(?:d )?out|diff|wrong|bad)\b|!=|≠|Error Trace",
    re.I,
)
TESTIFY = re.compile(r"\s*Error:\s+(.*)$")
FUZZ_INPUT = re.compile(r"\s+Failing input written to (\S+)")
TEST_OF_CALL = re.compile(r"\.((?:Test|Fuzz|Benchmark|Example)\w*)")
DEFAULT_STRAY = re.compile(r"exit status \d+$|FAIL$|PASS$|coverage: |=+$|testing: warning: |-test\.shuffle \d+$")
KILLED = re.compile(r"(?:\*\*\* Test killed.*|signal: .+)$")
DETAIL_LINES = 50
GOT_WIDTH = 240


@dataclass(slots=True)
class Entry:
    """A line that a test logged with its place, and the lines that go on below it."""

    at: int
    file: str
    line: int
    text: str
    more: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Test:
    """A test of the package being read: how it ended, what it logged, what it printed, how it crashed."""

    name: str
    first: int
    last: int
    status: str = ""
    result_at: int = -1
    entries: list[Entry] = field(default_factory=list)
    printed: list[tuple[int, str]] = field(default_factory=list)
    crash: Crash | None = None


@dataclass(slots=True)
class Segment:
    """Everything between two package lines."""

    start: int
    tests: dict[str, Test] = field(default_factory=dict)
    current: str = ""
    indent: int = 0
    crashes: list[Crash] = field(default_factory=list)
    races: list[Crash] = field(default_factory=list)
    stray: list[tuple[int, str]] = field(default_factory=list)
    verbose: bool = False
    closed: bool = False


@dataclass(slots=True)
class Result:
    """What was read of a whole log, before places are completed."""

    counts: dict[str, int] = field(default_factory=lambda: {"passed": 0, "failed": 0, "skipped": 0})
    verbose: bool = False
    failed: bool = False
    passed: bool = False
    usage: bool = False
    not_built: list[tuple[int, str]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    last_fail: int = -1


def parse(log: Log, context: Context) -> Reading:
    """Read the tests, then what the build stage printed between them."""
    reading = read_tests(log, context)
    return with_build(log, context, reading)


def read_tests(log: Log, context: Context) -> Reading:
    """Read test results, crashes and package lines."""
    reading, result = Reading(), Result()
    for first, end in log.streams():
        segment = Segment(first)
        at = first
        while at < end:
            line = log.lines[at]
            if line:
                at, done = _line(log, at, end, line, segment, result)
                if done is not None:
                    _close(log, segment, at, done, reading, result)
                    segment = Segment(at)
            else:
                at += 1
        _close(log, segment, end, ("", "", ""), reading, result)
    _finish(log, reading, result, context)
    return reading


def with_build(log: Log, context: Context, reading: Reading) -> Reading:
    """Add what the build stage said on the lines that no test claimed."""
    lines = list(log.lines)
    for first, end in reading.claimed:
        lines[first:end] = [""] * (min(end, len(lines)) - first)
    built = go_build.parse(replace(log, lines=lines), context)
    reading.claimed += built.claimed
    unbuilt = [d for d in reading.diagnostics if NOT_BUILT.search(d.message)]
    if built.diagnostics and unbuilt:
        reading.diagnostics = [d for d in reading.diagnostics if d not in unbuilt]
    reading.diagnostics += built.diagnostics
    if reading.outcome != "failed":
        reading.outcome = built.outcome or reading.outcome
    folders = go_folders.module_folders(reading.diagnostics, context.root)
    reading.diagnostics = [go_folders.with_folder(d, folders) for d in reading.diagnostics]
    return reading


def _line(
    log: Log, at: int, end: int, line: str, segment: Segment, result: Result
) -> tuple[int, tuple[str, str, str] | None]:
    """Read one line; a package line gives (word, package, rest) and ends the segment."""
    head = line[0]
    if head == "=" and line.startswith("=== RUN   "):
        name = line[10:]
        segment.verbose = result.verbose = True
        segment.current, segment.indent = name, 0
        _test(segment, name, at)
        return at + 1, None
    if head == "=" and (step := STEP.match(line)):
        segment.verbose = result.verbose = True
        if step[1] != "PAUSE":
            segment.current, segment.indent = step[2], 0
            _test(segment, step[2], at)
        return at + 1, None
    if "--- " in line and (match := PLAIN_RESULT.match(line) or RESULT.match(line)) and not ENTRY.match(line):
        return _result(at, match, segment), None
    if head in "oF?-" and (match := PACKAGE.match(line)):
        return at + 1, (match[1].strip(), match[2], match[3])
    if head in " \t" and (match := ENTRY.match(line)):
        return _entry(log, at, end, match, segment), None
    if line == "WARNING: DATA RACE" and (race := race_at(log, at, end)):
        segment.races.append(race)
        return race.end, None
    if crash := crash_at(log, at, end):
        segment.crashes.append(crash)
        _attach(segment, crash)
        return crash.end, None
    if segment.current and "    " in line and (match := GLUED.match(line)):
        return _entry(log, at, end, match, segment), None
    _print(at, line, segment)
    return at + 1, None


def _test(segment: Segment, name: str, at: int) -> Test:
    test = segment.tests.get(name)
    if test is None:
        test = segment.tests[name] = Test(name, at, at)
    test.last = max(test.last, at)
    return test


def _result(at: int, match: re.Match[str], segment: Segment) -> int:
    before, status, name = match[1], match[2], match[3]
    test = _test(segment, name, at)
    if test.status == "FAIL" and status != "FAIL":
        status = "FAIL"  # -count: a later pass does not undo a failure
    test.status, test.result_at = status, at
    segment.current = name
    segment.indent = len(before) - len(before.lstrip()) if not before.strip() else 0
    if before.strip():
        test.printed.append((at, before.strip()))
    return at + 1


def _entry(log: Log, at: int, end: int, match: re.Match[str], segment: Segment) -> int:
    """Take in a logged line and what goes on below it, set in deeper."""
    deep = len(match[1])
    stop = at + 1
    while stop < end:
        text = log.lines[stop]
        if text and not text.startswith(" " * (deep + 1)) and not (text[0] == "\t" and deep < 8):
            break
        if text and (RESULT.match(text) or (ENTRY.match(text) and len(text) - len(text.lstrip()) <= deep)):
            break
        if not text and not _goes_on(log, stop, end, deep):
            break
        stop += 1
    more = [text.strip() if "\t" in text[:12] else text[deep:].rstrip() for text in log.lines[at + 1 : stop]]
    if segment.current:
        test = _test(segment, segment.current, stop - 1)
        test.first = min(test.first, at)
        test.entries.append(Entry(at, match[2], int(match[3]), log.whole(at)[match.start(4) :].strip(), more))
    return stop


def _goes_on(log: Log, at: int, end: int, deep: int) -> bool:
    for text in log.lines[at + 1 : min(end, at + 6)]:
        if text:
            return text.startswith(" " * (deep + 4))
    return False


def _print(at: int, line: str, segment: Segment) -> None:
    """Output without a place: of the current test, and of the package should it fail without a failed test."""
    if segment.current and segment.current in segment.tests:
        test = segment.tests[segment.current]
        if len(test.printed) < 2000:
            test.printed.append((at, line))
            test.last = max(test.last, at)
    if len(segment.stray) < 5000:
        segment.stray.append((at, line))


def _attach(segment: Segment, crash: Crash) -> None:
    """Give a crash to its test: the one it was recovered in, those it names, or the one its frames go through."""
    current = segment.tests.get(segment.current)
    if ("[recovered" in crash.message or "[recovered" in crash.detail) and current and current.status == "FAIL":
        current.crash = crash
        return
    names = list(crash.running)
    if not names:
        for call, _, _ in crash.frames:
            if match := TEST_OF_CALL.search(call):
                names = [match[1]]
                break
    if not names and current and not current.status:
        names = [current.name]
    for name in names:
        test = _test(segment, name, crash.first)
        if test.crash is None and test.status != "PASS":
            test.crash = crash
            test.status = test.status or "CRASH"


def _close(log: Log, segment: Segment, end: int, done: tuple[str, str, str], reading: Reading, result: Result) -> None:
    word, package, rest = done
    tests = segment.tests.values()
    for test in tests:
        for status, name in (("PASS", "passed"), ("FAIL", "failed"), ("SKIP", "skipped")):
            result.counts[name] += test.status == status
    failing = [test for test in tests if test.status in ("FAIL", "CRASH")]
    log_places = {(e.file, e.line) for t in tests if t.status in ("PASS", "SKIP") for e in t.entries}
    found = [made for test in failing if (made := _failure(log, test, failing, log_places, package))]
    loose = [crash for crash in segment.crashes if not any(test.crash is crash for test in failing)]
    found += [_of_crash(log, crash, None, package) for crash in loose]
    found += [_of_crash(log, race, None, package) for race in segment.races]
    if word == "FAIL" and not found:
        found += _package_failed(log, segment, end, package, rest, result)
    reading.diagnostics += found
    result.failed |= word == "FAIL" or bool(failing or segment.crashes)
    result.passed |= word in ("ok", "?")
    if word == "ok" and "[no tests to run]" in rest:
        result.empty.append(package)
    if word or failing or segment.verbose or found:
        reading.claim(segment.start, end)
    if not word and (segment.verbose or failing) and not _ended(segment):
        reading.partial = True
    result.last_fail = end if word == "FAIL" else result.last_fail


def _ended(segment: Segment) -> bool:
    """Whether output without a package line ends as a test binary's own does."""
    return any(text in ("PASS", "FAIL") or text.startswith("exit status") for _, text in segment.stray[-3:])


def _failure(
    log: Log, test: Test, failing: list[Test], log_places: set[tuple[str, int]], package: str
) -> Diagnostic | None:
    """The finding of one failed test; None for a parent that only failed by its subtests."""
    if test.crash is not None:
        return _of_crash(log, test.crash, test, package)
    parent = any(other.name.startswith(test.name + "/") for other in failing)
    entries = [e for e in test.entries if (e.file, e.line) not in log_places] or ([] if parent else test.entries)
    if parent and not any(FAILURE_WORDS.search(" ".join([e.text, *e.more])) for e in entries):
        return None
    name = f"{package}.{test.name}" if package else test.name
    if entries:
        return _of_entry(log, test, _chosen(entries), entries, name, package)
    printed = [(at, text) for at, text in test.printed if not DEFAULT_STRAY.match(text)]
    span = log.span(
        test.first if printed and printed[0][0] < test.result_at else test.result_at, max(test.last, test.result_at)
    )
    if test.name.startswith("Example") and any(text == "got:" for _, text in printed):
        return _example(log, printed, name, package)
    message = log.lines[test.result_at].strip()
    if "--- FAIL" in message:
        message = message[message.index("--- FAIL") :]
    output = "\n".join(text for _, text in printed[-DETAIL_LINES:])
    return Diagnostic(message=message, detail=output, test=name, package=package or None, log=span)


def _chosen(entries: list[Entry]) -> Entry:
    """The entry that says why: the first that sounds like a failure, else the last (a fatal error ends a test)."""
    return next((e for e in entries if FAILURE_WORDS.search(" ".join([e.text, *e.more[:3]]))), entries[-1])


def _of_entry(log: Log, test: Test, entry: Entry, entries: list[Entry], name: str, package: str) -> Diagnostic:
    message, detail = entry.text, [line for line in entry.more if line.strip()]
    if not message and detail:
        said = next((i for i, line in enumerate(detail) if TESTIFY.match(line)), None)
        if said is not None and (match := TESTIFY.match(detail[said])):
            message = match[1].strip() or detail[min(said + 1, len(detail) - 1)].strip()
        else:
            message = detail.pop(0).strip()
    others = [f"{e.file}:{e.line}: {e.text}" for e in test.entries if e is not entry and e in entries]
    own = "/" not in entry.file and entry.file in ("testing.go", "subtest.go")
    return Diagnostic(
        message=message or log.lines[entry.at].strip(), detail="\n".join([*detail, *others][:DETAIL_LINES]),
        file=None if own else entry.file, line=None if own else entry.line or None, test=name, package=package or None,
        log=log.span(entry.at, entry.at + len(entry.more)),
    )  # fmt: skip


def _example(log: Log, printed: list[tuple[int, str]], name: str, package: str) -> Diagnostic:
    """An example's `got:` and `want:`: on one line where they are short."""
    start = next(i for i, (_, text) in enumerate(printed) if text == "got:")
    lines = [text for _, text in printed[start:]]
    folded = " ".join(line.strip() for line in lines)
    span = log.span(printed[start][0], printed[-1][0])
    if len(folded) <= GOT_WIDTH:
        return Diagnostic(message=folded, test=name, package=package or None, log=span)
    return Diagnostic(
        message=lines[0], detail="\n".join(lines[1:DETAIL_LINES]), test=name, package=package or None, log=span
    )


def _of_crash(log: Log, crash: Crash, test: Test | None, package: str) -> Diagnostic:
    name = None
    if test is not None:
        name = f"{package}.{test.name}" if package else test.name
    return Diagnostic(
        message=crash.message, detail=crash.detail, file=crash.file, line=crash.line, test=name,
        package=package or None, log=log.span(crash.first, crash.end - 1),
    )  # fmt: skip


def _package_failed(log: Log, segment: Segment, end: int, package: str, rest: str, result: Result) -> list[Diagnostic]:
    """A package that failed though none of its tests did: not built, wrong flags, ended by its own hand."""
    at = end - 1
    if NOT_BUILT.search(rest):
        return [Diagnostic(message=log.lines[at].replace("\t", " "), package=package, log=log.span(at))]
    usage = next((one for one in segment.stray if go_build.USAGE.match(one[1])), None)
    if usage is not None:
        result.usage = True
        return [Diagnostic(message=usage[1], log=log.span(usage[0], end - 1))]
    said = [one for one in segment.stray if not DEFAULT_STRAY.match(one[1])]
    cause = next((one for one in said if KILLED.match(one[1])), None)
    cause = cause or next((one for one in reversed(said) if FAILURE_WORDS.search(one[1])), said[-1] if said else None)
    if cause is None:
        return [Diagnostic(message=log.lines[at].replace("\t", " "), package=package, log=log.span(at))]
    detail = "\n".join(text for _, text in segment.stray[-20:] if text != cause[1])
    open_tests = [test.name for test in segment.tests.values() if not test.status]
    name = f"{package}.{open_tests[-1]}" if open_tests and segment.verbose else None
    return [
        Diagnostic(message=cause[1].strip(), detail=detail, test=name, package=package, log=log.span(cause[0], end - 1))
    ]


def _finish(log: Log, reading: Reading, result: Result, context: Context) -> None:
    for index, line in enumerate(log.lines):
        if line.startswith("\t") and BARE_COVER.match(line):
            reading.claim(index)
            result.passed = True
    if result.verbose:
        reading.counts = result.counts
    # `go test` closes a failed run with a bare FAIL; Go before 1.14 did not, so only its absence at a cut end counts.
    if result.last_fail >= 0 and "FAIL" not in log.lines[result.last_fail :]:
        reading.partial = True
    if result.usage and all(go_build.USAGE.match(d.message) for d in reading.diagnostics):
        reading.outcome = "error"
    elif result.failed or reading.diagnostics:
        reading.outcome = "failed"
    elif result.passed and context.exit_code in (0, None):
        reading.outcome = "passed"
    if result.empty:
        reading.notes.append(
            f"no tests to run in {', '.join(result.empty[:5])}{' ...' if len(result.empty) > 5 else ''}"
        )
