"""Read protoc (3.0 to 33): its gcc and msvs formats, files that are missing, plugins that fail."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

PLACED = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.proto)(?::(?P<line>\d+):(?P<column>\d+))?: "
    r"(?P<warning>warning: )?(?P<message>.+)$"
)
STUDIO = re.compile(
    r"(?P<file>\S.*\.proto)\((?P<line>\d+)\) : (?P<word>error|warning) in column=(?P<column>\d+): (?P<message>.+)$"
)
LOGGED = re.compile(r"\[libprotobuf (?P<word>WARNING|ERROR|FATAL) [^\]]+\] (?P<message>.+)$")
ABSL = re.compile(r"(?P<word>[WEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.]+:\d+\] (?P<message>.+)$")
OWN = re.compile(
    r"Missing (?:output directives|input file|value for flag).*"
    r"|Could not (?:make proto path relative: (?P<file>.+?): .+|.*)"
    r"|(?:Unknown|Missing value for) flag: .+|--\w[\w-]*: .+|.+: program not found or is not executable"
    r"|.+: warning: directory does not exist\.|Please specify a program using absolute path.*"
    r"|.+: No such file or directory|.+/: No such file or directory|File does not reside within any path .+"
)
HINT = re.compile(r"Suggested field numbers for ")
CAUSE = re.compile(r"Import \"(?P<file>.+)\" was not found or had errors\.")


def parse(log: Log, context: Context) -> Reading:
    """Read protoc's findings; advice on free field numbers is a hint, a path that lacks a folder a warning."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "protoc"
    for index, line in enumerate(log.lines):
        if ".proto" in line and (match := PLACED.match(line) or STUDIO.match(line)):
            _add(reading, log, index, match, named)
        elif line.startswith("[libprotobuf") and (match := LOGGED.match(line)):
            _said(reading, log, index, match["message"], "warning" if match["word"] == "WARNING" else "error")
        elif named and line[:1] in ("W", "E", "F") and (match := ABSL.match(line)):
            _said(reading, log, index, match["message"], "warning" if match["word"] == "W" else "error")
        elif named and (match := OWN.match(line)):
            warned = ": warning: " in line
            if warned or not line.startswith("Please specify"):
                _said(reading, log, index, line, "warning" if warned else "error", match["file"])
            reading.outcome = reading.outcome if warned else reading.outcome or "error"
            reading.claim(index)
    found = [d for d in reading.diagnostics if d.severity == "error" and (d.line or d.file)]
    if found and reading.outcome != "error" and context.exit_code != 0:
        reading.outcome = "failed"
    return reading


def _add(reading: Reading, log: Log, index: int, match: re.Match[str], named: bool) -> None:
    parts = match.groupdict()
    message = match["message"]
    if not named and not match["line"] and not message.startswith(("File not found", "Suggested field", "warning: ")):
        return
    level: Severity = "warning" if parts.get("warning") or parts.get("word") == "warning" else "error"
    if HINT.match(message):
        level = "hint"
    reading.add(
        Diagnostic(
            message=message,
            severity=level,
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            tool="protoc",
            log=log.span(index),
        )
    )
    reading.claim(index)


def _said(reading: Reading, log: Log, index: int, message: str, level: Severity, file: str | None = None) -> None:
    reading.add(Diagnostic(message=message, severity=level, file=file, tool="protoc", log=log.span(index)))
    reading.claim(index)
