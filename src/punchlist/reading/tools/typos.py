"""Read typos (1.0 to 1.40): its long and brief formats and what it could not do."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity

HEAD = re.compile(r"(?P<level>error|warning): (?P<message>`.+` (?:should be|is disallowed).*)$")
PLACE = re.compile(r"\s*(?:╭▸|-->|╭─\[?) (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)\]?$")
BRIEF = re.compile(
    r"(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+): (?:(?P<level>error|warning): )?(?P<message>"
    r"`.+` (?:->|should be|is) .+)$"
)
REFUSED = re.compile(
    r"(?P<message>argument `(?P<file>.+)` is not found|error: unexpected argument .+|error: .*config.*)$"
)
FRAME = re.compile(r"\s*(?:\d+ )?[│╰|╭]")


def parse(log: Log, context: Context) -> Reading:
    """Read each misspelt word."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "typos"
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line.startswith(("error: `", "warning: `")) and (head := HEAD.match(line)):
            place = PLACE.match(log.lines[end]) if end < len(log.lines) else None
            if place:
                end += 1
                while end < len(log.lines) and FRAME.match(log.lines[end]):
                    end += 1
                _add(reading, log, head, place, index, end)
        elif "`" in line and (match := BRIEF.match(line)):
            _add(reading, log, match, match, index, end)
        elif named and (match := REFUSED.match(line)):
            reading.add(Diagnostic(message=match["message"], file=match["file"], tool="typos", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        index = end
    if reading.diagnostics and reading.outcome is None and context.exit_code != 0:
        reading.outcome = "failed"
    return reading


def _add(reading: Reading, log: Log, head: re.Match[str], place: re.Match[str], index: int, end: int) -> None:
    reading.add(
        Diagnostic(
            message=head["message"],
            severity=severity(head["level"]),
            detail="\n".join(log.lines[index + 2 : end]),
            file=place["file"],
            line=number(place["line"]),
            column=number(place["column"]),
            tool="typos",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
