"""Programs that run other programs: turbo, nx, lerna, wireit, npm-run-all, concurrently, lint-staged, husky.

That a task of theirs failed is a consequence and is only understood; what they themselves cannot do is a finding.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

CONSEQUENCES = re.compile(
    r"(?:\S+#\S+:)?\s*(?:WARNING|ERROR)\s+(?:command (?:finished|\()|run failed: )|"  # turbo
    r"\s*(?:Tasks: +\d+ successful, \d+ total|Cached: +\d+ cached, \d+ total|Time: +\S+|Failed: +\S+#\S+)|"
    r"\s*• (?:turbo |Packages in scope|Running |Remote caching)|"
    r"\S+[:#]\S+: (?:cache (?:miss|hit|bypass)|command finished)|"
    r"\s*NX {1,3}(?:Running target|Ran target|Successfully ran|Affected )|Failed tasks:$|- \S+:\S+$|"  # nx
    r"Hint: run the command with --verbose|View structured, searchable error logs|"
    r"\s*[✔✖x>] {1,2}nx run |lerna (?:info|notice|success|verb)|"
    r"lerna ERR! (?:npm|yarn|pnpm) run \S+ (?:exited|stderr|stdout|fatal)|lerna WARN complete|"  # lerna
    r"ERROR: \"[^\"]+\" exited with \d+\.$|"  # npm-run-all
    r"\[?\S*\]? ?\S.* exited with code \d+$|--> Sending SIG\w+ to other processes|"  # concurrently
    r"[❌✅] \[\S+\] (?:Failed|exited|Ran |Ready|Already)|❌ \d+ scripts? failed|"  # wireit
    r"\[(?:STARTED|COMPLETED|FAILED|SKIPPED|TITLE|DATA|OUTPUT)\] |"  # lint-staged
    r"husky - \S+ (?:hook exited|script failed)"
)
CACHED_WARNING = re.compile(r"\s*WARNING +(?P<message>An issue occurred while attempting to parse .+)$")
OWN = re.compile(
    r"(?:\s*(?:ERROR|x|×) +(?P<turbo>(?:Could not find|Missing tasks|Invalid |No such |could not |"
    r"Found an unknown|Failed to |Unable to |Cyclic dependency|cannot find|Package .* not found|"
    r"No package found|unexpected |Could not resolve work|Unsupported |Invalid package|We detected|\S+ is not ).*)|"
    r"\s*(?:NX|[✖x] {1,3}NX|>  NX) {1,3}(?P<nx>(?!Running |Ran |Successfully |Affected |The |Nx |Your )\S.*)|"
    r"lerna ERR! (?P<lerna>(?!(?:npm|yarn|pnpm) run |lerna \S+ exited)\S.*)|"
    r"❌ (?P<wireit>package\.json:\d+:\d+ .*)|"
    r"ERROR: (?P<run_all>(?:Task not found|Invalid Option|No matches found|Missing parameter)\b.*))$"
)
BOX = re.compile(
    r"\s*,-\[(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)\]$|\s*╭─\[(?P<file2>.+?):(?P<line2>\d+):(?P<column2>\d+)\]$"
)
BELOW = re.compile(r"\s*(?:[|`│├╰╭,-]|\d+ [|│]|help: |[|`]->)")
SUMMARY = re.compile(r"\s*Tasks: +(?P<good>\d+) successful, (?P<total>\d+) total$")


def parse(log: Log, context: Context) -> Reading:
    """Claim lines that only pass a task's failure on; add what the runner itself cannot do."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if not line:
            index += 1
            continue
        if CACHED_WARNING.match(line):
            index = _below(log, index, reading)
            continue
        if CONSEQUENCES.match(line):
            reading.claim(index)
            if (summary := SUMMARY.match(line)) and summary["good"] == summary["total"] and context.exit_code == 0:
                reading.outcome = "passed"
        elif context.words and context.exit_code and (own := OWN.match(log.whole(index))):
            index = _own(own, log, index, reading)
            continue
        index += 1
    return reading


def _below(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and (BELOW.match(log.lines[end]) or log.lines[end].startswith(("   x ", "   × "))):
        end += 1
    reading.claim(index, end)
    return end


def _own(own: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = _below(log, index, reading)
    message = next(text for text in own.groupdict().values() if text)
    place = next((m for line in log.lines[index + 1 : end] if (m := BOX.match(line))), None)
    number = (place["line"] or place["line2"]) if place else None
    column = (place["column"] or place["column2"]) if place else None
    reading.outcome = "error"
    reading.add(
        Diagnostic(
            message=message.strip(),
            detail="\n".join(log.lines[index + 1 : end]),
            file=(place["file"] or place["file2"]) if place else None,
            line=int(number) if number else None,
            column=int(column) if column else None,
            log=log.span(index),
        )
    )
    return end
