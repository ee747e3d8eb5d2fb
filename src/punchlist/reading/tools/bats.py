"""Read bats (1.1 to 1.12): its TAP and TAP 13, pretty output and its own errors; its JUnit output is read as such."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass, field

PLAN = re.compile(r"1\.\.(?P<last>\d+)$")
POINT = re.compile(
    r"(?P<not>not )?ok (?P<number>\d+) (?P<name>.*?)(?: in \d+ms| in \d+sec)?"
    r"(?: # (?P<directive>skip|SKIP|timeout|TODO)\b ?(?P<reason>.*))?$"
)
PRETTY = re.compile(r"(?:.*? {0,2}\d+/\d+(?: in \d+ sec)?)? (?P<mark>[✓✗-]) (?P<name>.*?)(?: \[[\d]*\])?$")
SKIPPED = re.compile(r"(?P<name>.*) \(skipped(?:: (?P<reason>.*))?\)$")
TOTALS = re.compile(
    r"(?P<tests>\d+) tests?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) skipped)?(?:, (?P<not_run>\d+) not run)?"
    r"(?:, (?P<timeouts>\d+) timed out)?(?: in [\d.]+ seconds?)?$"
)
FRAME = re.compile(
    r"\(?(?:from function [`'](?P<function>.+?)['`] )?in (?:test )?file (?P<file>.+?), line (?P<line>\d+)[,)]?$"
)
STATEMENT = re.compile(r"[`'].*['`] (?:failed|returned)|.* failed(?:$| with status| due to timeout|, expected)")
SHELL = re.compile(r"(?P<file>\S[^:]*): line (?P<line>\d+): (?P<message>.+)$")
WARNING = re.compile(r"bats warning: Executed (?P<ran>\d+) instead of expected (?P<planned>\d+) tests")
FOREIGN = re.compile(r"(?:^|/)(?:bats-(?:core|assert|support|file|mock|detik)|node_modules|libexec)/")
WHOLE_FILE = re.compile(r"(?:setup|teardown)_(?:file|suite) failed$")
OWN = re.compile(
    r"(?P<message>Error: (?:(?:Duplicate test name\(s\) in file|Test file) \"(?P<file>[^\"]+)\".*|\S.*)"
    r"|bats: .+|Unknown formatter .+|Cannot execute \"parallel\" job without .+|ERROR: .+)$"
)
MOST = 60


@dataclass(slots=True)
class Test:
    """One result with the lines that belong to it."""

    name: str
    failed: bool
    skipped: bool
    first: int
    end: int
    note: str = ""
    said: list[str] = field(default_factory=list)


def parse(log: Log, context: Context) -> Reading:
    """Read every result of a run."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "bats"
    tests, planned, totals = _results(log, reading)
    for test in tests:
        if test.failed:
            reading.add(_diagnostic(log, test))
    real = [test for test in tests if not WHOLE_FILE.match(test.name)]
    _counts(reading, tests, real, totals)
    if named:
        _own(log, reading)
    if reading.outcome is None and (tests or totals):
        refused = not real and tests and all("syntax error" in " ".join(t.said) or _not_loaded(t) for t in tests)
        failed = any(test.failed for test in tests) or (totals or {}).get("failed")
        reading.outcome = "error" if refused else "failed" if failed else "passed"
    missing = planned > len(tests) and not any(WARNING.search(line) for line in log.lines if "bats warning" in line)
    if not totals and missing:
        reading.partial = True
        reading.outcome = None if reading.outcome == "passed" else reading.outcome
        reading.notes.append(f"the plan names {planned} tests, {len(tests)} were run")
    if planned == 0 and named and not tests and any(PLAN.match(line) for line in log.lines):
        reading.notes.append("bats ran no tests")
    return reading


def _not_loaded(test: Test) -> bool:
    return not any(FRAME.match(text.strip()) for text in test.said) and any(SHELL.match(t.strip()) for t in test.said)


def _results(log: Log, reading: Reading) -> tuple[list[Test], int, dict[str, int]]:
    tests: list[Test] = []
    planned = 0
    totals: dict[str, int] = {}
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        test = None
        if line.startswith("ok ") and "#" not in line and _plain(log, index):
            test = Test("", False, False, index, index + 1)
        elif line.startswith(("ok ", "not ok ")) and (match := POINT.match(line)):
            test = _point(match, log, index)
        elif ("✗" in line or "✓" in line or " (skipped" in line) and (match := PRETTY.match(line)):
            test = _pretty(match, log, index)
        elif line.startswith("1..") and (match := PLAN.match(line)):
            planned += int(match["last"])
            reading.claim(index)
        elif line.startswith("TAP version "):
            reading.claim(index)
        elif line[:1].isdigit() and (match := TOTALS.match(line)):
            totals = {name: int(value) for name, value in match.groupdict().items() if value}
            reading.claim(index)
        if test:
            tests.append(test)
            reading.claim(test.first, test.end)
        index = test.end if test else index + 1
    return tests, planned, totals


