"""@playwright/test (1.20 to 1.5x): list, line, dot, github and JSON reporters, retries and flaky tests, load errors."""

import re

from punchlist.model import Diagnostic, Related
from punchlist.reading.formats.json_values import (
    Value,
    claim,
    dicts_of,
    inner,
    lines_with,
    number_of,
    text_of,
    values,
)
from punchlist.reading.js_crash import THROWN, build, own_detail
from punchlist.reading.js_frames import Frame, frames, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field, replace

# `  1) [chromium] › tests/a.spec.js:7:3 › suite › test @tag ──────`, with `=======` before 1.28
HEADER = re.compile(
    r" {2}(?P<number>\d+)\) (?P<project>\[[^\]]*\] › )?(?P<file>\S.*?)(?::(?P<line>\d+):(?P<column>\d+))?"
    r" › (?P<title>.*?)(?: [─=]+)?$"
)
BARE = re.compile(r" {2}\d+\) (?P<title>\S.*?)(?: [─=]{3,})?$")
RETRY = re.compile(r" {4}Retry #(?P<number>\d+)(?: [─-].*)?$")
TOTAL = re.compile(
    r" {2}(?P<number>\d+) (?P<what>failed|passed|skipped|flaky|did not run|interrupted"
    r"|error was not a part of any test|errors were not a part of any test)\b"
)
RUNNING = re.compile(r"Running (?P<number>\d+) tests? using \d+ workers?")
LISTED = re.compile(r" {4}(?:\[[^\]]*\] › )?\S.*? › .*")
CODE_LINE = re.compile(r"\s*>?\s*\d*\s*\|(?:\s|$)")
ATTACHMENT = re.compile(
    r"\s*(?:attachment #\d+|Error Context: |Usage:|[─-]{10,}$|test-results/|npx playwright show-trace)"
)
SYNTAX = re.compile(
    r"(?:\w*Error: )?(?P<file>(?:[A-Za-z]:)?[/\\.]?[^\s:(][^:(]*\.\w+): (?P<message>.+?)"
    r" ?\((?P<line>\d+):(?P<column>\d+)\)$"
)
GITHUB = re.compile(r"::(?:error|notice|warning)(?: file=[^,]*)?(?:,?title=[^,]*)?")
NAMES = {"failed": "failed", "passed": "passed", "skipped": "skipped", "flaky": "flaky", "interrupted": "interrupted"}
WAIT = re.compile(r"(?:Test timeout of \d+ms exceeded|Test finished within timeout)")
NO_TESTS = re.compile(r"(?:Error: )?No tests found")
NOT_BEFORE_TEST = ("Error: ", "TypeError", "SyntaxError", "ReferenceError", "TSError", "error: ")


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    began: bool = False
    flaky: set[str] = field(default_factory=set)
    listed: str = ""
    bodies: list[tuple[str, Diagnostic]] = field(default_factory=list)
    seen: set[tuple[str, str, int | None, int | None]] = field(default_factory=set)
    all_listed: set[str] = field(default_factory=set)
    loose_errors: bool = False
    refused: bool = False
    at: int = 0
    root: str = ""
    annotated: list[int] = field(default_factory=list)


def parse(log: Log, context: Context) -> Reading:
    """Read a run: one finding a failing test (its first attempt), flaky ones marked so, errors outside of tests."""
    state = _State(log, loose_errors=any("part of any test" in line for line in log.lines[-400:]))
    index = 0
    while index < len(log.lines):
        index = _line(state, index, context)
    for printed, d in state.bodies:
        key = _listed(state, printed)
        if key != printed and d.test:
            # A failing step's title stands behind the test's: the list at the end shows the test's alone.
            d = replace(d, test=d.test.removesuffix(printed[len(key) :]))
        state.reading.add(replace(d, state="flaky", severity="warning") if key in state.flaky else d)
    for at in state.annotated if state.bodies else ():
        state.reading.claim(at)  # they repeat the blocks, once an attempt, as each test ends or all at the end
    _json(state)
    _conclude(state, context)
    return state.reading


def _line(state: _State, index: int, context: Context) -> int:
    line = state.log.lines[index]
    if not line:
        return index + 1
    head = line[:2]
    if head == "  ":
        if line[2:3].isdigit():
            if match := HEADER.match(line):
                return _test(state, index, match)
            if match := TOTAL.match(line):
                _total(state, index, match)
                return index + 1
        if state.listed and line.startswith("    ") and LISTED.match(line):
            key = _key(line.strip())
            state.all_listed.add(key)
            if state.listed == "flaky":
                state.flaky.add(key)
            state.reading.claim(index)
            return index + 1
    else:
        state.listed = ""
        if line.startswith("Running ") and RUNNING.match(line):
            state.began = True
            state.reading.claim(index)
        elif line.startswith("::") and GITHUB.match(line):
            state.annotated.append(index)
        elif line.startswith(NOT_BEFORE_TEST) and (state.loose_errors if state.began else context.words):
            return _outside(state, index)
    return index + 1


