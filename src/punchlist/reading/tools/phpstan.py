"""Read PHPStan (0.12 to 2): the table with its wrapped cells, raw, JSON, GitHub; and what keeps it from working."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import (
    claim,
    dicts_of,
    inner,
    list_of,
    number_of,
    text_of,
    values,
)
from punchlist.reading.formats.json_values import (
    lines_with as lines_of,
)
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

BORDER = re.compile(r" -{2,} -{4,}[- ]*$")
FILE = re.compile(r" {2,5}(?P<line>Line|Error|Place)(?: +(?P<file>\S.*))?$")
ROW = re.compile(r"  (?P<line>:?\d+|-| {1,6}) {2,}(?P<text>\S.*)$")
RULE = re.compile(r"🪪 +(?P<rule>[\w.]+)")
TIP = ("💡", "✏️", "✎", "🔧")
CONTEXT = re.compile(r" \(in context of .*\)$")
RAW = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*?)(?: \(in context of [^)]*\))?:(?P<line>\d+"
    r"|\?):(?P<message>\S.*?)(?: \[identifier=(?P<rule>[\w.]+)\])?$"
)
TOTALS = re.compile(r" *\[ERROR\] Found (?P<errors>\d+) errors?")
OK = re.compile(r" *\[OK\] No errors")
BOX = re.compile(r" *\[(?P<word>ERROR|WARNING|CAUTION)\] (?P<message>.*)$")
GENERAL = re.compile(
    r"(?P<message>(?:Path .* does not exist|Project config file|No rules detected|At least one path must"
    r"|Unexpected item|Invalid configuration:|Ignored error |Missing parameter|Neon|Service '"
    r"|Bootstrap file).*)$"
)
DETAIL = 30


def parse(log: Log, context: Context) -> Reading:
    """Read findings in whichever form they stand, then the verdict."""
    reading = Reading()
    _json(log, reading)
    _table(log, reading)
    if not reading.diagnostics and ("raw" in " ".join(context.words)):
        _raw(log, reading)
    for index in lines_with(log, "[ERROR]", "[OK]"):
        line = log.lines[index]
        if match := TOTALS.match(line):
            reading.counts["errors"] = int(match["errors"])
            reading.expected = int(match["errors"])
            reading.outcome = "failed"
            reading.claim(index)
        elif OK.match(line):
            reading.outcome = reading.outcome or "passed"
            reading.claim(index)
    if not reading.diagnostics and context.exit_code and context.words:
        _trouble(log, reading)
    return reading


def _table(log: Log, reading: Reading) -> None:
    """One table a file: rows begin with a line number, a cell that was wrapped goes on below an empty one."""
    lines = log.lines
    file: str | None = None
    row: tuple[int, str, list[str]] | None = None
    header = False
    for index in range(len(lines)):
        line = lines[index]
        if BORDER.match(line):
            reading.claim(index)
            if row:
                _row(log, reading, file, row, index)
                row = None
                file, header = None, False
            else:
                header = not header
        elif header and (match := FILE.match(line)) and file is None:
            file = CONTEXT.sub("", match["file"]) if match["line"] == "Line" and match["file"] else ""
            reading.claim(index)
        elif header and file and line.startswith("         ") and row is None and line.strip():
            file += line.strip()
        elif file and (match := ROW.match(line)):
            number = match["line"].strip()
            if number:
                _row(log, reading, file, row, index)
                row = index, number.lstrip(":"), [log.whole(index)[match.start("text") :].rstrip()]
            elif row:
                row[2].append(match["text"].rstrip())
        elif file == "" and line.startswith("  ") and line.strip():
            _row(log, reading, file, row, index)
            row = index, "", [line.strip()]
        elif row and not line.strip():
            _row(log, reading, file, row, index)
            row = None


def _row(log: Log, reading: Reading, file: str | None, row: tuple[int, str, list[str]] | None, end: int) -> None:
    if row is None:
        return
    first, number, texts = row
    said: list[str] = []
    notes: list[str] = []
    rule = None
    for text in texts:
        if match := RULE.search(text):
            rule = match["rule"]
        elif text.startswith(TIP) or notes:
            notes.append(text)
        else:
            said.append(text)
    reading.add(
        Diagnostic(
            message=" ".join(said),
            detail="\n".join(notes[:DETAIL]),
            file=file or None,
            line=int(number) if number.isdigit() else None,
            rule=rule,
            log=log.span(first, max(end - 1, first)),
        )
    )
    reading.claim(first, end)


def _raw(log: Log, reading: Reading) -> None:
    for index, line in enumerate(log.lines):
        if ":" in line and (match := RAW.match(line)):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    file=match["file"],
                    line=int(match["line"]) if match["line"].isdigit() else None,
                    rule=match["rule"],
                    log=log.span(index),
                )
            )
            reading.claim(index)
            reading.outcome = "failed"


def _json(log: Log, reading: Reading) -> None:
    if not lines_with(log, '"file_errors"'):
        return
    for value in values(log):
        for report in value.dicts():
            files = inner(report, "files")
            if not isinstance(inner(report, "totals"), dict) or "errors" not in report:
                continue
            at = value.first
            for file, found in files.items() if isinstance(files, dict) else ():
                for item in dicts_of(found, "messages"):
                    message = text_of(item, "message")
                    at = lines_of(log, value, message, at)
                    reading.add(
                        Diagnostic(
                            message=message,
                            detail=text_of(item, "tip"),
                            file=CONTEXT.sub("", file),
                            line=number_of(item, "line"),
                            rule=text_of(item, "identifier") or None,
                            log=log.span(at),
                        )
                    )
            for text in list_of(report, "errors"):
                if isinstance(text, str):
                    reading.add(Diagnostic(message=text, log=log.span(value.first, value.end - 1)))
            claim(reading, log, value)
            reading.outcome = "failed" if reading.diagnostics else "passed"


def _trouble(log: Log, reading: Reading) -> None:
    lines: Sequence[str] = log.lines
    for index, line in enumerate(lines):
        match = GENERAL.match(line.strip()) or BOX.match(line)
        if match:
            end = index + 1
            while end < len(lines) and lines[end].startswith("         ") and lines[end].strip():
                end += 1
            message = " ".join([match["message"].strip(), *(t.strip() for t in lines[index + 1 : end])])
            reading.add(Diagnostic(message=message, log=log.span(index, end - 1)))
            reading.claim(index, end)
            reading.outcome = "error"
            return
