"""deno test, check, run, fmt and compact lint (1.30 to 2.9): the ERRORS section, type errors, what failed to load."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_crash import own_detail
from punchlist.reading.js_frames import Frame, frame, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import tap_js
from punchlist.records import dataclass, field

SECTION = re.compile(r" ?(?P<name>ERRORS|FAILURES) ?$")
TEST = re.compile(r"(?P<name>\S.*?) => (?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)$")
UNCAUGHT = re.compile(r"(?P<file>\S.*?) \(uncaught error\)$")
TOTAL = re.compile(r"(?P<verdict>ok|FAILED) \| (?P<rest>\d+ passed.*?) \(\d[\w. ]*\)$")
PART = re.compile(r"(\d+) (passed|failed|ignored)")
TYPE = re.compile(r"(?:error: )?(?P<rule>TS\d+) \[(?P<severity>ERROR|WARN)\]: (?P<message>.*)")
LINT = re.compile(r"(?P<file>\S.*?): line (?P<line>\d+), col (?P<column>\d+) - (?P<message>.*) \((?P<rule>[\w/-]+)\)$")
UNFORMATTED = re.compile(r"from (?P<file>\S.*):$")
CONSEQUENCE = re.compile(r"error: (?:Test failed|Type checking failed\.|Found \d+ not formatted files? in)")
AT_END = re.compile(r"(?:,| at|\n) *(?:at )?(?P<file>file://\S+?):(?P<line>\d+):(?P<column>\d+)$")
RUNNING = re.compile(r"running \d+ tests? from ")
SOURCE = re.compile(r"\s*(?:\d+ )?\|(?:\s|$)|\s*[~^]+\s*$")
CANCELLED = re.compile(r"(?P<name>\S.*?) \.\.\. cancelled \(\d[\w.]*\)$")
STOPS = ("error: ", "TS", "Found ", "Stack backtrace:", "Check ", "running ")


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    errors: bool = False
    began: bool = False
    ended: bool = False
    refused: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read deno's output: failing tests with their own frames, type errors, modules that could not be loaded."""
    if context.words and tap_js.is_tap(log):
        reading = tap_js.parse(log, context)
        for index, line in enumerate(log.lines):
            if line.startswith("error: ") and CONSEQUENCE.match(line):
                reading.claim(index)
        return reading
    state = _State(log)
    index = 0
    while index < len(log.lines):
        index = _line(state, index, log.lines[index], context)
    _conclude(state, context)
    return state.reading


def _line(state: _State, index: int, line: str, context: Context) -> int:
    if not line:
        return index + 1
    if match := SECTION.match(line):
        state.errors = match["name"] == "ERRORS"
        state.began = True
        state.reading.claim(index)
    elif state.errors and ((match := TEST.match(line)) or (match := UNCAUGHT.match(line))):
        return _failure(state, index, match)
    elif line.startswith(("TS", "error: TS")) and (match := TYPE.match(line)):
        return _type_error(state, index, match)
    elif " | " in line and (match := TOTAL.match(line)):
        _total(state, index, match)
    elif " ... cancelled (" in line and (match := CANCELLED.match(line)):
        state.reading.add(Diagnostic(message=line, test=match["name"], log=state.log.span(index)))
        state.reading.claim(index)
    elif line.startswith("running ") and RUNNING.match(line):
        state.began = True
        state.reading.claim(index)
    elif line.startswith("error: ") and (context.words or state.began):
        return _error(state, index, line)
    elif context.words and ": line " in line and (match := LINT.match(line)):
        state.reading.add(
            Diagnostic(
                message=match["message"],
                file=path(match["file"]),
                line=int(match["line"]),
                column=int(match["column"]),
                rule=match["rule"],
                log=state.log.span(index),
            )
        )
        state.reading.claim(index)
    elif context.words and line.startswith("from ") and (match := UNFORMATTED.match(line)):
        state.reading.add(Diagnostic(message=line, file=match["file"], log=state.log.span(index)))
        state.reading.claim(index)
    return index + 1


