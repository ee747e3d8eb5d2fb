"""Read .NET's test runs: VSTest, the testing platform, the terminal logger, xUnit's and NUnit's runners."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.formats.places import DOTNET, place_in
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

# VSTest: `  Failed Name [12 ms]`; the testing platform: `failed Name (12ms)`
VSTEST = re.compile(r" *(?:Failed|X|Fehlgeschlagen|Échec|Errore) (?P<test>\S.*?)(?: \[[<\d][^\]]*\])$")
PLATFORM = re.compile(r"(?P<kind>failed) (?P<test>\S.*?) \((?:\d+[hms]+ ?)+\d*(?:ms|s)?\)$")
XUNIT = re.compile(r"(?P<indent>(?:\[xUnit\.net [\d:.]+\])? +)(?P<test>\S.*)(?<!  ) \[FAIL]$")
XUNIT_LINE = re.compile(r"\[xUnit\.net [\d:.]+\] ?")
NUNIT = re.compile(
    r"(?P<number>\d+)\) (?P<kind>Failed|Error|Invalid|SetUp Error|TearDown Error|SetUp Failure) : (?P<test>\S.*)$"
)
TERMINAL = re.compile(r" +(?P<file>\S.*)\((?P<line>\d+)\): error TESTERROR:$")
TERMINAL_TEST = re.compile(r" +(?P<test>\S.*?) \(\d[\d.,:]* ?m?s\): Error Message: (?P<message>.*)$")
LABEL = re.compile(
    r" *(?P<label>Error Message|Stack Trace|Standard Output Messages|Standard Error Messages|Expected"
    r"|Stack trace|Output)(?::| from)\s*$"
)
TRACE = re.compile(
    r"\s*(?:at|bei|à|en) \S.*|\s*\S+\(\d+,\d+\): at .*|\s*---? .*(?:stack trace|inner exception).*", re.I
)
XUNIT_FRAME = re.compile(r"\s*(?P<file>\S.*)\((?P<line>\d+),\d+\): at ")
FOREIGN = re.compile(
    r"\s*(?:at|bei|à|en) (?:Xunit|NUnit|Microsoft|System|MSTest|Castle|Moq|FluentAssertions|Shouldly)\."
    r"|^/_/|\\_work\\|/_work/"
)
SUMMARY = re.compile(
    r"(?:Failed|Passed|Skipped|Fehler|Bestanden)! +- (?:Failed|Fehler): +(?P<failed>\d+), (?:Passed"
    r"|erfolgreich): +(?P<passed>\d+), "
    r"(?:Skipped|übersprungen): +(?P<skipped>\d+), (?:Total|gesamt): +\d+"
)
OLD = re.compile(
    r"Total tests: (?P<run>\d+"
    r"|Unknown)(?:\. Passed: (?P<passed>\d+)\. Failed: (?P<failed>\d+)\. Skipped: (?P<skipped>\d+))?"
)
OLD_PART = re.compile(r" +(?P<what>Passed|Failed|Skipped): (?P<number>\d+)$")
PLATFORM_SUM = re.compile(r"Test run summary: (?P<word>Passed|Failed|Zero tests ran|Aborted|Minimum expected)")
PLATFORM_PART = re.compile(r" +(?P<what>total|failed|succeeded|skipped): (?P<number>\d+)$")
ONE_LINE = re.compile(
    r"Test summary: total: (?P<run>\d+), failed: (?P<failed>\d+), succeeded: (?P<passed>\d+), skipped: (?P<skipped>\d+)"
)
XUNIT_SUM = re.compile(
    r" +\S.* +Total: (?P<run>\d+), Errors: (?P<errors>\d+), Failed: (?P<failed>\d+), Skipped: "
    r"(?P<skipped>\d+)(?:, Not Run: \d+)?, Time: "
)
NUNIT_SUM = re.compile(
    r" *Test Count: (?P<run>\d+), (?:Passed|Pass): (?P<passed>\d+), (?:Failed"
    r"|Fail): (?P<failed>\d+), .*?(?:Skipped|Skip): (?P<skipped>\d+)"
)
NUNIT_OLD = re.compile(
    r"Tests run: (?P<run>\d+), (?:Passed: (?P<passed>\d+), )?Errors: (?P<errors>\d+), Failures: "
    r"(?P<failed>\d+), Inconclusive: "
)
ABORTED = re.compile(
    r"(?P<message>(?:The active test run was aborted\. Reason: |Test host process crashed"
    r"|No test (?:is available in|matches)|The test source file|Zero tests ran|Testhost process ).*)$"
)
DETAIL = 60
LOOK = 400


def parse(log: Log, context: Context) -> Reading:
    """Read failing tests in whichever form they stand, then the totals of each assembly."""
    reading = Reading()
    lines = log.lines
    done = 0
    seen: set[str] = set()
    bare: dict[str, int] = {}
    for index in lines_with(
        log,
        "Failed ",
        "failed ",
        " [FAIL]",
        ") Error : ",
        ") Invalid",
        " Error : ",
        "TESTERROR",
        "  X ",
        "Fehlgeschlagen ",
        "Échec ",
    ):
        if index < done:
            continue
        line = lines[index]
        if (
            (match := NUNIT.match(line))
            or (match := VSTEST.match(line))
            or (match := PLATFORM.match(line))
            or (match := XUNIT.match(line))
        ):
            done = _block(log, context, index, match, seen, bare, reading)
        elif match := TERMINAL.match(line):
            done = _terminal(log, context, index, match, seen, reading)
    for test, index in bare.items():
        if test not in seen:
            _add(log, context, reading, test, [], index, index + 1)
    _totals(log, context, reading)
    return reading


def _block(
    log: Log,
    context: Context,
    index: int,
    match: re.Match[str],
    seen: set[str],
    bare: dict[str, int],
    reading: Reading,
) -> int:
    """The text below a failing test's name: labels or none, message, stack trace."""
    lines = log.lines
    indent = len(match["indent"]) if match.re is XUNIT else 0
    end = index + 1
    while end < len(lines) and end < index + LOOK and not _ends(lines, end, match, indent):
        end += 1
    test = match["test"]
    reading.claim(index, end)
    if test in seen and match.re in (XUNIT, VSTEST):
        return end
    if match.re is XUNIT and all(not log.lines[i].strip() for i in range(index + 1, end)):
        # The runner only announces it here; VSTest tells it below.
        bare.setdefault(test, index)
        return end
    seen.add(test)
    body = [XUNIT_LINE.sub("", log.whole(i)) for i in range(index + 1, end)]
    _add(log, context, reading, test, body, index, end)
    return end