def _listed(state: _State, key: str) -> str:
    if key in state.all_listed:
        return key
    parts = key.split(" › ")
    shorter = (" › ".join(parts[:stop]) for stop in range(len(parts) - 1, 1, -1))
    return next((name for name in shorter if name in state.all_listed), key)


def _key(text: str) -> str:
    """A test's identity in the list at the end: what stands there, without the ruler."""
    return re.sub(r" [─=]+$", "", text)


def _total(state: _State, index: int, match: re.Match[str]) -> None:
    what = match["what"]
    state.listed = what
    state.began = True
    if name := NAMES.get(what):
        state.reading.counts[name] = int(match["number"])
    state.reading.claim(index)


def _test(state: _State, index: int, match: re.Match[str]) -> int:
    """Read a numbered block. Its body has four blanks before each line; `Retry #1` begins a further attempt."""
    log = state.log
    end = _block_end(log, index)
    retry = next((at for at in range(index + 1, end) if RETRY.match(log.lines[at])), end)
    key = _key(log.lines[index].split(") ", 1)[1])
    file = path(match["file"])
    test = f"{match['project'] or ''}{match['title']}".strip()
    spec = Frame(file, int(match["line"] or 0) or None, int(match["column"] or 0) or None)
    for at, stop in _errors(log, index + 1, retry) or [(index, index + 1)]:
        found = _error(log, at, stop, spec)
        if not found.message or at == index:
            # Cut off behind its header.
            found = replace(found, message=log.whole(index).strip(), detail="", log=log.span(index))
        found = replace(found, test=test, log=log.span(index if at <= index + 2 else at, stop - 1))
        same = (key, found.message, found.line, found.column)
        if same not in state.seen:
            state.seen.add(same)
            state.bodies.append((key, found))
    state.reading.claim(index, end)
    state.began = True
    return end


def _block_end(log: Log, index: int) -> int:
    lines = log.lines
    at = index + 1
    last = at
    while at < len(lines):
        line = lines[at]
        if line and not line.startswith("    "):
            break
        at += 1
        if line:
            last = at
    return last


def _errors(log: Log, first: int, end: int) -> list[tuple[int, int]]:
    """Split an attempt's body into its errors (soft assertions, a timeout followed by what it interrupted)."""
    lines = log.lines
    starts: list[int] = []
    for at in range(first, end):
        line = lines[at]
        if line.startswith("    ") and line[4:5].strip() and not lines[at - 1].strip():
            text = line[4:]
            if not starts or THROWN.match(text) or WAIT.match(text):
                starts.append(at)
    if not starts:
        return []
    starts = _joined(lines, starts)
    return list(zip(starts, [*starts[1:], end], strict=True))


def _joined(lines: list[str], starts: list[int]) -> list[int]:
    """A timeout's own line has no place: the error behind it belongs to the same failure."""
    if len(starts) > 1 and WAIT.match(lines[starts[0]].strip()):
        return [starts[0]]
    return starts


def _error(log: Log, first: int, end: int, spec: Frame) -> Diagnostic:
    body = [line.removeprefix("    ") for line in log.lines[first:end]]
    said = next((i for i, line in enumerate(body) if line.strip()), 0)
    message = log.whole(first + said).strip()
    place = _place(body) or spec
    related: tuple[Related, ...] = ()
    if place.file and not spec.file.endswith(place.file) and not place.file.endswith(spec.file):
        related = (Related("test", spec.file, spec.line, spec.column),)
    return Diagnostic(
        message=message,
        detail=own_detail(_without_noise(body[said + 1 :])),
        file=place.file,
        line=place.line,
        column=place.column,
        related=related,
        log=log.span(first, end - 1),
    )


def _place(body: list[str]) -> Frame | None:
    """The innermost own frame; `at helper.ts:1` above the source is only its short form, without a column."""
    own = [found for found in frames(body) if found.own]
    return next((found for found in own if found.column), own[0] if own else None)


def _without_noise(body: list[str]) -> list[str]:
    return [line for line in body if not CODE_LINE.match(line) and not ATTACHMENT.match(line)]


def _outside(state: _State, index: int) -> int:
    """An error that belongs to no test: a file that cannot be loaded, no tests, a bad configuration or option."""
    log = state.log
    end = index + 1
    while end < len(log.lines) and end - index < 120 and not _ends_outside(log.lines, end):
        end += 1
    while end > index + 1 and not log.lines[end - 1].strip():
        end -= 1
    body = log.lines[index:end]
    crash = build(log, index, index, end)
    message = body[0].strip()
    state.reading.claim(index, end)
    if NO_TESTS.match(message) and state.reading.diagnostics:
        # The consequence of a file that could not be loaded.
        return end
    file, line, column = crash.file, crash.line, crash.column
    if match := SYNTAX.match(message):
        file, line, column = path(match["file"]), int(match["line"]), int(match["column"])
        state.refused = True
    state.reading.add(
        Diagnostic(
            message=message,
            detail=own_detail(_without_noise(body[1:])),
            file=file,
            line=line,
            column=column,
            rule=crash.rule,
            log=log.span(index, end - 1),
        )
    )
    if not state.began or NO_TESTS.match(message):
        state.reading.outcome = "failed" if state.refused else "error"
    return end


