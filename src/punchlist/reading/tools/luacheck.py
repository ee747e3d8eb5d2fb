"""Read luacheck (0.20 to 1.2): default, plain, TAP, visual_studio; its JUnit output is read as such.

Without `--codes` only the line above a file's findings tells whether they are warnings or errors.
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

FINDING = re.compile(
    r"(?P<lead> {4}|not ok \d+ |)(?P<file>\S[^:]*?):(?P<line>\d+):(?P<column>\d+)(?:-(?P<end>\d+))?: "
    r"(?:\((?P<rule>[WE]\d{3})\) )?(?P<message>\S.*)$"
)
STUDIO = re.compile(
    r"(?P<file>\S.*?)\((?P<line>\d+),(?P<column>\d+)\) : (?P<word>warning|error) (?P<rule>[WE]\d{3}): (?P<message>.*)$"
)
CHECKING = re.compile(r"Checking (?P<file>\S.*?)\s{2,}(?P<rest>OK|\d+ (?:warning|error)s?.*|.*[Ee]rror)$")
TOTAL = re.compile(r"Total: (?P<warnings>\d+) warnings? / (?P<errors>\d+) errors? in \d+ files?")
UNREAD = re.compile(r" {0,4}(?P<file>\S.*?): (?P<message>couldn't (?:read|load|parse).*)$")
REFUSED = re.compile(r"(?:Error|Critical error|Fatal error): (?P<message>.+)$")
SYNTAX = re.compile(r"(?:expected|unfinished|malformed|unexpected|invalid|missing|unpaired|cannot use|attempt to) ")


def parse(log: Log, context: Context) -> Reading:
    """Read luacheck's findings and totals."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "luacheck"
    broken = False
    for index, line in enumerate(log.lines):
        if line.startswith("Checking ") and (match := CHECKING.match(line)):
            broken = "warning" not in match["rest"]
            reading.claim(index)
            follows = any(log.lines[index + 1 : index + 3])
            if match["rest"] != "OK" and not _detailed(log, index) and (follows or named):
                _only_counted(log, index, match, broken, reading)
        elif line.startswith("Total: ") and (match := TOTAL.match(line)):
            reading.counts |= {name: int(value) for name, value in match.groupdict().items()}
            reading.outcome = reading.outcome or ("passed" if not any(reading.counts.values()) else "failed")
            reading.claim(index)
        elif ":" in line and (match := FINDING.match(line)):
            level: Severity = "error" if broken or SYNTAX.match(match["message"]) else "warning"
            _add(reading, log, index, match, level)
        elif " : " in line and (match := STUDIO.match(line)):
            _add(reading, log, index, match, "error" if match["word"] == "error" else "warning")
        elif "couldn't" in line and (match := UNREAD.match(line)):
            reading.add(Diagnostic(message=match["message"], file=match["file"], tool="luacheck", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        elif named and (match := REFUSED.match(line)):
            reading.add(Diagnostic(message=match["message"], tool="luacheck", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        elif named and line.startswith(("ok ", "1..")):
            reading.claim(index)
    if reading.diagnostics and reading.outcome is None and context.exit_code != 0:
        reading.outcome = "failed"
    return reading


def _detailed(log: Log, index: int) -> bool:
    return any(text.startswith("    ") for text in log.lines[index + 1 : index + 3])


def _only_counted(log: Log, index: int, match: re.Match[str], broken: bool, reading: Reading) -> None:
    """`-qq` names files and how many findings each has, nothing more."""
    level: Severity = "error" if broken else "warning"
    text = match["rest"]
    reading.add(Diagnostic(message=text, severity=level, file=match["file"], tool="luacheck", log=log.span(index)))


def _add(reading: Reading, log: Log, index: int, match: re.Match[str], level: Severity) -> None:
    parts = match.groupdict()
    rule = parts.get("rule")
    end = number(parts.get("end"))
    reading.add(
        Diagnostic(
            message=match["message"],
            severity=level if rule is None else "error" if rule.startswith("E") else "warning",
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            end_line=number(match["line"]) if end else None,
            end_column=end + 1 if end else None,
            rule=rule,
            tool="luacheck",
            log=log.span(index),
        )
    )
    reading.claim(index)
