"""Read pyrefly (0.10 to 1.5): full-text, min-text, json, configuration and usage trouble."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.arrowed import block_at, is_arrow
from punchlist.reading.tools.usage import read_usage

RULE = r"\[(?P<rule>[a-z][a-z0-9-]*)\]"
HEADER = re.compile(rf" ?(?P<severity>ERROR|WARN|INFO) (?P<message>\S.*?)(?: {RULE})?$")
# min-text: ` ERROR src/a.py:1:2-5: message [rule]`
MIN = re.compile(
    r" ?(?P<severity>ERROR|WARN|INFO) (?P<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+)(?:-[\d:]+)?: "
    rf"(?P<message>.*?) {RULE}$"
)
TOTALS = re.compile(r" ?INFO (?:(?P<none>No|0) errors|(?P<errors>[\d,]+) errors?)")
INFO = re.compile(r" ?(?:INFO|DEBUG) ")
TROUBLE = re.compile(
    r"(?: ?(?:ERROR |error: |FATAL ))?(?P<message>(?<= ).+|Path `.+` does not exist.*|No (?:such|files).+)"
)
NEEDLES = ("ERROR", "WARN", "INFO", "rror", "does not exist", "No such", "No files", "FATAL")
SEVERITIES: dict[str, Severity] = {"ERROR": "error", "WARN": "warning", "INFO": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read every output mode of pyrefly."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "pyrefly"
    if named:
        read_usage(log, reading, "pyrefly")
    if named and any('"errors"' in line for line in log.lines[:200]):
        _json(log, reading)
        log = js.without(log, reading)
    text = len(reading.diagnostics)
    index = 0 if lines_with(log, *NEEDLES) else len(log.lines)
    while index < len(log.lines):
        index = _line(log, index, named, reading)
    if named:
        reading.partial = reading.partial or (len(reading.diagnostics) > text and reading.outcome is None)
    return reading


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    if is_arrow(line) and (block := block_at(log, index, HEADER.match)):
        _add(
            reading, log, block.header, block.file, block.line, block.column, block.detail(log), block.first, block.end
        )
        return block.end
    if match := MIN.match(line):
        end = index + 1
        while end < len(log.lines) and log.lines[end].startswith("  "):
            end += 1
        detail = "\n".join(log.lines[index + 1 : end])
        _add(reading, log, match, match["file"], number(match["line"]), number(match["column"]), detail, index, end)
        return end
    if match := TOTALS.match(line):
        count = 0 if match["none"] else int(match["errors"].replace(",", ""))
        reading.counts["errors"] = count
        reading.outcome = "failed" if count else "passed"
        reading.claim(index)
    elif named and INFO.match(line):
        reading.claim(index)
    elif named and not _has_arrow(log, index) and (match := TROUBLE.match(line)) and reading.outcome != "error":
        reading.add(Diagnostic(message=match["message"], tool="pyrefly", log=log.span(index)))
        reading.outcome = "error"
        reading.claim(index)
    return index + 1


def _has_arrow(log: Log, index: int) -> bool:
    return index + 1 < len(log.lines) and is_arrow(log.lines[index + 1])


def _add(
    reading: Reading,
    log: Log,
    head: re.Match[str],
    file: str,
    line: int | None,
    column: int | None,
    detail: str,
    first: int,
    end: int,
) -> None:
    reading.add(
        Diagnostic(
            message=head["message"],
            detail=detail,
            severity=SEVERITIES[head["severity"]],
            file=file,
            line=line,
            column=column,
            rule=head["rule"],
            tool="pyrefly",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _json(log: Log, reading: Reading) -> None:
    for value in js.values(log):
        items = js.dicts_of(value.value, "errors") if isinstance(value.value, dict) else []
        items = [
            item for item in items if "path" in item and "line" in item and ("description" in item or "name" in item)
        ]
        if not items and not (isinstance(value.value, dict) and value.value.get("errors") == []):
            continue
        at = value.first
        for item in items:
            concise = "concise_description" if js.text_of(item, "concise_description") else "description"
            message, rest = js.message_of(item, concise)
            at = js.lines_with(log, value, message, at)
            word = js.text_of(item, "severity")
            reading.add(
                Diagnostic(
                    message=message,
                    detail=rest or js.text_of(item, "description").partition("\n")[2],
                    severity={"warn": "warning", "warning": "warning", "info": "info"}.get(word, "error"),  # type: ignore[arg-type]
                    file=js.text_of(item, "path") or None,
                    line=js.number_of(item, "line"),
                    column=js.number_of(item, "column"),
                    end_line=js.number_of(item, "stop_line"),
                    end_column=js.number_of(item, "stop_column"),
                    rule=js.text_of(item, "name") or None,
                    tool="pyrefly",
                    log=log.span(at),
                )
            )
            at = min(at + 1, value.end - 1)
        js.claim(reading, log, value)
        reading.outcome = "failed" if items else reading.outcome or "passed"
