"""Read the small C frameworks: Unity, Check and Criterion."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

UNITY = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<test>\w[\w()., ]*):(?P<word>FAIL|PASS|IGNORE)"
    r"(?:: ?(?P<message>.*))?$"
)
UNITY_TOTAL = re.compile(r"(\d+) Tests (\d+) Failures (\d+) Ignored")
CHECK = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<word>[FEP]):(?P<case>[^:]*):(?P<test>[^:]*):(?P<n>-?\d+)"
    r": (?P<message>.*)$"
)
CHECK_TOTAL = re.compile(r"\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)")
CRITERION = re.compile(
    r"\[-+\] (?P<file>[^\s:][^:]*):(?P<line>\d+): (?P<message>(?:Assertion Failed|Unexpected signal.*"
    r"|Test .*).*)$"
)
CRITERION_MORE = re.compile(r"\[-+\] ? ?(.*)$")
CRITERION_END = re.compile(
    r"\[(?P<word>FAIL|PASS|SKIP)\] (?P<test>\S+?::\S+?)(?:: \([\d.]+s\).*)?(?:: (?P<what>CRASH!|.*))?$"
)
CRITERION_TOTAL = re.compile(r"\[=+\] Synthesis: Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")


def parse(log: Log, _context: Context) -> Reading:
    """Read every framework's lines; each has a syntax of its own."""
    reading = Reading()
    pending: list[tuple[int, re.Match[str]]] = []
    for at, line in enumerate(log.lines):
        if not line:
            continue
        if line[0] == "[":
            _criterion(log, at, line, pending, reading)
        elif line[0].isdigit() and (_total(line, reading)):
            reading.claim(at)
        elif ":FAIL" in line or ":PASS" in line or ":IGNORE" in line:
            if match := UNITY.match(line):
                _placed(log, at, match, match["word"] == "FAIL", reading)
        elif (":F:" in line or ":E:" in line or ":P:" in line) and (match := CHECK.match(line)):
            _placed(log, at, match, match["word"] in "FE", reading)
    return reading


def _total(line: str, reading: Reading) -> bool:
    if match := UNITY_TOTAL.match(line):
        run, failed, ignored = (int(n) for n in match.groups())
        reading.counts = {"run": run, "passed": run - failed - ignored, "failed": failed, "skipped": ignored}
    elif match := CHECK_TOTAL.match(line):
        run, failed, errors = (int(n) for n in match.groups())
        reading.counts = {"run": run, "passed": run - failed - errors, "failed": failed, "errors": errors}
    else:
        return False
    bad = reading.counts["failed"] or reading.counts.get("errors")
    reading.outcome = "failed" if bad else "passed"
    return True


def _placed(log: Log, at: int, match: re.Match[str], failed: bool, reading: Reading) -> None:
    reading.claim(at)
    if failed:
        message = (match["message"] or "").strip() or log.lines[at]
        reading.add(
            Diagnostic(
                message=message, file=match["file"], line=int(match["line"]), test=match["test"], log=log.span(at)
            )
        )


def _criterion(log: Log, at: int, line: str, pending: list[tuple[int, re.Match[str]]], reading: Reading) -> None:
    if match := CRITERION.match(line):
        pending.append((at, match))
        reading.claim(at)
    elif match := CRITERION_END.match(line):
        for start, failure in pending:
            said = (CRITERION_MORE.match(text) for text in log.lines[start + 1 : at])
            more = [one[1].strip() for one in said if one and one[1].strip()]
            reading.add(
                Diagnostic(
                    message=more[0] if more else failure["message"],
                    detail="\n".join([failure["message"], *more[1:20]]),
                    file=failure["file"],
                    line=int(failure["line"]),
                    test=match["test"],
                    log=log.span(start, at),
                )
            )
        if match["word"] == "FAIL" and not pending:
            reading.add(Diagnostic(message=line, test=match["test"], log=log.span(at)))
        pending.clear()
        reading.claim(at)
    elif match := CRITERION_TOTAL.match(line):
        run, passed, failed, crashed = (int(n) for n in match.groups())
        reading.counts = {"run": run, "passed": passed, "failed": failed + crashed}
        reading.outcome = "failed" if failed or crashed else "passed"
        reading.claim(at)
