"""Read git's own errors (2.0 to 2.50): conflicts, rejected pushes, `fatal:`, `error:`, whitespace checks."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

CONFLICT = re.compile(r"CONFLICT \((?P<rule>[^)]+)\): (?P<message>.+)$")
OF_FILE = re.compile(
    r"Merge conflict in (?P<file>.+)$|(?P<file2>\S+) deleted in .+|.* (?P<file3>\S+) (?:added|renamed) in .+"
)
REJECTED = re.compile(r" ! \[(?P<kind>(?:remote )?(?:rejected|failure))\] +(?P<message>.+)$")
FATAL = re.compile(r"(?P<word>fatal|error): (?P<message>.+)$")
HINT = re.compile(
    r"hint: (?P<text>.*)$|(?P<more>\t.+)$|(?P<please>Please .+|Aborting.*|and the "
    r"repository exists\.)$"
)
CHECK = re.compile(
    r"(?P<file>\S[^:]*):(?P<line>\d+): (?P<message>(?:trailing whitespace|space before tab in in"
    r"dent|indent with spaces"
    r"|tab in indent|new blank line at EOF|leftover conflict marker).*)$"
)
REMOTE = re.compile(r"remote: (?P<message>(?:error|fatal|ERROR|GitLab): .+)$")
PASSED = re.compile(r"Already up to date\.|Everything up-to-date|\[.+ [0-9a-f]{7,}\] ")


def parse(log: Log, context: Context) -> Reading:
    """Read what git could not do; without a git command only conflicts and rejected pushes are sure to be its own."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("git", "gh", "pre-commit")
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line.startswith("CONFLICT (") and (match := CONFLICT.match(line)):
            place = OF_FILE.search(match["message"])
            file = next((name for name in place.groups() if name), None) if place else None
            _add(reading, log, index, end, match["message"], file=file, rule=match["rule"])
        elif line.startswith(" ! [") and (match := REJECTED.match(line)):
            _add(reading, log, index, end, line.strip())
        elif named and line.startswith(("fatal: ", "error: ")) and (match := FATAL.match(line)):
            while end < len(log.lines) and HINT.match(log.lines[end]):
                end += 1
            if not _follows(match["message"], reading):
                _add(reading, log, index, end, match["message"])
            reading.claim(index, end)
        elif named and (match := CHECK.match(line)):
            _add(reading, log, index, end, match["message"], file=match["file"], line=number(match["line"]))
        elif named and line.startswith("remote: ") and (match := REMOTE.match(line)):
            _add(reading, log, index, end, match["message"])
        index = end
    return reading


def _follows(message: str, reading: Reading) -> bool:
    """Whether an error only sums up those above it."""
    summed = message.startswith(("failed to push some refs", "could not apply", "Failed to merge in the changes"))
    return summed and bool(reading.diagnostics)


def _add(
    reading: Reading,
    log: Log,
    index: int,
    end: int,
    message: str,
    file: str | None = None,
    line: int | None = None,
    rule: str | None = None,
) -> None:
    detail = "\n".join(text.removeprefix("hint: ") for text in log.lines[index + 1 : end])
    reading.add(
        Diagnostic(
            message=message,
            detail=detail,
            file=file,
            line=line,
            rule=rule,
            tool="git",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed" if file or "rejected" in message else reading.outcome or "error"
