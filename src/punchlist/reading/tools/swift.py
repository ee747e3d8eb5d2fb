"""Read Swift: the compiler (5.0 to 6.2), XCTest on macOS and Linux, Swift Testing, swift build and xcodebuild."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity

PLACED = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.swift):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<word>er"
    r"ror|warning|note): (?P<message>.+)$"
)
XCTEST = re.compile(r"(?:-\[(?P<test>[^\]]+)\]|(?P<linux>[\w.]+\.test\w*)) : (?P<message>.+)$")
CASE = re.compile(r"Test Case '(?:-\[)?(?P<test>[^\]']+)\]?' (?P<word>passed|failed|skipped) \(")
EXECUTED = re.compile(
    r"\s*Executed (?P<run>\d+) tests?, with (?:(?P<skipped>\d+) tests? skipped and )?(?P<failed>\d+) failures? "
    r"\((?P<errors>\d+) unexpected\)"
)
ISSUE = re.compile(
    r"\S{1,2}\s+Test (?P<name>\".+?\"|[^\s\"]\S*?)(?: recorded an issue)(?: with \d+ arguments? "
    r"(?P<arguments>.+?))? at "
    r"(?P<file>[^\s:]+\.swift):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$"
)
RUN = re.compile(
    r"\S{1,2}\s+Test run with (?P<run>\d+) tests?(?: in \d+ suites?)? (?P<word>passed|failed) after [\d.]+ seconds"
    r"(?: with (?P<issues>\d+) issues?)?"
)
TEST_ENDED = re.compile(r"\S{1,2}\s+Test (?P<name>\".+?\"|[^\s\"]\S*?) (?P<word>passed|failed|skipped)\b")
SNIPPET = re.compile(r"\s*(?:\d+ )?\| |\s+[|`^~]|[ \t]+\S")
OWN = re.compile(
    r"error: (?P<message>(?:no such module|root manifest|unable to|could not find|the package|pa"
    r"ckage|dependency|no tests found"
    r"|terminated\(|emit-module|link command|failed to|invalid|unknown|manifest|product|target|'.+': ).*)$"
    r"|xcodebuild: error: (?P<message2>.+)$|(?P<message3>fatalError|Fatal error): .*$"
)
CRASH = re.compile(r"(?P<file>\S.*\.swift):(?P<line>\d+): Fatal error: (?P<message>.+)$")
LINK = re.compile(
    r"Undefined symbols? for architecture|ld: symbol\(s\) not found|clang: error: "
    r"linker command failed"
)
XCODE = re.compile(r"\*\* (?P<what>[A-Z ]+) (?P<word>FAILED|SUCCEEDED) \*\*$")
COMPILES = re.compile(r"error: fatalError$|error: (?:emit-module|compile) command failed|error: exit status")
MOST = 40


def parse(log: Log, context: Context) -> Reading:
    """Read compiler messages and failed tests; notes go with the message above them."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("swift", "swiftc", "xcodebuild", "xctest")
    passed = skipped = failed = 0
    executed: dict[str, int] = {}
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if ".swift:" in line and (match := CRASH.match(line) or PLACED.match(line)):
            end = _placed(match, log, index, reading)
        elif ".swift:" in line and (match := ISSUE.match(line)):
            end = _issue(match, log, index, reading)
        elif line.startswith("Test Case '"):
            if match := CASE.match(line):
                passed += match["word"] == "passed"
                skipped += match["word"] == "skipped"
                failed += match["word"] == "failed"
            reading.claim(index)
        elif "Executed " in line and (match := EXECUTED.match(line)):
            executed = {name: int(value or 0) for name, value in match.groupdict().items()}
            reading.claim(index)
        elif " Test run with " in line and (match := RUN.match(line)):
            _run(match, log, reading)
            reading.claim(index)
        elif line.startswith("** ") and (match := XCODE.match(line)):
            reading.outcome = "failed" if match["word"] == "FAILED" else reading.outcome or "passed"
            reading.claim(index)
        elif named and line.startswith(("error: ", "xcodebuild: error: ")) and (match := OWN.match(line)):
            _own(match, log, index, reading)
        index = end
    if executed and (passed or failed):
        reading.counts = {"passed": passed, "failed": failed} | ({"skipped": skipped} if skipped else {})
    if executed:
        reading.outcome = "failed" if executed["failed"] or reading.outcome == "failed" else reading.outcome or "passed"
    if any(d.severity == "error" for d in reading.diagnostics) and reading.outcome != "error":
        reading.outcome = "failed"
    return reading


def _placed(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    parts = match.groupdict()
    while end < len(log.lines) and log.lines[end] and SNIPPET.match(log.lines[end]):
        end += 1
    own_end = end
    while end < len(log.lines) and (note := PLACED.match(log.lines[end])) and note["word"] == "note":
        end += 1
        while end < len(log.lines) and log.lines[end] and SNIPPET.match(log.lines[end]):
            end += 1
    reading.claim(index, end)
    word = parts.get("word") or "error"
    if word == "note":
        return end
    test = XCTEST.match(match["message"])
    message = test["message"] if test else match["message"]
    reading.add(
        Diagnostic(
            message=message.removesuffix(" - "),
            severity=severity(word),
            detail="\n".join(log.lines[index + 1 : min(end, index + MOST)]),
            file=match["file"],
            line=number(match["line"]),
            column=number(parts.get("column")),
            test=(test["test"] or test["linux"]) if test else None,
            tool="xctest" if test else "swift",
            log=log.span(index, max(index, own_end - 1)),
        )
    )
    return end


def _issue(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and log.lines[end].startswith(("↳", "  ", "│")):
        end += 1
    name = match["name"].strip('"')
    if match["arguments"]:
        name += f" ({match['arguments']})"
    reading.add(
        Diagnostic(
            message=match["message"],
            detail="\n".join(log.lines[index + 1 : end]),
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            test=name,
            tool="swift-testing",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _run(match: re.Match[str], log: Log, reading: Reading) -> None:
    words = [m["word"] for line in log.lines if " Test " in line and (m := TEST_ENDED.match(line))]
    for name, word in (("passed", "passed"), ("failed", "failed"), ("skipped", "skipped")):
        count = words.count(word)
        if count or name != "skipped":
            reading.counts[name] = reading.counts.get(name, 0) + count
    if match["word"] == "failed":
        reading.outcome = "failed"
    elif reading.outcome is None:
        reading.outcome = "passed"


def _own(match: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    message = match["message"] or match["message2"] or log.lines[index]
    reading.claim(index)
    if any(d.severity == "error" for d in reading.diagnostics) and COMPILES.match(log.lines[index]):
        return
    reading.add(Diagnostic(message=message, tool="swift", log=log.span(index)))
    reading.outcome = reading.outcome or "error"
