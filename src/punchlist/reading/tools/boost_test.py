"""Read Boost.Test's human log: errors in their test, exceptions with the last checkpoint, totals. Seen with 1.58 on."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

PLACE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(][^:\n(]*?|unknown location)(?:\((?P<line>\d+)\)|:(?P<line2>\d+))"
FAILURE = re.compile(PLACE + r": (?P<word>fatal error|error|warning): in \"(?P<test>.*?)\": (?P<message>.*)$")
OLD = re.compile(PLACE + r": (?P<word>fatal error|error) in \"(?P<test>.*?)\": (?P<message>.*)$")
CHECKPOINT = re.compile(r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:(][^:\n(]*?)\((?P<line>\d+)\): last checkpoint(?:: .*)?")
RUNNING = re.compile(r"Running (\d+) test cases?\.\.\.$")
FAILED = re.compile(r"\*\*\* (\d+) (?:failures? (?:is|are|was|were) detected|failures? detected)")
CLEAN = re.compile(r"\*\*\* No errors detected")
SETUP = re.compile(r"(?:Test setup error: |boost::unit_test::framework::setup_error|ERROR: )(.*)$")


def parse(log: Log, context: Context) -> Reading:
    """Read each failed check with what goes on below it."""
    reading = Reading()
    running = False
    at = 0
    while at < len(log.lines):
        line = log.lines[at]
        if ' in "' in line and (match := FAILURE.match(line) or OLD.match(line)):
            at = _failure(log, at, match, reading)
            continue
        if RUNNING.match(line):
            running = True
            reading.claim(at)
        elif line.startswith("*** "):
            if FAILED.match(line):
                reading.outcome = "failed"
                reading.claim(at)
            elif CLEAN.match(line):
                reading.outcome = "passed"
                reading.claim(at)
        elif line.startswith("Test setup error: ") and (match := SETUP.match(line)):
            reading.outcome = "error"
            reading.add(Diagnostic(message=match[1], log=log.span(at)))
            reading.claim(at)
        at += 1
    if reading.diagnostics and reading.outcome is None:
        reading.outcome = "failed"
    reading.partial = running and reading.outcome is None and context.exit_code not in (0, None)
    return reading


def _failure(log: Log, at: int, match: re.Match[str], reading: Reading) -> int:
    end = at + 1
    file, line = match["file"], int(match["line"] or match["line2"])
    while end < len(log.lines) and log.lines[end]:
        text = log.lines[end]
        if point := CHECKPOINT.match(text):
            if file == "unknown location":
                file, line = point["file"], int(point["line"])
            end += 1
            break
        if not text.startswith((" ", "\t", "Failure occurred", "[", "+", "-")) or FAILURE.match(text):
            break
        end += 1
    if match["word"] != "warning":
        detail = [text.strip() for text in log.lines[at + 1 : end][:40]]
        reading.add(
            Diagnostic(
                message=match["message"] or log.lines[at], detail="\n".join(detail),
                file=None if file == "unknown location" else file, line=line or None, test=match["test"],
                log=log.span(at, end - 1),
            )
        )  # fmt: skip
    reading.claim(at, end)
    return end
