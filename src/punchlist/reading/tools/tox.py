"""Read tox's own lines (3 and 4): environments that could not be made, configuration errors, the verdict.

What the commands of an environment print is read by their tools' parsers; `FAIL code 1` is only the consequence.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

HANDLED = re.compile(r"\S+: HandledError\| (?P<message>\S.*)$")
COMMAND = re.compile(r"\S+: (?:commands(?:_pre|_post)?\[\d+\]|install_\w+|freeze|\w+)> \S")
EXIT = re.compile(r"\S+: exit -?\d+ \([\d.]+ seconds\) .*> ")
ENV = re.compile(r"(?:  )?(?P<env>[\w.:+-]+): (?P<word>OK|FAIL|SKIP|IGNORED FAIL)\b.*(?:seconds|code -?\d+).*$")
FAILED = re.compile(
    r"(?P<env>[\w.:+-]+): (?P<message>failed with (?:could not find python|\S+ is not allowed|\S+ \(resolves to).*"
    r"|skipped because could not find python interpreter\S*.*"
    r"|Exception running subprocess .*|internal error|failed: \S.*)$"
)
OLD_ERROR = re.compile(
    r"ERROR: +(?P<message>unknown environment .*|tox config file .* not found|InterpreterNotFound: \S+"
    r"|could not install deps .*"
    r"|invocation failed .*|Error creating virtualenv.*|missing tox file.*|.*: InterpreterNotFound: .*)$"
)
OLD_ENV = re.compile(r"(?:ERROR: )? {2,}(?P<env>[\w.:+-]+): commands (?P<word>succeeded|failed)$")
WORDS = (
    "HandledError|",
    ": commands",
    ": install_",
    ": exit ",
    ": OK",
    ": FAIL",
    ": SKIP",
    " failed",
    "skipped because",
    "Exception running",
    "internal error",
    "ERROR:",
    "tox: error",
    "evaluation failed",
    "congratulations",
    "> ",
)
END = re.compile(r"  (?:evaluation failed :\(|congratulations :\)).*$")
USAGE = re.compile(r"tox: error: (?P<message>\S.*)$")
PLACE = re.compile(r"file: '(?P<file>[^']+)', line: (?P<line>\d+)")


def parse(log: Log, _context: Context) -> Reading:
    """Read tox's lines; its environments' names become notes where they failed."""
    reading = Reading()
    seen: set[str] = set()
    lines = log.lines
    for index in lines_with(log, *WORDS):
        line = lines[index]
        if match := HANDLED.match(line):
            end = index + 1
            while end < len(lines) and lines[end] and log.stream(end) == log.stream(index) and end < index + 4:
                end += 1
            place = next((m for text in lines[index + 1 : end] if (m := PLACE.match(text))), None)
            reading.add(
                Diagnostic(
                    message=log.whole(index)[match.start("message") :].strip(),
                    detail="\n".join(lines[index + 1 : end]),
                    file=place["file"] if place else None,
                    line=int(place["line"]) if place else None,
                    log=log.span(index, end - 1),
                )
            )
            reading.claim(index, end)
            reading.outcome = "error"
        elif match := FAILED.match(line) or OLD_ERROR.match(line) or USAGE.match(line):
            message = match["message"]
            if message not in seen:
                seen.add(message)
                env = match.groupdict().get("env")
                reading.add(Diagnostic(message=message, package=env, log=log.span(index)))
                reading.outcome = "error"
            reading.claim(index)
        elif match := OLD_ENV.match(line):
            if match["word"] == "failed":
                reading.notes.append(f"tox: {match['env']}: commands failed")
            reading.claim(index)
        elif match := ENV.match(line):
            if match["word"] == "FAIL" and line.startswith("  "):
                reading.notes.append(f"tox: {line.strip()}")
            reading.claim(index)
        elif COMMAND.match(line) or EXIT.match(line) or END.match(line):
            if "congratulations" in line:
                reading.outcome = reading.outcome or "passed"
            reading.claim(index)
    if any(END.match(line) and "congratulations" in line for line in lines[-40:]):
        reading.diagnostics = []
        reading.outcome = "passed"
    return reading
