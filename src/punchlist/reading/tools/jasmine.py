"""jasmine (3 to 7): the numbered failures, suite errors, errors while loading."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_crash import own_detail, startup
from punchlist.reading.js_frames import innermost
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field

HEADER = re.compile(r"(?:(?P<number>\d+)\) |(?P<suite>Suite error: |Error during loading: ?))(?P<title>.*)$")
TOTAL = re.compile(r"(?P<specs>\d+) specs?, (?P<failed>\d+) failures?(?:, (?P<pending>\d+) pending specs?)?$")
INCOMPLETE = re.compile(r"Incomplete: (?P<message>.+)|(?P<none>No specs found)$")
SECTION = re.compile(r"(?P<name>Failures|Pending):$")


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    section: str = ""
    ended: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read a jasmine run: a finding a `Message:` of every failure, totals, why a run is incomplete."""
    state = _State(log)
    index = 0
    while index < len(log.lines):
        index = _line(state, index, log.lines[index])
    if not state.ended and not state.reading.diagnostics and context.words and context.exit_code != 0:
        if crash := startup(log):
            state.reading.add(crash.diagnostic(log))
            state.reading.claim(crash.first, crash.end)
            state.reading.outcome = "error"
    elif state.reading.outcome is None and (state.ended or state.reading.diagnostics):
        state.reading.outcome = (
            "failed" if state.reading.diagnostics or state.reading.counts.get("failed") else "passed"
        )
    state.reading.partial = bool(state.section) and not state.ended
    return state.reading


def _line(state: _State, index: int, line: str) -> int:
    if not line or line[0] == " ":
        return index + 1
    if match := SECTION.match(line):
        state.section = match["name"]
        state.reading.claim(index)
    elif (match := HEADER.match(line)) and (state.section == "Failures" or _headless(state, index)):
        return _failure(state, index, match)
    elif match := TOTAL.match(line):
        state.reading.counts["run"] = int(match["specs"])
        state.reading.counts["failed"] = int(match["failed"])
        if match["pending"]:
            state.reading.counts["skipped"] = int(match["pending"])
        state.ended = True
        state.section = ""
        state.reading.claim(index)
    elif match := INCOMPLETE.match(line):
        state.ended = True
        state.reading.claim(index)
        if match["message"]:
            state.reading.add(Diagnostic(message=match["message"], log=state.log.span(index)))
            state.reading.outcome = "error" if not state.reading.counts.get("run") else "failed"
    return index + 1


def _headless(state: _State, index: int) -> bool:
    """Whether a failure's block begins here, where the title of its section is cut off."""
    below = state.log.lines[index + 1 : index + 2]
    return not state.section and not state.ended and below == ["  Message:"]


def _failure(state: _State, index: int, match: re.Match[str]) -> int:
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and (not lines[end] or lines[end].startswith(" ")):
        end += 1
    starts = [at for at in range(index + 1, end) if lines[at].strip() == "Message:"]
    test = match["title"].strip() if not (match["suite"] or "").startswith("Error") else None
    for at, stop in zip(starts, [*starts[1:], end], strict=False):
        state.reading.add(_message(state.log, index, at, stop, test))
    if not starts:
        state.reading.add(Diagnostic(message=match["title"] or lines[index], test=test, log=state.log.span(index)))
    state.reading.claim(index, end)
    return end


def _message(log: Log, head: int, at: int, stop: int, test: str | None) -> Diagnostic:
    body = log.lines[at + 1 : stop]
    text = [line for line in body if line.strip() != "Stack:"]
    first = next((i for i, line in enumerate(text) if line.strip()), None)
    place = innermost(body)
    return Diagnostic(
        message=text[first].strip() if first is not None else log.lines[head],
        detail=own_detail([line for line in text[(first or 0) + 1 :] if "at <Jasmine>" not in line]),
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=test or None,
        log=log.span(head if at == head + 1 else at, max(at, stop - 1)),
    )
