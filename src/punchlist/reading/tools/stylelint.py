"""stylelint 13 to 17: string, verbose, compact, unix, JSON and TAP formats, configuration and usage errors."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import claim, dicts_of, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.lint_lines import parse_lines

ROW = re.compile(r" {1,}(?P<line>\d+):(?P<column>\d+) +(?P<icon>[✖×⚠‼ℹ!]) +(?P<text>\S.*)$")
BARE_ROW = re.compile(r" +(?P<icon>[✖×⚠‼]) +(?P<text>\S.*)$")
RULE = re.compile(r"(?P<message>.*\S) {2,}(?P<rule>[@A-Za-z][\w@/.-]*)$")
WRAPPED = re.compile(r" {8,}(?P<text>\S.*)$")
SUMMARY = re.compile(r"[✖×] (?P<problems>\d+) problems? \((?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?\)$")
FIXABLE = re.compile(
    r" +\d+ (?:errors?|warnings?)(?: and \d+ warnings?)? potentially fixable with the \"--fix\" option"
)
TAP = re.compile(r"not ok \d+ - (?P<file>\S.*)$")
TAP_RULE = re.compile(r" {2}(?P<rule>[@A-Za-z][\w@/.-]*):$")
TAP_ITEM = re.compile(r' {4}- message: "?(?P<message>.*?)"?$')
TAP_FIELD = re.compile(r" {6}(?P<name>severity|line|column): (?P<value>\w+)$")
TRAILING_RULE = re.compile(r" \((?P<rule>[@A-Za-z][\w@/.-]*)\)$")
INVALID_OPTION = re.compile(r"(?:Invalid Option: |Unknown rule |Deprecat)(?P<text>.+)$")
CRASH = re.compile(
    r"(?:(?:ConfigurationError|JSONError|YAMLException|NoFilesFoundError|AllFilesIgnoredError|Error|TypeError|"
    r"SyntaxError|CssSyntaxError|ReferenceError|RangeError)(?: \[\w+\])?: \S)|Invalid option "
)
FRAME = re.compile(r"\s+at ")
ICONS: dict[str, Severity] = {"⚠": "warning", "‼": "warning", "!": "warning", "ℹ": "info"}
VERBOSE = re.compile(r"\d+ (?:sources? checked|errors? found|warnings? found|problems? found)")


def parse(log: Log, context: Context) -> Reading:
    """Read findings in any of stylelint's formats, totals, and why it could not work."""
    reading = Reading()
    if any('"warnings"' in line for line in log.lines):
        _json(log, reading)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith(" ") and _may_be_row(line) and (row := ROW.match(line) or _bare(log, index)):
            index = _row(row, log, index, reading)
        elif line.startswith("not ok ") and (tap := TAP.match(line)):
            index = _tap(tap, log, index, reading)
        elif not line or line[0].islower():
            index += 1
        else:
            index = _other(log, index, reading, context)
    if not reading.diagnostics and context.words:
        parse_lines(log, reading)
    _verdict(reading)
    return reading


def _may_be_row(line: str) -> bool:
    first = line.lstrip()[:1]
    return first.isdigit() or first in "✖×⚠‼"


def _bare(log: Log, index: int) -> re.Match[str] | None:
    """A row without a place below a file's name."""
    above = log.lines[index - 1] if index else ""
    is_file = bool(above) and not above.startswith(" ") and ("/" in above or "." in above)
    return BARE_ROW.match(log.lines[index]) if is_file else None


