"""node:test (Node.js 18 to 24): the spec and dot reporters; its TAP is read by `tap_js`."""

import re
from collections import deque

from punchlist.model import Diagnostic
from punchlist.reading.js_crash import crashes, own_detail
from punchlist.reading.js_frames import Frame, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import tap_js
from punchlist.records import dataclass, field, replace

ROW = re.compile(r"(?P<indent> *)(?P<mark>[✔✖▶﹣✓⚠]) (?P<name>.*?)(?P<time> \(\d[\d.]*ms\))?(?P<directive> # .*)?$")
SUMMARY = re.compile(r"ℹ (?P<what>tests|suites|pass|fail|cancelled|skipped|todo) (?P<number>\d+)$")
SECTIONS = ("✖ failing tests:", "Failed tests:")
AT = re.compile(r"test at (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)$")
COULD_NOT = re.compile(r"Could not find '(?P<path>[^']*)'")
PARENT = tap_js.PARENT
NAMES = {"pass": "passed", "fail": "failed", "cancelled": "cancelled", "skipped": "skipped", "todo": "todo"}


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    stack: list[tuple[int, str]] = field(default_factory=list)
    rows: dict[str, deque[tuple[tuple[str, ...], int, int]]] = field(default_factory=dict)
    order: list[tuple[tuple[str, ...], int, int]] = field(default_factory=list)
    last: int = 0
    section: bool = False
    summary: bool = False
    running: bool = False
    dots: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read a run of node:test: the tree for names and loose errors, the `failing tests` section for the reasons."""
    if tap_js.is_tap(log) or _plain_tap(log):
        return tap_js.parse(log, context)
    state = _State(log)
    index = 0
    lines = log.lines
    while index < len(lines):
        text = lines[index].lstrip(" ")
        if text[:2] == "✔ " and not (state.stack and text[2:].startswith(state.stack[-1][1])):
            # A passing test closes no suite: nothing to learn from it but that it ran.
            state.running = True
            index += 1
            state.last = index
        else:
            index = _line(state, index) if text else index + 1
    if not state.section:
        for names, row, above in state.order:
            _from_tree(state, names, row, above)
    if not state.running and context.words and context.exit_code != 0:
        _startup(state)
    reading = state.reading
    if state.summary and not reading.counts.get("failed") and not reading.counts.get("cancelled"):
        reading.diagnostics = [d for d in reading.diagnostics if not d.test]  # a line like a failing row was printed
    if state.running and reading.outcome is None:
        failed = bool(reading.diagnostics) or reading.counts.get("failed", 0) > 0
        reading.outcome = "failed" if failed else "passed" if state.summary or state.dots else None
    reading.partial = state.running and not state.summary and not state.dots
    _expect(reading)
    return reading


def _plain_tap(log: Log) -> bool:
    """Whether the log is TAP whose version line was lost (its head cut off), not what a test of the others printed."""
    if any(line.startswith(("ℹ tests ", "✖ failing tests:")) for line in log.lines):
        return False
    return any(line.startswith(("# Subtest: ", "not ok ", "ok 1 - ")) for line in log.lines[:400])


def _expect(reading: Reading) -> None:
    total = reading.counts.get("failed", 0) + reading.counts.get("cancelled", 0)
    found = sum(d.test is not None for d in reading.diagnostics)
    if total and found < total:
        reading.expected = len(reading.diagnostics) + total - found
        reading.partial = True


def _line(state: _State, index: int) -> int:
    line = state.log.lines[index]
    text = line.lstrip(" ")
    if not text:
        return index + 1
    mark = text[0]
    if mark in "✔✖▶﹣✓⚠":
        if line in SECTIONS:
            return _section(state, index)
        if match := ROW.match(line):
            return _row(state, index, match)
    elif mark == "ℹ":
        _summary(state, index, text)
    elif line in SECTIONS:
        return _section(state, index)
    elif mark in ".X" and re.fullmatch(r"[.X]+", line) and not line.isdigit():
        state.running = state.dots = True
        state.reading.claim(index)
    return index + 1


def _summary(state: _State, index: int, text: str) -> None:
    if match := SUMMARY.match(text):
        if name := NAMES.get(match["what"]):
            state.reading.counts[name] = state.reading.counts.get(name, 0) + int(match["number"])
        state.running = state.summary = True
        state.reading.claim(index)
    elif match := tap_js.THRESHOLD.match(text):
        state.reading.add(Diagnostic(message=match["message"], log=state.log.span(index)))
        state.reading.claim(index)


def _row(state: _State, index: int, match: re.Match[str]) -> int:
    indent = len(match["indent"])
    name = match["name"]
    state.running = True
    lines = state.log.lines
    state.stack = [(at, n) for at, n in state.stack if at < indent or (at == indent and n == name)]
    closes = bool(state.stack) and state.stack[-1] == (indent, name)
    above = state.last
    state.reading.claim(index)
    end = index + 1
    if match["mark"] == "▶" and not closes:
        state.stack.append((indent, name))
    elif match["mark"] == "✖" and not match["directive"]:
        if closes:
            state.stack.pop()
        names = (*(n for _, n in state.stack), name)
        end = _error_end(lines, index, indent)
        if not closes or end > index + 1:
            entry = (names, index, above)
            state.rows.setdefault(_key(match), deque()).append(entry)
            state.order.append(entry)
        state.reading.claim(index, end)
    elif closes:
        state.stack.pop()
    state.last = end
    return end


def _key(match: re.Match[str]) -> str:
    return f"{match['name']}{match['time'] or ''}"


def _error_end(lines: list[str], index: int, indent: int) -> int:
    """One past the error printed below a row: deeper lines; blank ones inside of it."""
    margin = " " * (indent + 2)
    at = index + 1
    last = at
    while at < len(lines) and (not lines[at] or (lines[at].startswith(margin) and not ROW.match(lines[at]))):
        at += 1
        if lines[at - 1]:
            last = at
    return last


def _section(state: _State, index: int) -> int:
    """Read `✖ failing tests:`: `test at file:1:2` (Node.js 20 on), `✖ name (1ms)`, the error indented by two."""
    lines = state.log.lines
    state.section = True
    state.running = True
    state.dots = state.dots or lines[index] == "Failed tests:"
    at = index + 1
    where: re.Match[str] | None = None
    while at < len(lines):
        line = lines[at]
        if line.startswith("test at ") and (found := AT.match(line)):
            where = found
            at += 1
        elif line.startswith(("✖ ", "⚠ ", "﹣ ", "✔ ")) and (match := ROW.match(line)):
            end = _error_end(lines, at, 0)
            if not match["directive"] and match["mark"] in "✖⚠":
                # Also listed: TODO tests that fail (`⚠ name (1ms) # TODO`), skipped ones whose suite was cancelled.
                _entry(state, at, end, match, where)
            where = None
            at = end
        elif not line:
            at += 1
        else:
            break
    state.reading.claim(index, at)
    return at


def _entry(state: _State, at: int, end: int, match: re.Match[str], where: re.Match[str] | None) -> None:
    queue = state.rows.get(_key(match))
    names, row, above = queue.popleft() if queue else ((match["name"],), at, at)
    found = _of_error(state.log, at, end, names, where)
    if found is None:
        return
    if found.message == "test failed" and tap_js.FILE_NAME.match(match["name"]):
        found = tap_js.of_file(state.log, state.reading, replace(found, test=path(match["name"])), above, row)
    state.reading.add(found)


def _from_tree(state: _State, names: tuple[str, ...], row: int, above: int) -> None:
    end = _error_end(state.log.lines, row, len(state.log.lines[row]) - len(state.log.lines[row].lstrip(" ")))
    found = _of_error(state.log, row, end, names, None)
    if found is not None and found.message == "test failed" and tap_js.FILE_NAME.match(names[-1]):
        found = tap_js.of_file(state.log, state.reading, replace(found, test=path(names[-1])), above, row)
    if found is not None:
        state.reading.add(found)


def _of_error(log: Log, at: int, end: int, names: tuple[str, ...], where: re.Match[str] | None) -> Diagnostic | None:
    body = [
        line.strip() if line.strip().startswith("at ") else line.removeprefix("  ") for line in log.lines[at + 1 : end]
    ]
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    message = body[first].strip() if first is not None else names[-1]
    if len(message) > 1 and message[0] == message[-1] and message[0] in "'\"":
        message = message[1:-1]
    if PARENT.match(message):
        return None
    error = body[: next((i for i, line in enumerate(body) if line.lstrip().startswith("[cause]:")), len(body))]
    place = innermost(error) or innermost(body)
    if place is None and where:
        place = Frame(path(where["file"]), int(where["line"]), int(where["column"]))
    start = at - 1 if where else at
    return Diagnostic(
        message=message,
        detail=own_detail(_without_properties(body[first + 1 :])) if first is not None else "",
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=" > ".join(names),
        log=log.span(start, max(at, end - 1)),
    )


def _without_properties(lines: list[str]) -> list[str]:
    """Leave out what repeats the message: `generatedMessage`, `code: 'ERR_ASSERTION'` and the closing brace."""
    return [line for line in lines if not re.match(r"\s*(?:generatedMessage: |code: 'ERR_ASSERTION'|\}$)", line)]


def _startup(state: _State) -> None:
    log = state.log
    for at, line in enumerate(log.lines):
        if line.startswith("Could not find") and COULD_NOT.match(line):
            state.reading.add(Diagnostic(message=line, log=log.span(at)))
            state.reading.claim(at)
            state.reading.outcome = "error"
            return
        if re.match(r"node: (?:bad option|--|.* requires|.*: invalid)", line) or re.match(r"\S*node(?:\.exe)?: ", line):
            state.reading.add(Diagnostic(message=line.split(": ", 1)[1], log=log.span(at)))
            state.reading.claim(at)
            state.reading.outcome = "error"
            return
    for crash in crashes(log):
        state.reading.add(crash.diagnostic(log))
        state.reading.claim(crash.first, crash.end)
        state.reading.outcome = "error"
        return
