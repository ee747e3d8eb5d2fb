"""mocha 5 to 12: the numbered failures behind every reporter's totals, hooks, JSON, and what kept it from starting."""

import re
from itertools import pairwise

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import Value, claim, dicts_of, inner, lines_with, text_of, values
from punchlist.reading.js_crash import HEADER as HEADER_OF_CRASH
from punchlist.reading.js_crash import THROWN, build, crashes, own_detail
from punchlist.reading.js_frames import frame, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import tap_js
from punchlist.records import dataclass, field, replace

PASSING = re.compile(r" {2}(\d+) passing(?: \(\d[\d.]*(?:ms|s|m|h)\))?$")
PENDING = re.compile(r" {2}(\d+) pending$")
FAILING = re.compile(r" {2}(?:[✖×] )?(?:(\d+) failing|(\d+) of (\d+) tests? failed:?)$")
PLAN = re.compile(r"1\.\.\d+(?: |$)")
HEADER = re.compile(r" {2}(\d+)\) (\S.*)$")
TITLE = re.compile(r" {7,}\S")
IN_FILE = re.compile(r"\((?P<file>(?:file://|[A-Za-z]:[\\/]|/)[^()]*\.\w+)\)$")
EXCEPTION = re.compile(r"\s*(?:Exception during run: |✖ ERROR: |Error: Error: )(?P<message>\S.*)")
AT_FILE = re.compile(r"(?P<name>\w*Error)\[ @(?P<file>[^\]]+?) ?\](?:: (?P<message>.*))?")
NO_FILES = re.compile(r"\s*(?:✖ ERROR: )?(?:Error: )?(?P<message>No test files found.*)")
WARNING = re.compile(r"Warning: Cannot find any files matching pattern .+")
STREAM = re.compile(r'\["(?P<kind>fail|end|start|pass)",\{')
MOST_BEFORE = 400
LOOK_FOR_TAP = 2000


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    begun: bool = False
    failing: int = 0
    rows: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read mocha's epilogue (`N failing` and its numbered blocks), its JSON, or what it could not load."""
    if context.words and _is_tap(log):
        return tap_js.parse(log, context)
    state = _State(log)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if not line or line[0] != " " or len(line) > 200:
            index += 1
        else:
            index = _line(state, index, line)
    _json(state)
    if context.words and not state.begun and not state.rows:
        _headless(state)
    if not (state.begun or state.rows or state.reading.diagnostics) and context.words and context.exit_code != 0:
        _startup(state)
    _conclude(state)
    return state.reading


def _is_tap(log: Log) -> bool:
    """Whether this is mocha's TAP: results and its plan (`1..2`), which a test that prints `not ok 1` does not have."""
    head = log.lines[:LOOK_FOR_TAP]
    if any(PASSING.match(line) for line in log.lines):
        return False
    return any(line.startswith(("ok 1 ", "not ok 1 ")) for line in head) and any(PLAN.match(line) for line in head)


def _ends(log: Log, index: int) -> bool:
    """Whether `N failing` stands in an epilogue: below the tests that passed, or above the first failure."""
    lines = log.lines
    above = next((lines[i] for i in range(index - 1, max(-1, index - 4), -1) if lines[i]), "")
    below = next((lines[i] for i in range(index + 1, min(len(lines), index + 4)) if lines[i]), "")
    return bool(PASSING.match(above) or PENDING.match(above) or HEADER.match(below))


def _line(state: _State, index: int, line: str) -> int:
    counts = state.reading.counts
    if not state.rows and line.lstrip().startswith(("✔ ", "✓ ", "√ ")):
        state.rows = True
        state.reading.claim(index)
    if "passing" in line and (match := PASSING.match(line)):
        counts["passed"] = counts.get("passed", 0) + int(match[1])
        state.begun = True
    elif "pending" in line and (match := PENDING.match(line)):
        counts["skipped"] = counts.get("skipped", 0) + int(match[1])
    elif "fail" in line and (match := FAILING.match(line)) and (match[2] or _ends(state.log, index)):
        number = int(match[1] or match[2])
        counts["failed"] = counts.get("failed", 0) + number
        state.failing += number
        state.begun = True
        state.reading.claim(index)
        return _failures(state, index + 1, number)
    else:
        return index + 1
    state.reading.claim(index)
    return index + 1


