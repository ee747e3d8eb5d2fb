"""vitest 0.3x to 4: default, verbose, dot, tree, agent and basic reporters, failed suites, unhandled errors, JSON."""

import re
from itertools import pairwise

from punchlist.model import Diagnostic
from punchlist.reading import js_results
from punchlist.reading.formats.json_values import claim, values
from punchlist.reading.js_compile import refused
from punchlist.reading.js_crash import own_detail, startup
from punchlist.reading.js_frames import Frame, frame, innermost
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import tap_js
from punchlist.records import dataclass, field, replace

RULER = "⎯⎯⎯"
BEGINNINGS = "F⎯RDTESN×✗❯M:"
END = re.compile(r"⎯+\[(\d+)/\d+\]⎯")
FARTHEST = 5_000
SECTION = re.compile(r"⎯+ (?P<title>[A-Z][\w ]+?) ?(?P<count>\d+)? ⎯+$")
# ` FAIL  |unit| tests/a.test.ts > suite > name`, or with a coloured badge ` FAIL   unit  tests/...`
FAIL = re.compile(r"\s*FAIL\s\s?\s?(?P<project>\|[^|]+\| )?\s?(?P<id>\S.*)$")
BADGED = re.compile(r"(?P<project>[\w@/.() -]{1,40}?)  +(?P<id>\S+\.[\w.]+.*)$")
SUITE = re.compile(r"(?P<file>.+?) \[ (?P=file) \]$")
TOTAL = re.compile(r"\s*(?P<what>Test Files|Tests|Type Errors|Errors|Snapshots) {2,}(?P<rest>\S.*)$")
TOTALS = ("Test Files  ", "Tests  ", "Type Errors  ", "Errors  ", "Snapshots  ")
PART = re.compile(r"(\d+) (failed|passed|skipped|todo|errors?|expected fail)\b")
ROW = re.compile(
    r"(?P<indent> +)(?P<mark>[×✗❯]) (?P<name>\S.*?)(?: \d+(?:\.\d+)? ?m?s)?(?P<retry> \(retry x\d+\))?"
    r"(?: \d+(?:\.\d+)? ?m?s)?$"
)
FILE_ROW = re.compile(r" [❯×✓↓-] (?:\|[^|]+\| )?(?P<file>\S.*?) +\(\d+ tests?(?: \|[^)]*)?\)")
REASON = re.compile(r"\s+→ (?P<message>\S.*)")
COVERAGE = re.compile(r"ERROR: (?P<message>Coverage for .+ does not meet .*threshold.*)")
NO_FILES = re.compile(
    r"(?:No test files found(?:, exiting with code \d+)?|No test suite found in file .*|No projects .+ matched.*)$"
)
MISSING = re.compile(r"\s*MISSING DEPENDENCY\s+(?P<message>Cannot find dependency .+)")
CODE_LINE = re.compile(r"\s*(?:\d+)?\s*[|│]")
GITHUB = re.compile(r"::error (?:file=[^,]*,)?title=(?P<title>.*?)(?:,line=\d+(?:,column=\d+)?)?::")
ORIGIN = re.compile(r'This error originated in "(?P<file>[^"]+)" test file')
STARTUP = ("Startup Error", "Unhandled Error")
UNHANDLED = ("Unhandled Rejection", "Uncaught Exception", "Unhandled Error", "Unhandled Source Error", "Vitest Error")
COMPILED = ("PARSE_ERROR", "Transform failed", "TypeCheckError", "SyntaxError", "error TS")


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading
    section: str = ""
    file: str = ""
    total_tests: str = ""
    started: bool = False
    finished: bool = False
    rows: list[tuple[int, str, str]] = field(default_factory=list)
    compiled: set[str] = field(default_factory=set)
    blocks: int = 0
    retried: set[str] = field(default_factory=set)


def parse(log: Log, context: Context) -> Reading:
    """Read a vitest run: failures from the blocks of its report, totals, thresholds, what kept it from starting."""
    if context.words and tap_js.is_tap(log):
        return tap_js.parse(log, context)
    state = _State(log, Reading())
    index = 0
    lines = log.lines
    while index < len(lines):
        head = lines[index].lstrip()[:1]
        index = _line(state, index) if head and head in BEGINNINGS else index + 1
    if not state.finished or not state.reading.diagnostics:
        _rows(state)
    _retries(state)
    _annotations(state)
    _json(state)
    if not state.started and not state.reading.diagnostics and context.words:
        _startup(state)
    _conclude(state)
    return state.reading


