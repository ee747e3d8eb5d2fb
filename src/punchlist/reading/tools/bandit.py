"""Read bandit (1.6 to 1.9): screen, txt, json, yaml, csv and the default custom template; columns are 0-based.

High is an error, medium a warning, low information.
"""

import csv
import re

from punchlist.model import Diagnostic
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.usage import read_usage

ISSUE = re.compile(r">> Issue: \[(?P<rule>B\d+)(?::(?P<name>\w+))?\] (?P<message>.+)")
SEVERITY = re.compile(r"\s+Severity: (?P<severity>\w+)\s+Confidence: (?P<confidence>\w+)")
LOCATION = re.compile(r"\s+Location: (?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?$")
CUSTOM = re.compile(r"(?P<file>.+?):(?P<line>\d+): (?P<rule>B\d+)\[bandit\]: (?P<severity>\w+): (?P<message>.+)")
SKIPPED = re.compile(r"Files skipped \((?P<count>\d+)\):")
SKIPPED_FILE = re.compile(r"\t(?P<file>.+?) \((?P<message>.+)\)$")
LOGGED = re.compile(r"\[[\w.]+\]\s+(?P<level>ERROR|WARNING|CRITICAL)\s+(?P<message>.+)")
YAML_ITEM = re.compile(r"- (?P<key>code|filename): ?(?P<value>.*)$")
YAML_KEY = re.compile(
    r"  (?P<key>filename|reason|issue_severity|issue_text|line_number|col_offset|test_id): ?(?P<value>.*)$"
)
CSV_HEAD = "filename,test_name,test_id,issue_severity"
SECTIONS = (
    "Run started:",
    "Test results:",
    "Code scanned:",
    "Run metrics:",
    "--------------------------------------------------",
)
NEEDLES = (
    ">> Issue",
    "[bandit]",
    "test_id",
    "Files skipped",
    "No issues",
    "ERROR",
    "CRITICAL",
    "Run started",
)


