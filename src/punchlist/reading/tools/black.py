"""Read black (19 to 26), also `--diff`: what would be reformatted, what cannot be parsed."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.diffs import file_diffs
from punchlist.reading.tools.usage import read_usage
from punchlist.records import replace

WOULD = re.compile(r"would reformat (?P<file>.+)")
PARSE = re.compile(r"error: cannot parse: (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)$")
FORMAT = re.compile(
    r"error: cannot format (?P<file>-|.+?\.\w+"
    r"|\S+): (?P<message>(?:Cannot parse[^:]*: (?P<line>\d+):(?P<column>\d+)[: ])?.*)"
)
TOTALS = re.compile(
    r"(?P<first>\d+ files? (?:would be |)(?:reformatted|left unchanged)|\d+ files? (?:would fail|failed) to reformat)"
)
REFUSED = re.compile(
    r"(?:Oh no! .*?)?(?P<message>The required version .+|Error: .+|error: (?:INTERNAL ERROR|cannot use).+)"
)
SKIPS = ("All done!", "Oh no!", "reformatted ", "No Python files are present", "No Path provided", "Skipping .ipynb")
NEEDLES = (
    "would ",
    "cannot ",
    "reformatted",
    "left unchanged",
    "fail",
    "Oh no!",
    "rror",
    "--- ",
)


def parse(log: Log, context: Context) -> Reading:
    """Read black's messages and diffs."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "black"
    if named and read_usage(log, reading, "black"):
        return reading
    if not lines_with(log, *NEEDLES):
        return reading
    index = 0
    while index < len(log.lines):
        index = _line(log, index, named, reading)
    if named:
        _diffs(log, reading)
    return reading


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if match := WOULD.match(line):
        _add(reading, log, line, match["file"], None, None, index, index + 1)
        reading.outcome = reading.outcome or "failed"
    elif match := PARSE.match(line):
        end = index + 1
        while end < len(log.lines) and (log.lines[end].startswith(" ") or log.lines[end].startswith("ParseError")):
            end += 1
        _add(reading, log, line, match["file"], match["line"], match["column"], index, end)
        reading.outcome = "error"
        return end
    elif match := FORMAT.match(line):
        _add(reading, log, line, match["file"], match["line"], match["column"], index, index + 1)
        reading.outcome = "error"
    elif match := TOTALS.match(line):
        reading.claim(index)
        if "would be reformatted" not in line and "fail" not in line:
            reading.outcome = reading.outcome or "passed"
    elif named and (match := REFUSED.match(line)):
        reading.add(Diagnostic(message=match["message"], tool="black", log=log.span(index)))
        reading.outcome = "error"
        reading.claim(index)
    elif named and line.startswith(SKIPS):
        reading.claim(index)
    return index + 1


def _add(
    reading: Reading, log: Log, message: str, file: str, line: str | None, column: str | None, first: int, end: int
) -> None:
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(log.lines[first + 1 : end]),
            file=file,
            line=number(line),
            column=number(column),
            tool="black",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _diffs(log: Log, reading: Reading) -> None:
    """A diff is the detail of its file's finding, or the finding where black says nothing else (`--diff -q`)."""
    known = {d.file: at for at, d in enumerate(reading.diagnostics) if d.file and not d.detail}
    for diff in file_diffs(log):
        same = next((at for file, at in known.items() if file.endswith(diff.file) or diff.file.endswith(file)), None)
        if same is not None:
            reading.diagnostics[same] = replace(reading.diagnostics[same], detail=diff.text(log))
        else:
            message = log.lines[diff.first]
            reading.add(
                Diagnostic(
                    message=message,
                    detail=diff.text(log),
                    file=diff.file,
                    line=diff.line,
                    tool="black",
                    log=log.span(diff.first, diff.end - 1),
                )
            )
        reading.claim(diff.first, diff.end)
