"""jest (24 to 30) and what prints like it: react-scripts test, the Storybook test runner. Default, verbose and JSON."""

import re

from punchlist.model import Diagnostic
from punchlist.reading import js_results
from punchlist.reading.formats.json_values import claim, values
from punchlist.reading.js_compile import refused
from punchlist.reading.js_crash import own_detail, startup
from punchlist.reading.js_frames import Frame, frames, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field, replace

HEAD = re.compile(r" ?(?P<state>PASS|FAIL) {1,3}(?P<rest>\S.*?)(?: \((?:\d[\d.]* m?s|\d[\d.]* [kMG]?B)[^)]*\))?$")
PROJECT = re.compile(r"(?:(?P<wide>\S[^/]*?)  +|(?P<word>[^\s/.\\]+) )(?P<file>\S.*)$")
TOTAL = re.compile(r"(?P<what>Test Suites|Tests|Snapshots): +(?P<rest>\d.*)$")
PART = re.compile(r"(\d+) (failed|passed|skipped|todo|total|obsolete)")
THRESHOLD = re.compile(
    r'Jest: (?:Coverage for .+ does not meet|".+" coverage threshold for .+ not met|Uncovered count for .+ exceeds'
    r"|Coverage data for .+ was not found).*"
)
TS = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:(][^:(]*)(?::(?P<line>\d+):(?P<column>\d+) - |\((?P<line2>\d+),(?P<column2>\d+)\): )"
    r"(?P<severity>error|warning) (?P<rule>TS\d+): (?P<message>.*)"
)
CODE_LINE = re.compile(r"\s*>?\s*\d*\s*\|(?:\s|$)")
CANNOT = re.compile(r"\s+at (?:Object\.)?<")
TOOL_ERROR = re.compile(r"● +(?P<title>[A-Z][\w ]+?)(?P<kind> Error| Warning|):?$")
NO_TESTS = re.compile(r"No tests found(?:, exiting with code (?P<code>\d+)| related to files .+)?\.?$")
UNMARKED = re.compile(r"[^\s●✓✕]")
THROWN = re.compile(r"    (?:\w*Error\b|expect\(|thrown: |AssertionError)")
BEGINNINGS = "FPT●SJN✕"
NOT_TESTS = ("Console",)
BESIDE = ("process.exit called with", "Cannot log after tests are done", "Cannot add a test after")
SUITE_FAILED = "Test suite failed to run"
USAGE_END = "Documentation: https://jestjs.io/"


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    file: str = ""
    project: str | None = None
    begun: bool = False
    summary: bool = False
    exit_code: int | None = None
    totals: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, str, str]] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)


def parse(log: Log, context: Context) -> Reading:
    """Read a jest run: each `●` block below its `FAIL file`, totals, thresholds, what kept it from running."""
    state = _State(log, exit_code=context.exit_code)
    index = 0
    lines = log.lines
    while index < len(lines):
        head = lines[index].lstrip()[:1]
        index = _line(state, index) if head and head in BEGINNINGS else index + 1
    if not state.reading.diagnostics:
        _rows(state)
    _json(state)
    if not state.begun and not state.reading.diagnostics and context.words:
        _startup(state)
    _conclude(state)
    return state.reading


def _line(state: _State, index: int) -> int:
    line = state.log.lines[index]
    if not line:
        return index + 1
    text = line.lstrip()
    head = text[:4]
    if head in ("FAIL", "PASS") and (match := HEAD.match(line)):
        _file(state, match)
        state.reading.claim(index)
        return _unmarked(state, index + 1) if match["state"] == "FAIL" else index + 1
    if text[0] == "●":
        return _block(state, index, line, text)
    if head in ("Test", "Snap") and (match := TOTAL.match(line)):
        state.totals[match["what"]] = match["rest"]
        state.reading.claim(index)
    elif head == "Jest" and THRESHOLD.match(line):
        state.reading.add(Diagnostic(message=line, log=state.log.span(index)))
        state.reading.claim(index)
    elif head == "No t" and (match := NO_TESTS.match(line)):
        _no_tests(state, index, match)
    elif line.startswith("Summary of all failing tests"):
        state.summary = True
        state.reading.claim(index)
    elif text[0] == "✕" and state.begun:
        state.rows.append((index, state.file, re.sub(r" \(\d[\d.]* m?s\)$", "", text[2:])))
        state.reading.claim(index)
    return index + 1


