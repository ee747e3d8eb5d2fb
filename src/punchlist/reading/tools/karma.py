"""karma (3 to 6) with its progress and dots reporters: `BROWSER suite spec FAILED`, browser errors, server errors."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_crash import THROWN, own_detail
from punchlist.reading.js_frames import Frame, frame, innermost
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field, replace

# `Chrome Headless 120.0.0.0 (Linux x86_64)`, `Firefox 115.0 (Ubuntu 0.0.0)`, `HeadlessChrome 79.0.3945 (Linux 0.0.0)`
BROWSER = r"(?P<browser>[A-Z][\w .]*? \d+[\d.]* \([^)]*\))"
FAILED = re.compile(BROWSER + r" (?P<test>\S.*?) FAILED$")
ERROR = re.compile(BROWSER + r" ERROR(?:: (?P<message>.*))?$")
EXECUTED = re.compile(
    BROWSER + r": Executed (?P<run>\d+) of (?P<all>\d+)(?P<rest>.*?)(?: \(?(?:\d[\d.]* (?:secs?|mins?)|skipped).*)?$"
)
FEW = re.compile(r"(?P<number>\d+) FAILED|skipped (?P<skipped>\d+)|DISCONNECTED|ERROR")
TOTAL = re.compile(r"TOTAL: (?:(?P<failed>\d+) FAILED, )?(?P<passed>\d+) SUCCESS$")
SERVER = re.compile(r"\d\d \d\d \d{4} \d\d:\d\d:\d\d\.\d+:ERROR \[(?P<part>[^\]]+)\]: (?P<message>.*)")
IN_AFTER_ALL = "An error was thrown in afterAll"
BARE_PLACE = re.compile(r"\s+(?P<file>\S+\.[cm]?[jt]sx?):(?P<line>\d+)$")
DISCONNECTED = re.compile(BROWSER + r"\s+(?P<message>Disconnected.*)")


@dataclass(slots=True)
class _State:
    log: Log
    reading: Reading = field(default_factory=Reading)
    last: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    empty: int | None = None
    seen: set[str] = field(default_factory=set)


def parse(log: Log, context: Context) -> Reading:
    """Read a karma run: a finding a failed spec and browser, and what kept the server or a browser from running."""
    state = _State(log)
    index = 0
    while index < len(log.lines):
        index = _line(state, index, log.lines[index])
    _conclude(state, context)
    return state.reading


def _line(state: _State, index: int, line: str) -> int:
    if not line or line[0] in " \t":
        return index + 1
    if line.endswith(" FAILED") and (match := FAILED.match(line)):
        return _block(state, index, match["browser"], match["test"], "")
    if ": Executed " in line and (match := EXECUTED.search(line)):
        _executed(state, index, match)
    elif " ERROR" in line and (match := ERROR.match(line)):
        return _block(state, index, match["browser"], None, (match["message"] or "").strip())
    elif line.startswith("TOTAL: ") and (match := TOTAL.match(line)):
        state.reading.counts["failed"] = int(match["failed"] or 0)
        state.reading.counts["passed"] = int(match["passed"])
        state.reading.claim(index)
    elif ":ERROR [" in line and (match := SERVER.match(line)):
        return _server(state, index, match["message"])
    elif "Disconnected" in line and (match := DISCONNECTED.match(line)):
        state.reading.add(Diagnostic(message=match["message"], log=state.log.span(index)))
        state.reading.claim(index)
    return index + 1


def _block(state: _State, index: int, browser: str, test: str | None, said: str) -> int:
    """Read the indented lines below a failure: a finding an expectation; each spec is printed once a browser."""
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and lines[end] and lines[end][0] in " \t":
        end += 1
    body = [line.removeprefix("\t") for line in lines[index + 1 : end]]
    starts = _messages(body) if test else [0] if body else []
    for at, stop in zip(starts, [*starts[1:], len(body)], strict=False):
        found = _diagnostic(body[at:stop], said or lines[index])
        first = index if at == 0 else index + 1 + at
        package = browser if len(state.last) > 1 else None
        state.reading.add(replace(found, test=test, package=package, log=state.log.span(first, index + stop)))
    if not starts:
        state.reading.add(Diagnostic(message=said or lines[index], test=test, log=state.log.span(index)))
    state.reading.claim(index, end)
    return end


def _messages(body: list[str]) -> list[int]:
    """Where the messages of a spec begin: at its first line, and at each unindented one behind frames."""
    starts = [0] if body else []
    starts += [at for at in range(1, len(body)) if body[at][:1] not in " \t" and frame(body[at - 1])]
    return starts


def _diagnostic(body: list[str], otherwise: str) -> Diagnostic:
    said = [i for i, line in enumerate(body) if line.strip() and line.strip() != IN_AFTER_ALL]
    first = said[0] if said else 0
    place = innermost(body)
    if place is None and (shown := next((m for line in body if (m := BARE_PLACE.match(line))), None)):
        place = Frame(shown["file"], int(shown["line"]))
    return Diagnostic(
        message=body[first].strip() if said else otherwise,
        detail=own_detail([line for line in body[first + 1 :] if "<Jasmine>" not in line]),
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
    )


def _executed(state: _State, index: int, match: re.Match[str]) -> None:
    rest = state.log.lines[index]
    failed = re.search(r"\((\d+) FAILED\)", rest)
    skipped = re.search(r"skipped (\d+)", rest)
    run = int(match["run"])
    state.last[match["browser"]] = (run, int(failed[1]) if failed else 0, int(skipped[1]) if skipped else 0)
    state.empty = index if match["all"] == "0" else state.empty
    state.reading.claim(index)


def _server(state: _State, index: int, said: str) -> int:
    lines = state.log.lines
    end = index + 1
    while end < len(lines) and lines[end][:1] in " \t" and lines[end]:
        end += 1
    below = next((line.strip() for line in lines[index + 1 : end] if line.strip()), "")
    message = below if below and (not said.strip() or THROWN.match(below)) else said.strip() or lines[index]
    if message not in state.seen:
        place = innermost(lines[index + 1 : end])
        state.reading.add(
            Diagnostic(
                message=message,
                detail=own_detail(lines[index + 1 : end]),
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
                log=state.log.span(index, end - 1),
            )
        )
    state.seen.add(message)
    state.reading.claim(index, end)
    return end


def _conclude(state: _State, context: Context) -> None:
    reading = state.reading
    if context.exit_code and state.empty is not None and not reading.diagnostics:
        reading.add(Diagnostic(message=state.log.lines[state.empty], log=state.log.span(state.empty)))
    if not reading.counts and state.last:
        run, failed, skipped = (sum(values) for values in zip(*state.last.values(), strict=True))
        reading.counts = {"passed": run - failed, "failed": failed}
        if skipped:
            reading.counts["skipped"] = skipped
    ran = bool(state.last) and sum(run for run, _, _ in state.last.values()) > 0
    if state.last or reading.diagnostics:
        broken = bool(reading.diagnostics) or reading.counts.get("failed", 0) > 0
        reading.outcome = "failed" if broken and ran else "error" if broken else "passed"
