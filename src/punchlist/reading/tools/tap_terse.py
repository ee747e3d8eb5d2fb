"""node-tap 18 to 21 where it does not print TAP: its base, terse and min reporters."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_frames import path
from punchlist.reading.log import Log, Reading
from punchlist.reading.oneline import number

SUITE = re.compile(r" (?:FAIL|PASS|SKIP|TODO) {2}(?P<file>\S.*?) \d+ (?:failed|OK|todo|skip)\b")
FAILED = re.compile(r"✖ (?P<title>\S.*?)(?: (?P<file>[^\s:]+\.\w+):(?P<line>\d+):(?P<column>\d+))?$")
PLACE = re.compile(r" {2}(?:\S.* )?\(?(?P<file>[^\s:()]+\.\w+):(?P<line>\d+):(?P<column>\d+)\)?$")
DIFF = re.compile(
    r" {2}(?:--- expected$|(?:compare|tapCaught|found|wanted|doNotWant|pattern|code|type|exitCode|signal|timeout): )"
)
TOTALS = re.compile(r"# \{ total: (?P<run>\d+), (?P<rest>.*) \}$")
PART = re.compile(r"(?P<name>pass|fail|todo|skip): (?P<number>\d+)")
NAMES = {"pass": "passed", "fail": "failed", "todo": "todo", "skip": "skipped"}


def shown(log: Log) -> bool:
    """Whether the log is one of these reporters'."""
    return any(SUITE.match(line) or TOTALS.match(line) for line in log.lines)


def parse(log: Log) -> Reading:
    """Read each failed assertion: a row amid the progress, and again as a block with source, diff and frames."""
    reading = Reading()
    found: dict[tuple[str, str], Diagnostic] = {}
    file, index = "", 0
    while index < len(log.lines):
        line = log.lines[index]
        if suite := SUITE.match(line):
            file = suite["file"]
            reading.claim(index)
        elif failed := FAILED.match(line):
            end = _end(log, index)
            one = _diagnostic(log, index, end, file, failed)
            key = (failed["title"], f"{one.file}:{one.line}:{one.column}")
            found[key] = max(found.get(key, one), one, key=lambda d: len(d.detail))
            reading.claim(index, end)
            index = end
            continue
        elif totals := TOTALS.match(line):
            reading.counts.update({NAMES[part["name"]]: int(part["number"]) for part in PART.finditer(totals["rest"])})
            reading.outcome = "failed" if reading.counts.get("failed") else "passed"
            reading.claim(index)
        index += 1
    reading.diagnostics = list(found.values())
    if found:
        reading.outcome = "failed"
    return reading


def _end(log: Log, index: int) -> int:
    """One past a block: its lines are indented, a blank one may stand between two of them."""
    lines = log.lines
    end = index + 1
    while end < len(lines):
        inside = lines[end] or (lines[end + 1] if end + 1 < len(lines) else "")
        if not inside.startswith("  "):
            break
        end += 1
    return end


def _diagnostic(log: Log, index: int, end: int, suite: str, failed: re.Match[str]) -> Diagnostic:
    body = log.lines[index + 1 : end]
    place = failed if failed["file"] else next((match for line in body if (match := PLACE.match(line))), None)
    first = next((at for at, line in enumerate(body) if DIFF.match(line)), len(body))
    title = failed["title"]
    return Diagnostic(
        message=title.rsplit(" > ", 1)[-1],
        detail="\n".join(line[2:] for line in body[first:]),
        file=path(place["file"]) if place else suite or None,
        line=number(place["line"]) if place else None,
        column=number(place["column"]) if place else None,
        test=" > ".join(filter(None, (suite, title))),
        log=log.span(index, end - 1),
    )
