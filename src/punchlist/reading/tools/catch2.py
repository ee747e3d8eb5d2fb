"""Read Catch2's console and compact reporters (2.x and 3.x): failed assertions under test case and sections, totals."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field

PLACE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(][^:\n(]*?)(?::(?P<line>\d+)|\((?P<line2>\d+)\))"
FAILED = re.compile(PLACE + r": (?P<what>FAILED|warning|SKIPPED|PASSED|info):$")
COMPACT = re.compile(
    PLACE + r": (?P<what>failed(?: - but was ok)?|warning|skipped|failed explicitly): (?P<message>.+)$"
)
COMPACT_EXPLICIT = re.compile(PLACE + r": failed: explicitly with \d+ messages?: (?P<message>.+)$")
COMPACT_EXCEPTION = re.compile(
    r"unexpected exception with messages?: (?P<message>.+?)(?:; expression was: (?P<expression>.+))?$"
)
RULE = re.compile(r"-{40,}$")
DOTS = re.compile(r"\.{40,}$")
DOUBLE = re.compile(r"={40,}$")
BARE_PLACE = re.compile(PLACE + r"$")
TOTALS = re.compile(r"test cases:\s*(?P<run>\d+)(?P<rest>(?:\s*\|\s*\d+ [a-z ]+)*)")
ASSERTIONS = re.compile(r"assertions:\s*\d+(?:.*?\|\s*(\d+) failed\b(?! as))?")
PART = re.compile(r"\|\s*(\d+) (passed|failed as expected|failed|skipped)")
ALL_PASSED = re.compile(
    r"All tests passed \((?:\d+) assertions? in (\d+) test cases?\)|Passed (?:all "
    r"|both )?(\d+) test cases? (?:with|\()"
)
COMPACT_TOTALS = re.compile(
    r"Failed (?:all |both )?(\d+) test cases?(?:, failed (?:all |both )?(\d+) assertions?)?\.?$"
)
NO_TESTS = re.compile(r"No tests ran|No test cases matched '(.*)'$")
REASONS = ("with expansion:", "due to ", "explicitly with message", "with message", "because ", "because no exception")
OPENING = re.compile(
    r"\S+ is a Catch2? v[\d.]+ host application|Run with -\? for options$|Filters: |Randomness seeded to: "
)
FRAME = re.compile(r"(?:~{40,}|={40,})$")


@dataclass(slots=True)
class State:
    """The test case and sections under which failures stand, and totals."""

    test: str = ""
    sections: list[str] = field(default_factory=list)
    first: int = -1
    failed: int | None = None
    expected_failures: int = 0
    found: int = 0


def parse(log: Log, _context: Context) -> Reading:
    """Read failures and totals of both reporters."""
    reading, state = Reading(), State()
    at = 0
    while at < len(log.lines):
        at = _line(log, at, reading, state)
    if state.failed is not None and state.expected_failures and state.found > state.failed:
        reading.notes.append(
            f"{state.expected_failures} test cases failed as expected ([!shouldfail], [!mayfail]); "
            "Catch2's text does not tell their failures from the others"
        )
    if reading.diagnostics and reading.outcome is None:
        reading.outcome = "failed"
        reading.partial = True
    return reading


def _line(log: Log, at: int, reading: Reading, state: State) -> int:
    line = log.lines[at]
    if not line:
        return at + 1
    if line.startswith("-----") and RULE.match(line):
        return _header(log, at, reading, state)
    if line.endswith(":") and (match := FAILED.match(line)):
        return _block(log, at, match, reading, state)
    compact = ": failed" in line or ": warning: '" in line or ": skipped: " in line
    if compact and (match := COMPACT.match(log.whole(at))):
        return _compact(log, at, match, reading, state)
    return _totals(log, at, line, reading, state)


def _header(log: Log, at: int, reading: Reading, state: State) -> int:
    """The frame above a test case's failures: name, sections, rule, place, dots."""
    end = at + 1
    names: list[str] = []
    while end < len(log.lines) and log.lines[end] and not RULE.match(log.lines[end]) and end - at < 30:
        names.append(log.lines[end])
        end += 1
    if not names or end >= len(log.lines) or not RULE.match(log.lines[end]):
        return at + 1
    place = end + 1 < len(log.lines) and BARE_PLACE.match(log.lines[end + 1])
    if not place:
        return at + 1
    state.test = names[0].strip()
    state.sections = [name.strip() for name in names[1:]]
    end += 2
    if end < len(log.lines) and DOTS.match(log.lines[end]):
        end += 1
    reading.claim(at, end)
    return end