def _ends_outside(lines: list[str], at: int) -> bool:
    line = lines[at]
    if line.startswith(NOT_BEFORE_TEST) or RUNNING.match(line) or TOTAL.match(line) or HEADER.match(line):
        return True
    return line.startswith(("To open last HTML", "  [", "::", "{", "npm "))


def _json(state: _State) -> None:
    if '"suites"' not in state.log.text():
        return
    for value in values(state.log):
        if not isinstance(value.value, dict) or not isinstance(inner(value.value, "stats", "expected"), int):
            continue
        claim(state.reading, state.log, value)
        for name, key in (("passed", "expected"), ("failed", "unexpected"), ("flaky", "flaky"), ("skipped", "skipped")):
            total = inner(value.value, "stats", key)
            if isinstance(total, int):
                state.reading.counts[name] = total
        if not state.bodies:
            state.root, state.at = text_of(value.value, "config", "rootDir"), value.first
            for suite in dicts_of(value.value, "suites"):
                _suite(state, value, suite, (), 0)
            for error in dicts_of(value.value, "errors"):
                state.reading.add(_of_json(state.log, value, error, "", 0))
                if not state.began and not state.reading.counts.get("passed"):
                    state.reading.outcome = "error"
        state.began = True


def _suite(state: _State, value: Value, suite: dict[str, object], titles: tuple[str, ...], depth: int) -> None:
    """The outermost suite is the file; deeper ones are describe blocks."""
    names = (*titles, text_of(suite, "title")) if depth else ()
    for spec in dicts_of(suite, "specs"):
        for test in dicts_of(spec, "tests"):
            if test.get("status") in ("unexpected", "flaky"):
                _spec(state, value, spec, test, names)
    if depth < 20:
        for deeper in dicts_of(suite, "suites"):
            _suite(state, value, deeper, names, depth + 1)


def _spec(
    state: _State, value: Value, spec: dict[str, object], test: dict[str, object], names: tuple[str, ...]
) -> None:
    project = text_of(test, "projectName")
    title = " › ".join([*([f"[{project}]"] if project else []), *names, text_of(spec, "title")])
    first = next(iter(dicts_of(test, "results")), {})
    single = first.get("error")
    errors = dicts_of(first, "errors") or [single if isinstance(single, dict) else {}]
    for error in errors:
        found = _of_json(state.log, value, error, title, state.at)
        state.at = _index_of(state.log, found, state.at)
        if not found.file:
            name = text_of(spec, "file")
            found = replace(
                found,
                file=f"{state.root}/{name}" if name and state.root and not name.startswith("/") else name or None,
                line=number_of(spec, "line"),
                column=number_of(spec, "column"),
            )
        if test.get("status") == "flaky":
            found = replace(found, state="flaky", severity="warning")
        state.reading.add(found)


def _index_of(log: Log, found: Diagnostic, after: int) -> int:
    """The index of the line a finding was seen on, so that the next one is looked for behind it."""
    number = found.log.first if found.log else 0
    return next((at + 1 for at in range(after, len(log.numbers)) if abs(log.numbers[at]) == number), after)


def _of_json(log: Log, value: Value, error: dict[str, object], test: str, after: int) -> Diagnostic:
    raw = text_of(error, "message") or text_of(error, "stack") or text_of(error, "value")
    text = re.sub("\x1b\\[[0-9;]*m", "", raw)
    lines = text.split("\n")
    place = innermost(text_of(error, "stack").split("\n")) if text_of(error, "stack") else None
    file = text_of(error, "location", "file")
    if file:
        place = Frame(path(file), number_of(error, "location", "line"), number_of(error, "location", "column"))
    title = test.rsplit(" › ", 1)[-1]
    index = lines_with(log, value, raw.split("\n")[0] or title, after)
    return Diagnostic(
        message=lines[0].strip() or title or "failed",
        detail=own_detail(_without_noise(lines[1:])),
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=test or None,
        log=log.span(index),
    )


def _conclude(state: _State, context: Context) -> None:
    reading = state.reading
    failing = [d for d in reading.diagnostics if d.state != "flaky"]
    if reading.outcome is None and state.began:
        counts = reading.counts
        if failing or counts.get("failed") or counts.get("interrupted"):
            reading.outcome = "failed"
        elif counts.get("passed") or counts.get("flaky") or counts.get("skipped"):
            reading.outcome = "passed"
    if reading.outcome is None and failing and context.words:
        reading.outcome = "error"
    tests = {d.test for d in failing if d.test}
    if reading.counts.get("failed", 0) > len(tests):
        reading.expected = len(reading.diagnostics) - len(tests) + reading.counts["failed"]
    reading.partial = state.began and not reading.counts
