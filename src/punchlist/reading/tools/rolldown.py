"""rolldown 1 (and vite 8 upon it): `[CODE] message` above a box that holds the place, errors and warnings."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

HEAD = re.compile(
    r"(?:(?P<file>\S.*?) \((?P<line>\d+):(?P<column>\d+)\) )?"
    r"\[(?P<code>[A-Z][A-Z0-9_]{2,}|[\w@/:.-]+)\] (?P<text>\S.*)$"
)
PLACE = re.compile(r"\s*╭─\[ (?P<file>.+?):(?P<line>\d+):(?P<column>\d+) \]$")
CLOSE = re.compile(r"\s*──*╯$")
FAILED = re.compile(r"(?: ?ERROR {1,2}|\S*Error: )?Build failed with (?P<errors>\d+) errors?:$")
STACK = re.compile(r"\s+at |\{$")
CODE = re.compile(r"[A-Z][A-Z0-9_]{2,}$")


def parse(log: Log, _context: Context) -> Reading:
    """Read every boxed finding; those below "Build failed with N errors" are errors, others warnings."""
    reading = Reading()
    read_boxes(log, reading)
    if reading.counts.get("errors"):
        reading.outcome = "failed"
    return reading


def read_boxes(log: Log, reading: Reading) -> None:
    """Add the boxed findings of the log to `reading`, with the number of errors that the bundler counts."""
    failing = False
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if "Build failed with " in line and (failed := FAILED.match(line)):
            failing = True
            reading.counts["errors"] = reading.counts.get("errors", 0) + int(failed["errors"])
            reading.claim(index)
        elif "[" in line and (head := HEAD.match(log.whole(index))):
            end = _box(head, log, index, reading, failing)
            if end > index:
                index = end
                continue
        elif failing and STACK.match(line):
            index = _stack(log, index, reading)
            failing = False
            continue
        index += 1


def _box(head: re.Match[str], log: Log, index: int, reading: Reading, failing: bool) -> int:
    """Add the finding of a head and its box; return the index after it, or `index` where this is none."""
    at = index + 1
    while at < len(log.lines) and at - index < 12 and log.lines[at] and not PLACE.match(log.lines[at]):
        at += 1
    place = PLACE.match(log.lines[at]) if at < len(log.lines) else None
    end = at
    if place:
        while end < len(log.lines) and not CLOSE.match(log.lines[end]) and end - at < 200:
            end += 1
        end += 1
    elif not (failing and CODE.match(head["code"])):
        return index
    code = head["code"]
    last = at - 1 if place else index
    reading.add(
        Diagnostic(
            message=head["text"].strip(),
            severity="error" if failing else "warning",
            detail="\n".join(log.lines[index + 1 : end][:40]),
            file=place["file"] if place else None,
            line=int(place["line"]) or None if place else None,
            column=int(place["column"]) or None if place else None,
            rule=code if CODE.match(code) else None,
            log=log.span(index, last),
        )
    )
    reading.claim(index, end)
    return end


def _stack(log: Log, index: int, reading: Reading) -> int:
    """Claim the stack of the bundler's own code and the object printed behind it."""
    end = index
    while end < len(log.lines) and log.lines[end].lstrip().startswith("at "):
        end += 1
    if end > index and log.lines[end - 1].endswith("{"):
        while end < len(log.lines) and log.lines[end].startswith("  "):
            end += 1
        end += end < len(log.lines) and log.lines[end] == "}"
    end = max(end, index + 1)
    reading.claim(index, end)
    return end