def _plain(log: Log, index: int) -> bool:
    """Whether a passed test has no lines of its own: those are most lines of a log."""
    return index + 1 < len(log.lines) and log.lines[index + 1].startswith(("ok ", "not ok ", "1.."))


def _point(match: re.Match[str], log: Log, index: int) -> Test:
    directive = (match["directive"] or "").lower()
    skipped = directive == "skip"
    test = Test(match["name"].strip(), bool(match["not"]) and not skipped, skipped, index, index + 1)
    test.note = f"timeout {match['reason']}" if directive == "timeout" else ""
    lines = log.lines
    while test.end < len(lines) and lines[test.end].startswith("#"):
        test.said.append(lines[test.end][1:].removeprefix(" "))
        test.end += 1
    if test.end < len(lines) and lines[test.end].strip() == "---":
        close = test.end + 1
        while close < len(lines) and lines[close].strip() != "..." and not POINT.match(lines[close]):
            close += 1
        body = lines[test.end + 1 : close]
        start = next((i for i, text in enumerate(body) if text.strip().startswith("message:")), len(body))
        test.said += [text.removeprefix("    ") for text in body[start + 1 :]]
        test.failed = test.failed and not (match["directive"] or "").startswith("SKIP")
        test.end = min(len(lines), close + (close < len(lines) and lines[close].strip() == "..."))
    return test


def _pretty(match: re.Match[str], log: Log, index: int) -> Test | None:
    name = match["name"].strip()
    skip = SKIPPED.match(name)
    if match["mark"] == "-" and not skip:
        return None
    test = Test(skip["name"] if skip else name, match["mark"] == "✗", bool(skip), index, index + 1)
    while test.failed and test.end < len(log.lines) and log.lines[test.end].startswith("   "):
        text = log.lines[test.end]
        if PRETTY.match(text) and ("✓" in text or "✗" in text or SKIPPED.match(text)):
            break
        test.said.append(text[3:])
        test.end += 1
    return test


def _diagnostic(log: Log, test: Test) -> Diagnostic:
    frames = [match for text in test.said if (match := FRAME.match(text.strip()))]
    own = [frame for frame in frames if not FOREIGN.search(frame["file"])] or frames
    body = [text.strip() for text in test.said if text.strip() and not FRAME.match(text.strip())]
    shell = next((match for text in body if (match := SHELL.match(text)) and not text.startswith("$")), None)
    statement = next((text for text in body if STATEMENT.match(text)), "")
    message = statement or (shell["message"] if shell else "") or (body[0] if body else "") or test.name
    if shell and ("with status 127" in statement or not statement):
        message = shell["message"]
    place = own[0] if own else shell
    return Diagnostic(
        message=message,
        detail="\n".join([*([test.note] if test.note else []), *test.said][:MOST]),
        file=place["file"] if place else None,
        line=number(place["line"]) if place else None,
        test=test.name,
        tool="bats",
        log=log.span(test.first, test.end - 1),
    )


def _counts(reading: Reading, tests: list[Test], real: list[Test], totals: dict[str, int]) -> None:
    """Set the counts: the printed totals, else the results (setup and teardown of a file are no tests)."""
    if totals:
        failed, skipped = totals.get("failed", 0), totals.get("skipped", 0)
        passed = totals["tests"] - failed - skipped - totals.get("not_run", 0)
        reading.counts |= {"passed": max(0, passed), "failed": failed}
    elif real:
        failed, skipped = sum(t.failed for t in tests), sum(t.skipped for t in tests)
        reading.counts |= {"passed": len(tests) - failed - skipped, "failed": failed}
    else:
        return
    if skipped:
        reading.counts["skipped"] = skipped


def _own(log: Log, reading: Reading) -> None:
    """Read what bats says of itself: usage, files that are missing, names that are not unique."""
    claimed = {i for first, end in reading.claimed for i in range(first, end)}
    for index, line in enumerate(log.lines):
        if index in claimed or line[:1] not in ("E", "b", "U", "C") or not (match := OWN.match(line)):
            continue
        reading.add(Diagnostic(message=match["message"], file=match["file"], tool="bats", log=log.span(index)))
        reading.claim(index)
        reading.outcome = "error"
        break
