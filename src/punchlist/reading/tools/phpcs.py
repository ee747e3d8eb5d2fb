"""Read PHP_CodeSniffer (2 to 4): the full table, emacs, csv, summary and JSON; what its set-up lacks."""

import csv
import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import (
    claim,
    dicts_of,
    inner,
    number_of,
    text_of,
    values,
)
from punchlist.reading.formats.json_values import (
    lines_with as lines_of,
)
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

FILE = re.compile(r"FILE: (?P<file>\S.*)$")
FOUND = re.compile(r"FOUND (?P<errors>\d+) ERRORS?(?: AND (?P<warnings>\d+) WARNINGS?)? AFFECTING \d+ LINES?$")
WARNED = re.compile(r"FOUND (?P<errors>0) ERRORS AND (?P<warnings>\d+) WARNINGS? AFFECTING")
ROW = re.compile(r" *(?P<line>\d+) \| (?P<word>ERROR|WARNING) +\| (?:\[[x ]\] )?(?P<message>\S.*)$")
CODE = re.compile(r"LINE +(?P<line>\d+): (?P<word>ERROR|WARNING) +(?:\[[x ]\] )?(?P<message>\S.*)$")
MORE = re.compile(r" +\| +\| (?:    )?(?P<message>\S.*)$")
SOURCE = re.compile(r"\((?P<rule>[A-Z]\w*(?:\.\w+){2,3})\)$")
EMACS = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<word>error|warning) - (?P<message>.*?)"
    r"(?: \((?P<rule>[A-Z]\w*(?:\.\w+){2,3})\))?$"
)
TROUBLE = re.compile(r"(?P<message>ERROR: (?P<text>\S.*))$")
CSV = "File,Line,Column,Type,Message,Source,Severity"
SUMMARY = re.compile(r"(?P<file>\S.*\.\w+) {2,}(?P<errors>\d+) +(?P<warnings>\d+)$")


def parse(log: Log, context: Context) -> Reading:
    """Read every report that phpcs prints without XML."""
    reading = Reading()
    lines = log.lines
    tables = lines_with(log, "FILE: ")
    for index in tables:
        if FILE.match(lines[index]):
            _table(log, index, reading)
    for index in lines_with(log, ": error - ", ": warning - "):
        if match := EMACS.match(lines[index]):
            _add(
                log,
                reading,
                index,
                index + 1,
                match["file"],
                match["line"],
                match["word"],
                match["message"],
                match["column"],
                match["rule"],
            )
    for index in lines_with(log, CSV):
        _csv(log, index, reading)
    _json(log, reading)
    if not reading.diagnostics:
        _summary(log, reading)
    if not reading.diagnostics and context.words:
        for index in lines_with(log, "ERROR: "):
            if match := TROUBLE.match(lines[index]):
                reading.add(Diagnostic(message=match["text"], log=log.span(index)))
                reading.claim(index)
                reading.outcome = "error"
                break
    if reading.diagnostics and reading.outcome is None:
        reading.outcome = "failed" if context.exit_code != 0 else None
    return reading


def _add(
    log: Log,
    reading: Reading,
    first: int,
    end: int,
    file: str,
    line: str,
    word: str,
    message: str,
    column: str | None = None,
    rule: str | None = None,
) -> None:
    severity: Severity = "error" if word.lower() == "error" else "warning"
    reading.add(
        Diagnostic(
            message=message,
            severity=severity,
            file=file,
            line=int(line) or None if line.isdigit() else None,
            column=int(column) or None if column and column.isdigit() else None,
            rule=rule or None,
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _table(log: Log, index: int, reading: Reading) -> None:
    """One file's table: long messages are wrapped into rows whose other cells are empty."""
    lines = log.lines
    file = lines[index].removeprefix("FILE: ")
    at = index + 1
    while at < len(lines) and at < index + 6 and not lines[at].startswith("FOUND "):
        at += 1
    found = FOUND.match(lines[at]) if at < len(lines) else None
    if found is None:
        return
    for name in ("errors", "warnings"):
        reading.counts[name] = reading.counts.get(name, 0) + int(found[name] or 0)
    reading.claim(index, at + 1)
    row: tuple[int, re.Match[str], list[str]] | None = None
    at += 1
    while at < len(lines) and not lines[at].startswith(("FILE: ", "Time: ")):
        line = lines[at]
        if match := ROW.match(line) or CODE.match(line):
            _row(log, reading, file, row, at)
            row = at, match, [match["message"]]
        elif row and (more := MORE.match(line)):
            row[2].append(more["message"])
        elif row and row[1].re is CODE and line.startswith("          "):
            row[2].append(line.strip())
        elif row and line.startswith("---"):
            if row[1].re is not CODE:
                break
            _row(log, reading, file, row, at)
            row = None
        at += 1
    _row(log, reading, file, row, at)


def _row(log: Log, reading: Reading, file: str, row: tuple[int, re.Match[str], list[str]] | None, end: int) -> None:
    if row is None:
        return
    message = " ".join(row[2])
    rule = SOURCE.search(message)
    if rule:
        message = message[: rule.start()].strip()
    while end - 1 > row[0] and not log.lines[end - 1].strip():
        end -= 1
    _add(log, reading, row[0], end, file, row[1]["line"], row[1]["word"], message, None, rule["rule"] if rule else None)


def _csv(log: Log, index: int, reading: Reading) -> None:
    lines = log.lines
    end = index + 1
    while end < len(lines) and lines[end].startswith('"'):
        cells = next(csv.reader([log.whole(end)], doublequote=False, escapechar="\\"), [])
        if len(cells) >= 6:
            _add(log, reading, end, end + 1, cells[0], cells[1], cells[3], cells[4], cells[2], cells[5])
        end += 1
    reading.claim(index)


def _json(log: Log, reading: Reading) -> None:
    if not lines_with(log, '"totals"'):
        return
    for value in values(log):
        for report in value.dicts():
            files = inner(report, "files")
            if "totals" not in report or not isinstance(files, dict) or not _is_phpcs(report):
                continue
            for name in ("errors", "warnings"):
                reading.counts[name] = number_of(report, "totals", name) or 0
            at = value.first
            for file, found in files.items():
                for item in dicts_of(found, "messages"):
                    at = lines_of(log, value, text_of(item, "message"), at)
                    _add(
                        log,
                        reading,
                        at,
                        at + 1,
                        file,
                        str(number_of(item, "line") or 0),
                        text_of(item, "type"),
                        text_of(item, "message"),
                        str(number_of(item, "column") or 0),
                        text_of(item, "source"),
                    )
            claim(reading, log, value)
            if reading.outcome is None:
                reading.outcome = "failed" if reading.diagnostics else "passed"


def _is_phpcs(report: dict[str, object]) -> bool:
    totals = inner(report, "totals")
    return isinstance(totals, dict) and "fixable" in totals


def _summary(log: Log, reading: Reading) -> None:
    """`--report=summary` names files and numbers only."""
    heads: Sequence[int] = lines_with(log, "PHP CODE SNIFFER REPORT SUMMARY")
    if not heads:
        return
    for index in range(heads[0], len(log.lines)):
        if match := SUMMARY.match(log.lines[index]):
            if match["file"].startswith("A TOTAL"):
                continue
            worst = "error" if int(match["errors"]) else "warning"
            _add(log, reading, index, index + 1, match["file"], "0", worst, f"{match['errors']} {match['warnings']}")
