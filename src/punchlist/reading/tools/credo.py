"""Read credo (1.0 to 1.7: default, oneline, flycheck) and dialyxir (1.0 to 1.4: its default and short formats)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

SAID = re.compile(r"[┃|] \[(?P<kind>[WRCFD])\] \S (?P<message>.+)$")
BELOW = re.compile(r"[┃|]\s{2,}(?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<column>\d+))?(?: #.*)?$")
MORE = re.compile(r"[┃|]\s{2,}(?P<text>\S.*)$")
ONELINE = re.compile(r"\[(?P<kind>[WRCFD])\] \S (?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<column>\d+))? (?P<message>.+)$")
FLYCHECK = re.compile(
    r"(?P<file>[^\s:]+\.exs?):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<kind>[WRCFD]): (?P<message>.+)$"
)
DIALYXIR = re.compile(
    r"(?P<file>[^\s:]+\.(?:exs?|erl)):(?P<line>\d+)(?::(?P<column>\d+))?:(?P<rule>[a-z]\w+)(?: (?P<message>\S.*))?$"
)
TOTAL = re.compile(r"Total errors: (?P<total>\d+), Skipped: (?P<skipped>\d+)")
RULE = "____________"


def parse(log: Log, context: Context) -> Reading:
    """Read each issue; credo calls them all issues, so they are warnings here."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line[:1] in ("┃", "|") and (said := SAID.match(line)):
            end = _boxed(said, log, index, reading)
        elif match := ONELINE.match(line) or FLYCHECK.match(line):
            _add(reading, log, index, end, match, match["message"], None, "credo")
        elif match := DIALYXIR.match(line):
            end = _dialyxir(match, log, index, reading)
        elif (match := TOTAL.match(line)) or line.startswith("done (warnings were emitted)"):
            reading.claim(index)
        index = end
    if reading.diagnostics and context.exit_code not in (0, None):
        reading.outcome = "failed"
    return reading


def _boxed(said: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    message = said["message"]
    while end < len(log.lines) and (more := MORE.match(log.lines[end])):
        end += 1
        if place := BELOW.match(log.lines[end - 1]):
            _add(reading, log, index, end, place, message, None, "credo")
            break
        message = f"{message} {more['text']}"
    return end


def _dialyxir(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    message = match["message"]
    if not message:
        while end < len(log.lines) and not log.lines[end].startswith((RULE, "done ")):
            end += 1
        message = next((text for text in log.lines[index + 1 : end] if text), match["rule"])
    _add(reading, log, index, end, match, message, match["rule"], "dialyzer")
    return end


def _add(
    reading: Reading,
    log: Log,
    index: int,
    end: int,
    place: re.Match[str],
    message: str,
    rule: str | None,
    tool: str,
) -> None:
    reading.add(
        Diagnostic(
            message=message,
            severity="warning",
            detail="\n".join(text for text in log.lines[index + 1 : end] if text and tool == "dialyzer")[:4000],
            file=place["file"],
            line=number(place["line"]),
            column=number(place["column"]),
            rule=rule,
            tool=tool,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
