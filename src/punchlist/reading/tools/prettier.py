"""Prettier 1 to 3: `--check`, `--list-different`, `--write`, files that do not parse, bad configuration and usage."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

MARKED = re.compile(r"\[(?P<word>warn|error)\] ?(?P<text>.*)$")
PATH = re.compile(r"[^\s{}\"'`]+$|[^{}\"'`:]*\.\w+$")
BROKEN = re.compile(
    r"(?P<file>\S.*?): (?P<message>(?:\w*Error|Error)\b: ?.*?)(?: ?\((?P<line>\d+):(?P<column>\d+)\))?$"
)
FRAME = re.compile(r"(?:> ?)?\s*\d* ?\||\s*\^|\s+at |\s*$")
NO_PARSER = re.compile(r"No parser could be inferred for (?:file:?|the following file:) ?\"?(?P<file>[^\"]+?)\"?\.?$")
AT_LINE = re.compile(r"\bat line (?P<line>\d+), column (?P<column>\d+)|\((?P<line2>\d+):(?P<column2>\d+)\)")
IN_FILE = re.compile(r"(?:in|for file|Failed to parse) \"(?P<file>[^\"]+)\"")
CLOSING = re.compile(
    r"Code style issues (?:found|fixed) in |Code style issues found|Error occurred when checking code style|"
    r"All matched files (?:use|formatted)|Checking formatting\.\.\."
)
WRITTEN = re.compile(r"\S.* \d+(?:\.\d+)?m?s(?: \(unchanged\))?(?: \(cached\))?$")
STARTS = ("Code style ", "Error occurred ", "All matched ", "Checking formatting")
NOT_FILES = ("Ignored ", "Ignoring ", "Code style issues", "Error occurred", "jsx", "`", "Option ", "Deprecat")


def parse(log: Log, context: Context) -> Reading:
    """Read files that are not formatted or do not parse, and what keeps Prettier from working at all."""
    reading = Reading()
    closed = any(CLOSING.match(line.removeprefix("[warn] ")) and "Checking" not in line for line in log.lines)
    listing = any(word in ("--list-different", "-l") for word in context.words)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("[") and (mark := MARKED.match(line)):
            index = _marked(mark, log, index, reading)
            continue
        if line.startswith(STARTS) and CLOSING.match(line):
            reading.claim(index)
            if line.startswith("All matched"):
                reading.outcome = "passed"
        elif listing and line and PATH.match(line):
            _unformatted(line.strip(), log, index, reading)
        elif context.words and line.endswith(("s", ")")) and WRITTEN.match(line):
            reading.claim(index)
        index += 1
    _verdict(reading)
    asked = any(word in ("--check", "-c") for word in context.words)
    checking = asked or any(line.startswith("Checking formatting") for line in log.lines)
    reading.partial = checking and reading.outcome == "failed" and not closed
    return reading


def _marked(mark: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    text = mark["text"]
    reading.claim(index)
    if mark["word"] == "error":
        return _error(text, log, index, reading)
    if CLOSING.match(text):
        reading.outcome = "failed"
    elif PATH.match(text) and not text.startswith(NOT_FILES) and not text.endswith("."):
        _unformatted(text, log, index, reading)
    elif text:
        reading.add(Diagnostic(message=text, severity="warning", log=log.span(index)))
    return index + 1


def _unformatted(file: str, log: Log, index: int, reading: Reading) -> None:
    reading.add(Diagnostic(message=file, severity="warning", file=file, log=log.span(index)))
    reading.claim(index)


def _error(text: str, log: Log, index: int, reading: Reading) -> int:
    """Read an `[error]` with the frame or the reasons that follow it in further `[error]` lines."""
    broken = BROKEN.match(text)
    end = index + 1
    lines: list[str] = []
    while end < len(log.lines) and (more := MARKED.match(log.lines[end])) and more["word"] == "error":
        if _is_new(more["text"], broken is None and not NO_PARSER.match(text)):
            break
        lines.append(more["text"])
        end += 1
    reading.claim(index, end)
    whole = "\n".join([text, *lines])
    if broken:
        file, place = broken["file"], (broken["line"], broken["column"])
    else:
        named = NO_PARSER.match(text) or list(IN_FILE.finditer(whole))[-1:]
        file = (named[0] if isinstance(named, list) else named)["file"] if named else None
        at = AT_LINE.search(whole)
        place = (at["line"] or at["line2"], at["column"] or at["column2"]) if at else (None, None)
    reading.add(
        Diagnostic(
            message=_message(broken, text),
            detail="\n".join(lines[:40]).strip("\n"),
            file=file,
            line=int(place[0]) or None if place[0] else None,
            column=int(place[1]) or None if place[1] else None,
            log=log.span(index),
        )
    )
    return end


def _message(broken: re.Match[str] | None, text: str) -> str:
    return text[broken.start("message") :].strip() if broken else text.strip()


def _is_new(text: str, loose: bool) -> bool:
    """Whether an error line begins another error: a loose one runs on until a line that names a file or a pattern."""
    if BROKEN.match(text) or NO_PARSER.match(text) or text.startswith(("No files matching", "Invalid configuration")):
        return not (loose and text.startswith(("JSONError", "YAML Error", "Error:")))
    return not loose and not FRAME.match(text)


def _verdict(reading: Reading) -> None:
    if any(d.severity == "warning" and d.file for d in reading.diagnostics):
        reading.outcome = "failed"
    elif errors := [d for d in reading.diagnostics if d.severity == "error"]:
        broken = any(re.match(r"\w*Error\b", d.message) and d.file for d in errors)
        reading.outcome = "failed" if broken else "error"
