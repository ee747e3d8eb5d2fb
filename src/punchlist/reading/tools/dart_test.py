"""Read dart test and flutter test (package:test 1.0 to 1.25): compact, expanded and GitHub output of failures."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

HEAD = re.compile(
    r"(?P<time>\d\d:\d\d) \+(?P<passed>\d+)(?: ~(?P<skipped>\d+))?(?: -(?P<failed>\d+))?: (?P<na"
    r"me>.*?)(?P<failed_now> \[E\])?$"
)
ENDED = re.compile(r"(?:All tests passed!|Some tests failed\.|All tests skipped\.|No tests ran\.|No tests match.*)$")
FRAME = re.compile(r"\s+(?P<file>[\w./\\-]+\.dart) (?P<line>\d+):(?P<column>\d+)\s+\S")
COMPILE = re.compile(
    r"\s*(?P<file>[\w./\\-]+\.dart):(?P<line>\d+):(?P<column>\d+): (?P<word>Err"
    r"or|Warning): (?P<message>.+)$"
)
FLUTTER = re.compile(r"══╡ EXCEPTION CAUGHT BY (?P<library>.+?) ╞═+$")
FLUTTER_AT = re.compile(
    r"\s*(?:#\d+ .*\((?:file://)?(?P<file>/\S+?|test/\S+?\.dart):(?P<line>\d"
    r"+):\d+\)|file://(?P<file2>\S+) line (?P<line2>\d+))$"
)
DESCRIPTION = "The test description was:"
GITHUB = re.compile(r"::group::❌ (?P<name>.+?)(?: \(failed\))?$")
FOREIGN = re.compile(r"^package:|^dart:|/\.pub-cache/")
MOST = 60


def parse(log: Log, _context: Context) -> Reading:
    """Read each failed test with its text, and the running totals of the last line."""
    reading = Reading()
    last: re.Match[str] | None = None
    ended = False
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line[2:3] == ":" and (match := HEAD.match(line)):
            last = match
            reading.claim(index)
            if ENDED.match(match["name"]):
                ended = True
                reading.outcome = "failed" if match["failed"] else "passed" if match["name"].startswith("All") else None
            elif match["failed_now"]:
                end = _failure(match["name"], log, index, reading)
        elif "══╡" in line and (match := FLUTTER.match(line.strip())):
            end = _flutter(log, index, reading)
        elif ".dart:" in line and (match := COMPILE.match(line)):
            end = _compile(match, log, index, reading)
        index = end
    if last:
        for name in ("passed", "failed", "skipped"):
            if last[name] is not None or name != "skipped":
                reading.counts[name] = int(last[name] or 0)
        if not ended:
            reading.partial = True
        if last["failed"]:
            reading.outcome = "failed"
    return reading


def _failure(name: str, log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and not HEAD.match(log.lines[end]):
        end += 1
    body = [text for text in log.lines[index + 1 : end] if text.strip()]
    file, _, rest = name.partition(": ")
    named = file.endswith(".dart")
    if any(d.test and d.test == (rest or name) for d in reading.diagnostics) or (
        body and body[0].strip().startswith("Test failed. See exception logs above")
    ):
        reading.claim(index, end)
        return end
    frame = next((f for text in body if (f := FRAME.match(text)) and not FOREIGN.match(f["file"])), None)
    loading = name.startswith("loading ")
    expected = [text.strip() for text in body[:2]]
    message = (
        "\n".join(expected) if expected and expected[0].startswith("Expected:") else expected[0] if expected else name
    )
    compiled = loading and any(COMPILE.match(text) for text in body)
    if compiled:
        for at in range(index + 1, end):
            if found := COMPILE.match(log.lines[at]):
                _compile(found, log, at, reading)
    else:
        reading.add(
            Diagnostic(
                message=message,
                detail="\n".join(text.removeprefix("  ") for text in body[:MOST]),
                file=frame["file"] if frame else file if named else name.removeprefix("loading ") if loading else None,
                line=number(frame["line"]) if frame else None,
                column=number(frame["column"]) if frame else None,
                test=None if loading else f"{file} > {rest}" if named else name,
                tool="dart-test",
                log=log.span(index, end - 1),
            )
        )
    reading.claim(index, end)
    reading.outcome = "failed"
    return end


def _flutter(log: Log, index: int, reading: Reading) -> int:
    """Read flutter_test's box: what was thrown, the own frame, the test's description at its end."""
    end = index + 1
    while end < len(log.lines) and not log.lines[end].strip().startswith("═════"):
        end += 1
    body = [text.strip() for text in log.lines[index + 1 : end]]
    frame = next((f for text in body if (f := FLUTTER_AT.match(text)) and not FOREIGN.search(f["file"] or "")), None)
    test = None
    if DESCRIPTION in body and body.index(DESCRIPTION) + 1 < len(body):
        test = body[body.index(DESCRIPTION) + 1]
    told = [text for text in body if text]
    start = 1 if told and told[0].startswith("The following ") else 0
    expected = told[start : start + 2]
    message = "\n".join(expected) if expected and expected[0].startswith("Expected:") else (expected or ["failed"])[0]
    if not message.startswith(("Test failed. See", "When the exception was thrown")):
        reading.add(
            Diagnostic(
                message=message,
                detail="\n".join(told[:MOST]),
                file=(frame["file"] or frame["file2"]) if frame else None,
                line=number(frame["line"] or frame["line2"]) if frame else None,
                test=test,
                tool="flutter-test",
                log=log.span(index, end - 1),
            )
        )
        reading.outcome = "failed"
    reading.claim(index, min(len(log.lines), end + 1))
    return end + 1


def _compile(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    reading.add(
        Diagnostic(
            message=match["message"],
            severity="error" if match["word"] == "Error" else "warning",
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            tool="dart",
            log=log.span(index),
        )
    )
    reading.claim(index)
    reading.outcome = "failed"
    return index + 1
