"""Read shellcheck 0.4 to 0.11: tty, gcc, json, json1, diff and quiet; its checkstyle output is read as such.

The tty format marks columns with carets at their printed place (a tab counts as 8 there).
"""

import re

from punchlist.model import Diagnostic, Edit, Fix
from punchlist.reading.formats.json_values import claim, dicts_of, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.reading.tools.diffs import file_diffs

HEAD = re.compile(r"In (?P<file>.+) line (?P<line>\d+):$")
CARET = re.compile(r"(?P<space> *)\^-*(?P<end>\^| )? ?(?P<rule>SC\d{4})(?: \((?P<level>[a-z]+)\))?: (?P<message>.*)$")
GCC = re.compile(
    r"(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): (?P<level>error|warning|note|info|style): (?P<message>.*) "
    r"\[(?P<rule>SC\d{4})\]$"
)
MISSING = re.compile(r"(?P<file>.+?): (?P=file): (?:openBinaryFile|openFile|withBinaryFile|withFile|hGet\w+): .+")
REFUSED = re.compile(
    r"unrecognized option [`'].+|No files specified\.|Unknown (?:format|shell|value for|color) .+|Unknown shell: .+"
    r"|option `.+' .+|Invalid (?:number|argument).*|.*openBinaryFile: .+|Failed to process .+|.+: Unknown directive.*"
)
OWN = re.compile(
    r"unrecognized option|No files specified|Unknown |option `|Invalid |File: |Failed to process|Issues were|hGet"
    r"|BinaryFile: |openFile: |withFile: "
)
NOTHING = "Issues were detected, but none were auto-fixable."
WIKI = "For more information:"
LEVELS = {"style": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read shellcheck's findings in whatever format the log has them."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "shellcheck"
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("In ") and line.endswith(":") and (head := HEAD.match(line)):
            index = _excerpt(head, log, index, reading)
            continue
        if line.endswith("]") and "[SC" in line and (match := GCC.match(line)):
            _add(reading, log, match, match["file"], match["line"], number(match["column"]), index)
            reading.claim(index)
        elif line == WIKI:
            end = index + 1
            while end < len(log.lines) and "/wiki/SC" in log.lines[end]:
                end += 1
            reading.claim(index, end)
        elif named and line and OWN.search(line):
            _trouble(log, index, line, reading)
        index += 1
    _json(log, reading)
    if named and {"diff", "--format=diff", "-fdiff"} & set(context.words):
        _diffs(log, reading)
    if reading.diagnostics and reading.outcome is None and context.exit_code != 0:
        reading.outcome = "failed"
    if named and not reading.diagnostics and not reading.outcome and context.exit_code == 1:
        reading.outcome = "failed" if not any(log.lines) else None
    return reading


def _excerpt(head: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Read one `In FILE line N:` with its source line, carets and proposed change."""
    at = index + 2
    first = len(reading.diagnostics)
    while at < len(log.lines) and (match := CARET.match(log.lines[at])):
        column = len(match["space"]) + 1
        end = match.end("end") - len("^") if match["end"] == "^" else None
        _add(reading, log, match, head["file"], head["line"], column, at, None if end is None else end + 1)
        at += 1
    if first == len(reading.diagnostics):
        return index + 1
    if at + 2 < len(log.lines) and log.lines[at + 1].startswith("Did you mean:"):
        at += 2
        while at < len(log.lines) and log.lines[at] and not HEAD.match(log.lines[at]):
            at += 1
    reading.claim(index, at)
    return at


def _add(
    reading: Reading,
    log: Log,
    match: re.Match[str],
    file: str,
    line: str,
    column: int | None,
    index: int,
    end_column: int | None = None,
) -> None:
    level = match["level"] or "warning"
    reading.add(
        Diagnostic(
            message=match["message"],
            severity=severity(LEVELS.get(level, level)),
            file=file,
            line=number(line),
            column=column,
            end_line=number(line) if end_column else None,
            end_column=end_column,
            rule=match["rule"],
            tool="shellcheck",
            log=log.span(index),
        )
    )


def _json(log: Log, reading: Reading) -> None:
    """Read json (a list, tabs counted as 8) and json1 (`comments`, real columns, changes that can be made)."""
    for value in values(log):
        whole = isinstance(value.value, dict)
        items = dicts_of(value.value, "comments") if whole else value.dicts()
        items = [item for item in items if number_of(item, "code") and "level" in item and "message" in item]
        at = value.first
        for item in items:
            if value.end - value.first > 1:
                at = lines_with(log, value, text_of(item, "message"), at)
            reading.add(
                Diagnostic(
                    message=text_of(item, "message"),
                    severity=severity(LEVELS.get(text_of(item, "level"), text_of(item, "level"))),
                    file=text_of(item, "file") or None,
                    line=number_of(item, "line"),
                    column=number_of(item, "column"),
                    end_line=number_of(item, "endLine"),
                    end_column=number_of(item, "endColumn"),
                    rule=f"SC{number_of(item, 'code')}",
                    tool="shellcheck",
                    fix=_fix(item) if whole else None,
                    log=log.span(at),
                )
            )
        if items or (whole and isinstance(value.value, dict) and value.value.get("comments") == []):
            claim(reading, log, value)
            reading.partial = reading.partial or not value.whole


def _fix(item: dict[str, object]) -> Fix | None:
    edits = []
    for part in dicts_of(item, "fix", "replacements"):
        line, column = number_of(part, "line"), number_of(part, "column")
        end_line, end_column = number_of(part, "endLine"), number_of(part, "endColumn")
        if line and column and end_line and end_column and text_of(item, "file"):
            text = text_of(part, "replacement")
            edits.append(Edit(text_of(item, "file"), line, column, end_line, end_column, text))
    return Fix(tuple(edits), safe=False) if edits else None


def _diffs(log: Log, reading: Reading) -> None:
    for diff in file_diffs(log):
        reading.add(
            Diagnostic(
                message=log.lines[diff.first],
                severity="warning",
                detail=diff.text(log),
                file=diff.file.removeprefix("a/").removeprefix("b/"),
                line=diff.line,
                tool="shellcheck",
                log=log.span(diff.first, diff.end - 1),
            )
        )
        reading.claim(diff.first, diff.end)


def _trouble(log: Log, index: int, line: str, reading: Reading) -> None:
    if line.startswith(NOTHING):
        reading.outcome = "failed"
        reading.add(Diagnostic(message=line, severity="warning", tool="shellcheck", log=log.span(index)))
        reading.claim(index)
    elif (match := MISSING.match(line)) or REFUSED.match(line):
        file = match["file"] if match else None
        reading.add(Diagnostic(message=line, file=file, tool="shellcheck", log=log.span(index)))
        reading.claim(index)
        reading.outcome = "error"