def _file(state: _State, match: re.Match[str]) -> None:
    rest = match["rest"]
    state.begun = True
    state.project = None
    named = PROJECT.match(rest)
    if named and re.search(r"[/\\.]", named["file"].split(" ")[0]):
        state.project = named["wide"] or named["word"]
        rest = named["file"]
    state.file = rest.strip()


def _block(state: _State, index: int, line: str, text: str) -> int:
    indent = len(line) - len(text)
    title = text[1:].strip()
    end = _block_end(state, index, 4 if indent >= 2 else 2)
    if indent == 0 and (match := TOOL_ERROR.match(text)):
        return _tool_error(state, index, end, match)
    if text.startswith("●  "):
        return _beside(state, index, end, title)
    if not title or title in NOT_TESTS or indent > 4 or (indent == 0 and not state.begun):
        return index + 1
    if not state.file and (indent != 2 or innermost(_body(state.log, index, end)) is None):
        return index + 1  # its `FAIL file` is cut off: only a block that shows its place is surely one
    _add(state, _suite(state, index, end) if title == SUITE_FAILED else [_test(state, index, end, title)])
    state.reading.claim(index, end)
    return end


def _unmarked(state: _State, index: int) -> int:
    """Failures below `FAIL file` without the mark (jest-light-runner): a title, and indented what was thrown."""
    lines = state.log.lines
    while index + 1 < len(lines) and UNMARKED.match(lines[index]) and THROWN.match(lines[index + 1]):
        end = _block_end(state, index, 4)
        _add(state, [_test(state, index, end, lines[index].strip())])
        state.reading.claim(index, end)
        index = end
        while index < len(lines) and not lines[index]:
            index += 1
    return index


def _add(state: _State, found: list[Diagnostic]) -> None:
    for d in found:
        key = (state.file, d.test, d.message, d.line, d.column, d.rule, d.detail)
        if not (state.summary and key in state.seen):
            state.reading.add(d)
        state.seen.add(key)


def _beside(state: _State, index: int, end: int, title: str) -> int:
    """`●  process.exit called with "3"`, `●  Cannot log after tests are done`: what breaks a run beside its tests."""
    state.reading.claim(index, end)
    if title.startswith(BESIDE):
        body = _body(state.log, index, end)
        place = innermost(body)
        state.reading.add(
            Diagnostic(
                severity="error" if state.exit_code else "warning",
                message=title,
                detail=own_detail(_without_code(body)),
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
                log=state.log.span(index, end - 1),
            )
        )
    return end


def _block_end(state: _State, index: int, indent: int) -> int:
    lines = state.log.lines
    stream = state.log.numbers[index] < 0
    margin = " " * indent
    at = index + 1
    last = at
    while at < len(lines):
        line = lines[at]
        if (line and not line.startswith(margin)) or (state.log.numbers[at] < 0) != stream:
            break
        at += 1
        if line:
            last = at
    return last


def _test(state: _State, index: int, end: int, title: str) -> Diagnostic:
    body = _body(state.log, index, end)
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    if first is None:
        return Diagnostic(
            message=title, file=state.file or None, test=title, package=state.project, log=state.log.span(index)
        )
    place = _of_matcher(body[first], body) or innermost(_of_error(body)) or innermost(body)
    folder = _folder(state.file, body)
    return Diagnostic(
        message=state.log.whole(index + 1 + first).strip(),
        detail=own_detail(_without_code(body[first + 1 :])),
        file=(folder + place.file if place.own else place.file) if place else state.file or None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=title,
        package=state.project,
        log=state.log.span(index, end - 1),
    )


