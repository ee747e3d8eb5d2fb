"""Read Ginkgo's default reporter, v1 and v2: failed specs with their place, the summary, its totals."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass

RULE = re.compile(r"-{20,}$")
HEAD = re.compile(
    r"(?:[^\w\s\[]+ )?\[(?P<word>FAILED|FAIL|PANICKED|TIMEDOUT|TIMEOUT|INTERRUPTED|ABORTED)\]"
    r"(?: \[[\d.]+ seconds\])?(?: (?P<title>\S.*))?$"
)
HEAD_V1 = re.compile(r"• (?:Failure|Panic|Timeout)(?: in Spec \S+ \(\S+\))? \[[\d.]+ seconds\]$")
IN_AT = re.compile(r"\s+In \[(?P<node>[^\]]+)\] at: (?P<file>\S.*?):(?P<line>\d+)(?: @ .*)?$")
PLACE = re.compile(r"\s*(?P<file>(?:/|[A-Za-z]:[\\/])?\S.*?\.go):(?P<line>\d+)(?: @ .*)?$")
SUMMARY = re.compile(r"\s+\[(?P<word>FAIL|Fail|PANICKED!?|Panic!|TIMEDOUT|INTERRUPTED|ABORTED)\] (?P<title>\S.*)$")
RAN = re.compile(r"Ran (\d+) of (\d+) Specs? in")
TOTALS = re.compile(
    r"(?P<word>FAIL|SUCCESS)! .*?(?P<passed>\d+) Passed \| (?P<failed>\d+) Failed(?: \| (?P<flaked>\d+) Flaked)?"
    r" \| (?P<pending>\d+) Pending \| (?P<skipped>\d+) Skipped"
)
MARKED = re.compile(r"\s+\[(?:FAILED|PANICKED|TIMEDOUT|INTERRUPTED)\] (?P<message>\S.*)$")


@dataclass(slots=True)
class Spec:
    """A failed spec: lines of its block, its name, what it says and where."""

    first: int
    end: int
    message: str = ""
    detail: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None


def parse(log: Log, _context: Context) -> Reading:
    """Read the failure blocks and name them by the summary, where there is one."""
    reading = Reading()
    specs = [spec for at in range(len(log.lines)) if (spec := _block(log, at))]
    summary = _summary(log, reading)
    for at, line in enumerate(log.lines):
        if "! " in line and (match := TOTALS.search(line)):
            reading.counts = {
                "passed": int(match["passed"]),
                "failed": int(match["failed"]),
                "skipped": int(match["skipped"]),
            }
            reading.outcome = "failed" if match["word"] == "FAIL" else "passed"
            reading.claim(at)
        elif line.startswith("Ran ") and RAN.match(line):
            reading.claim(at)
    for spec in specs:
        reading.claim(spec.first, spec.end)
    for at, title, file, number in summary:
        spec = next((s for s in specs if s.file == file and s.line == number), None)
        reading.add(_finding(log, at, title, file, number, spec))
        if spec is not None:
            specs.remove(spec)
    if not summary:
        for spec in specs:
            reading.add(_finding(log, spec.first, "", spec.file, spec.line, spec))
    if reading.diagnostics:
        reading.outcome = "failed"
        reading.partial = not reading.counts
    return reading


def _finding(log: Log, at: int, title: str, file: str | None, line: int | None, spec: Spec | None) -> Diagnostic:
    span = log.span(spec.first, spec.end - 1) if spec else log.span(at, at + 1)
    message = spec.message if spec and spec.message else log.lines[at].strip()
    return Diagnostic(
        message=message,
        detail="\n".join(spec.detail[:50]) if spec else "",
        file=file,
        line=line,
        test=title or (log.lines[spec.first + 1].strip() if spec and spec.first + 1 < len(log.lines) else None),
        log=span,
    )


def _summary(log: Log, reading: Reading) -> list[tuple[int, str, str | None, int | None]]:
    """`[FAIL] suite [It] spec` and the place on the next line, after `Summarizing N Failures`."""
    found: list[tuple[int, str, str | None, int | None]] = []
    start = next((i for i, line in enumerate(log.lines) if line.startswith("Summarizing ") and "Failure" in line), None)
    if start is None:
        return found
    for at in range(start, len(log.lines)):
        if match := SUMMARY.match(log.lines[at]):
            place = PLACE.match(log.lines[at + 1]) if at + 1 < len(log.lines) else None
            title = re.sub(r"\s*\[[A-Z]\w*\]\s*", " ", match["title"]).strip()
            found.append((at, title, place["file"] if place else None, int(place["line"]) if place else None))
            reading.claim(at, at + 2 if place else at + 1)
    reading.claim(start)
    return found


def _block(log: Log, at: int) -> Spec | None:
    line = log.lines[at]
    if not line or not (HEAD.match(line) or HEAD_V1.match(line)):
        return None
    end = at + 1
    while (
        end < len(log.lines)
        and not RULE.match(log.lines[end])
        and not log.lines[end].startswith("Summarizing ")
        and end - at < 1000
    ):
        end += 1
    spec = Spec(at, end)
    body = log.lines[at + 1 : end]
    said = next((i for i, text in enumerate(body) if MARKED.match(text)), None)
    where = next((m for text in reversed(body) if (m := IN_AT.match(text))), None)
    if said is not None and (match := MARKED.match(body[said])):
        spec.message = match["message"]
        rest = (text.strip() for text in body[said + 1 :])
        spec.detail = tuple(text for text in rest if text and not text.startswith("In ["))
    if where:
        spec.file, spec.line = where["file"], int(where["line"])
    elif not said:
        _old(body, spec)
    return spec


def _old(body: list[str], spec: Spec) -> None:
    """Ginkgo 1: names and places of the containers, a blank line, the assertion set in, a blank line, its place."""
    blank = next((i for i, text in enumerate(body) if not text), len(body))
    text = [line.strip() for line in body[blank + 1 :] if line.strip()]
    places = [m for line in body[blank + 1 :] if (m := PLACE.match(line))]
    if text:
        spec.message, spec.detail = text[0], tuple(text[1:])
    if places:
        spec.file, spec.line = places[0]["file"], int(places[0]["line"])
