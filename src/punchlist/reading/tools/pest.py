"""Read Pest (1 to 3) and Laravel's `artisan test`: failures under their heads, places from the code excerpt, totals."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

# Pest 2, 3: `   FAILED  Tests\\Unit\\MoneyTest > it adds   Exception`; Pest 1: `  • Tests\\Unit\\MoneyTest > it adds`
HEAD = re.compile(r"  (?: FAILED  |• )(?P<test>\S.*?(?: > | › ).*?)(?: {2,}(?P<kind>[A-Z]\w*(?:Exception|Error)?))?$")
AT = re.compile(r" +at (?P<file>(?:[A-Za-z]:)?\S[^:\n]*\.php):(?P<line>\d+)$")
FRAME = re.compile(r" +(?:\+\d+ vendor frames|\d+ +(?P<file>[^\s:]+\.php):(?P<line>\d+))")
TOTALS = re.compile(r"  Tests: +(?P<parts>\d+ .*)$")
PART = re.compile(r"(\d+) (failed|passed|skipped|incomplete|todos?|risky|warnings?|pending|deprecated|notices?)")
NAMES = {
    "failed": "failed",
    "passed": "passed",
    "skipped": "skipped",
    "incomplete": "skipped",
    "todo": "todo",
    "todos": "todo",
}
CODE = re.compile(r" *(?:➜ *)?\d+▕")
LOOK = 400


def parse(log: Log, _context: Context) -> Reading:
    """Read each failure once, then the totals."""
    reading = Reading()
    lines = log.lines
    heads = [(i, m) for i in lines_with(log, " FAILED  ", "  • ") if (m := HEAD.match(lines[i]))]
    totals = [(i, m) for i in lines_with(log, "  Tests: ") if (m := TOTALS.match(lines[i]))]
    bounds = [i for i, _ in heads] + [
        totals[-1][0] if totals and heads and totals[-1][0] > heads[-1][0] else len(lines)
    ]
    for (index, match), end in zip(heads, bounds[1:], strict=True):
        _failure(log, index, min(end, index + LOOK), match, reading)
    for index, match in totals[-1:]:
        for number, name in PART.findall(match["parts"]):
            if name in NAMES:
                reading.counts[NAMES[name]] = reading.counts.get(NAMES[name], 0) + int(number)
        reading.claim(index)
        reading.outcome = "failed" if reading.counts.get("failed") else "passed"
    if not totals and reading.diagnostics:
        reading.partial, reading.outcome = True, "failed"
    return reading


def _failure(log: Log, index: int, end: int, match: re.Match[str], reading: Reading) -> None:
    lines: Sequence[str] = log.lines
    said: list[str] = []
    place: tuple[str, int] | None = None
    at = next((i for i in range(index + 1, end) if AT.match(lines[i])), None)
    for i in range(index + 1, end if at is None else at):
        text = lines[i].strip()
        if text and not set(text) <= set("─━-"):
            said.append(text)
    if at is not None and (found := AT.match(lines[at])):
        place = found["file"], int(found["line"])
        if "vendor/" in place[0]:
            frames = [
                m for i in range(at, end) if (m := FRAME.match(lines[i])) and m["file"] and "vendor/" not in m["file"]
            ]
            place = (frames[0]["file"], int(frames[0]["line"])) if frames else place
    code = [lines[i].rstrip() for i in range(index + 1, end) if "➜" in lines[i] and CODE.match(lines[i])]
    reading.add(
        Diagnostic(
            message=said[0] if said else match["test"],
            detail="\n".join([*said[1:40], *code[:3]]),
            file=place[0] if place else None,
            line=place[1] if place else None,
            test=match["test"],
            log=log.span(index, max(i for i in range(index, end) if lines[i].strip() or i == index)),
        )
    )
    reading.claim(index, end)
