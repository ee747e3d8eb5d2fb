"""pnpm 6 to 11: `ERR_PNPM_...` lines with what follows them, and lines that only pass on a script's failure."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

ERROR = re.compile(r"\s*\[?(?:ERROR\]? +\[?)?(?P<code>ERR_PNPM_[A-Z0-9_]+)\]?:?\s+(?P<message>\S.*)$")
PLAIN = re.compile(r"\s?\[?ERROR\]?\s{1,2}(?P<message>\S.*)$")
LIFECYCLE = re.compile(r"\s*\[?ELIFECYCLE\]?\s{1,2}\S")
PASSED_ON = ("RECURSIVE_RUN_FIRST_FAIL", "RECURSIVE_EXEC_FIRST_FAIL", "RECURSIVE_FAIL", "EXEC_FAIL")
PROGRESS = re.compile(
    r"(?:Scope: (?:\d+ of \d+ workspace projects|all \d+ workspace projects)|Progress: resolved|"
    r"Done in \S+|Already up to date|Packages: [+-]|\+{3,}|Lockfile is up to date|"
    r"Exit status \d+$|\s*WARN\s{2}|Test failed\. See above)"
)
SETTLED = re.compile(r"Done in [\d.]+m?s|Already up to date$")
NOT_BELOW = re.compile(r"\s*(?:\[?ERR_PNPM_|\[?ELIFECYCLE|WARN\s{2}|Progress: |> |\S+ \S+[$:] )")
FILE = re.compile(
    r"(?: in |: |while reading |from )\"?(?P<file>/\S*?(?:package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml))"
)


def parse(log: Log, context: Context) -> Reading:
    """Read pnpm's own errors; what only says that a script failed is understood, not repeated."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if "ERR_PNPM_" in line and (error := ERROR.match(log.whole(index))):
            index = _error(error, log, index, reading)
            continue
        if LIFECYCLE.match(line) or PROGRESS.match(line):
            reading.claim(index)
            if LIFECYCLE.match(line) and context.words and _silent(log, index):
                reading.add(Diagnostic(message=line.strip(), log=log.span(index)))
            if SETTLED.match(line) and context.exit_code == 0:
                reading.outcome = "passed"
        elif context.words and context.exit_code and (plain := PLAIN.match(line)):
            reading.outcome = "error"
            reading.add(Diagnostic(message=plain["message"].strip(), log=log.span(index)))
            reading.claim(index)
        index += 1
    return reading


def _silent(log: Log, index: int) -> bool:
    """Whether the script that failed printed nothing: its header stands directly above, on one stream."""
    header = log.lines[index - 1] or (log.lines[index - 2] if index > 1 else "") if index else ""
    return header.startswith("> ") and min(log.numbers) > 0


def _error(error: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    blank = False
    while end < len(log.lines) and end - index < 60 and (log.numbers[end] < 0) == (log.numbers[index] < 0):
        line = log.lines[end]
        if NOT_BELOW.match(line) or (
            blank and line and not line.startswith((" ", "This error", "pnpm: ", "├", "└", "│"))
        ):
            break
        blank = not line
        end += 1
    code = error["code"]
    if code.removeprefix("ERR_PNPM_") in PASSED_ON and not error["message"].endswith(" not found"):
        reading.claim(index)
        return index + 1
    named = FILE.search(error["message"])
    reading.outcome = "error"
    reading.add(
        Diagnostic(
            message=error["message"].strip(),
            detail="\n".join(log.lines[index + 1 : end]).strip("\n"),
            file=named["file"] if named else None,
            rule=code,
            log=log.span(index),
        )
    )
    reading.claim(index, end)
    return end
