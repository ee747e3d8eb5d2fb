"""Read one-line formats from rows of a table: one pattern a line, named groups for the parts of a diagnostic."""

import importlib
import re
from functools import cache

from punchlist.model import Diagnostic, Outcome, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import dataclass, field, replace

_WORDS: dict[Severity, str] = {
    "error": "error err e fatal f critical failure failed high blocker severe alert emergency panic bug",
    "warning": "warning warn w c r medium convention refactor major minor moderate deprecation",
    "info": "info i note n information style low suggestion notice remark",
    "hint": "hint help",
}
WORDS: dict[str, Severity] = {word: level for level, words in _WORDS.items() for word in words.split()}
WORDS["fatal error"] = "error"


def severity(word: str | None, default: Severity = "error") -> Severity:
    """Return the severity that a tool's word (any case) means."""
    return WORDS.get((word or "").strip().lower(), default)


@dataclass(frozen=True, slots=True)
class Row:
    """One line format of a tool.

    `pattern` (matched at the start of a line) has named groups: file, line, column, end_line, end_column, severity,
    rule, message, test. `severity` is used where the line has no word for it, or none that is known. `more` matches
    continuation lines that belong to the finding before them (they become its detail). `counts` is a pattern for the
    tool's own totals: its named groups are the counts (`errors2`: the same count worded another way). `passed` and
    `failed` are patterns for its own verdicts, `error` for lines that say it could not work (such a line becomes a
    diagnostic when it has a group `message`). `severities` maps the tool's own words where the common table does not
    hold. Columns are kept as printed. `caret` says that a line of `more` marks the column with a caret below the
    whole source line. `sole` is for tools that name no file when they are given one: a pattern of the command's
    argument that is the file.
    """

    tool: str
    pattern: str
    severity: Severity = "error"
    more: str = ""
    counts: str = ""
    passed: str = ""
    failed: str = ""
    error: str = ""
    severities: dict[str, Severity] = field(default_factory=dict)
    caret: bool = False
    sole: str = ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def rows_of(module: str, tool: str) -> tuple[Row, ...]:
    """Return the rows of one tool from the table `punchlist.reading.rows.<module>`."""
    table: tuple[Row, ...] = importlib.import_module(f"punchlist.reading.rows.{module}").ROWS
    return tuple(row for row in table if row.tool == tool)


def parse(rows: tuple[Row, ...], log: Log, context: Context) -> Reading:
    """Read every line that matches a row; totals, verdicts and continuation lines with it."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        index = _line(rows, log, index, reading) if log.lines[index] else index + 1
    for row in rows:
        if row.sole and (file := _sole(row.sole, context.words)):
            reading.diagnostics = [
                replace(found, file=file) if found.line and not found.file else found for found in reading.diagnostics
            ]
    return reading


def _sole(pattern: str, words: tuple[str, ...]) -> str | None:
    """Return the one argument of a command that is a file of the tool's; None where there are several or none."""
    named = [word for word in words[1:] if not word.startswith("-") and _compiled(pattern).search(word)]
    return named[0] if len(named) == 1 else None


def _line(rows: tuple[Row, ...], log: Log, index: int, reading: Reading) -> int:
    line = log.lines[index]
    for row in rows:
        match = _compiled(row.pattern).match(line) if row.pattern else None
        if match:
            end = index + 1
            if row.more:
                more = _compiled(row.more)
                while end < len(log.lines) and more.match(log.lines[end]) and log.stream(end) == log.stream(index):
                    end += 1
            reading.add(diagnostic(row, match, log, index, end))
            reading.claim(index, end)
            return end
    for row in rows:
        if _totals(row, line, log, index, reading):
            reading.claim(index)
            break
    return index + 1


def _totals(row: Row, line: str, log: Log, index: int, reading: Reading) -> bool:
    seen = False
    if row.counts and (match := _compiled(row.counts).search(line)):
        for name, value in match.groupdict().items():
            if value is not None:
                reading.counts[name.rstrip("2")] = int(value.replace(",", ""))
        seen = True
    verdicts: tuple[tuple[str, Outcome], ...] = ((row.passed, "passed"), (row.failed, "failed"))
    for pattern, verdict in verdicts:
        if pattern and _compiled(pattern).search(line):
            reading.outcome = verdict
            seen = True
    if row.error and (match := _compiled(row.error).match(line)):
        reading.outcome = "error"
        if "message" in match.groupdict():
            reading.add(Diagnostic(message=match["message"].strip(), tool=row.tool, log=log.span(index)))
        seen = True
    return seen


def number(text: str | None) -> int | None:
    """Return a printed line or column number, or None for none and for 0."""
    return int(text) or None if text and text.isdigit() else None


def _caret(lines: list[str]) -> int | None:
    """Return the column that the first line of carets marks."""
    marked = next((line for line in lines if line.strip() and not line.strip(" ^~")), None)
    return marked.find("^") + 1 or None if marked else None


def diagnostic(row: Row, match: re.Match[str], log: Log, index: int, end: int) -> Diagnostic:
    """Build a finding from a row's match."""
    parts = match.groupdict()
    word = (parts.get("severity") or "").strip()
    return Diagnostic(
        message=(parts.get("message") or match[0]).strip(),
        severity=row.severities.get(word) or severity(word, row.severity),
        detail="\n".join(log.lines[index + 1 : end]),
        file=parts.get("file") or None,
        line=number(parts.get("line")),
        column=number(parts.get("column")) or (_caret(log.lines[index + 1 : end]) if row.caret else None),
        end_line=number(parts.get("end_line")),
        end_column=number(parts.get("end_column")),
        rule=parts.get("rule") or None,
        test=parts.get("test") or None,
        tool=row.tool,
        log=log.span(index, end - 1),
    )