def _failure(state: _State, index: int, match: re.Match[str]) -> int:
    """Read a block of ERRORS: the test's name and place, `error: ...`, frames, up to the next name."""
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and not _next_block(lines, end):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    body = lines[index + 1 : end]
    parts = match.groupdict()
    spec = Frame(path(parts["file"]), int(parts.get("line") or 0) or None, int(parts.get("column") or 0) or None)
    stop = next((i for i, line in enumerate(body) if line.startswith("Caused by")), len(body))
    place = innermost(body[:stop]) or spec
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    message = body[first].removeprefix("error: ").strip() if first is not None else lines[index]
    name = parts.get("name")
    state.reading.add(
        Diagnostic(
            message=message,
            detail=own_detail([line for line in body[(first or 0) + 1 :] if not SOURCE.match(line)]),
            file=place.file,
            line=place.line,
            column=place.column,
            test=name.replace(" ... ", " > ") if name else None,
            log=state.log.span(index, end - 1),
        )
    )
    state.reading.claim(index, end)
    return end


def _next_block(lines: list[str], at: int) -> bool:
    line = lines[at]
    if SECTION.match(line):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else ""
    named = TEST.match(line) or UNCAUGHT.match(line)
    return bool(named) and not lines[at - 1].strip() and following.startswith("error: ")


def _type_error(state: _State, index: int, match: re.Match[str]) -> int:
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(STOPS):
        end += 1
    body = lines[index + 1 : end]
    at = next((i for i, line in enumerate(body) if frame(line)), None)
    place = frame(body[at]) if at is not None else None
    state.reading.add(
        Diagnostic(
            severity="error" if match["severity"] == "ERROR" else "warning",
            message=match["message"],
            detail=own_detail([line for line in body[:at] if line[:1] == " " and not SOURCE.match(line)]),
            file=place.file if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            rule=match["rule"],
            log=state.log.span(index, end - 1),
        )
    )
    state.refused = True
    state.reading.claim(index, end)
    return end


def _total(state: _State, index: int, match: re.Match[str]) -> None:
    names = {"passed": "passed", "failed": "failed", "ignored": "skipped"}
    for number, what in PART.findall(match["rest"]):
        name = names[what]
        state.reading.counts[name] = state.reading.counts.get(name, 0) + int(number)
    state.ended = True
    state.reading.outcome = "failed" if match["verdict"] == "FAILED" else state.reading.outcome or "passed"
    state.reading.claim(index)


def _error(state: _State, index: int, line: str) -> int:
    """`error: ...` outside of the report: what could not be parsed, found or run."""
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(STOPS):
        end += 1
    state.reading.claim(index, end)
    if CONSEQUENCE.match(line) and (state.reading.diagnostics or state.began):
        return end
    body = lines[index + 1 : end]
    message = line.removeprefix("error: ").strip()
    place = innermost(body)
    if place is None and (match := AT_END.search(line)):
        place = Frame(path(match["file"]), int(match["line"]), int(match["column"]))
    state.reading.add(
        Diagnostic(
            message=message,
            detail=own_detail([text for text in body if not SOURCE.match(text)]),
            file=place.file if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            log=state.log.span(index, end - 1),
        )
    )
    if message.startswith(("SyntaxError", "The module's source code could not be parsed", "Uncaught")):
        state.refused = True
    elif not state.ended:
        state.reading.outcome = state.reading.outcome or "error"
    return end


def _conclude(state: _State, context: Context) -> None:
    reading = state.reading
    counts = reading.counts
    if state.ended and reading.outcome == "failed" and not counts.get("passed") and reading.diagnostics:
        if not any(d.test for d in reading.diagnostics) and not state.refused:
            reading.outcome = "error"
    elif reading.diagnostics and (state.refused or reading.outcome is None):
        reading.outcome = "failed"
    reading.partial = state.began and not state.ended and context.exit_code is not None and not reading.diagnostics
    if counts.get("failed", 0) > len(reading.diagnostics):
        reading.expected = counts["failed"]
        reading.partial = True
