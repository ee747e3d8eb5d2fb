"""ava (3 to 7): its default reporter's rows, the blocks below the first ruler, uncaught errors; TAP by `tap_js`."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_crash import THROWN, own_detail
from punchlist.reading.js_frames import Frame, frame, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import tap_js
from punchlist.records import dataclass, field

FAIL = re.compile(r"\s*[✘✖×x] \[(?:fail|unexpected pass)\]: (?P<title>\S.*)$")
RULER = re.compile(r"\s*─+$")
PLACE = re.compile(r"\s{2,}(?P<file>\S.*\.\w+):(?P<line>\d+)$")
CODE_LINE = re.compile(r"\s+\d+: |\s+\d+:$")
BROKEN = re.compile(r"\s*(?P<what>Uncaught exception|Unhandled rejection) in (?P<file>\S.*)$")
TOTAL = re.compile(
    r"\s*(?P<number>\d+) (?:tests? )?(?P<what>passed|failed|skipped|todo|known failures?|uncaught exceptions?"
    r"|unhandled rejections?|hooks? failed)$"
)
CANNOT = re.compile(
    r"\s*[✘✖×] (?P<message>(?:No tests found in (?P<file>\S.*?)(?:,.*)?|Couldn.t find any (?:files|matching tests).*"
    r"|Based on your configuration.*|Timed out while running tests|Internal error.*))$"
)
EXITED = re.compile(r"\s*[✘✖×] .* exited (?:with a non-zero exit code: |due to )\S+$")
NAMES = {"passed": "passed", "failed": "failed", "skipped": "skipped", "todo": "todo"}


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    titles: list[str] = field(default_factory=list)
    counted: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read an ava run: a finding a failing test with its own frame, uncaught errors, files without tests."""
    if context.words and tap_js.is_tap(log):
        return tap_js.parse(log, context)
    state = _State(log)
    index = 0
    while index < len(log.lines):
        index = _line(state, index, log.lines[index])
    _conclude(state)
    return state.reading


def _line(state: _State, index: int, line: str) -> int:
    text = line.lstrip()
    if not text:
        return index + 1
    if text[0] in "✘✖×x" and (match := FAIL.match(line)):
        state.titles.append(match["title"])
        state.reading.claim(index)
    elif text[0] in "✘✖×" and (match := CANNOT.match(line)):
        state.reading.add(Diagnostic(message=match["message"], file=match["file"], log=state.log.span(index)))
        state.reading.outcome = "error"
        state.reading.claim(index)
    elif text[0] == "U" and (match := BROKEN.match(line)):
        return _broken(state, index, match)
    elif text[0].isdigit() and (match := TOTAL.match(line)):
        what = match["what"]
        state.counted = True
        if what in NAMES:
            state.reading.counts[NAMES[what]] = int(match["number"])
        elif what.startswith("known"):
            state.reading.counts["xfailed"] = int(match["number"])
        elif what.startswith(("uncaught", "unhandled")):
            state.reading.counts["errors"] = state.reading.counts.get("errors", 0) + int(match["number"])
        state.reading.claim(index)
    elif state.titles and line.startswith("  ") and not state.log.lines[index - 1] and _title(state, line.strip()):
        return _failure(state, index, line.strip())
    return index + 1


def _title(state: _State, text: str) -> bool:
    """Whether a line is the title of a failed test: its row showed it, perhaps with a reason behind it."""
    return any(title == text or title.startswith(text + " ") for title in state.titles)


def _failure(state: _State, index: int, title: str) -> int:
    lines = state.log.lines
    end = index + 1
    while end < len(lines):
        line = lines[end]
        if RULER.match(line) or TOTAL.match(line) or BROKEN.match(line):
            break
        if not lines[end - 1] and line.startswith("  ") and line[2:3].strip() and _title(state, line.strip()):
            break
        end += 1
    rest = [t for t in state.titles if t == title or t.startswith(title + " ")]
    state.titles.remove(rest[0])
    state.reading.add(_diagnostic(state.log, index, end, None, title.replace(" › ", " > ")))
    state.reading.claim(index, end)
    return end


def _broken(state: _State, index: int, match: re.Match[str]) -> int:
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and not (RULER.match(lines[end]) or EXITED.match(lines[end]) or BROKEN.match(lines[end])):
        end += 1
    state.reading.add(_diagnostic(state.log, index, end, path(match["file"]), None))
    state.reading.claim(index, end + 1 if end < len(lines) and EXITED.match(lines[end]) else end)
    return end


def _diagnostic(log: Log, index: int, end: int, file: str | None, test: str | None) -> Diagnostic:
    body = log.lines[index + 1 : end]
    shown = next((Frame(m["file"], int(m["line"])) for line in body if (m := PLACE.match(line))), None)
    said = [i for i, line in enumerate(body) if line.strip() and not PLACE.match(line) and not CODE_LINE.match(line)]
    thrown = next((i for i in said if ": " in body[i] and THROWN.match(body[i].strip())), None)
    first = thrown if thrown is not None else (said[0] if said else None)
    place = innermost(body) or shown
    rule = THROWN.match(body[first].strip()) if first is not None else None
    return Diagnostic(
        message=body[first].strip() if first is not None else log.lines[index].strip(),
        detail=own_detail([body[i] for i in said if i != first and not (frame(body[i]) and i == first)]),
        file=place.file if place else file,
        line=place.line if place else None,
        column=place.column if place else None,
        rule=(rule["code"] if rule and (rule["code"] or "").startswith("ERR_") else None),
        test=test,
        log=log.span(index, max(index, end - 1)),
    )


def _conclude(state: _State) -> None:
    reading = state.reading
    counts = reading.counts
    if reading.outcome is None and (state.counted or reading.diagnostics):
        broken = bool(reading.diagnostics) or counts.get("failed", 0) > 0 or counts.get("errors", 0) > 0
        ran = counts.get("passed", 0) + counts.get("failed", 0) > 0 or any(d.test for d in reading.diagnostics)
        reading.outcome = "passed" if not broken else "failed" if ran else "error"
    found = sum(d.test is not None for d in reading.diagnostics)
    if counts.get("failed", 0) > found:
        reading.expected = len(reading.diagnostics) - found + counts["failed"]
        reading.partial = True
    reading.partial = reading.partial or (bool(state.titles) and not state.counted)
