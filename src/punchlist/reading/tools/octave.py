"""Read GNU Octave (4 to 9): the error that ended a script, files that do not parse, and its `test` command.

Frames name functions, not files: an error of a script has no place but the one its message tells.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import filled, lines_with

PARSE = re.compile(r"(?:error: )?parse error near line (?P<line>\d+) of file (?P<file>\S.*)$")
ERROR = re.compile(r"error: (?P<message>(?!called from$|parse error).+)$")
FRAME = re.compile(r"error: called from$|    \S.* at line \d+ column \d+$")
TEST = re.compile(r"\*{5} (?P<code>.+)$")
FAILED = re.compile(r"!{5} (?P<word>test failed|known bug|regression|.*failed.*)$")
TOTALS = re.compile(
    r"PASSES (?P<passed>\d+) out of (?P<run>\d+) tests?|(?:Summary|Totals)?.*\bFAIL(?:ED)? +(?P<failed>\d+)$"
)
LOOK = 40


def parse(log: Log, context: Context) -> Reading:
    """Read failed tests whatever the exit code, for `test` at the prompt ends with 0."""
    reading = Reading()
    for index in lines_with(log, "!!!!! "):
        if match := FAILED.match(log.lines[index]):
            _test(match, log, index, reading)
    for index in lines_with(log, "parse error near line "):
        if match := PARSE.match(log.lines[index]):
            _broken(match, log, index, reading)
    for index in lines_with(log, "PASSES "):
        if (match := TOTALS.match(log.lines[index])) and match["passed"]:
            reading.counts["passed"] = int(match["passed"])
            reading.counts["failed"] = int(match["run"]) - int(match["passed"])
            reading.claim(index)
    if context.exit_code != 0 and not reading.diagnostics:
        _error(log, reading)
    if reading.diagnostics:
        reading.outcome = "failed"
    return reading


def _test(match: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    code = TEST.match(log.lines[index - 1]) if index else None
    first = index - 1 if code else index
    end = index + 1
    while (
        end < min(len(log.lines), index + LOOK) and not TEST.match(log.lines[end]) and not TOTALS.match(log.lines[end])
    ):
        end += 1
    end = filled(log.lines, index + 1, end)
    body = [text for text in log.lines[index + 1 : end] if text.strip()]
    reading.add(
        Diagnostic(
            message=body[0].strip() if body else match["word"],
            detail="\n".join(body[1:]),
            test=code["code"] if code else None,
            tool="octave",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _broken(match: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    end = index + 1
    while end < min(len(log.lines), index + 8) and not re.match(r"\s+\^$", log.lines[end - 1]):
        end += 1
    said = [text.strip() for text in log.lines[index + 1 : end] if text.strip()]
    reading.add(
        Diagnostic(
            message=said[0] if said else "parse error",
            detail="\n".join(said[1:]),
            file=match["file"],
            line=number(match["line"]),
            tool="octave",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)


def _error(log: Log, reading: Reading) -> None:
    found = [(i, m) for i in lines_with(log, "error: ") if (m := ERROR.match(log.lines[i]))]
    if not found:
        return
    index, match = found[0]
    end = index + 1
    while end < len(log.lines) and FRAME.match(log.lines[end]):
        end += 1
    reading.add(
        Diagnostic(
            message=match["message"],
            detail="\n".join(text.strip() for text in log.lines[index + 1 : end]),
            tool="octave",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
