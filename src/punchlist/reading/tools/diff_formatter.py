"""Read formatters that print a diff of what they would change: autopep8, yapf, docformatter."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.tools.diffs import file_diffs
from punchlist.reading.tools.usage import read_usage

LEADS = ("original/", "before/", "fixed/")
TROUBLE = re.compile(r"(?:yapf: |error: )(?P<file>[^:\s][^:]*):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<message>.+)")
CHECKED = re.compile(r"(?P<file>\S.*\.pyi?)$")


def parse(log: Log, context: Context) -> Reading:
    """Read the diffs, the bare file names of `docformatter --check`, and files that cannot be parsed."""
    reading = Reading()
    tool = context.words[0] if context.words else "formatter"
    if context.words and read_usage(log, reading, tool):
        return reading
    for diff in file_diffs(log):
        file = diff.file
        for lead in LEADS:
            file = file.removeprefix(lead)
        reading.add(
            Diagnostic(
                message=log.lines[diff.first],
                detail=diff.text(log),
                file=file,
                line=diff.line,
                tool=tool,
                log=log.span(diff.first, diff.end - 1),
            )
        )
        reading.claim(diff.first, diff.end)
        reading.outcome = "failed"
    for index, line in enumerate(log.lines):
        if match := TROUBLE.match(line):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    file=match["file"],
                    line=number(match["line"]),
                    column=number(match["column"]),
                    tool=tool,
                    log=log.span(index),
                )
            )
            reading.claim(index)
            reading.outcome = "error"
        elif tool == "docformatter" and "--check" in context.words and (match := CHECKED.match(line)):
            if not any(d.file == line for d in reading.diagnostics):
                reading.add(Diagnostic(message=line, file=line, tool=tool, log=log.span(index)))
            reading.claim(index)
            reading.outcome = "failed"
    return reading
