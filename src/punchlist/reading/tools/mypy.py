"""Read mypy (0.9 to 2.4): plain, columns and ends, `--pretty`, `--output json`, configuration and usage trouble.

Notes of the same place belong to the error before them. JSON columns are 0-based, all others 1-based.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.usage import read_usage
from punchlist.records import replace

LINE = re.compile(
    r"(?P<file>[^\s:](?:[^:\n]|:[\\/])*?):(?:(?P<line>\d+):(?:(?P<column>\d+):(?:(?P<end_line>\d+):(?P<end_column>\d+):)?)?)?"
    r" (?P<severity>error|note|warning): (?P<message>.*)"
)
CODE = re.compile(r" ? \[(?P<rule>[a-z][a-z0-9-]*)\]$")
CONFIG = re.compile(r"(?P<file>\S[^:]*\.(?:ini|toml|cfg)|mypy\.ini|setup\.cfg): (?P<message>(?:\[[^\]]+\]: )?.+)")
SECTION = re.compile(r"\[[^\]]+\]: ")
FOUND = re.compile(r"Found (?P<errors>\d+) errors? in (?P<files>\d+) (?:source )?files?")
PASSED = re.compile(r"Success: no issues found in \d+ source files?")
TROUBLE = re.compile(
    r"(?:mypy: (?:error: )?)?(?P<message>(?<=: ).+|(?:Can't find|can't read|Cannot find|There are no \.py|No files).+)"
)
DAEMON = re.compile(r"(?:Daemon (?:started|stopped|is up|crashed)|Restarting: |Stopping daemon)")
INTERNAL = re.compile(r"(?P<file>\S.*?)(?::(?P<line>\d+))?: error: INTERNAL ERROR")
CARET = re.compile(r" +\^~*$")
MORE = 60
NEEDLES = (
    ": error: ",
    ": note: ",
    ": warning: ",
    "Found ",
    "Success: ",
    "mypy: ",
    "an't ",
    "annot ",
    ": [",
    "aemon",
    "Unrecog",
)


def parse(log: Log, context: Context) -> Reading:
    """Read every output mode of mypy, also of its daemon."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("mypy", "dmypy")
    if named and read_usage(log, reading, "mypy"):
        return reading
    if any(line.startswith('{"file"') for line in log.lines):
        _json(log, reading)
        log = js.without(log, reading)
    index = 0 if lines_with(log, *NEEDLES) else len(log.lines)
    lines = log.lines
    while index < len(lines):
        line = lines[index]
        if not line:
            index += 1
        elif ": " in line and (match := LINE.match(line)):
            index = _finding(log, index, match, reading)
        else:
            index = _other(log, index, named, reading) or index + 1
    if named and reading.diagnostics and reading.outcome is None and "--no-error-summary" not in context.words:
        reading.partial = reading.partial or any(d.line is not None for d in reading.diagnostics)
    # Exit 2 stands for a run that was stopped: usage, files that cannot be read or parsed.
    if named and context.exit_code == 2:
        reading.outcome = "error"
    return reading


def _finding(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    end, message, source = _block(log, index, match["message"])
    place = (match["file"], number(match["line"]))
    last = reading.diagnostics[-1] if reading.diagnostics else None
    reading.claim(index, end)
    if match["severity"] == "note" and last and (last.file, last.line) == place and last.severity != "info":
        text = "\n".join(filter(None, [last.detail, message]))
        if text.count("\n") < MORE:
            reading.diagnostics[-1] = replace(last, detail=text)
        return end
    code = CODE.search(message)
    reading.add(
        Diagnostic(
            message=message[: code.start()].rstrip() if code else message,
            severity=severity(match["severity"]),
            detail="\n".join(source),
            file=match["file"],
            line=place[1],
            column=number(match["column"]),
            end_line=number(match["end_line"]),
            # mypy's ends are inclusive.
            end_column=(int(match["end_column"]) + 1) if match["end_column"] else None,
            rule=code["rule"] if code else None,
            tool="mypy",
            log=log.span(index, end - 1),
        )
    )
    if "INTERNAL ERROR" in message or "errors prevented further checking" in message:
        reading.outcome = "error"
    return end


def _block(log: Log, index: int, message: str) -> tuple[int, str, list[str]]:
    """`--pretty` wraps a message over lines and adds the source line and its caret: (end, whole message, source)."""
    lines = log.lines
    end = index + 1
    wrapped: list[str] = []
    while (
        end < len(lines) and end - index < 30 and lines[end] and not _starts(lines[end]) and not CARET.match(lines[end])
    ):
        wrapped.append(lines[end])
        end += 1
    if end < len(lines) and CARET.match(lines[end]) and wrapped:
        source = [wrapped.pop(), lines[end]]
        return end + 1, _joined(message, wrapped), source
    # Without a caret these lines are wrapped only where a code closes them.
    for at, text in enumerate(wrapped):
        if CODE.search(f" {text}") and text[:1] != " ":
            return index + 2 + at, _joined(message, wrapped[: at + 1]), []
    return index + 1, message, []


def _joined(message: str, wrapped: list[str]) -> str:
    for text in wrapped:
        message = f"{message}  {text}" if CODE.match(f"  {text}") else f"{message} {text}"
    return message


def _starts(line: str) -> bool:
    return bool(LINE.match(line) or FOUND.match(line) or PASSED.match(line))


def _other(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if match := FOUND.match(line):
        reading.counts["errors"] = reading.counts.get("errors", 0) + int(match["errors"])
        reading.outcome = "error" if "errors prevented further checking" in line else reading.outcome or "failed"
    elif PASSED.match(line):
        reading.outcome = reading.outcome or "passed"
    elif named and (match := TROUBLE.match(line)):
        reading.add(Diagnostic(message=match["message"], tool="mypy", log=log.span(index)))
        reading.outcome = "error"
    elif named and (match := CONFIG.match(line)):
        text = match["message"]
        section = SECTION.match(text)
        reading.add(
            Diagnostic(
                message=text[section.end() :] if section else text,
                severity="warning",
                detail=section[0].rstrip(": ") if section else "",
                file=match["file"],
                tool="mypy",
                log=log.span(index),
            )
        )
    elif not (named and DAEMON.match(line)):
        return 0
    reading.claim(index)
    return index + 1


def _json(log: Log, reading: Reading) -> None:
    errors = 0
    for value in js.values(log):
        items = [item for item in value.dicts() if "file" in item and "severity" in item and "message" in item]
        if len(items) != len(value.dicts()) or not items:
            continue
        for item in items:
            message, rest = js.message_of(item, "message")
            column = item.get("column")
            errors += item["severity"] == "error"
            reading.add(
                Diagnostic(
                    message=message,
                    severity=severity(js.text_of(item, "severity")),
                    detail="\n".join(filter(None, [rest, js.text_of(item, "hint")])),
                    file=js.text_of(item, "file") or None,
                    line=js.number_of(item, "line"),
                    column=column + 1
                    if isinstance(column, int) and not isinstance(column, bool) and column >= 0
                    else None,
                    rule=js.text_of(item, "code") or None,
                    tool="mypy",
                    log=log.span(value.first, value.end - 1),
                )
            )
        js.claim(reading, log, value)
        reading.partial = reading.partial or not value.whole
    if errors:
        reading.counts.setdefault("errors", errors)
        reading.outcome = reading.outcome or "failed"
