"""Read nox's own lines (2018 to 2026): sessions that could not run, configuration errors.

What the sessions' commands print is read by their tools' parsers; `Session x failed.` is only the consequence.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

PREFIX = "nox > "
TROUBLE = re.compile(
    r"nox > (?:(?P<session>Session (?P<name>\S+)) (?:aborted|failed): (?P<reason>\S.*)"
    r"|(?P<message>Program \S+ not found\.|Sessions not found: .*"
    r"|Failed to (?:load|read) \S.*|No sessions? (?:selected|found)\S.*"
    r"|Python interpreter \S+ not found.*|Session \S+ raised exception .*|Error: .*|No such file or directory.*))$"
)
NOT_FATAL = re.compile(r"nox > (?:Error while collecting sessions|Missing interpreters)")
USAGE = re.compile(r"nox: error: (?P<message>\S.*)$")
SESSION = re.compile(r"nox > Running session (?P<name>\S+)$")
RESULT = re.compile(r"nox > \* (?P<name>\S+): (?P<word>success|failed|aborted|skipped)\b.*$")


def parse(log: Log, _context: Context) -> Reading:
    """Read nox's lines; failed sessions become notes."""
    reading = Reading()
    session: str | None = None
    results: list[str] = []
    for index in lines_with(log, PREFIX, "nox: error: "):
        line = log.lines[index]
        if match := USAGE.match(line):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.outcome = "error"
            reading.claim(index)
        if not line.startswith(PREFIX):
            continue
        reading.claim(index)
        if match := SESSION.match(line):
            session = match["name"]
        elif match := RESULT.match(line):
            results.append(match["word"])
            if match["word"] in ("failed", "aborted"):
                reading.notes.append(line.removeprefix(PREFIX + "* ") + " (nox session)")
        elif match := TROUBLE.match(line):
            raised = "raised exception" in line
            if not raised:
                text = match["reason"] or match["message"]
                reading.add(Diagnostic(message=text, package=match["name"] or session, log=log.span(index)))
                reading.outcome = "error"
    if results and all(word in ("success", "skipped") for word in results):
        reading.outcome = "passed"
    return reading
