"""bun test (1.0 to 1.4): the reason stands above its `(fail)` line; errors between tests stand in a box."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_crash import own_detail
from punchlist.reading.js_frames import frame, innermost
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field

FAIL = re.compile(r"(?:\(fail\)|✗) (?P<name>.+?)(?: \[\d[\d.]*m?s\])?$")
RESULT = re.compile(r"(?:\((?:pass|fail|skip|todo)\)|[✓✗»✎]) \S")
FILE = re.compile(r"(?:::group::)?(?P<file>\S.*\.[cm]?[jt]sx?):$")
TOTAL = re.compile(r" ?(?P<number>\d+) (?P<what>pass|fail|skip|todo|errors?)$")
RAN = re.compile(r"Ran \d+ tests? across \d+ files?\.")
AGAIN = re.compile(r"\d+ tests? (?:failed|skipped|todo):$")
BANNER = re.compile(r"bun test v\d")
BETWEEN = "# Unhandled error between tests"
ERROR = re.compile(r"(?P<name>error|\w*(?:Error|Exception)|\w+): (?P<message>.*)")
CODE_LINE = re.compile(r"\s*\d+ \|(?:\s|$)")
CARET = re.compile(r"\s*\^+$")
SYNTAX_AT = re.compile(r"\s+at (?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)$")
BELOW = re.compile(r"\s+\^ (.+)")
NOTHING = re.compile(
    r"(?:error: )?(?:No tests found!|(?:0 test files matching|No test files matching|Tests need \"\.test\""
    r"|The following filters did not match any test files).*"
    r"|regex .+ matched 0 tests.*)"
)
COVERAGE = re.compile(r"(?:error: )?(?:Coverage for|coverage threshold).*(?:threshold|not met).*")
NAMES = {"pass": "passed", "fail": "failed", "skip": "skipped", "todo": "todo", "error": "errors", "errors": "errors"}


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    file: str = ""
    start: int = 0
    again: bool = False
    began: bool = False
    ended: bool = False
    refused: int = 0


def parse(log: Log, context: Context) -> Reading:
    """Read bun's results: each `(fail)` with the lines since the result before it, unhandled errors, totals."""
    state = _State(log)
    index = 0
    while index < len(log.lines):
        index = _line(state, index, log.lines[index], context)
    _conclude(state, context)
    return state.reading


def _line(state: _State, index: int, line: str, context: Context) -> int:
    if not line:
        return index + 1
    head = line[0]
    if head in "(✓✗»✎" and RESULT.match(line):
        _result(state, index, line)
    elif head == "#" and line == BETWEEN:
        return _between(state, index)
    elif head == " " and line[1:2].isdigit() and (match := TOTAL.match(line)):
        name = NAMES[match["what"]]
        state.reading.counts[name] = state.reading.counts.get(name, 0) + int(match["number"])
        state.began = True
        state.reading.claim(index)
    elif line.endswith(":") and (match := FILE.match(line)):
        state.file, state.start = match["file"], index + 1
        state.began = True
        state.reading.claim(index)
    elif head.isdigit() and AGAIN.match(line):
        state.again = True
        state.reading.claim(index)
    elif head == "R" and RAN.match(line):
        state.ended = state.began = True
        state.again = False
        state.reading.claim(index)
    elif head == "b" and BANNER.match(line):
        state.began = True
        state.start = index + 1
        state.reading.claim(index)
    elif context.words and (NOTHING.match(line) or COVERAGE.match(line)):
        state.reading.add(Diagnostic(message=line, log=state.log.span(index)))
        state.reading.outcome = "error" if NOTHING.match(line) else "failed"
        state.reading.claim(index)
    return index + 1


def _result(state: _State, index: int, line: str) -> None:
    state.began = True
    if state.again:
        state.reading.claim(index)
        return
    if match := FAIL.match(line):
        for found, first in _failures(state, index, match["name"]):
            state.reading.add(found)
            state.reading.claim(first, index + 1)
    state.reading.claim(index)
    state.start = index + 1


