"""Read Go's linters: golangci-lint v1 and v2, staticcheck and revive as text and JSON, gofmt and goimports."""

import re

from punchlist.model import Diagnostic, Edit, Fix, Severity
from punchlist.reading.formats.json_values import claim, dicts_of, inner, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import severity as level_of

# path:line:col: message (linter) - colour formats put the linter behind a tab or in front
FINDING = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]*\.\w+):(?P<line>\d+)(?::(?P<column>\d+))?:? +"
    r"(?P<message>\S.*?)(?: \((?P<rule>[\w/.-]+)\))?$"
)
STYLISH_FILE = re.compile(r"(\S.*\.go)$")
STYLISH = re.compile(r"\s+\((?P<line>\d+), (?P<column>\d+)\) +(?P<rule>[A-Z]+\d+) +(?P<message>\S.*)$")
FRIENDLY = re.compile(r"\s+(?P<mark>[⚠✘✖]) +(?:https?://\S+#)?(?P<rule>[\w-]+) +(?P<message>\S.*)$")
FRIENDLY_PLACE = re.compile(r"\s+(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)$")
ISSUES = re.compile(r"(\d+) issues?(?::|\.)$")
ISSUES_OF = re.compile(r"\* [\w-]+: \d+$")
NO_ISSUES = re.compile(r"(?:0 issues\.|Congrats! No issues were found\.)$")
TROUBLE = re.compile(
    r"(?:level=error (?:\[.*?\] )?msg=\"(?P<level>.*)\"|Error: (?P<plain>.+)|ERRO (?P<erro>.+)"
    r"|(?P<config>can't load config: .*)|Failed (?P<failed>executing .*))$"
)
CHATTER = re.compile(r"level=(?:info|warning|debug) |(?:INFO|WARN) \[|The command is terminated due to an error")
PROBLEMS = re.compile(r"✖ \d+ problems?|[✖⚠] \d+ problems? \(|⚠ \d+ problems")
DIFF = re.compile(r"diff (?:-u )?(?:\S+\.orig )?(\S+\.go)(?: \S+)?$|(?:diff -u \S+ )(\S+\.go)$")
HUNK = re.compile(r"@@ -(\d+)")
FILE_ONLY = re.compile(r"\S[^:]*\.go$")
GOFMT_ERROR = re.compile(r"(?P<file>\S[^:]*\.go):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$")


def parse(log: Log, context: Context) -> Reading:
    """Read text findings with the source lines below them, JSON reports, and errors of the tool itself."""
    program = context.words[:1]
    if program in (("gofmt",), ("goimports",), ("gofumpt",), ("gci",)):
        return _formatter(log, context)
    reading = Reading()
    if any(line.startswith("{") for line in log.lines):
        _json(log, reading)
    at = 0
    file = ""
    while at < len(log.lines):
        line = log.lines[at]
        if not line:
            file = ""
        elif match := FINDING.match(line):
            if ".go:" in line or match["rule"]:
                at = _finding(log, at, match, reading)
                continue
        elif (match := STYLISH.match(line)) and file:
            _add(log, at, at + 1, match, file, reading)
        elif (
            (match := FRIENDLY.match(line))
            and at + 1 < len(log.lines)
            and (place := FRIENDLY_PLACE.match(log.lines[at + 1]))
        ):
            level: Severity = "warning" if match["mark"] == "⚠" else "error"
            reading.add(
                Diagnostic(
                    message=match["message"],
                    severity=level,
                    rule=match["rule"],
                    file=place["file"],
                    line=int(place["line"]),
                    column=int(place["column"]) or None,
                    log=log.span(at, at + 1),
                )
            )
            reading.claim(at, at + 2)
        elif STYLISH_FILE.match(line) and ":" not in line:
            file = line
        else:
            _words(log, at, line, reading)
        at += 1
    if reading.diagnostics and reading.outcome is None:
        reading.outcome = "failed"
    return reading


def _finding(log: Log, at: int, match: re.Match[str], reading: Reading) -> int:
    """A finding and the source line with its caret below."""
    end = at + 1
    while end < len(log.lines) and end - at < 30 and _is_source(log.lines, end):
        end += 1
    _add(log, at, end, match, match["file"], reading)
    return end


def _is_source(lines: list[str], at: int) -> bool:
    line = lines[at]
    if not line or FINDING.match(line) or ISSUES.match(line) or NO_ISSUES.match(line):
        return False
    return line[0] in "\t " or line.strip() == "^" or (at + 1 < len(lines) and lines[at + 1].strip() == "^")


def _add(log: Log, at: int, end: int, match: re.Match[str], file: str, reading: Reading) -> None:
    rule, message = match["rule"], match["message"]
    severity: Severity = "error" if rule in ("typecheck", "compile") or message.startswith("typecheck:") else "warning"
    column = match["column"]
    reading.add(
        Diagnostic(
            message=message,
            severity=severity,
            rule=rule,
            file=file,
            line=int(match["line"]) or None,
            column=int(column) or None if column else None,
            detail="\n".join(text.strip() for text in log.lines[at + 1 : end] if text.strip() != "^"),
            log=log.span(at, end - 1),
        )
    )
    reading.claim(at, end)


