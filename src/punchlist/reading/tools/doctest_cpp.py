"""Read doctest (the C++ framework): failed assertions in their test case, exceptions, crashes, totals; seen: 2.4."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

RULE = re.compile(r"={40,}$")
PLACE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(][^:\n(]*?)(?::(?P<line>\d+)|\((?P<line2>\d+)\))"
CASE_PLACE = re.compile(PLACE + r":$")
NAME = re.compile(r"(TEST CASE|TEST_CASE|SCENARIO|  Scenario):\s+(.*)$|  Scenario: (.*)$")
FAILURE = re.compile(PLACE + r": (?P<word>ERROR|FATAL ERROR|WARNING|MESSAGE): ?(?P<message>.*)$")
CASES = re.compile(r"\[doctest\] test cases: +(\d+) +\| +(\d+) passed +\| +(\d+) failed +\| +(\d+) skipped")
STATUS = re.compile(r"\[doctest\] Status: (SUCCESS|FAILURE)")
EXPECTED = re.compile(r"Failed as expected so marking it as not failed|Allowed to fail so marking it as not failed")


def parse(log: Log, _context: Context) -> Reading:
    """Read the failures of every test case."""
    reading = Reading()
    if not any("[doctest]" in line or line.startswith("TEST CASE:") for line in log.lines):
        return reading
    name, sections = "", [""]
    begun: list[int] = []
    at = 0
    while at < len(log.lines):
        line = log.lines[at]
        if line.startswith("[doctest]"):
            _totals(line, reading)
            reading.claim(at)
        elif RULE.match(line):
            name, sections = "", []
            begun = []
            reading.claim(at)
        elif match := NAME.match(line):
            name = (match[2] or match[3] or "").strip()
            reading.claim(at)
            while at + 1 < len(log.lines) and log.lines[at + 1].startswith("  "):
                at += 1
                sections.append(log.lines[at].strip())
                reading.claim(at)
        elif CASE_PLACE.match(line):
            reading.claim(at)
        elif EXPECTED.match(line):
            for index in reversed(begun):
                del reading.diagnostics[index]
            begun = []
            reading.claim(at)
        elif match := FAILURE.match(line):
            if match["word"] in ("ERROR", "FATAL ERROR"):
                begun.append(len(reading.diagnostics))
            at = _failure(log, at, match, name, sections, reading)
            continue
        at += 1
    return reading


def _failure(log: Log, at: int, match: re.Match[str], name: str, sections: list[str], reading: Reading) -> int:
    end = at + 1
    while end < len(log.lines) and log.lines[end] and not RULE.match(log.lines[end]):
        end += 1
    reading.claim(at, end)
    if match["word"] in ("WARNING", "MESSAGE"):
        return end
    body = [line.strip() for line in log.lines[at + 1 : end]]
    message = match["message"].strip()
    if not message or message.endswith(":"):
        message, body = (f"{message} {body[0]}".strip(), body[1:]) if body else (log.lines[at], body)
    detail = [*body[:40], *([f"in {' / '.join(s for s in sections if s)}"] if any(sections) else [])]
    reading.add(
        Diagnostic(
            message=message, detail="\n".join(detail), file=match["file"], line=int(match["line"] or match["line2"]),
            test=name or None, log=log.span(at, end - 1),
        )
    )  # fmt: skip
    return end


def _totals(line: str, reading: Reading) -> None:
    if match := CASES.match(line):
        reading.counts = {"passed": int(match[2]), "failed": int(match[3]), "skipped": int(match[4])}
    elif match := STATUS.match(line):
        reading.outcome = "passed" if match[1] == "SUCCESS" else "failed"