def _failures(state: _State, index: int, name: str) -> list[tuple[Diagnostic, int]]:
    """Read the errors above a `(fail)` line; lines the test printed before them belong to no error."""
    log = state.log
    stream = log.numbers[index] < 0
    start = state.start
    while start < index and (log.numbers[start] < 0) != stream:
        start += 1
    errors = _strong(log.lines, [at for at in range(start, index) if _is_error(log.lines, at, start)], index)
    below = log.lines[index + 1] if index + 1 < len(log.lines) else ""
    if not errors:
        late = BELOW.match(below)
        message = late[1] if late else log.lines[index]
        last = index + 1 if late else index
        return [(Diagnostic(message=message, file=state.file or None, test=name, log=log.span(index, last)), index)]
    found = []
    for at, stop in zip(errors, [*errors[1:], index], strict=False):
        found.append((_diagnostic(state, at, stop, index, name), _top(log.lines, at, start)))
    return found


def _strong(lines: list[str], errors: list[int], end: int) -> list[int]:
    """Where some errors show source above or own frames below, the others are text that the test printed."""
    strong = []
    for at, stop in zip(errors, [*errors[1:], end], strict=False):
        if CARET.match(lines[at - 1]) or any(frame(line) for line in lines[at + 1 : stop] if not CODE_LINE.match(line)):
            strong.append(at)
    return strong or errors


def _is_error(lines: list[str], at: int, start: int) -> bool:
    line = lines[at]
    if line[:1] in " \t0123456789+-@(" or not ERROR.match(line):
        return line == "error" and at > start and bool(CARET.match(lines[at - 1]))
    if at > start and CARET.match(lines[at - 1]):
        return True
    if not re.match(r"error: |\w*Error: |\w*Exception: ", line):
        return False
    return any(frame(lines[i]) for i in range(at + 1, min(len(lines), at + 120))) or line.startswith("error: ")


def _top(lines: list[str], at: int, start: int) -> int:
    """The first line of the source shown above an error."""
    top = at
    while top > start and (CARET.match(lines[top - 1]) or CODE_LINE.match(lines[top - 1])):
        top -= 1
    return top


def _diagnostic(state: _State, at: int, stop: int, index: int, name: str | None) -> Diagnostic:
    log = state.log
    body = [line for line in log.lines[at + 1 : stop] if not CODE_LINE.match(line) and not CARET.match(line)]
    place = innermost(body)
    return Diagnostic(
        message=log.whole(at).strip(),
        detail=own_detail(body),
        file=place.file if place else state.file or None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=name,
        log=log.span(at, max(at, index)),
    )


def _between(state: _State, index: int) -> int:
    """Read `# Unhandled error between tests`: a file that failed to load, or a promise nobody awaited."""
    lines = state.log.lines
    rulers = [at for at in range(index + 1, min(len(lines), index + 400)) if lines[at].startswith("-----")]
    if len(rulers) < 2:
        return index + 1
    first, end = rulers[0] + 1, rulers[1]
    errors = [at for at in range(first, end) if _is_error(lines, at, first)]
    if not errors:
        said = next((at for at in range(first, end) if lines[at].strip() and not CODE_LINE.match(lines[at])), None)
        errors = [said] if said is not None else []
    for at, stop in zip(errors, [*errors[1:], end], strict=False):
        state.reading.add(_diagnostic(state, at, stop, stop - 1, None))
        # What bun's parser refuses is placed by `    at file:1:2`; frames of an exception stand two blanks deeper.
        state.refused += any(line.startswith("    at /") for line in lines[at + 1 : stop])
    state.reading.claim(index, end + 1)
    state.start = end + 1
    return end + 1


def _conclude(state: _State, context: Context) -> None:
    reading = state.reading
    counts = reading.counts
    if not state.began:
        if context.words and context.exit_code not in (0, None):
            _startup(state)
        return
    failing = bool(reading.diagnostics) or counts.get("failed", 0) + counts.get("errors", 0) > 0
    ran = counts.get("passed", 0) + len([d for d in reading.diagnostics if d.test]) + state.refused
    if reading.outcome is None and state.ended:
        reading.outcome = "passed" if not failing else "failed" if ran or not reading.diagnostics else "error"
    if reading.outcome is None and failing:
        reading.outcome = "failed"
    if counts.get("failed", 0) > len(reading.diagnostics):
        reading.expected = counts["failed"]
    reading.partial = not state.ended and reading.outcome != "error"


def _startup(state: _State) -> None:
    lines = state.log.lines
    at = next((i for i, line in enumerate(lines) if line.startswith("error: ") or re.match(r"\w*Error: ", line)), None)
    if at is not None:
        state.reading.add(_diagnostic(state, at, len(lines), len(lines) - 1, None))
        state.reading.claim(_top(lines, at, 0), len(lines))
        state.reading.outcome = "error"
