"""Read doctest's own output (`python -m doctest`, Sphinx's doctest builder): blocks between rules of stars."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

RULE = re.compile(r"\*{60,}$")
PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+|\?+)(?:, in (?P<test>.+))?$')
TOTAL = re.compile(
    r"(?:\*\*\*Test Failed\*\*\* (?P<failed>\d+) failures?|(?P<passed>\d+) passed and (?P<bad>\d+) failed)\.?"
)
NEXT = re.compile(r"Trying:$|\d+ items? (?:had no tests|passed all tests|had failures):$")
HEADS = ("Expected:", "Expected nothing", "Got:", "Got nothing", "Exception raised:", "Differences (")


def parse(log: Log, _context: Context) -> Reading:
    """Read one finding a failed example; the message is the line that says what came instead."""
    reading = Reading()
    lines = log.lines
    index = 0
    if not lines_with(log, "Failed example:", "Test Failed", " failed."):
        return reading
    while index < len(lines):
        line = lines[index]
        if line[:5] == "*****" and RULE.match(line) and index + 1 < len(lines):
            match = PLACE.match(lines[index + 1])
            if match is not None:
                end = index + 2
                while end < len(lines) and not (lines[end][:5] == "*****" and RULE.match(lines[end])):
                    if TOTAL.match(lines[end]) or NEXT.match(lines[end]):
                        break
                    end += 1
                if "Failed example:" in lines[index + 2 : end]:
                    reading.add(_failure(log, index + 1, match, end))
                    reading.claim(index, end)
                    index = end
                    continue
        if "failed" in line.lower() and (match := TOTAL.match(line)):
            reading.claim(index)
            failed = match["failed"] or match["bad"]
            if failed is not None:
                reading.counts["failed"] = int(failed)
            if match["passed"] is not None:
                reading.counts["passed"] = int(match["passed"])
        index += 1
    if reading.diagnostics:
        reading.outcome = "failed"
    return reading


def _failure(log: Log, index: int, match: re.Match[str], end: int) -> Diagnostic:
    lines = log.lines
    while end > index + 1 and not lines[end - 1].strip():
        end -= 1
    body = lines[index + 1 : end]
    example = [text.strip() for text in _after(body, "Failed example:") if text.strip()]
    raised = [text.strip() for text in _after(body, "Exception raised:") if text.strip()]
    message = raised[-1] if raised else (example[0] if example else lines[index].strip())
    return Diagnostic(
        message=message,
        detail="\n".join(text for text in body if "site-packages" not in text)[:3000],
        file=match["file"],
        line=int(match["line"]) if match["line"].isdigit() else None,
        test=match["test"],
        log=log.span(index, end - 1),
    )


def _after(body: list[str], head: str) -> list[str]:
    found: list[str] = []
    inside = False
    for line in body:
        if line == head:
            inside = True
        elif line.startswith(HEADS):
            inside = False
        elif inside:
            found.append(line)
    return found