def _failures(state: _State, index: int, number: int) -> int:
    """Read the blocks `1) suite`, `2) suite` ... in order; a number out of turn is text of a block."""
    lines = state.log.lines
    starts: list[int] = []
    at = index
    negative = state.log.numbers[index - 1] < 0
    while at < len(lines) and len(starts) < number:
        if (state.log.numbers[at] < 0) == negative and lines[at].startswith("  "):
            match = HEADER.match(lines[at])
            if match and int(match[1]) == len(starts) + 1 and _is_header(lines, at):
                starts.append(at)
        at += 1
    if not starts:
        return index
    end = _last_end(state.log, starts[-1])
    for start, stop in zip(starts, [*starts[1:], end], strict=True):
        state.reading.add(_failure(state.log, start, stop))
    state.reading.claim(index, end)
    return end


def _headless(state: _State) -> None:
    """Read the numbered blocks of a log whose head, and with it the totals, is cut off: each with frames of its own."""
    log = state.log
    starts = [at for at, line in enumerate(log.lines) if HEADER.match(line) and _is_header(log.lines, at)]
    numbers = [int(match[1]) for at in starts if (match := HEADER.match(log.lines[at]))]
    if not starts or any(later != number + 1 for number, later in pairwise(numbers)):
        return
    end = _last_end(log, starts[-1])
    found = [_failure(log, start, stop) for start, stop in zip(starts, [*starts[1:], end], strict=True)]
    if any(d.line for d in found):
        state.reading.diagnostics += found
        state.reading.claim(starts[0], end)
        state.reading.outcome = "failed"


def _is_header(lines: list[str], at: int) -> bool:
    """Whether titles down to one that ends with a colon follow (`1) suite` / `     test:`)."""
    for line in lines[at : at + 40]:
        if line.endswith(":"):
            return True
        if not line:
            return False
    return False


def _last_end(log: Log, start: int) -> int:
    """Where the last block ends: behind its last frame (and the cause's), else before two blank lines."""
    lines = log.lines
    negative = log.numbers[start] < 0
    last = start
    at = start + 1
    blanks = 0
    framed = False
    while at < len(lines) and (log.numbers[at] < 0) == negative:
        line = lines[at]
        if not line:
            blanks += 1
            if blanks >= 2 and framed:
                break
        else:
            if (framed and line[0] != " " and blanks) or line.startswith("##["):
                break
            if HEADER.match(line) and framed:
                break
            blanks = 0
            last = at
            framed = framed or frame(line) is not None
        if not framed and blanks >= 3:
            break
        at += 1
        if at - start > 2000:
            break
    return last + 1


def _failure(log: Log, start: int, stop: int) -> Diagnostic:
    titles, body_start = _titles(log, start)
    body = log.lines[body_start:stop]
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    message = log.whole(body_start + first).strip() if first is not None else log.whole(start).strip()
    place = innermost(_of_error(body)) or innermost(body)
    file = place.file if place else None
    if not file and (match := IN_FILE.search(message)):
        file = path(match["file"])
    return Diagnostic(
        message=message,
        detail=own_detail(_cleaned(body[first + 1 :])) if first is not None else "",
        file=file,
        line=place.line if place else None,
        column=place.column if place else None,
        test=" > ".join(titles),
        log=log.span(start, stop - 1),
    )


def _titles(log: Log, start: int) -> tuple[list[str], int]:
    match = HEADER.match(log.lines[start])
    titles = [match[2] if match else ""]
    at = start
    while not titles[-1].endswith(":") or (at + 1 < len(log.lines) and _more_title(log.lines[at + 1])):
        at += 1
        if at >= len(log.lines) or not log.lines[at]:
            break
        titles.append(log.lines[at].strip())
    titles[-1] = titles[-1].removesuffix(":")
    return titles, at + 1


def _more_title(line: str) -> bool:
    return bool(TITLE.match(line)) and line.endswith(":")


def _of_error(body: list[str]) -> list[str]:
    stop = next((i for i, line in enumerate(body) if line.strip().startswith(("Caused by:", "[cause]:"))), len(body))
    return body[:stop]


def _cleaned(body: list[str]) -> list[str]:
    return [line for line in body if line.strip() != "+ expected - actual"]


def _json(state: _State) -> None:
    """`--reporter json` (one object) and `--reporter json-stream` (`["fail", {...}]` a line)."""
    text = state.log.text()
    if '"fullTitle"' not in text and '"stats"' not in text and '["end",{' not in text:
        return
    for value in values(state.log):
        if isinstance(value.value, dict) and isinstance(inner(value.value, "stats", "tests"), int):
            _report(state, value)
        elif isinstance(value.value, list) and len(value.value) == 2 and value.first + 1 == value.end:
            _event(state, value)


