"""Read `python -m compileall` and `py_compile`: files that do not compile (2.7 to 3.14)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading import frames
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

STARRED = re.compile(r'\*\*\* {1,3}File "(?P<file>[^"]+)", line (?P<line>\d+)')
REFUSED = re.compile(r"\*\*\* Error compiling '?(?P<file>.+?)'?\.\.\.$")
SORRY = re.compile(r"(?:\*\*\* )?Sorry: (?P<message>(?P<rule>\w+): .*?) \((?P<file>.+), line (?P<line>\d+)\)$")
PLAIN = re.compile(r"\*\*\* (?P<message>[A-Za-z_][\w.]*: \S.*)$")
COMPILING = re.compile(r"Compiling '?(?P<file>.+?)'? ?\.\.\.$")
MISSING = re.compile(r"(?P<message>\[Errno \d+\] .*: '(?P<file>[^']+)')$")
LISTING = re.compile(r"(?:Listing '?.+'? ?\.\.\.|Can't list .+)$")
ERROR = re.compile(r"(?:[A-Za-z_]\w*Error|\w*Exception): ?\S")


def parse(log: Log, _context: Context) -> Reading:
    """Read every file that was refused; a file's name stands in full on the line that announces it."""
    reading = Reading()
    current = ""
    end = 0
    for index in lines_with(
        log, "Compiling ", "Listing ", "Can't list", "***", "Sorry: ", "[Errno ", 'File "', "Warning: "
    ):
        if index < end:
            continue
        line = log.lines[index]
        if match := COMPILING.match(line):
            current = match["file"]
            reading.claim(index)
        elif match := frames.WARNING.match(line):
            reading.add(
                Diagnostic(
                    severity="warning",
                    message=match["message"],
                    file=match["file"],
                    line=int(match["line"]) or None,
                    rule=match["rule"],
                    log=log.span(index),
                )
            )
            reading.claim(index)
        elif LISTING.match(line):
            reading.claim(index)
            if line.startswith("Can't list"):
                reading.add(Diagnostic(message=line.strip(), log=log.span(index)))
        elif match := MISSING.match(line):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
        elif match := SORRY.match(line):
            reading.add(_sorry(log, index, match, current))
            reading.claim(index)
        elif match := STARRED.match(line) or _plain_file(line):
            end = _block(log, index, match, reading)
        elif match := REFUSED.match(line):
            current = match["file"]
            reading.claim(index)
            if index + 1 < len(log.lines) and ERROR.match(log.lines[index + 1]):
                reading.add(Diagnostic(message=log.lines[index + 1], file=current, log=log.span(index, index + 1)))
                reading.claim(index + 1)
        elif match := PLAIN.match(line):
            reading.add(Diagnostic(message=match["message"], file=current or None, log=log.span(index)))
            reading.claim(index)
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


def _plain_file(line: str) -> re.Match[str] | None:
    """`py_compile` prints the place without stars."""
    if not line.startswith('  File "'):
        return None
    match = frames.FILE.match(line)
    return match if match and not match["function"] else None


def _sorry(log: Log, index: int, match: re.Match[str], current: str) -> Diagnostic:
    file = match["file"]
    if current and current.replace("\\", "/").endswith("/" + file):
        file = current
    return Diagnostic(message=match["message"], file=file, line=int(match["line"]), log=log.span(index))


def _block(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    lines = log.lines
    for at in range(index + 1, min(index + 8, len(lines))):
        if ERROR.match(lines[at]):
            reading.add(
                Diagnostic(
                    message=lines[at].strip(),
                    detail="\n".join(lines[index + 1 : at]),
                    file=match["file"],
                    line=int(match["line"]) or None,
                    log=log.span(index, at),
                )
            )
            reading.claim(index, at + 1)
            return at + 1
        if lines[at][:1] not in ("", " ", "\t"):
            break
    return index + 1
