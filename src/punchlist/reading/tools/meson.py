"""Read meson: errors and warnings of setting up, and `meson test` with its summary of failures; seen: 0.56 to 1.5."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading

MESSAGE = re.compile(
    r"(?:(?P<file>\S*?meson(?:\.build|_options\.txt|\.options)|[^\s:]+\.build):(?P<line>\d+)(?::(?P<column>\d+))?: )?"
    r"(?P<word>ERROR|WARNING|DEPRECATION): (?P<message>.+)$"
)
TEST = re.compile(
    r"\s*(?P<n>\d+)/(?P<all>\d+) (?P<name>\S.*?)\s+(?P<word>OK|FAIL|TIMEOUT|ERROR|SKIP|EXPECTEDFAIL"
    r"|UNEXPECTEDPASS|INTERRUPT)\s+(?P<time>[\d.]+)\s?s(?P<rest>.*)$"
)
COUNT = re.compile(r"(?P<name>Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):\s+(?P<value>\d+)")
BAD = ("FAIL", "TIMEOUT", "ERROR", "UNEXPECTEDPASS", "INTERRUPT")
OUTPUT = re.compile(r"[―-]{10,}.*[―-]{3,}$")
FULL_LOG = re.compile(r"\s*(?:A full log can be found at|Full log written to|A full log)")
MADE = re.compile(r"Build targets in project: \d+|Found ninja-|The Meson build system$")
NAMES = {"Ok": "passed", "Fail": "failed", "Skipped": "skipped", "Timeout": "timeouts"}


def parse(log: Log, context: Context) -> Reading:
    """Read set-up messages and test results; a test listed in the summary too is reported once."""
    reading = Reading()
    tests: dict[tuple[str, str], Diagnostic] = {}
    ours = context.words[:1] == ("meson",) or any(MADE.match(line) or FULL_LOG.match(line) for line in log.lines)
    counts: dict[str, int] = {}
    for at, line in enumerate(log.lines):
        if not line:
            continue
        if ("ERROR: " in line or "WARNING: " in line or "DEPRECATION: " in line) and (match := MESSAGE.match(line)):
            if ours or match["file"]:
                _message(log, at, match, reading)
        elif "/" in line[:12] and (match := TEST.match(line)):
            reading.claim(at)
            if match["word"] in BAD:
                key = (match["n"], match["name"])
                rest = f"{match['word']} {match['rest'].strip()}".strip()
                tests.setdefault(
                    key, Diagnostic(message=line.strip(), detail=rest, test=match["name"], log=log.span(at))
                )
        elif match := COUNT.match(line):
            counts[match["name"]] = int(match["value"])
            reading.claim(at)
        elif FULL_LOG.match(line) or OUTPUT.match(line) or line == "Summary of Failures:":
            reading.claim(at)
    reading.diagnostics += tests.values()
    if "Ok" in counts:
        reading.counts = {NAMES[name]: value for name, value in counts.items() if name in NAMES and name != "Timeout"}
        reading.counts["failed"] = counts.get("Fail", 0) + counts.get("Timeout", 0) + counts.get("Unexpected Pass", 0)
        reading.outcome = "failed" if reading.counts["failed"] else "passed"
    return reading


def _message(log: Log, at: int, match: re.Match[str], reading: Reading) -> None:
    severity: Severity = "error" if match["word"] == "ERROR" else "warning"
    reading.add(
        Diagnostic(
            message=match["message"],
            severity=severity,
            file=match["file"],
            line=int(match["line"]) if match["line"] else None,
            column=int(match["column"] or 0) or None,
            log=log.span(at),
        )
    )
    reading.claim(at)
    if severity == "error":
        reading.outcome = "error"
