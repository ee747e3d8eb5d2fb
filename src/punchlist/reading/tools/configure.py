"""Read autotools: `configure: error:`, autoconf's and automake's messages, automake's test harness."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import replace

CONFIGURE = re.compile(r"(?:\S*/)?configure: (?:(?P<word>error|warning|WARNING): )(?P<message>.+)$")
SOURCE = re.compile(
    r"(?P<file>\S*(?:configure\.(?:ac|in)|Makefile\.am|aclocal\.m4|\.m4)):(?P<line>\d+): (?P<word>error"
    r"|warning): (?P<message>.+)$"
)
TOOL = re.compile(
    r"(?:autoreconf|autoconf|automake|aclocal|libtoolize|autom4te)(?:-[\d.]+)?: (?:error"
    r"|fatal error): (?P<message>.+)$"
)
RESULT = re.compile(r"(?P<word>PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): (?P<name>\S.*)$")
TOTAL = re.compile(r"# (?P<name>TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +(?P<value>\d+)$")
UNDERLINE = re.compile(r"={3,}$")
EXITED = re.compile(r"(?:PASS|FAIL|XFAIL|XPASS|SKIP|ERROR) \S.* \(exit status: \d+\)$")
SUMMARY = re.compile(r"Testsuite summary for ")
SEE = re.compile(r"See [`'\"]\S*config\.log['\"] for more details")
NAMES = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped", "ERROR": "errors", "XFAIL": "xfailed"}


def parse(log: Log, _context: Context) -> Reading:
    """Read messages, and results where automake's summary shows that they are its own."""
    reading = Reading()
    sections: list[tuple[str, int]] = []
    harness = any(SUMMARY.match(line) for line in log.lines)
    for at, line in enumerate(log.lines):
        if not line:
            continue
        match = CONFIGURE.match(line) or SOURCE.match(line) or TOOL.match(line)
        if match:
            _message(log, at, match, reading)
        elif SEE.match(line):
            reading.claim(at)
        elif harness and line[0] == "#" and (match := TOTAL.match(line)):
            if match["name"] in NAMES:
                reading.counts[NAMES[match["name"]]] = int(match["value"])
            reading.claim(at)
        elif harness and (match := RESULT.match(line)):
            reading.claim(at)
            if at + 1 < len(log.lines) and log.lines[at + 1] == "=" * len(line):
                sections.append((match["name"], at))
                continue
            if match["word"] in ("FAIL", "ERROR", "XPASS"):
                reading.add(Diagnostic(message=line, test=match["name"], log=log.span(at)))
    _outputs(log, sections, reading)
    if harness:
        bad = reading.counts.get("failed", 0) + reading.counts.get("errors", 0)
        reading.outcome = "failed" if bad or any(d.test for d in reading.diagnostics) else "passed"
    elif any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "error"
    return reading


def _outputs(log: Log, sections: list[tuple[str, int]], reading: Reading) -> None:
    """Give each failed test the output that `VERBOSE=1` shows below its title, which lacks the name's extension."""
    for name, at in sections:
        end = at + 2
        while end < len(log.lines) and not UNDERLINE.match(log.lines[end]):
            end += 1
        if end < len(log.lines) and RESULT.match(log.lines[end - 1]):
            end -= 1
        body = [text for text in log.lines[at + 2 : end] if text]
        said = [text for text in body if not EXITED.match(text)]
        for index, found in enumerate(reading.diagnostics):
            if found.test == name or (found.test or "").startswith(f"{name}."):
                first = next((i for i in range(at + 2, end) if said and log.lines[i] == said[0]), at)
                reading.diagnostics[index] = replace(
                    found,
                    message=said[0] if said else found.message,
                    detail="\n".join(body[:60]),
                    log=log.span(first, max(first, end - 1)) if said else found.log,
                )
        reading.claim(at, end)


def _message(log: Log, at: int, match: re.Match[str], reading: Reading) -> None:
    parts = match.groupdict()
    severity: Severity = "warning" if (parts.get("word") or "").lower() == "warning" else "error"
    end = at + 1
    while severity == "error" and end < len(log.lines) and log.lines[end].startswith(("  ", "See ")) and end - at < 8:
        end += 1
    reading.add(
        Diagnostic(
            message=match["message"],
            severity=severity,
            file=parts.get("file"),
            line=int(parts["line"]) if parts.get("line") else None,
            detail="\n".join(text.strip() for text in log.lines[at + 1 : end]),
            log=log.span(at, end - 1),
        )
    )
    reading.claim(at, end)