def parse(log: Log, context: Context) -> Reading:
    """Read every output mode of bandit."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "bandit"
    if named and read_usage(log, reading, "bandit"):
        return reading
    if not lines_with(log, *NEEDLES):
        return reading
    index = 0
    while index < len(log.lines):
        index = _line(log, index, named, reading)
    if named or any('"test_id"' in line for line in log.lines):
        _json(log, reading)
    if named and not reading.diagnostics and "results:" in log.lines:
        _yaml(log, reading)
    if any(d.rule for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if line.startswith(">> Issue") and (match := ISSUE.match(line)):
        return _issue(log, index, match, reading)
    if "[bandit]: " in line and (match := CUSTOM.match(line)):
        _add(reading, log, match, match["severity"], "", index, index + 1)
    elif line.startswith(CSV_HEAD):
        return _csv(log, index, reading)
    elif SKIPPED.match(line):
        end = index + 1
        while end < len(log.lines) and (match := SKIPPED_FILE.match(log.lines[end])):
            message = match["message"]
            reading.add(
                Diagnostic(message=message, severity="warning", file=match["file"], tool="bandit", log=log.span(end))
            )
            end += 1
        reading.claim(index, end)
        return end
    elif line.strip() == "No issues identified.":
        reading.outcome = "passed"
        reading.claim(index)
    elif named and (match := LOGGED.match(line)):
        level = match["level"]
        if level != "WARNING":
            reading.add(Diagnostic(message=match["message"], tool="bandit", log=log.span(index)))
            reading.outcome = "error"
        reading.claim(index)
    elif named and line.startswith(SECTIONS):
        reading.claim(index)
    return index + 1


def _issue(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and end - index < 60:
        line = log.lines[end]
        if line.startswith((">> Issue", "------", "Code scanned:")):
            break
        end += 1
    block = log.lines[index:end]
    level = next((m["severity"] for text in block if (m := SEVERITY.match(text))), "medium")
    place = next((m for text in block if (m := LOCATION.match(text))), None)
    more = [text for text in block[1:] if text and not LOCATION.match(text)]
    reading.add(
        Diagnostic(
            message=match["message"],
            detail="\n".join(more),
            severity=severity(level, "warning"),
            file=place["file"] if place else None,
            line=number(place["line"]) if place else None,
            column=number(place["column"]) if place else None,
            rule=match["rule"],
            tool="bandit",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _add(reading: Reading, log: Log, match: re.Match[str], level: str, detail: str, first: int, end: int) -> None:
    reading.add(
        Diagnostic(
            message=match["message"],
            detail=detail,
            severity=severity(level, "warning"),
            file=match["file"],
            line=number(match["line"]),
            rule=match["rule"],
            tool="bandit",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _csv(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and log.lines[end].count(",") >= 6:
        end += 1
    names = log.lines[index].split(",")
    for at in range(index + 1, end):
        try:
            row = dict(zip(names, next(csv.reader([log.whole(at)])), strict=False))
        except (csv.Error, StopIteration):
            continue
        reading.add(
            Diagnostic(
                message=(row.get("issue_text") or "").split("\n")[0] or "no message",
                severity=severity(row.get("issue_severity"), "warning"),
                file=row.get("filename") or None,
                line=number(row.get("line_number")),
                column=number(row.get("col_offset")),
                rule=row.get("test_id") or None,
                tool="bandit",
                log=log.span(at),
            )
        )
    reading.claim(index, end)
    return end


def _yaml(log: Log, reading: Reading) -> None:
    """The lists `errors` and `results`: an item begins with a dash, its keys stand below in their order."""
    index = 0
    while index < len(log.lines):
        if not (head := YAML_ITEM.match(log.lines[index])):
            index += 1
            continue
        first, index = index, index + 1
        item, key = {head["key"]: head["value"]}, ""
        while index < len(log.lines) and log.lines[index].startswith("  "):
            if match := YAML_KEY.match(log.lines[index]):
                key = match["key"]
                item[key] = match["value"]
            elif (
                key
                and log.lines[index].startswith("    ")
                and not log.lines[index].strip().startswith(("id:", "link:"))
            ):
                item[key] += f" {log.lines[index].strip()}"
            index += 1
        plain = {name: _scalar(value) for name, value in item.items()}
        reading.add(
            Diagnostic(
                message=plain.get("issue_text") or plain.get("reason") or "no message",
                severity=severity(plain.get("issue_severity"), "warning"),
                file=plain.get("filename") or None,
                line=number(plain.get("line_number")),
                column=number(plain.get("col_offset")),
                rule=plain.get("test_id") or None,
                tool="bandit",
                log=log.span(first, index - 1),
            )
        )
        reading.claim(first, index)


def _scalar(text: str) -> str:
    """A YAML scalar without its quotes."""
    return text[1:-1].replace("''", "'") if len(text) > 1 and text[0] == text[-1] == "'" else text


def _json(log: Log, reading: Reading) -> None:
    for value in js.values(log):
        if not isinstance(value.value, dict) or not isinstance(value.value.get("results"), list):
            continue
        items = [item for item in js.dicts_of(value.value, "results") if "test_id" in item]
        errors = [item for item in js.dicts_of(value.value, "errors") if "reason" in item]
        if not items and not errors and "metrics" not in value.value:
            continue
        at = value.first
        for item in errors:
            reading.add(
                Diagnostic(
                    message=js.message_of(item, "reason")[0],
                    severity="warning",
                    file=js.text_of(item, "filename") or None,
                    tool="bandit",
                    log=log.span(js.lines_with(log, value, js.text_of(item, "reason"), value.first)),
                )
            )
        for item in items:
            message, _ = js.message_of(item, "issue_text")
            at = js.lines_with(log, value, message, at)
            reading.add(
                Diagnostic(
                    message=message,
                    detail=js.text_of(item, "code"),
                    severity=severity(js.text_of(item, "issue_severity"), "warning"),
                    file=js.text_of(item, "filename") or None,
                    line=js.number_of(item, "line_number"),
                    column=js.number_of(item, "col_offset"),
                    rule=js.text_of(item, "test_id"),
                    tool="bandit",
                    log=log.span(at),
                )
            )
            at = min(at + 1, value.end - 1)
        js.claim(reading, log, value)
        reading.partial = reading.partial or not value.whole
        if not items and value.whole:
            reading.outcome = reading.outcome or "passed"
