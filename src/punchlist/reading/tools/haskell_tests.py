"""Read hspec (2.4 to 2.11) and tasty (1.0 to 1.5) on a console."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

PLACE = re.compile(r"  (?P<file>\S.*\.l?hs):(?P<line>\d+):(?P<column>\d+):$")
NUMBERED = re.compile(r"  (?P<number>\d+)\) (?P<name>\S.*)$")
TOTALS = re.compile(r"(?P<run>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?$")
TASTY = re.compile(r"(?P<indent> *)(?P<name>\S.*?): +(?P<word>FAIL|OK|FAIL: .+)(?: \([\d.]+s\))?$")
GROUP = re.compile(r"(?P<indent> *)(?P<name>\S.*)$")
TASTY_AT = re.compile(r"\s*(?:\S.*, called at )?(?P<file>\S+\.l?hs):(?P<line>\d+):(?:(?P<column>\d+)\b)?(?: in \S+)?")
TASTY_TOTALS = re.compile(
    r"(?:(?P<failed>\d+) out of (?P<run>\d+) tests failed|All (?P<all>\d+)"
    r" tests passed) \([\d.]+s\)$"
)
RERUN = re.compile(r"\s*(?:To rerun use: |Use -p '|Use --quickcheck-replay)")
NEAR = 60
MOST = 60


def parse(log: Log, context: Context) -> Reading:
    """Read failed examples and totals."""
    reading = Reading()
    groups: list[tuple[int, str]] = []
    named = bool(context.words) and context.words[0] in ("cabal", "stack", "hspec")
    hspec = named or any(RERUN.match(line) for line in log.lines if "To rerun use" in line)
    tasty = any(TASTY_TOTALS.match(line) for line in log.lines if " tests " in line)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if not line:
            pass
        elif line.startswith("  ") and (match := NUMBERED.match(line)) and _hspec_follows(log, index):
            end = _hspec(match["name"], log, index, reading)
        elif hspec and (match := TOTALS.match(line)):
            _count(int(match["run"]), int(match["failed"]), int(match["skipped"] or 0), reading)
            reading.claim(index)
        elif match := TASTY_TOTALS.match(line):
            _count(int(match["run"] or match["all"]), int(match["failed"] or 0), 0, reading)
            reading.claim(index)
        elif tasty and (match := TASTY.match(line)):
            if match["word"] != "OK":
                depth = len(match["indent"])
                end = _tasty([*(n for d, n in groups if d < depth), match["name"]], depth, log, index, reading)
            reading.claim(index, end)
        elif tasty and (match := GROUP.match(line)):
            depth = len(match["indent"])
            groups = [(d, n) for d, n in groups if d < depth] + [(depth, match["name"])]
        index = end
    return reading


def _hspec_follows(log: Log, index: int) -> bool:
    """Whether this is hspec's: a place above it, or its advice on how to run it again below."""
    if index and PLACE.match(log.lines[index - 1]):
        return True
    return any(RERUN.match(text) for text in log.lines[index + 1 : index + NEAR] if text)


def _hspec(name: str, log: Log, index: int, reading: Reading) -> int:
    place = PLACE.match(log.lines[index - 1]) if index else None
    end = index + 1
    while end < len(log.lines) and (not log.lines[end] or log.lines[end].startswith("      ")):
        end += 1
    body = [text.strip() for text in log.lines[index + 1 : end]]
    while body and not body[-1]:
        body.pop()
    told = [text for text in body if text]
    _add(name, told, place, log, index - 1 if place else index, index + 1 + len(body), reading)
    return end


def _tasty(names: list[str], depth: int, log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and log.lines[end] and len(log.lines[end]) - len(log.lines[end].lstrip()) > depth:
        end += 1
    body = [text.strip() for text in log.lines[index + 1 : end]]
    place = next((match for text in body if (match := TASTY_AT.match(text))), None)
    told = [text for text in body if not TASTY_AT.fullmatch(text) and not RERUN.match(text)]
    _add(" > ".join(names), told, place, log, index, end, reading)
    return end


def _add(
    name: str,
    told: list[str],
    place: re.Match[str] | None,
    log: Log,
    first: int,
    end: int,
    reading: Reading,
) -> None:
    two = len(told) >= 2 and told[0].startswith(("expected: ", "uncaught exception: "))
    message = "\n".join(told[: 2 if two else 1]) or name
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(told[:MOST]),
            file=place["file"] if place else None,
            line=number(place["line"]) if place else None,
            column=number(place["column"]) if place else None,
            test=name,
            tool="hspec",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)
    reading.outcome = "failed"


def _count(run: int, failed: int, skipped: int, reading: Reading) -> None:
    for key, value in (("passed", max(0, run - failed - skipped)), ("failed", failed), ("skipped", skipped)):
        if value or key != "skipped":
            reading.counts[key] = reading.counts.get(key, 0) + value
    if failed:
        reading.outcome = "failed"
    elif reading.outcome is None:
        reading.outcome = "passed"