def _line(state: _State, index: int) -> int:
    line = state.log.lines[index]
    if not line:
        return index + 1
    text = line.lstrip()
    if text.startswith("FAIL ") and state.section and (match := FAIL.match(line)):
        return _failure(state, index, match)
    if text.startswith(RULER) and (match := SECTION.match(text)):
        return _section(state, index, match["title"].strip())
    if text.startswith(("RUN ", "DEV ")) and re.match(r"(?:RUN|DEV)\s+v\d", text):
        state.started = True
        state.reading.claim(index)
    elif text.startswith(TOTALS) and (match := TOTAL.match(line)):
        _total(state, match["what"], match["rest"])
        state.reading.claim(index)
    elif text[:1] in "×✗❯" and line[0] == " ":
        _row(state, index, line)
    elif text.startswith(("ERROR: Coverage", "No test", "No projects", "MISSING DEP")):
        _could_not(state, index, text)
    return index + 1


def _total(state: _State, what: str, rest: str) -> None:
    parts = {name: int(number) for number, name in PART.findall(rest)}
    if what == "Tests":
        state.total_tests = rest
        state.finished = True
        for name in ("failed", "passed", "skipped", "todo"):
            if name in parts:
                state.reading.counts[name] = parts[name]
        if "expected fail" in parts:
            state.reading.counts["xfailed"] = parts["expected fail"]
    elif what in ("Errors", "Type Errors"):
        errors = parts.get("error", parts.get("errors", parts.get("failed", 0)))
        if errors:
            state.reading.counts["errors"] = state.reading.counts.get("errors", 0) + errors
    elif what == "Test Files":
        state.started = state.finished = True
        if "failed" in parts or "error" in parts:
            state.reading.outcome = "failed"


def _row(state: _State, index: int, line: str) -> None:
    if match := FILE_ROW.match(line):
        state.file = match["file"]
        state.reading.claim(index)
    elif match := ROW.match(line):
        name = match["name"]
        if not (" > " in name or (state.file and line.startswith("   "))):
            return
        if match["retry"]:
            state.retried.add(name.rsplit(" > ", 1)[-1])
        reason = REASON.match(state.log.lines[index + 1]) if index + 1 < len(state.log.lines) else None
        if match["mark"] == "❯" and not reason:
            return
        state.rows.append((index, name, reason["message"] if reason else ""))
        state.reading.claim(index, index + 2 if reason else index + 1)
        if " > " not in name and state.file:
            state.rows[-1] = (index, f"{state.file} > {name}", state.rows[-1][2])


def _rows(state: _State) -> None:
    """A log without the report (cut, or only one stream of it) still has the failing rows of the tree."""
    known = {(d.test or "").rsplit(" > ", 1)[-1] for d in state.reading.diagnostics}
    for index, name, reason in state.rows:
        if name.rsplit(" > ", 1)[-1] in known:
            continue
        head, _, _rest = name.partition(" > ")
        state.reading.add(
            Diagnostic(
                message=reason or state.log.whole(index).strip(),
                file=head if re.search(r"\.\w+$", head) else None,
                test=name,
                log=state.log.span(index, index + 1 if reason else index),
            )
        )


def _annotations(state: _State) -> None:
    """The github-actions reporter repeats every failure of the report as an annotation: claim those."""
    tests = {d.test for d in state.reading.diagnostics if d.test}
    for index, line in enumerate(state.log.lines):
        if line.startswith("::error ") and tests and (match := GITHUB.match(state.log.whole(index))):
            title = match["title"].replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
            if title in tests or title.rpartition("] ")[2] in tests:
                state.reading.claim(index)


def _retries(state: _State) -> None:
    """A test that was tried again prints every attempt's error: one finding, by the last attempt."""
    last: dict[tuple[str | None, str], int] = {}
    kept: list[Diagnostic] = []
    for d in state.reading.diagnostics:
        key = (d.package, d.test or "")
        if key[1].rsplit(" > ", 1)[-1] in state.retried and key in last:
            before = kept[last[key]]
            detail = f"{d.detail}\nearlier attempt: {before.message}" if before.message != d.message else d.detail
            kept[last[key]] = replace(d, detail=detail.strip("\n"))
        else:
            last[key] = len(kept)
            kept.append(d)
    state.reading.diagnostics = kept