def _row(row: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Add the finding of a row with the lines its cells are wrapped to; return the index after it."""
    text = log.whole(index)[row.start("text") :]
    ruled = RULE.match(text)
    message, rule = (ruled["message"], ruled["rule"]) if ruled else (text, None)
    end = index + 1
    while end < len(log.lines) and not ROW.match(log.lines[end]) and (more := WRAPPED.match(log.lines[end])):
        message = f"{message.rstrip()} {more['text']}"
        end += 1
    places = row.groupdict()
    reading.add(
        Diagnostic(
            message=message.strip(),
            severity=ICONS.get(row["icon"], "error"),
            file=_file_above(log, index),
            line=int(places["line"][:9]) or None if places.get("line") else None,
            column=int(places["column"][:9]) or None if places.get("column") else None,
            rule=rule,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _file_above(log: Log, index: int) -> str | None:
    """The file that a row stands under: the nearest line above it that begins at the margin."""
    for at in range(index - 1, max(-1, index - 5000), -1):
        line = log.lines[at]
        if not line:
            return None
        if not line.startswith(" "):
            return line.strip()
    return None


def _tap(tap: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    rule, end = None, index + 1
    item: dict[str, str] = {}
    items: list[tuple[int, dict[str, str]]] = []
    while end < len(log.lines) and (log.lines[end].startswith("  ")):
        line = log.lines[end]
        if match := TAP_RULE.match(line):
            rule = match["rule"]
        elif match := TAP_ITEM.match(log.whole(end)):
            item = {"message": match["message"].replace('\\"', '"').replace("\\\\", "\\"), "rule": rule or ""}
            items.append((end, item))
        elif item and (match := TAP_FIELD.match(line)):
            item[match["name"]] = match["value"]
        end += 1
    for at, one in items:
        reading.add(
            Diagnostic(
                message=TRAILING_RULE.sub("", one["message"]),
                severity="warning" if one.get("severity") == "warning" else "error",
                file=tap["file"],
                line=int(one["line"]) or None if one.get("line", "").isdigit() else None,
                column=int(one["column"]) or None if one.get("column", "").isdigit() else None,
                rule=one["rule"] or None,
                log=log.span(at),
            )
        )
    if items:
        reading.claim(index, end)
    return end


def _json(log: Log, reading: Reading) -> None:
    for value in values(log):
        sources = [one for one in value.dicts() if isinstance(one.get("warnings"), list) and "source" in one]
        if not sources:
            continue
        at = value.first
        for source in sources:
            for one in dicts_of(source, "parseErrors") + dicts_of(source, "warnings"):
                text = text_of(one, "text")
                if not text:
                    continue
                at = lines_with(log, value, text, at)
                rule = text_of(one, "rule")
                reading.add(
                    Diagnostic(
                        message=text.removesuffix(f" ({rule})").strip(),
                        severity="warning" if text_of(one, "severity") == "warning" else "error",
                        file=text_of(source, "source") or None,
                        line=number_of(one, "line"),
                        column=number_of(one, "column"),
                        end_line=number_of(one, "endLine"),
                        end_column=number_of(one, "endColumn"),
                        rule=rule or None,
                        log=log.span(at),
                    )
                )
            for one in dicts_of(source, "invalidOptionWarnings"):
                if text := text_of(one, "text"):
                    reading.add(Diagnostic(message=text, log=log.span(lines_with(log, value, text, value.first))))
        reading.partial |= not value.whole
        claim(reading, log, value)
        reading.counts["errors"] = sum(d.severity == "error" for d in reading.diagnostics)
        reading.counts["warnings"] = sum(d.severity == "warning" for d in reading.diagnostics)


def _other(log: Log, index: int, reading: Reading, context: Context) -> int:
    line = log.lines[index]
    if line[0] == " " and not FIXABLE.match(line):
        return index + 1
    if summary := SUMMARY.match(line):
        reading.counts["errors"] = int(summary["errors"])
        reading.counts["warnings"] = int(summary["warnings"])
        reading.expected = int(summary["problems"]) + sum(d.file is None for d in reading.diagnostics)
        reading.claim(index)
    elif FIXABLE.match(line) or (VERBOSE.match(line) and reading.diagnostics):
        reading.claim(index)
    elif not context.words:
        pass
    elif (option := INVALID_OPTION.match(line)) and line.startswith("Invalid Option: "):
        reading.add(Diagnostic(message=line.strip() if not option else option[0].strip(), log=log.span(index)))
        reading.claim(index)
    elif context.exit_code and CRASH.match(line) and reading.outcome is None:
        return _crash(log, index, reading)
    return index + 1


def _crash(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    detail: list[str] = []
    while end < len(log.lines) and log.lines[end]:
        if not FRAME.match(log.lines[end]):
            if detail and FRAME.match(log.lines[end - 1]):
                break
            detail.append(log.lines[end])
        end += 1
    reading.outcome = "error"
    reading.add(Diagnostic(message=log.whole(index).strip(), detail="\n".join(detail[:40]), log=log.span(index)))
    reading.claim(index, end)
    return end


def _verdict(reading: Reading) -> None:
    if reading.outcome is None and any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
