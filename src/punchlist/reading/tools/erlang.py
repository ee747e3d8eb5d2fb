"""Read Erlang's compiler (OTP 17 to 27), alone or under rebar3, and dialyzer: one line, an excerpt with `%` below it.

rebar3 3.22 and later draw the excerpt as a box with the message at its end.
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

PLACED = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:%][^:]*\.(?:erl|hrl|yrl|xrl|asn1?|app\.src|escript|core|S))"
    r"(?::(?P<line>\d+|none)(?::(?P<column>\d+))?)?: (?P<warning>Warning: )?(?P<message>.+)$"
)
EXCERPT = re.compile(r"%\s*\d*\|")
BOX = re.compile(r"\s*┌─ (?P<file>\S.*?):?$")
BOX_LINE = re.compile(r"\s*(?P<line>\d+) │")
BOX_SAID = re.compile(r"\s*│.*?╰─+ (?P<warning>Warning: )?(?P<message>.+)$")
REBAR = re.compile(r"===> (?P<message>.+)$")
REBAR_FAILED = re.compile(
    r"===> (?P<message>(?:Error in|Failed to|Unable to|Could not|Command .+ not found|No such|Package .+ not found"
    r"|Dialyzer (?!starting)|Invalid|Dependency failure|Missing|There was an error|Unknown|Bad|Unrecognized"
    r"|Rebar3 detected).*"
    r"|.*(?:not found|failed).*)$"
)
SUCCEEDING = ("Compiling ", "Analyzing", "Verifying", "Fetching", "Performing", "Running", "Booted", "Updating")
DIALYZED = re.compile(r"done \((?P<word>passed successfully|warnings were emitted)\)|done in ")
DIALYZER_LINE = re.compile(
    r"(?P<file>[^\s:%][^:]*\.(?:erl|hrl|exs?|eex)):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>[A-Z].+)$"
)
MISSING = re.compile(r"(?P<file>\S.*\.erl): no such file or directory$")
RICH_LINE = re.compile(r"Line (?P<line>\d+)(?: Column (?P<column>\d+))?: (?P<message>.+)$")
OF_FILE = re.compile(r"(?P<file>\S+\.(?:erl|hrl))$")
CONTINUED = re.compile(r"%  |\s+\S")


def parse(log: Log, context: Context) -> Reading:
    """Read compiler messages, dialyzer's warnings and rebar3's own errors."""
    reading = Reading()
    program = context.words[0] if context.words else ""
    dialyzer = program == "dialyzer" or any(
        DIALYZED.match(line.strip()) or line.startswith("===> Dialyzer starting")
        for line in log.lines
        if "done " in line or "Dialyzer" in line
    )
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if not line:
            pass
        elif "┌─ " in line and (box := BOX.match(line)):
            end = _box(box["file"], log, index, reading)
        elif ": " in line and line[0] not in " %\t=" and (match := PLACED.match(line)):
            end = _placed(match, log, index, reading, dialyzer)
        elif line.startswith("===> ") and (match := PLACED.match(line.removeprefix("===> "))) and match["line"]:
            end = _placed(match, log, index, reading, dialyzer=False)
        elif line.startswith("===> "):
            _rebar(line, log, index, reading)
        elif dialyzer:
            end = _dialyzer(line, log, index, reading)
        index = end
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "error" if reading.outcome == "error" else "failed"
    elif reading.diagnostics and reading.outcome is None and context.exit_code not in (0, None):
        reading.outcome = "failed"
    return reading


def _placed(match: re.Match[str], log: Log, index: int, reading: Reading, dialyzer: bool) -> int:
    end = index + 1
    while end < len(log.lines) and (EXCERPT.match(log.lines[end]) or CONTINUED.match(log.lines[end])):
        end += 1
    missing = MISSING.match(log.lines[index])
    if not match["line"] and not missing and not match["warning"]:
        return index + 1
    level: Severity = "warning" if match["warning"] or (dialyzer and DIALYZER_LINE.match(log.lines[index])) else "error"
    reading.add(
        Diagnostic(
            message=match["message"],
            severity=level,
            detail="\n".join(log.lines[index + 1 : end]),
            file=match["file"],
            line=number(match["line"]),
            column=number(match["column"]),
            tool="dialyzer" if dialyzer else "erlc",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    if missing:
        reading.outcome = "error"
    return end


def _box(file: str, log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    line = None
    while end < len(log.lines) and ("│" in log.lines[end] or not log.lines[end]):
        text = log.lines[end]
        if said := BOX_SAID.match(text):
            reading.add(
                Diagnostic(
                    message=said["message"],
                    severity="warning" if said["warning"] else "error",
                    detail="\n".join(log.lines[index + 1 : end]),
                    file=file,
                    line=line,
                    tool="erlc",
                    log=log.span(index, end),
                )
            )
        elif place := BOX_LINE.match(text):
            line = number(place["line"])
        end += 1
        if not text and not any("│" in later for later in log.lines[end : end + 1]):
            break
    reading.claim(index, end)
    return end


def _rebar(line: str, log: Log, index: int, reading: Reading) -> None:
    text = line.removeprefix("===> ")
    if re.match(r"Compiling .+ failed$|Error running tests|Failed \d+ tests|Warnings occurred running dialyzer", text):
        reading.claim(index)
        reading.outcome = reading.outcome or "failed"
        if text.startswith("Error running tests") and not text.endswith("tests"):
            _own(text, log, index, reading)
    elif (match := REBAR_FAILED.match(line)) and not text.startswith(SUCCEEDING):
        _own(match["message"], log, index, reading)
        reading.outcome = "error"
    elif text.startswith(SUCCEEDING):
        reading.claim(index)


def _own(message: str, log: Log, index: int, reading: Reading) -> None:
    reading.add(Diagnostic(message=message, tool="rebar3", log=log.span(index)))
    reading.claim(index)


def _dialyzer(line: str, log: Log, index: int, reading: Reading) -> int:
    """Read what dialyzer prints below a file's name, and its verdict."""
    if (verdict := DIALYZED.match(line.strip())) and verdict["word"]:
        reading.outcome = reading.outcome or ("passed" if verdict["word"].startswith("passed") else "failed")
        reading.claim(index)
        return index + 1
    following = RICH_LINE.match(log.lines[index + 1].strip()) if index + 1 < len(log.lines) else None
    head = OF_FILE.match(line.strip())
    if not head or not following:
        return index + 1
    end = index + 1
    while end < len(log.lines) and (match := RICH_LINE.match(log.lines[end].strip())):
        reading.add(
            Diagnostic(
                message=match["message"],
                severity="warning",
                file=head["file"],
                line=number(match["line"]),
                column=number(match["column"]),
                tool="dialyzer",
                log=log.span(end),
            )
        )
        end += 1
    reading.claim(index, end)
    return end