def _folder(file: str, body: list[str]) -> str:
    """The folder of a project with a root of its own: the head names its files from above, the frames from inside."""
    shown = [found.file for found in frames(body) if found.own and not found.file.startswith(("/", "..", file))]
    inside = next((name for name in shown if file.endswith("/" + name)), None)
    return file[: -len(inside)] if inside else ""


def _of_matcher(message: str, body: list[str]) -> Frame | None:
    """A failing `toThrow` shows the received error's frames first; its own place stands behind the matcher's frame."""
    if not message.startswith("expect(") or ".toThrow" not in message:
        return None
    behind = False
    for found in frames(body):
        if found.own and (behind or re.search(r"\.toThrow\w*$", found.name)):
            return found
        behind = behind or "[as toThrow" in found.name
    return None


def _body(log: Log, index: int, end: int) -> list[str]:
    return [line.removeprefix("    ") for line in log.lines[index + 1 : end]]


def _of_error(body: list[str]) -> list[str]:
    """The lines of the error itself, before its cause's."""
    stop = next((i for i, line in enumerate(body) if line.startswith(("Cause:", "Errors contained in Agg"))), len(body))
    return body[:stop]


def _suite(state: _State, index: int, end: int) -> list[Diagnostic]:
    """A file that could not run: the type errors of ts-jest one by one, else what was thrown."""
    body = _body(state.log, index, end)
    typed = [(at, match) for at, line in enumerate(body) if "TS" in line and (match := TS.match(line))]
    if typed:
        ends = [at for at, _ in typed[1:]] + [len(body)]
        return [_typed(state, index, match, at, stop, body) for (at, match), stop in zip(typed, ends, strict=True)]
    found = replace(_test(state, index, end, SUITE_FAILED), test=None)
    return [_compiled(state, index, body) or found]


def _typed(state: _State, index: int, match: re.Match[str], at: int, stop: int, body: list[str]) -> Diagnostic:
    rest = _without_code(body[at + 1 : stop])
    return Diagnostic(
        severity="error" if match["severity"] == "error" else "warning",
        message=match["message"],
        detail=own_detail(rest),
        file=path(match["file"]),
        line=int(match["line"] or match["line2"]) or None,
        column=int(match["column"] or match["column2"]) or None,
        rule=match["rule"],
        package=state.project,
        log=state.log.span(index + 1 + at, index + stop),
    )


def _compiled(state: _State, index: int, body: list[str]) -> Diagnostic | None:
    """What babel, swc or esbuild could not transform, or node could not parse (below "Details:")."""
    found = refused("", body)
    if not found or found.at < 0 or not found.place:
        return None
    return _of_compiler(state, index, found.at, found.place, body)


def _of_compiler(state: _State, index: int, said: int, place: Frame, body: list[str]) -> Diagnostic:
    return Diagnostic(
        message=body[said].strip(),
        detail=own_detail(_without_code(body[said + 1 :])),
        file=place.file,
        line=place.line,
        column=place.column,
        package=state.project,
        log=state.log.span(index, index + len(body)),
    )


def _without_code(body: list[str]) -> list[str]:
    """Leave out the source around the place (`> 7 |  expect(...)`)."""
    return [
        line for line in body if not (line[:1] in " >0123456789" and CODE_LINE.match(line)) and not CANNOT.match(line)
    ]


def _tool_error(state: _State, index: int, end: int, match: re.Match[str]) -> int:
    """`● Validation Error:` and its like, before anything ran: the first line below says what is wrong."""
    log = state.log
    first = next((at for at in range(index + 1, end) if log.lines[at].strip()), None)
    state.reading.claim(index, end)
    if first is None:
        return end
    warning = "Warning" in match["kind"] or match["title"].startswith("Deprecation")
    detail = [line.strip() for line in log.lines[first + 1 : end]]
    state.reading.add(
        Diagnostic(
            severity="warning" if warning else "error",
            message=log.whole(first).strip(),
            detail="\n".join(line for line in detail if line),
            rule=None,
            log=log.span(index, end - 1),
        )
    )
    if not warning:
        state.reading.outcome = "error"
    return end