def _words(log: Log, at: int, line: str, reading: Reading) -> None:
    if match := ISSUES.match(line):
        reading.expected = int(match[1])
        reading.claim(at)
    elif NO_ISSUES.match(line):
        reading.outcome = "passed"
        reading.claim(at)
    elif ISSUES_OF.match(line) or CHATTER.match(line) or PROBLEMS.match(line):
        reading.claim(at)
    elif match := TROUBLE.match(line):
        message = next(part for part in match.groups() if part)
        reading.add(Diagnostic(message=message.replace('\\"', '"'), log=log.span(at)))
        reading.outcome = "error"
        reading.claim(at)


def _json(log: Log, reading: Reading) -> None:
    for value in values(log):
        for item in value.dicts():
            if isinstance(item.get("Issues"), list) or ("Report" in item and "Issues" in item):
                for issue in dicts_of(item, "Issues"):
                    reading.add(_golangci(issue, log, value.first, value.end))
                claim(reading, log, value)
                reading.outcome = "failed" if dicts_of(item, "Issues") else "passed"
            elif "code" in item and "location" in item and "message" in item:
                reading.add(_staticcheck(item, log, value.first, value.end))
                claim(reading, log, value)
            elif "Position" in item and "Failure" in item and "RuleName" in item:
                reading.add(_revive(item, log, value.first, value.end))
                claim(reading, log, value)


def _golangci(issue: dict[str, object], log: Log, first: int, end: int) -> Diagnostic:
    source = inner(issue, "SourceLines")
    fallback: Severity = "error" if text_of(issue, "FromLinter") == "typecheck" else "warning"
    return Diagnostic(
        message=text_of(issue, "Text"),
        severity=level_of(text_of(issue, "Severity"), fallback),
        rule=text_of(issue, "FromLinter") or None,
        file=text_of(issue, "Pos", "Filename") or None,
        line=number_of(issue, "Pos", "Line"),
        column=number_of(issue, "Pos", "Column"),
        detail="\n".join(str(line).strip() for line in source[:10]) if isinstance(source, list) else "",
        fix=_fix(issue),
        log=log.span(first, end - 1),
    )


def _fix(issue: dict[str, object]) -> Fix | None:
    """golangci-lint v1's `Replacement`: whole new lines for the issue's line range."""
    lines = inner(issue, "Replacement", "NewLines")
    file, line = text_of(issue, "Pos", "Filename"), number_of(issue, "Pos", "Line")
    if not isinstance(lines, list) or not file or line is None or not all(isinstance(text, str) for text in lines):
        return None
    last = number_of(issue, "LineRange", "To") or line
    text = "".join(f"{text}\n" for text in lines)
    return Fix((Edit(file, line, 1, last + 1, 1, text),), False)


def _staticcheck(item: dict[str, object], log: Log, first: int, end: int) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "message"),
        severity=level_of(text_of(item, "severity"), "warning"),
        rule=text_of(item, "code") or None,
        file=text_of(item, "location", "file") or None,
        line=number_of(item, "location", "line"),
        column=number_of(item, "location", "column"),
        end_line=number_of(item, "end", "line"),
        end_column=number_of(item, "end", "column"),
        log=log.span(first, end - 1),
    )


def _revive(item: dict[str, object], log: Log, first: int, end: int) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "Failure"),
        severity=level_of(text_of(item, "Severity"), "warning"),
        rule=text_of(item, "RuleName") or None,
        file=text_of(item, "Position", "Start", "Filename") or None,
        line=number_of(item, "Position", "Start", "Line"),
        column=number_of(item, "Position", "Start", "Column"),
        log=log.span(first, end - 1),
    )


def _formatter(log: Log, context: Context) -> Reading:
    """gofmt and its kin: names of files with -l, diffs with -d, syntax errors with their place."""
    reading = Reading()
    listing = any(word.startswith("-") and "l" in word for word in context.words[1:])
    at = 0
    while at < len(log.lines):
        line = log.lines[at]
        if match := GOFMT_ERROR.match(line):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    file=match["file"],
                    line=int(match["line"]),
                    column=int(match["column"]),
                    log=log.span(at),
                )
            )
            reading.claim(at)
        elif line.startswith("diff ") and (match := DIFF.match(line)):
            at = _diff(log, at, match[1] or match[2], reading)
            continue
        elif listing and FILE_ONLY.match(line):
            reading.add(
                Diagnostic(message=line, severity="warning", detail="not formatted", file=line, log=log.span(at))
            )
            reading.claim(at)
        at += 1
    if reading.diagnostics:
        reading.outcome = "failed"
    elif not any(log.lines):
        reading.outcome = "passed" if context.exit_code == 0 else None
    return reading


def _diff(log: Log, at: int, file: str, reading: Reading) -> int:
    end = at + 1
    line = None
    while end < len(log.lines) and not log.lines[end].startswith("diff "):
        if line is None and (hunk := HUNK.match(log.lines[end])):
            line = int(hunk[1])
        if log.lines[end] and log.lines[end][0] not in "+-@ \\\t":
            break
        end += 1
    reading.add(
        Diagnostic(
            message=log.lines[at],
            severity="warning",
            detail="\n".join(log.lines[at + 1 : end][:60]),
            file=file,
            line=line,
            log=log.span(at, end - 1),
        )
    )
    reading.claim(at, end)
    return end