def _ends(lines: Sequence[str], index: int, match: re.Match[str], indent: int) -> bool:
    line = lines[index]
    if VSTEST.match(line) or PLATFORM.match(line) or NUNIT.match(line) or XUNIT.match(line) or SUMMARY.match(line):
        return True
    if line.startswith(
        (
            "Test Run ",
            "Total tests:",
            "Test run summary",
            "Test Files",
            "=== ",
            "Run Settings",
            "  Passed ",
            "  Skipped ",
            "passed ",
            "skipped ",
            "Failed!",
            "Passed!",
            "Results File",
            "Build ",
            "Finished:",
        )
    ):
        return True
    if match.re is XUNIT:
        body = XUNIT_LINE.sub("", line)
        depth = indent - (len(lines[index]) - len(body))
        return bool(body.strip()) and len(body) - len(body.lstrip()) <= max(depth, 0)
    return match.re is PLATFORM and bool(line) and line[0] not in " \t"


def _add(log: Log, context: Context, reading: Reading, test: str, body: Sequence[str], index: int, end: int) -> None:
    said: list[str] = []
    trace: list[str] = []
    output: list[str] = []
    into = said
    for text in body:
        label = LABEL.match(text)
        if label and label["label"] in (
            "Error Message",
            "Stack Trace",
            "Stack trace",
            "Standard Output Messages",
            "Standard Error Messages",
            "Output",
        ):
            into = (
                said if label["label"] == "Error Message" else trace if label["label"].startswith("Stack") else output
            )
        elif into is said and TRACE.match(text):
            trace.append(text)
        elif text.strip() and not re.match(r"  from \S+\.(?:dll|exe) \(", text):
            into.append(text)
    message = said[0].strip() if said else test
    rest = said[1:]
    place = _place(trace, context)
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join([*rest[: DETAIL // 2], *[t.strip() for t in trace[:6]], *output[: DETAIL // 3]]),
            file=place[0] if place else None,
            line=place[1] if place else None,
            test=test,
            log=log.span(index, max(end - 1, index)),
        )
    )
    reading.outcome = "failed"


def _place(trace: Sequence[str], context: Context) -> tuple[str, int] | None:
    for text in trace:
        if FOREIGN.search(text):
            continue
        if match := XUNIT_FRAME.match(text) or DOTNET.match(text):
            return match["file"], int(match["line"])
        if match := re.match(r"\s*at .+ in (?P<file>.+):(?P<line>\d+)$", text):
            return match["file"], int(match["line"])
    found = place_in("\n".join(trace), context.root)
    return (found.file, found.line) if found and found.line else None


def _terminal(log: Log, _context: Context, index: int, match: re.Match[str], seen: set[str], reading: Reading) -> int:
    """The terminal logger of .NET 9: place, then test and message in one line, the rest below."""
    lines = log.lines
    head = TERMINAL_TEST.match(lines[index + 1]) if index + 1 < len(lines) else None
    if head is None:
        return index + 1
    end = index + 2
    while (
        end < len(lines) and end < index + LOOK and lines[end].startswith("      ") and not TERMINAL.match(lines[end])
    ):
        end += 1
    reading.claim(index, end)
    if head["test"] in seen:
        return end
    seen.add(head["test"])
    reading.add(
        Diagnostic(
            message=head["message"],
            detail="\n".join(lines[index + 2 : min(end, index + DETAIL)]),
            file=match["file"],
            line=int(match["line"]),
            test=head["test"],
            log=log.span(index, end - 1),
        )
    )
    reading.outcome = "failed"
    return end


def _totals(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    for index in lines_with(
        log,
        "otal",
        "Test Count: ",
        "Tests run: ",
        "Test run summary",
        "gesamt: ",
        "est run was aborted",
        "host process",
        "No test ",
        "Zero tests",
    ):
        line = lines[index]
        if (
            match := SUMMARY.match(line)
            or ONE_LINE.search(line)
            or NUNIT_SUM.match(line)
            or NUNIT_OLD.match(line)
            or XUNIT_SUM.match(line)
        ):
            counts = {k: int(v) for k, v in match.groupdict().items() if v is not None}
            run = counts.pop("run", None)
            if "passed" not in counts and run is not None:
                counts["passed"] = max(run - counts["failed"] - counts.get("errors", 0) - counts.get("skipped", 0), 0)
            _count(reading, counts, index)
        elif PLATFORM_SUM.match(line):
            _parts(lines, index, PLATFORM_PART, reading)
            if "Zero tests" in line:
                reading.outcome = "error" if context.exit_code else reading.outcome
        elif match := OLD.match(line):
            if match["passed"]:
                _count(reading, {k: int(match[k]) for k in ("passed", "failed", "skipped")}, index)
            else:
                _parts(lines, index, OLD_PART, reading)
        elif (match := ABORTED.match(line)) and (context.exit_code or "crashed" in line or "aborted" in line):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error" if not reading.counts else "failed"


def _parts(lines: Sequence[str], index: int, form: re.Pattern[str], reading: Reading) -> None:
    names = {
        "succeeded": "passed",
        "Passed": "passed",
        "failed": "failed",
        "Failed": "failed",
        "skipped": "skipped",
        "Skipped": "skipped",
    }
    counts: dict[str, int] = {}
    # Between the verdict and the numbers the platform lists the assemblies.
    end = next((i for i in range(index + 1, min(index + 60, len(lines))) if form.match(lines[i])), index + 1)
    while end < len(lines) and (match := form.match(lines[end])):
        if match["what"] in names:
            counts[names[match["what"]]] = int(match["number"])
        end += 1
    _count(reading, counts, index)
    reading.claim(index, end)


def _count(reading: Reading, counts: dict[str, int], index: int) -> None:
    for name, number in counts.items():
        reading.counts[name] = reading.counts.get(name, 0) + number
    reading.claim(index)
    if counts.get("failed") or counts.get("errors"):
        reading.outcome = "failed"
    elif counts:
        reading.outcome = reading.outcome or "passed"