def _no_tests(state: _State, index: int, match: re.Match[str]) -> None:
    state.reading.claim(index)
    if match["code"] == "0":
        state.reading.outcome = state.reading.outcome or "passed"
        return
    detail = []
    for line in state.log.lines[index + 1 : index + 12]:
        if not re.match(r"Run with|In |  \d+ files? checked|  test\w+:|Pattern: ", line):
            break
        detail.append(line)
    state.reading.claim(index, index + 1 + len(detail))
    state.reading.add(
        Diagnostic(message=match[0], detail="\n".join(detail), log=state.log.span(index, index + len(detail)))
    )
    state.reading.outcome = "error"


def _rows(state: _State) -> None:
    """A log without the blocks (one stream of it, or cut) still has the failing rows of the verbose tree."""
    for index, file, name in state.rows:
        state.reading.add(
            Diagnostic(message=state.log.whole(index).strip(), file=file, test=name, log=state.log.span(index))
        )


def _json(state: _State) -> None:
    if '"numTotalTests"' not in state.log.text():
        return
    for value in values(state.log):
        if not js_results.is_results(value.value):
            continue
        claim(state.reading, state.log, value)
        if not state.reading.diagnostics:
            state.reading.diagnostics += js_results.failures(state.log, value, " › ")
        if not state.totals:
            state.reading.counts.update(js_results.counts(value.value))
        state.begun = True
        success = isinstance(value.value, dict) and value.value.get("success") is True
        state.reading.outcome = state.reading.outcome or ("passed" if success else "failed")


def _startup(state: _State) -> None:
    """Nothing ran: a reason behind the usage text, or what was thrown."""
    lines = state.log.lines
    for at, line in enumerate(lines):
        if line.startswith(USAGE_END):
            reason = next((i for i in range(at + 1, len(lines)) if lines[i].strip()), None)
            if reason is not None:
                state.reading.add(Diagnostic(message=lines[reason].strip(), log=state.log.span(reason)))
                state.reading.claim(reason)
                state.reading.outcome = "error"
            return
    if crash := startup(state.log):
        state.reading.add(crash.diagnostic(state.log))
        state.reading.claim(crash.first, crash.end)
        state.reading.outcome = "error"


def _conclude(state: _State) -> None:
    reading = state.reading
    parts = {name: int(number) for number, name in PART.findall(state.totals.get("Tests", ""))}
    for name in ("failed", "passed", "skipped", "todo"):
        if name in parts:
            reading.counts[name] = parts[name]
    failing = [d for d in reading.diagnostics if d.severity == "error"]
    if (state.begun or "Tests" in state.totals) and not reading.outcome:
        nothing = "total" in parts and parts["total"] == 0
        if not failing and reading.counts and "failed" not in parts and state.totals and not state.exit_code:
            reading.outcome = "passed"
        elif failing and nothing and not any(_is_compiler(d) for d in failing):
            reading.outcome = "error"
        elif failing or "failed" in state.totals.get("Test Suites", ""):
            reading.outcome = "failed"
        elif state.totals:
            reading.outcome = "passed"
    if "failed" in parts and failing:
        tests = {(d.package, d.test, d.file) for d in failing if d.test}
        if len(tests) < parts["failed"] and sum(bool(d.test) for d in failing) < parts["failed"]:
            reading.expected = len(failing) - len(tests) + parts["failed"]
    reading.partial = state.begun and not state.totals and not reading.counts


def _is_compiler(d: Diagnostic) -> bool:
    return bool(d.rule) or (d.test is None and ("SyntaxError" in d.message or "ERROR:" in d.message))
