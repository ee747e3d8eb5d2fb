"""Read unittest's text runner (2.7 to 3.14) and its kin: nose, nose2, Django's, xmlrunner's, twisted's trial."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Outcome
from punchlist.reading import frames
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.records import dataclass, field

RULE = re.compile(r"={70,}$")
DASHES = re.compile(r"-{70,}$")
HEAD = re.compile(r"(?P<word>FAIL|ERROR|UNEXPECTED SUCCESS|SubTest failure)(?: \[[\d.]+s?\])?: (?P<name>\S.*)$")
TRIAL = re.compile(r"\[(?P<word>FAIL|ERROR|SUCCESS!\?!|TODO|SKIPPED)\]$")
RAN = re.compile(r"Ran (?P<run>\d+) tests?(?: of \d+)?(?: in .*)?$")
RESULT = re.compile(r"(?P<word>OK|FAILED|PASSED|NO TESTS RAN)(?: \((?P<counts>[^()]*)\))?\s*$")
COUNT = re.compile(r"([A-Za-z][A-Za-z ]*?)=(\d+)")
NAME = re.compile(r"(?P<method>\S+) \((?P<owner>[\w.<>]+)\)(?P<rest>.*)$")
VERBOSE = re.compile(r"(?P<name>.*\.\.\. )(?P<word>unexpected success)$")
USAGE = re.compile(r"(?:python\S* -m unittest|nose2|nosetests|trial|green)\S*: error: (?P<message>\S.*)$")
SECTION = ("Stdout:", "Stderr:", "-------------------- >> begin captured")
NAMES = {
    "failures": "failed",
    "errors": "errors",
    "skipped": "skipped",
    "skips": "skipped",
    "SKIP": "skipped",
    "expected failures": "xfailed",
    "expectedFailures": "xfailed",
    "unexpected successes": "unexpected_successes",
    "unexpectedSuccesses": "unexpected_successes",
    "successes": "passed",
    "todos": "todo",
}
DETAIL_LINES = 48
TAIL = 6


@dataclass(slots=True)
class Block:
    """One failure between rules: its head's word and name, the body's lines `first` up to, not including, `end`."""

    word: str
    name: str
    head: int
    first: int
    end: int
    tests: list[str] = field(default_factory=list)


def parse(log: Log, context: Context) -> Reading:
    """Read failures, the progress that names unexpected successes, and the totals."""
    reading = Reading()
    for block in find_blocks(log):
        if block.word in ("TODO", "SKIPPED"):
            reading.claim(max(block.head - 1, 0), block.end)
            continue
        if block.end == len(log.lines) and _cut(log.lines, block):
            reading.notes.append(f"the log ends within the failure of {test_id(block.name)}")
            reading.claim(max(block.head - 1, 0), block.end)
            continue
        tests: Sequence[str | None] = block.tests or [test_id(block.name) if block.name else None]
        for test in tests:
            reading.add(_failure(log, context, block, test))
        reading.claim(max(block.head - 1, 0), block.end)
    _unexpected(log, reading)
    _totals(log, reading)
    _usage(log, reading)
    return reading


def _usage(log: Log, reading: Reading) -> None:
    for index in lines_with(log, ": error: "):
        if match := USAGE.match(log.lines[index]):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
            reading.outcome = reading.outcome or "error"


def _cut(lines: Sequence[str], block: Block) -> bool:
    """Whether the log ends before the block says why."""
    tracebacks = frames.read_tracebacks(lines, block.first, block.end)
    return block.word != "UNEXPECTED SUCCESS" and not (tracebacks and tracebacks[-1].message)


def find_blocks(log: Log) -> list[Block]:
    """Return the failure blocks: a rule of `=`, a head, a rule of `-`, the body up to the next rule or the totals."""
    lines = log.lines
    heads: list[tuple[int, re.Match[str]]] = []
    ends: list[int] = []
    for index in lines_with(log, "=====", "Ran "):
        line = lines[index]
        if line[:5] == "=====" and RULE.match(line):
            ends.append(index)
            head = lines[index + 1] if index + 1 < len(lines) else ""
            match = HEAD.match(head) or TRIAL.match(head)
            if match:
                heads.append((index + 1, match))
        elif line[:4] == "Ran " and RAN.match(line):
            ends.append(index - 1 if index and DASHES.match(lines[index - 1]) else index)
    blocks = []
    for index, match in heads:
        end = next((e for e in ends if e > index), len(lines))
        blocks.append(_block(lines, index, match, end))
    return blocks


def _block(lines: Sequence[str], index: int, match: re.Match[str], end: int) -> Block:
    if match.re is TRIAL:
        names = []
        at = end - 1
        while at > index and (not lines[at] or re.match(r"[\w.]+$", lines[at]) or DASHES.match(lines[at])):
            if lines[at] and not DASHES.match(lines[at]):
                names.append(lines[at])
            elif names:
                break
            at -= 1
        word = "FAIL" if match["word"].startswith("SUCCESS") else match["word"]
        return Block(word, "", index, index + 1, at + 1, names[::-1])
    if match["word"] == "UNEXPECTED SUCCESS":
        return Block(match["word"], match["name"], index, index + 1, index + 1)
    end = next((i for i in range(index, end) if lines[i] == "Slowest test durations"), end)
    first = index + 1
    while first < end and not DASHES.match(lines[first]):
        first += 1
    if first == end:
        return Block(match["word"], match["name"], index, index + 1, min(index + 1, end))
    return Block(match["word"], match["name"], index, first + 1, end)


def test_id(name: str) -> str:
    """Return `module.Class.method` for what a head calls a test, whatever Python's version.

    3.11 prints `method (module.Class.method)`, older ones `method (module.Class)`; a class's or module's own fixtures
    stay as printed; what describes a subtest stays behind the id.
    """
    match = NAME.match(name)
    if match is None:
        return name
    method, owner, rest = match["method"], match["owner"], match["rest"]
    if method.startswith(("setUp", "tearDown")) and method.endswith(("Class", "Module")):
        return name
    test = owner if owner == method or owner.endswith("." + method) else f"{owner}.{method}"
    return f"{test}{rest}"


def _failure(log: Log, context: Context, block: Block, test: str | None) -> Diagnostic:
    lines = log.lines
    stop = next((i for i in range(block.first, block.end) if lines[i].startswith(SECTION)), block.end)
    tracebacks = frames.read_tracebacks(lines, block.first, stop)
    traceback = frames.final(tracebacks)
    message, at = log.whole(block.head), block.head
    if traceback is not None and traceback.message:
        message, at = log.whole(traceback.at)[traceback.depth :].strip(), traceback.at
    elif block.first < stop:
        at = next((i for i in range(block.first, stop) if lines[i].strip()), block.head)
        message = log.whole(at).strip()
    doctest = next((i for i in range(block.first, stop) if lines[i].startswith("Failed example:")), None)
    place = _place(lines, context, tracebacks, doctest)
    body_from = doctest if doctest is not None else at + 1
    detail = [line for line in lines[body_from:stop] if line.strip()][:DETAIL_LINES] if at != block.head else []
    if len(tracebacks) > 1:
        detail += [f"caused by: {t.message}" for t in tracebacks if t is not traceback and t.message][:4]
    own = [f for t in tracebacks[-1:] for f in t.frames if not frames.is_foreign(f.file, context.root)]
    if len(own) > 1:
        detail += [f"at {frames.within(f.file, context.root) or f.file}:{f.line}: {f.source}" for f in own[-6:]]
    detail += [line[:300] for line in lines[stop : block.end] if line.strip()][:TAIL]
    return Diagnostic(
        message=message,
        detail="\n".join(detail),
        file=place.file if place else None,
        line=place.line if place else None,
        test=test,
        log=log.span(block.head, max(block.end - 1, at)),
    )


def _place(
    lines: Sequence[str],
    context: Context,
    tracebacks: Sequence[frames.Traceback],
    doctest: int | None,
) -> frames.Frame | None:
    if doctest is not None and (match := frames.FILE.match(lines[doctest - 1])):
        return frames.Frame(match["file"], int(match["line"]))
    last = frames.final(tracebacks)
    own = frames.innermost(last.frames, context.root) if last else None
    return own or frames.innermost((f for t in tracebacks for f in t.frames), context.root)


def _unexpected(log: Log, reading: Reading) -> None:
    """Before 3.11 an unexpected success has no block: only a verbose run's progress names it."""
    if any("UNEXPECTED SUCCESS" in d.message for d in reading.diagnostics):
        return
    for index in lines_with(log, "unexpected success"):
        line = log.lines[index]
        if not line.endswith("unexpected success") or VERBOSE.match(line) is None:
            continue
        match = NAME.match(line.split(" ... ")[0])
        if match is None and index:
            match = NAME.match(log.lines[index - 1])
        if match is not None:
            reading.add(
                Diagnostic(message="unexpected success", test=test_id(match[0]), log=log.span(max(index - 1, 0), index))
            )