def _block(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int:
    end = at + 1
    while end < len(log.lines) and end - at < 400:
        line = log.lines[end]
        if (line.startswith(("-----", "=====")) and (RULE.match(line) or DOUBLE.match(line))) or FAILED.match(line):
            break
        if not line and not _goes_on(log, end):
            break
        end += 1
    reading.claim(at, end)
    if match["what"] != "FAILED":
        return end
    body = [line for line in log.lines[at + 1 : end] if line]
    message, detail = _said(body)
    detail += [f"in {' / '.join(state.sections)}"] if state.sections else []
    state.found += 1
    reading.add(
        Diagnostic(
            message=message or log.lines[at], detail="\n".join(detail[:60]), file=match["file"],
            line=int(match["line"] or match["line2"]), test=state.test or None, log=log.span(at, max(at, end - 1)),
        )
    )  # fmt: skip
    return end


def _goes_on(log: Log, at: int) -> bool:
    """Whether text set in by two follows a blank line: an expansion over several paragraphs."""
    after = log.lines[at + 1] if at + 1 < len(log.lines) else ""
    return after.startswith("  ") and not FAILED.match(after)


def _said(body: list[str]) -> tuple[str, list[str]]:
    """The message of a failure: the exception or the explicit text, else the expression; the rest is the detail."""
    reason = next((i for i, line in enumerate(body) if line.startswith(("due to ", "explicitly with message"))), None)
    if reason is not None and reason + 1 < len(body):
        return body[reason + 1].strip(), [*(line.strip() for line in body[:reason]), body[reason], *body[reason + 2 :]]
    if not body:
        return "", []
    expression = [body[0].strip()]
    rest = 1
    while rest < len(body) and body[rest].startswith("  ") and not body[rest].startswith(REASONS):
        expression.append(body[rest].strip())
        rest += 1
    return expression[0], [*expression[1:], *body[rest:]]


def _compact(log: Log, at: int, match: re.Match[str], reading: Reading, state: State) -> int:
    reading.claim(at)
    if not match["what"].startswith("failed") or "but was ok" in match["what"]:
        return at + 1
    message, detail = match["message"], ""
    if said := COMPACT_EXCEPTION.match(message):
        message, detail = said["message"].strip("'"), said["expression"] or ""
    elif explicit := COMPACT_EXPLICIT.match(log.whole(at)):
        message = explicit["message"].strip("'")
    state.found += 1
    reading.add(
        Diagnostic(
            message=message,
            detail=detail,
            file=match["file"],
            line=int(match["line"] or match["line2"]),
            log=log.span(at),
        )
    )
    return at + 1


def _totals(log: Log, at: int, line: str, reading: Reading, state: State) -> int:
    if "test case" in line:
        if match := ALL_PASSED.search(line):
            reading.counts |= {"passed": int(match[1] or match[2]), "failed": 0}
            reading.outcome = reading.outcome or "passed"
        elif match := TOTALS.match(line):
            _parts(match["rest"], reading, state)
        elif match := COMPACT_TOTALS.match(line):
            reading.counts["failed"] = int(match[1])
            state.failed = int(match[2]) if match[2] else None
            state.expected_failures = int(bool(state.failed is not None and state.found > state.failed))
            reading.outcome = "failed"
        elif NO_TESTS.match(line):
            reading.outcome = "error"
            reading.add(Diagnostic(message=line, log=log.span(at)))
        else:
            return at + 1
        reading.claim(at)
    elif line.startswith("assertions: ") and (match := ASSERTIONS.match(line)):
        state.failed = int(match[1]) if match[1] else state.failed
        reading.claim(at)
    elif NO_TESTS.match(line):
        reading.notes.append(line)
        reading.claim(at)
    elif OPENING.match(line) or (reading.claimed and FRAME.match(line)):
        reading.claim(at)
    return at + 1


def _parts(rest: str, reading: Reading, state: State) -> None:
    for match in PART.finditer(rest):
        name = {"failed as expected": ""}.get(match[2], match[2])
        if name:
            reading.counts[name] = int(match[1])
        else:
            state.expected_failures = int(match[1])
    reading.outcome = "failed" if reading.counts.get("failed") else "passed"