def _failure(state: _State, index: int, match: re.Match[str]) -> int:
    """Read ` FAIL  id` headers (equal errors of several tests share one body) and the block below them."""
    log = state.log
    heads = [(index, match)]
    at = index + 1
    while at < len(log.lines) and (more := FAIL.match(log.lines[at])) and log.lines[at].lstrip().startswith("FAIL "):
        heads.append((at, more))
        at += 1
    end = _block_end(state, at)
    body = log.lines[at:end]
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    for head, one in heads:
        state.reading.add(_diagnostic(state, head, one, at, end, first))
    closing = end < len(log.lines) and log.lines[end].startswith(RULER) and not SECTION.match(log.lines[end])
    state.reading.claim(index, end + closing)
    state.started = True
    return end + closing


def _block_end(state: _State, at: int) -> int:
    """The index one past a block's lines: its ruler with a counter, the next header, a section or the totals."""
    lines = state.log.lines
    stream = state.log.numbers[at - 1] < 0
    index = at
    own = _own_ruler(state, at)
    while index < len(lines):
        line = lines[index]
        if line.startswith(RULER) and (END.match(line) or SECTION.match(line)):
            break
        # A header above the block's own ruler is text of its message.
        if (line.startswith(" FAIL ") and own < 0) or (state.log.numbers[index] < 0) != stream:
            break
        if line.startswith((" Test Files  ", "  Snapshots  ")):
            break
        index += 1
    return index


def _own_ruler(state: _State, at: int) -> int:
    """The line of the ruler that closes a block, by its counter (`[3/27]`); -1 where it is cut off or has none."""
    for index in range(at, min(len(state.log.lines), at + FARTHEST)):
        line = state.log.lines[index]
        if line.startswith(RULER):
            if (match := END.match(line)) and int(match[1]) in (state.blocks + 1, 1):
                state.blocks = int(match[1])
                return index
            break
    return -1


def _diagnostic(state: _State, head: int, match: re.Match[str], at: int, end: int, first: int | None) -> Diagnostic:
    name, project = match["id"].strip(), (match["project"] or "").strip("| ")
    if not project and (badge := BADGED.match(name)) and "  " in name and ">" not in badge["project"]:
        name, project = badge["id"], badge["project"].strip()
    suite = SUITE.match(name)
    file = suite["file"] if suite else name.split(" > ", 1)[0]
    log = state.log
    if first is None:
        return Diagnostic(message=name, file=file, test=suite["file"] if suite else name, log=log.span(head))
    body = log.lines[at:end]
    found = _read(log, at, first, body, state.compiled)
    return replace(
        found,
        file=found.file or file,
        test=suite["file"] if suite else name,
        package=project or None,
        log=log.span(head if head == at - 1 else at, max(at, end - 1)),
    )


def _read(log: Log, at: int, first: int, body: list[str], compiled: set[str]) -> Diagnostic:
    """Read an error's lines: message, place, detail without code frames and foreign frames."""
    message = log.whole(at + first).strip()
    rest = body[first + 1 :]
    error = _of_error(rest)
    place = _shown(error) or innermost(error)
    rule = None
    if not place and (compiler := refused(message, rest)):
        message, rule, place = compiler.message, compiler.rule, compiler.place
        compiled.add(message)
    place = place or innermost(rest)
    return Diagnostic(
        message=message,
        detail=own_detail(_without_code(rest)),
        rule=rule,
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
    )


def _of_error(lines: list[str]) -> list[str]:
    """The lines of the error itself, before those of its cause."""
    stop = next((i for i, line in enumerate(lines) if line.startswith(("Caused by:", "Serialized Error:"))), len(lines))
    return lines[:stop]


def _shown(lines: list[str]) -> Frame | None:
    """The own frame whose source is shown below it: text of a message that looks like a frame has none."""
    for line, below in pairwise(lines):
        if CODE_LINE.match(below) and (found := frame(line)) and found.own:
            return found
    return None


