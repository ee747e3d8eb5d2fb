"""Read CUnit 2's console (verbose and normal mode) and CppUnit's text output."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

SUITE = re.compile(r"\s*Suite:? (?P<name>[^,]+?)(?:, Test \S.* had failures:)?$")
TEST = re.compile(r"\s*Test: (?P<name>\S.*?) ?\.\.\. ?(?P<word>passed|FAILED)$")
HAD = re.compile(r"Suite (?P<suite>\S.*?), Test (?P<name>\S.*) had failures:$")
FAILURE = re.compile(r"\s+\d+\. (?P<file>\S.*?):(?P<line>\d+)  - (?P<message>.*)$")
TESTS = re.compile(r"\s+tests\s+(?P<all>\d+)\s+(?P<ran>\d+)\s+(?P<passed>\d+)\s+(?P<failed>\d+)\s+(?P<inactive>\d+)$")
# CppUnit: `1) test: Shop::mult (F) line: 7 a.cpp`; an error has no place.
BLOCK = re.compile(r"\d+\) test: (?P<test>\S.*?) \((?P<word>[FE])\)(?: line: (?P<line>\d+) (?P<file>\S.*))?$")
RUN = re.compile(r"Run: +(?P<run>\d+) +Failures: +(?P<failed>\d+) +Errors: +(?P<errors>\d+)$")


def parse(log: Log, _context: Context) -> Reading:
    """Read failed assertions with the test they are of, and the totals."""
    reading = Reading()
    if lines_with(log, "CUnit - A unit testing framework"):
        _cunit(log, reading)
    _cppunit(log, reading)
    if reading.diagnostics or reading.counts.get("failed") or reading.counts.get("errors"):
        reading.outcome = "failed"
    elif reading.counts:
        reading.outcome = "passed"
    return reading


def _cunit(log: Log, reading: Reading) -> None:
    suite = test = ""
    for index, line in enumerate(log.lines):
        if (match := HAD.match(line)) or (match := TEST.match(line)):
            suite, test = match.groupdict().get("suite") or suite, match["name"]
        elif match := FAILURE.match(line):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    file=match["file"],
                    line=int(match["line"]),
                    test=f"{suite} {test}".strip() or None,
                    tool="cunit",
                    log=log.span(index),
                )
            )
        elif match := TESTS.match(line):
            reading.counts.update({"passed": int(match["passed"]), "failed": int(match["failed"])})
        elif match := SUITE.match(line):
            suite = match["name"]
        else:
            continue
        reading.claim(index)


def _cppunit(log: Log, reading: Reading) -> None:
    for index in lines_with(log, ") test: "):
        match = BLOCK.match(log.lines[index])
        if match is None:
            continue
        end = index + 1
        while end < len(log.lines) and log.lines[end]:
            end += 1
        body = log.lines[index + 1 : end]
        telling = [text.removeprefix("- ") for text in body[1:]] if len(body) > 1 else body
        reading.add(
            Diagnostic(
                message="\n".join(telling[:2]) or log.lines[index],
                detail="\n".join(body),
                file=match["file"],
                line=int(match["line"]) if match["line"] else None,
                test=match["test"],
                tool="cppunit",
                log=log.span(index, end - 1),
            )
        )
        reading.claim(index, end)
    for index in lines_with(log, "Run: "):
        if match := RUN.match(log.lines[index]):
            run, failed, errors = (int(match[name]) for name in ("run", "failed", "errors"))
            reading.counts.update({"passed": max(0, run - failed - errors), "failed": failed, "errors": errors})
            reading.claim(index)
