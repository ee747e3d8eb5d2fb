"""Read isort (4 to 9): `--check`, `--diff`, files that cannot be read."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.diffs import file_diffs
from punchlist.reading.tools.usage import read_usage
from punchlist.records import replace

SORTED = re.compile(r"ERROR: (?P<file>.+?) Imports are incorrectly sorted(?: and/or formatted)?\.")
ENCODING = re.compile(r"(?:ERROR|WARNING): (?P<message>.*(?:[Uu]nable to parse file|Unicode|encoding).*)")
FILE = re.compile(r"file (?P<file>\S+)")
BROKEN = re.compile(r"Broken \d+ paths?$")
CHATTER = re.compile(r"(?:Skipped \d+ files?|Fixing |Parsing |SUCCESS: )")


def parse(log: Log, context: Context) -> Reading:
    """Read isort's messages; a diff that comes with them is claimed."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "isort"
    if named and read_usage(log, reading, "isort"):
        return reading
    for index, line in enumerate(log.lines):
        if match := SORTED.match(line):
            reading.add(Diagnostic(message=line, file=match["file"], tool="isort", log=log.span(index)))
            reading.outcome = "failed"
        elif named and (match := ENCODING.match(line)):
            place = FILE.search(match["message"])
            reading.add(
                Diagnostic(
                    message=match["message"],
                    severity="warning" if line.startswith("W") else "error",
                    file=place["file"] if place else None,
                    tool="isort",
                    log=log.span(index),
                )
            )
        elif named and BROKEN.match(line):
            reading.add(Diagnostic(message=line, tool="isort", log=log.span(index)))
            reading.outcome = "error"
        elif not (named and CHATTER.match(line)):
            continue
        reading.claim(index)
    if named:
        _diffs(log, reading)
    return reading


def _diffs(log: Log, reading: Reading) -> None:
    known = {d.file: at for at, d in enumerate(reading.diagnostics)}
    for diff in file_diffs(log):
        if diff.file in known:
            at = known[diff.file]
            reading.diagnostics[at] = replace(reading.diagnostics[at], detail=diff.text(log))
        else:
            reading.add(
                Diagnostic(
                    message=log.lines[diff.first],
                    detail=diff.text(log),
                    file=diff.file,
                    line=diff.line,
                    tool="isort",
                    log=log.span(diff.first, diff.end - 1),
                )
            )
        reading.claim(diff.first, diff.end)
