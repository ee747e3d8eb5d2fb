"""Read Crystal (0.35 to 1.1x): its compiler, whose message stands below the excerpt, its specs, its formatter."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import filled, lines_with

PLACE = re.compile(r"In (?P<file>\S.*\.cr):(?P<line>\d+)(?::(?P<column>\d+))?$")
ERROR = re.compile(r"Error: (?P<message>.+)$")
UNFORMATTED = re.compile(r"formatting '(?P<file>[^']+)' produced changes$")
HEAD = re.compile(r"  (?P<number>\d+)\) (?P<name>\S.*)$")
SAID_AT = re.compile(r" {5}# (?P<file>\S.*\.cr):(?P<line>\d+)$")
FRAME = re.compile(r"\s+from (?P<file>\S+\.cr):(?P<line>\d+):(?P<column>\d+) in ")
LIBRARY = re.compile(r"/(?:lib|share)/crystal/|^lib/")
TOTALS = re.compile(
    r"(?P<run>\d+) examples?, (?P<failed>\d+) failures?, (?P<errors>\d+) errors?, (?P<skipped>\d+) pending$"
)
LOOK = 40


def parse(log: Log, _context: Context) -> Reading:
    """Read compiler errors, failed examples and files that are not formatted."""
    reading = Reading()
    for index in lines_with(log, "Error: "):
        if match := ERROR.match(log.lines[index]):
            _error(match, log, index, reading)
    for index in lines_with(log, "produced changes"):
        if match := UNFORMATTED.match(log.lines[index]):
            reading.add(Diagnostic(message=log.lines[index], file=match["file"], log=log.span(index)))
            reading.claim(index)
    _specs(log, reading)
    if reading.diagnostics and reading.outcome is None:
        reading.outcome = "failed"
    return reading


def _error(match: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    """The place nearest above the message is where it happens; those above that are the way there."""
    above = range(index - 1, max(-1, index - LOOK), -1)
    at = next((i for i in above if PLACE.match(log.lines[i])), None)
    if at is None:
        return
    place = PLACE.match(log.lines[at])
    end = index + 1
    while end < len(log.lines) and end < index + LOOK and (log.lines[end] or log.lines[end - 1]):
        if PLACE.match(log.lines[end]):
            break
        end += 1
    end = filled(log.lines, index + 1, end)
    reading.add(
        Diagnostic(
            message=match["message"],
            detail="\n".join([*log.lines[at + 1 : index], *log.lines[index + 1 : end]]).strip("\n"),
            file=place["file"] if place else None,
            line=int(place["line"]) if place else None,
            column=int(place["column"]) if place and place["column"] else None,
            log=log.span(at, end - 1),
        )
    )
    reading.claim(at, end)


def _specs(log: Log, reading: Reading) -> None:
    totals = next(((i, m) for i in lines_with(log, " examples, ") if (m := TOTALS.match(log.lines[i]))), None)
    start = next((i for i in lines_with(log, "Failures:") if log.lines[i] == "Failures:"), None)
    if totals is None:
        return
    counts = {name: int(value) for name, value in totals[1].groupdict().items()}
    counts["passed"] = max(0, counts.pop("run") - sum(counts[name] for name in ("failed", "errors", "skipped")))
    reading.counts.update(counts)
    reading.outcome = "failed" if counts["failed"] or counts["errors"] else "passed"
    reading.claim(totals[0])
    if start is None or start > totals[0]:
        return
    heads = [i for i in range(start + 1, totals[0]) if HEAD.match(log.lines[i])]
    for index, bound in zip(heads, [*heads[1:], totals[0]][: len(heads)], strict=True):
        _spec(log, index, bound, reading)
    last = next((i for i in range(totals[0], len(log.lines)) if log.lines[i] == "Failed examples:"), None)
    if last is not None:
        reading.claim(last, len(log.lines))


def _spec(log: Log, index: int, bound: int, reading: Reading) -> None:
    head = HEAD.match(log.lines[index])
    end = next((i for i in range(index + 1, bound) if log.lines[i].startswith("Finished in ")), bound)
    end = filled(log.lines, index + 1, end)
    body = log.lines[index + 1 : end]
    at = next((m for text in body if (m := SAID_AT.match(text))), None)
    at = at or next((m for text in body if (m := FRAME.match(text)) and not LIBRARY.search(m["file"])), None)
    told = [text.strip() for text in body if text.strip() and not FRAME.match(text) and not SAID_AT.match(text)]
    code = told.pop(0) if told and told[0].startswith("Failure/Error: ") else ""
    two = len(told) > 1 and told[0].startswith("Expected")
    reading.add(
        Diagnostic(
            message="\n".join(told[: 2 if two else 1]) or code,
            detail="\n".join([*([code] if code else []), *told]),
            file=at["file"] if at else None,
            line=int(at["line"]) if at else None,
            test=head["name"] if head else None,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
