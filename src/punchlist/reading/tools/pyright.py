"""Read pyright and basedpyright (1.1): text, `--outputjson`, `--verifytypes`, configuration and usage trouble.

JSON positions are 0-based, the text's are 1-based.
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

LINE = re.compile(
    r"\s*(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?:(?P<line>\d+):(?P<column>\d+))? ?- "
    r"(?P<severity>error|warning|information|hint)(?: (?P<tag>TS\d+))?: (?P<message>.*)"
)
RULE = re.compile(r" \((?P<rule>report[A-Za-z]+|unaccessed|[a-z]+[A-Z]\w+)\)$")
TOTALS = re.compile(r"(?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?, (?P<notes>\d+) (?:informations?|notes?)")
HEADER = re.compile(r"(?:[A-Za-z]:\\|/|\.{1,2}/)\S.*$")
NO_FILES = re.compile(r"No source files found|File or directory \"?.+\"? does not exist")
TROUBLE = re.compile(
    r"(?P<message>(?:File or directory .+ does not exist\.?|No source files found\.?"
    r"|Config file \"?(?P<file>[^\"]+)\"? .+"
    r"|error: .+|Unexpected option .+|Could not (?:read|parse|find|open|locate) .+|.+ is not a (?:recognized|valid) .+"
    r"|Pyright .*crash.*|Fatal error.*|Error processing file.+|The --\S+ .+|'--\S+' option .+|\"--\S+\" .+"
    r"|Conflicting .+))"
)
# Settings that are ignored do not stop the run.
SETTING = re.compile(
    r"(?P<message>(?:Config \"[^\"]+\" .+|Config contains unrecognized setting .+|venv \S+ subdirectory not found .+"
    r"|stubPath .+ is not a valid directory.*))"
)
CHATTER = re.compile(
    r"(?:WARNING: there is a new pyright version|Please install the new version|No configuration file found"
    r"|Assuming Python"
    r"|Searching for source files|Found \d+ source files?|pyright \d|Auto-excluding|Loading |Using Python"
    r"|Completed in|Watching for file changes|Auto-detecting)"
)
SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "information": "info", "hint": "hint"}


def parse(log: Log, context: Context) -> Reading:
    """Read every output mode of pyright and basedpyright."""
    reading = Reading()
    tool = context.words[0] if context.words and "pyright" in context.words[0] else "pyright"
    named = bool(context.words)
    if any('"generalDiagnostics"' in line for line in log.lines):
        _json(log, tool, reading)
        log = js.without(log, reading)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if " - " in line and (match := LINE.match(line)):
            index = _finding(log, index, match, tool, reading)
            continue
        if line:
            _other(log, index, tool, named, reading)
        index += 1
    if named and reading.diagnostics and reading.outcome is None:
        reading.partial = True
    return reading


def _finding(log: Log, index: int, match: re.Match[str], tool: str, reading: Reading) -> int:
    message = match["message"]
    end = index + 1
    more: list[str] = []
    rule = RULE.search(message)
    # Continuation lines are indented deeper than the finding; its rule closes the last of them.
    while not rule and end < len(log.lines) and _continues(log.lines[end]):
        rule = RULE.search(log.lines[end])
        more.append(log.lines[end][: rule.start()] if rule else log.lines[end])
        end += 1
    if rule and not more:
        message = message[: rule.start()]
    reading.add(
        Diagnostic(
            message=message.strip(),
            detail="\n".join(text.replace("\xa0", " ").strip("\n")[4:] or text for text in more),
            severity=SEVERITIES[match["severity"]],
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            rule=rule["rule"] if rule else match["tag"],
            tool=tool,
            log=log.span(index, end - 1),
        )
    )
    first = index
    if index and HEADER.match(log.lines[index - 1]) and not LINE.match(log.lines[index - 1]):
        first = index - 1
    reading.claim(first, end)
    return end


def _continues(line: str) -> bool:
    text = line.replace("\xa0", " ")
    return text.startswith("    ") and not LINE.match(line)


def _other(log: Log, index: int, tool: str, named: bool, reading: Reading) -> None:
    line = log.lines[index]
    if match := TOTALS.match(line):
        for name in ("errors", "warnings"):
            reading.counts[name] = reading.counts.get(name, 0) + int(match[name])
        if not reading.outcome:
            reading.outcome = "failed" if reading.counts["errors"] else "passed"
    elif named and CHATTER.match(line):
        pass
    elif named and (match := SETTING.match(line)):
        reading.add(Diagnostic(message=match["message"], severity="warning", tool=tool, log=log.span(index)))
    elif named and (match := TROUBLE.match(line)):
        reading.add(Diagnostic(message=match["message"], file=match["file"], tool=tool, log=log.span(index)))
        reading.outcome = "error"
    else:
        return
    reading.claim(index)


def _json(log: Log, tool: str, reading: Reading) -> None:
    for value in js.values(log):
        if not isinstance(value.value, dict) or not isinstance(value.value.get("generalDiagnostics"), list):
            continue
        at = value.first
        for item in js.dicts_of(value.value, "generalDiagnostics"):
            message, rest = js.message_of(item, "message")
            at = js.lines_with(log, value, message, at)
            places = [
                _one_based(js.inner(item, "range", end, key))
                for end in ("start", "end")
                for key in ("line", "character")
            ]
            reading.add(
                Diagnostic(
                    message=message,
                    detail=rest.replace("\xa0", " "),
                    severity=SEVERITIES.get(js.text_of(item, "severity"), "error"),
                    file=js.text_of(item, "file") or None,
                    line=places[0],
                    column=places[1],
                    end_line=places[2],
                    end_column=places[3],
                    rule=js.text_of(item, "rule") or None,
                    tool=tool,
                    log=log.span(at),
                )
            )
            at = min(at + 1, value.end - 1)
        for name, key in (("errors", "errorCount"), ("warnings", "warningCount")):
            count = js.inner(value.value, "summary", key)
            if isinstance(count, int):
                reading.counts[name] = count
        failed = bool(reading.counts.get("errors")) or any(d.severity == "error" for d in reading.diagnostics)
        reading.outcome = reading.outcome or ("failed" if failed else "passed")
        js.claim(reading, log, value)
        reading.partial = reading.partial or not value.whole


def _one_based(value: object) -> int | None:
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