def _totals(log: Log, reading: Reading) -> None:
    lines = log.lines
    verdict: Outcome | None = None
    seen = False
    loaded = sum(
        "_FailedTest" in (d.test or "") or "ModuleImportFailure" in (d.test or "") for d in reading.diagnostics
    )
    for index in lines_with(log, "Ran "):
        line = lines[index]
        if line[:4] != "Ran " or (match := RAN.match(line)) is None:
            continue
        result = next((m for i in range(index + 1, min(index + 5, len(lines))) if (m := RESULT.match(lines[i]))), None)
        if result is None and not (index and DASHES.match(lines[index - 1])):
            continue
        seen = True
        run = int(match["run"])
        counts = {"run": run}
        for name, number in COUNT.findall(result["counts"] or "" if result else ""):
            name = NAMES.get(name.strip(), "")
            if name:
                counts[name] = counts.get(name, 0) + int(number)
        for name, number in counts.items():
            reading.counts[name] = reading.counts.get(name, 0) + number
        reading.claim(index, min(index + 3, len(lines)))
        verdict = _verdict(verdict, result["word"] if result else "", run, loaded, counts)
        if run == 0:
            reading.notes.append("0 tests ran")
    reading.outcome = verdict
    hidden = reading.counts.get("unexpected_successes", 0)
    if hidden and not any("nexpected success" in d.message or "UNEXPECTED" in d.message for d in reading.diagnostics):
        reading.notes.append(f"{hidden} tests succeeded unexpectedly, which this log does not name")
    if not seen and (reading.diagnostics or reading.notes):
        reading.partial, reading.outcome = True, "failed"


def _verdict(before: Outcome | None, word: str, run: int, loaded: int, counts: dict[str, int]) -> Outcome | None:
    now: Outcome
    if word == "FAILED":
        bad = counts.get("failed", 0) + counts.get("errors", 0)
        now = "error" if loaded and loaded >= run and bad == loaded else "failed"
    elif word == "NO TESTS RAN":
        now = "error"
    elif word:
        now = "passed"
    else:
        return before
    return now if before in (None, "passed") else before
