"""Read pylint (2 to 4): text, colorized, parseable, msvs, github, json, json2; columns are 0-based as it prints them.

C, R and W messages are warnings, E and F errors, I information. The exit code is a bit mask (1 fatal, 2 error,
4 warning, 8 refactor, 16 convention, 32 usage).
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import filled, lines_with
from punchlist.reading.tools.usage import read_usage

FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:*][^:]*)"
RULE = r"(?P<rule>[CRWEFI]\d{4})"
SYMBOL = r"\((?P<symbol>[a-z][a-z0-9-]+)\)"
TEXT = re.compile(rf"{FILE}:(?P<line>\d+):(?P<column>\d+): {RULE}: (?P<message>.*?)(?: {SYMBOL})?$")
PARSEABLE = re.compile(
    rf"{FILE}:(?P<line>\d+):(?:(?P<column>\d+):)? \[{RULE}(?:{SYMBOL})?(?:, (?P<obj>[^\]]*))?\] (?P<message>.*)"
)
MSVS = re.compile(rf"(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): \[{RULE}(?:{SYMBOL})?(?P<obj>[^\]]*)\] (?P<message>.*)")
MODULE = re.compile(r"\*{13} Module (?P<module>\S+)")
RATED = re.compile(r"Your code has been rated at ")
SYMBOL_END = re.compile(r"(?P<text>.*) \((?P<symbol>[a-z]+(?:-[a-z]+)+)\)$")
TROUBLE = re.compile(
    r"(?P<message>(?:No module named \S+|Unable to find module.*|Unrecognized option.*|Unknown option.*))"
)
SEVERITIES: dict[str, Severity] = {
    "C": "warning",
    "R": "warning",
    "W": "warning",
    "E": "error",
    "F": "error",
    "I": "info",
}
BLOCK = 400
DETAIL_LINES = 40
NEEDLES = (
    ": C",
    ": R",
    ": W",
    ": E",
    ": F",
    ": I",
    ": [",
    "** Module",
    "Your code",
    "nrecognized",
    "Unknown option",
    "No module",
)


def parse(log: Log, context: Context) -> Reading:
    """Read every output mode of pylint."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "pylint"
    if named:
        read_usage(log, reading, "pylint")
    if any('"message-id"' in line or '"messageId"' in line or '"messageTypeCount"' in line for line in log.lines):
        _json(log, reading)
        log = js.without(log, reading)
    index = 0 if lines_with(log, *NEEDLES) else len(log.lines)
    while index < len(log.lines):
        index = _line(log, index, named, reading)
    if reading.diagnostics and reading.outcome is None:
        # Only fatal messages: nothing was looked at.
        fatal = all((d.rule or "F").startswith("F") for d in reading.diagnostics)
        reading.outcome = "error" if fatal else "failed"
    return reading


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    match = (TEXT.match(line) or PARSEABLE.match(line) or MSVS.match(line)) if ":" in line else None
    if match:
        return _finding(log, index, match, reading)
    if MODULE.match(line):
        reading.claim(index)
    elif RATED.match(line):
        reading.claim(index)
        if "10.00/10" in line and not reading.diagnostics:
            reading.outcome = "passed"
    elif named and not reading.outcome and (match := TROUBLE.match(line)):
        reading.add(Diagnostic(message=match["message"], tool="pylint", log=log.span(index)))
        reading.outcome = "error"
        reading.claim(index)
    return index + 1


def _finding(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    end, more = _continued(log, index, match)
    rule = match["rule"]
    message, more = _with_places(match["message"].strip() or match["symbol"] or rule, more)
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(more[:DETAIL_LINES]),
            severity=SEVERITIES[rule[0]],
            file=match["file"],
            line=number(match["line"]),
            column=number(match.groupdict().get("column")),
            rule=rule,
            tool="pylint",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _with_places(message: str, more: list[str]) -> tuple[str, list[str]]:
    """R0801's first line is the same for every finding: the modules that it names belong to the message."""
    places = [line for line in more if line.startswith("==") and ":[" in line]
    return " ".join([message, *places]), more[len(places) :] if places else more


def _continued(log: Log, index: int, match: re.Match[str]) -> tuple[int, list[str]]:
    """R0801 and R0401 go on over lines, in the text format up to the symbol in parentheses."""
    if match["rule"] not in ("R0801", "R0401") and match["symbol"]:
        return index + 1, []
    more: list[str] = []
    end = index + 1
    while end < len(log.lines) and end - index < BLOCK:
        line = log.lines[end]
        if (
            TEXT.match(line)
            or PARSEABLE.match(line)
            or MSVS.match(line)
            or MODULE.match(line)
            or line.startswith("-----")
        ):
            break
        end += 1
        if closing := SYMBOL_END.match(line):
            return end, [*more, closing["text"]]
        more.append(line)
    if match["rule"] in ("R0801", "R0401"):
        end = filled(log.lines, index + 1, end)
        return end, more
    return index + 1, []


def _json(log: Log, reading: Reading) -> None:
    for value in js.values(log):
        items = js.dicts_of(value.value, "messages") if isinstance(value.value, dict) else value.dicts()
        items = [item for item in items if _rule(item) and "line" in item and "message" in item]
        if not items and not (
            isinstance(value.value, dict) and "messageTypeCount" in str(value.value.get("statistics"))
        ):
            continue
        at = value.first
        for item in items:
            text = js.text_of(item, "message").strip() or "no message"
            at = js.lines_with(log, value, text.split("\n")[0], at)
            first, *more = text.split("\n")
            message, more = _with_places(first, more)
            reading.add(
                Diagnostic(
                    message=message,
                    detail="\n".join(more[:DETAIL_LINES]),
                    severity=SEVERITIES.get(_rule(item)[:1], "warning"),
                    file=js.text_of(item, "path") or None,
                    line=js.number_of(item, "line"),
                    column=js.number_of(item, "column"),
                    end_line=js.number_of(item, "endLine"),
                    rule=_rule(item),
                    tool="pylint",
                    log=log.span(at),
                )
            )
            at = min(at + 1, value.end - 1)
        js.claim(reading, log, value)
        reading.partial = reading.partial or not value.whole
        reading.outcome = "failed" if items else reading.outcome or "passed"


def _rule(item: dict[str, object]) -> str:
    return js.text_of(item, "messageId") or js.text_of(item, "message-id")
