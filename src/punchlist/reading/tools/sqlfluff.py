"""Read sqlfluff (1 to 4): the wrapped table of `lint`, json, yaml, github-annotation JSON, user errors."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.usage import read_usage

FILE = re.compile(r"== \[(?P<file>.+)\] (?P<verdict>FAIL|PASS|FIXED)$")
FINDING = re.compile(r"L: *(?P<line>\d+) \| P: *(?P<column>\d+) \| +(?P<rule>\w+) \| (?P<message>.*)")
YAML_KEY = re.compile(r"(?: {2})?(?P<dash>- )? *(?P<key>[a-z_]+): (?P<value>.*)$")
MORE = re.compile(r" {10,}\| (?P<text>.*)")
NAME = re.compile(r"\s*\[(?P<name>[a-z_]+\.[a-z_]+)\]$")
USER = re.compile(r"(?:User )?Error: (?P<message>.+)")
WARNING = re.compile(r"(?P<level>WARNING|ERROR|CRITICAL)[: ]+(?P<message>.+)")
CHATTER = ("All Finished", "==== ", "[", "Attempting", "Skipping", "1 fixable", "Are you sure")
NEEDLES = (
    "L: ",
    "== [",
    "rror",
    "violations",
    "annotation_level",
    "All Finished",
    "WARNING",
)


def parse(log: Log, context: Context) -> Reading:
    """Read sqlfluff's findings; its warnings on stderr only repeat that a file did not parse."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "sqlfluff"
    if named and read_usage(log, reading, "sqlfluff"):
        return reading
    if not lines_with(log, *NEEDLES):
        return reading
    file = ""
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("== [") and (match := FILE.match(line)):
            file = match["file"]
            if match["verdict"] == "FAIL":
                reading.outcome = "failed"
            elif reading.outcome is None:
                reading.outcome = "passed"
            reading.claim(index)
        elif line.startswith("L:") and file and (match := FINDING.match(line)):
            index = _finding(log, index, match, file, reading)
            continue
        elif named and (match := USER.match(line)):
            reading.add(Diagnostic(message=match["message"], tool="sqlfluff", log=log.span(index)))
            reading.outcome = "error"
            reading.claim(index)
        elif named and (WARNING.match(line) or line.startswith("All Finished")):
            reading.claim(index)
        index += 1
    if named or any('"start_line_no"' in line or '"line_no"' in line for line in log.lines):
        _json(log, reading)
    if named and any(line.startswith("- filepath: ") for line in log.lines):
        _yaml(log, reading)
    return reading


def _finding(log: Log, index: int, match: re.Match[str], file: str, reading: Reading) -> int:
    parts = [match["message"]]
    end = index + 1
    while end < len(log.lines) and (more := MORE.match(log.lines[end])):
        parts.append(more["text"])
        end += 1
    message = " ".join(part.strip() for part in parts if part.strip())
    name = NAME.search(message)
    _add(
        reading,
        log,
        (message[: name.start()] if name else message, name["name"] if name else ""),
        (file, number(match["line"]), number(match["column"])),
        match["rule"],
        index,
        end,
    )
    return end


def _add(
    reading: Reading,
    log: Log,
    said: tuple[str, str],
    place: tuple[str, int | None, int | None],
    rule: str,
    first: int,
    end: int,
    warning: bool = False,
) -> None:
    reading.add(
        Diagnostic(
            message=said[0],
            detail=said[1],
            severity="warning" if warning else "error",
            file=place[0] or None,
            line=place[1],
            column=place[2],
            rule=rule or None,
            tool="sqlfluff",
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _yaml(log: Log, reading: Reading) -> None:
    """Files as a list, their violations below them as another, plain keys in an item."""
    file, first = "", 0
    item: dict[str, str] = {}
    for index, line in enumerate([*log.lines, ""]):
        key = YAML_KEY.match(line)
        if item and (key is None or key["dash"]):
            place = (file, number(item.get("start_line_no")), number(item.get("start_line_pos")))
            warning = item.get("warning") == "true"
            said = (item.get("description", "no message"), item.get("name", ""))
            _add(reading, log, said, place, item.get("code", ""), first, index, warning)
            reading.outcome = "failed" if not warning else reading.outcome
            item = {}
        if key and key["key"] == "filepath":
            file = key["value"]
            reading.claim(index)
        elif key and (key["dash"] or item):
            item, first = ({}, index) if key["dash"] else (item, first)
            item[key["key"]] = key["value"].strip("'")


def _json(log: Log, reading: Reading) -> None:
    for value in js.values(log):
        at = value.first
        files = [item for item in value.dicts() if isinstance(item.get("violations"), list) and "filepath" in item]
        for item in files:
            for one in js.dicts_of(item, "violations"):
                text, _ = js.message_of(one, "description")
                at = js.lines_with(log, value, text, at)
                line = js.number_of(one, "start_line_no") or js.number_of(one, "line_no")
                column = js.number_of(one, "start_line_pos") or js.number_of(one, "line_pos")
                place = (js.text_of(item, "filepath"), line, column)
                warning = one.get("warning") is True
                _add(reading, log, (text, js.text_of(one, "name")), place, js.text_of(one, "code"), at, at + 1, warning)
                reading.outcome = "failed" if not warning else reading.outcome
        notes = [item for item in value.dicts() if "annotation_level" in item and "message" in item]
        for one in notes:
            said, _ = js.message_of(one, "message")
            rule, _, text = said.partition(": ") if ": " in said else ("", "", said)
            at = js.lines_with(log, value, text, at)
            line = js.number_of(one, "start_line") or js.number_of(one, "line")
            place = (js.text_of(one, "file"), line, js.number_of(one, "start_column"))
            _add(reading, log, (text, ""), place, rule, at, at + 1)
            reading.outcome = "failed"
        if files or notes:
            js.claim(reading, log, value)
            reading.partial = reading.partial or not value.whole
            reading.outcome = reading.outcome or ("passed" if not reading.diagnostics else None)