def _report(state: _State, value: Value) -> None:
    names = {"passed": "passes", "failed": "failures", "skipped": "pending"}
    claim(state.reading, state.log, value)
    fresh = not state.begun
    state.begun = True
    if not fresh:
        return
    after = value.first
    # mocha lists every test under "tests" first: a failure is looked for where its own entry stands.
    for test in dicts_of(value.value, "failures"):
        found, after = _of_json(state.log, value, test, after)
        state.reading.add(found)
    for name, key in names.items():
        total = inner(value.value, "stats", key)
        if isinstance(total, int):
            state.reading.counts[name] = total
    state.failing = len(dicts_of(value.value, "failures"))


def _of_json(log: Log, value: Value, test: dict[str, object], after: int) -> tuple[Diagnostic, int]:
    stack = text_of(test, "err", "stack") or text_of(test, "stack")
    said = text_of(test, "err", "message") or text_of(test, "err")
    lines = (stack or said).split("\n")
    place = innermost(lines)
    head = lines[0].strip() or said.split("\n")[0] or text_of(test, "fullTitle")
    index = lines_with(log, value, lines[0] or text_of(test, "title"), after)
    file = place.file if place else path(text_of(test, "file")) or None
    detail = [line for line in lines[1:] if line.strip()]
    expected, actual = text_of(test, "err", "expected"), text_of(test, "err", "actual")
    if expected or actual:
        detail += [f"expected: {expected}", f"actual: {actual}"]
    found = Diagnostic(
        message=head,
        detail=own_detail(detail),
        file=file,
        line=place.line if place else None,
        column=place.column if place else None,
        test=text_of(test, "fullTitle") or text_of(test, "title"),
        log=log.span(index),
    )
    return found, index + 1 if index + 1 < value.end else after


def _event(state: _State, value: Value) -> None:
    items = value.value if isinstance(value.value, list) else []
    kind, event = items[0], items[1]
    if kind == "fail" and isinstance(event, dict):
        state.reading.add(_of_json(state.log, value, event, value.first)[0])
        state.failing += 1
    elif kind == "end" and isinstance(event, dict):
        for name, key in (("passed", "passes"), ("failed", "failures"), ("skipped", "pending")):
            total = event.get(key)
            if isinstance(total, int):
                state.reading.counts[name] = total
    elif kind not in ("pass", "start"):
        return
    state.begun = True
    state.reading.claim(value.first, value.end)


def _startup(state: _State) -> None:
    """Nothing ran: a file that could not be loaded, no files, bad options."""
    log = state.log
    for at, line in enumerate(log.lines[:MOST_BEFORE]):
        if line.startswith("<testsuite"):
            return None
        if not line.strip():
            continue
        if match := NO_FILES.match(line):
            return _could_not(state, Diagnostic(message=match["message"], log=log.span(at)), at, at + 1)
        if match := AT_FILE.match(line.strip()):
            crash = build(log, at, at, len(log.lines))
            file = crash.file or path(match["file"])
            found = Diagnostic(
                message=line.strip(), detail=crash.detail, file=file, line=crash.line, column=crash.column,
                log=log.span(at, crash.end - 1),
            )  # fmt: skip
            return _could_not(state, found, at, crash.end)
        match = EXCEPTION.match(line)
        if match and HEADER_OF_CRASH.match(match["message"]):
            shown = next(crashes(_unprefixed(log, at, match["message"]), at), None)
            if shown:
                return _could_not(state, shown.diagnostic(log), at, shown.end)
        if match or THROWN.match(line.strip()):
            crash = build(log, at, at, len(log.lines))
            found = crash.diagnostic(log)
            return _could_not(state, found, at, crash.end)
    for crash in crashes(log):
        return _could_not(state, crash.diagnostic(log), crash.first, crash.end)
    return None


def _unprefixed(log: Log, at: int, text: str) -> Log:
    """The log with ` Exception during run: ` taken off line `at`."""
    return replace(log, lines=[*log.lines[:at], text, *log.lines[at + 1 :]])


def _could_not(state: _State, found: Diagnostic, first: int, end: int) -> None:
    state.reading.add(found)
    state.reading.claim(first, end)
    state.reading.outcome = "error"


def _conclude(state: _State) -> None:
    reading = state.reading
    # The totals end a run: rows without them, or fewer blocks than they count, mean that the log was cut.
    reading.partial = ((state.rows or bool(reading.diagnostics)) and not state.begun) or len(
        reading.diagnostics
    ) < state.failing
    if not state.begun:
        return
    reading.outcome = "failed" if reading.diagnostics or state.failing else "passed"
    if state.failing != len(reading.diagnostics):
        reading.expected = state.failing