def _without_code(lines: list[str]) -> list[str]:
    """Leave out the source around a frame: it stands right after the frame, each line with a number and a bar."""
    kept: list[str] = []
    inside = False
    for line in lines:
        if inside and CODE_LINE.match(line):
            continue
        inside = frame(line) is not None
        if not line.startswith(RULER):
            kept.append(line)
    return kept


def _section(state: _State, index: int, title: str) -> int:
    log = state.log
    state.section = title
    state.reading.claim(index)
    if title == "Unhandled Errors" or not title.rstrip("s").startswith(tuple(t for t in (*UNHANDLED, *STARTUP))):
        return index + 1
    end = index + 1
    while end < len(log.lines) and not log.lines[end].startswith((RULER, " FAIL ", " Test Files  ")):
        end += 1
    body = log.lines[index + 1 : end]
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    if first is None:
        return index + 1
    found = _read(log, index + 1, first, body, state.compiled)
    origin = next((match for line in body if (match := ORIGIN.match(line))), None)
    state.reading.add(
        replace(
            found, file=found.file or (origin["file"] if origin else None), log=log.span(index + 1 + first, end - 1)
        )
    )
    unable = not state.started and (title.startswith(STARTUP) or not any(TOTAL.match(x) for x in log.lines[end:]))
    state.reading.outcome = "error" if unable else "failed"
    state.reading.claim(_before(log, index) if unable else index, end)
    return end


def _before(log: Log, index: int) -> int:
    """Where the bundler's own report of a broken configuration begins, above "failed to load config from"."""
    loaded = next(
        (at for at in range(index - 1, max(-1, index - 4), -1) if "failed to load config" in log.lines[at]), None
    )
    if loaded is None:
        return index
    return next((at for at in range(max(0, loaded - 60), loaded) if "[ERROR]" in log.lines[at]), loaded)


def _could_not(state: _State, index: int, text: str) -> None:
    span = state.log.span(index)
    if match := COVERAGE.match(text):
        state.reading.add(Diagnostic(message=text, rule=None, log=span))
        state.reading.outcome = "failed"
    elif match := NO_FILES.match(text) or MISSING.match(text):
        passed = "exiting with code 0" in text
        if not passed:
            state.reading.add(Diagnostic(message=match.groupdict().get("message") or text, log=span))
        state.reading.outcome = "passed" if passed else "error"
        state.finished = True
    else:
        return
    state.reading.claim(index)


def _json(state: _State) -> None:
    if '"numTotalTests"' not in state.log.text():
        return
    for value in values(state.log):
        if not js_results.is_results(value.value):
            continue
        claim(state.reading, state.log, value)
        state.finished = state.started = True
        if not state.reading.counts:
            state.reading.counts.update(js_results.counts(value.value))
        if not state.reading.diagnostics:
            state.reading.diagnostics += js_results.failures(state.log, value, " > ")
        if not state.reading.outcome:
            success = isinstance(value.value, dict) and value.value.get("success") is True
            state.reading.outcome = "passed" if success else "failed"


def _startup(state: _State) -> None:
    """Nothing ran: what the tool, its command line or its configuration threw."""
    if crash := startup(state.log):
        state.reading.add(crash.diagnostic(state.log))
        state.reading.claim(crash.first, crash.end)
        state.reading.outcome = "error"


def _conclude(state: _State) -> None:
    reading = state.reading
    failing = [d for d in reading.diagnostics if d.severity == "error"]
    if reading.outcome != "error":
        nothing = state.total_tests.strip() == "no tests"
        if nothing and failing and not any(_compile(d) or d.message in state.compiled for d in failing):
            reading.outcome = "error"
        elif failing:
            reading.outcome = "failed"
        elif state.finished and not reading.outcome:
            reading.outcome = "passed"
    failed = reading.counts.get("failed")
    if failed is not None:
        tests = {(d.package, d.test) for d in failing if d.test and d.test != d.file}
        if len(tests) < failed and failing:
            reading.expected = len(failing) - len(tests) + failed
    reading.partial = state.started and not state.finished


def _compile(d: Diagnostic) -> bool:
    return bool(d.rule) or d.message.startswith(COMPILED) or "Transform failed" in d.detail
