"""next build, next lint (12 to 16) and create-react-app: a file, then what is wrong in it."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading

HEADER = re.compile(r"(?: ⨯ )?(?P<file>\.{0,2}[\\/]?[^\s:'\"]+\.\w+)(?::(?P<line>\d+):(?P<column>\d+))?$")
ROW = re.compile(r"(?P<line>\d+):(?P<column>\d+) {2}(?P<word>Error|Warning): (?P<text>\S.*)$")
LINE_ROW = re.compile(r" {2}Line (?P<line>\d+)(?::(?P<column>\d+))?: {1,}(?P<text>\S.*)$")
RULE = re.compile(r"(?P<message>.*\S) {2,}(?P<rule>[@\w][\w@/.-]*)$")
SAID = re.compile(r"(?:Type error: |Syntax error: |Error: +[x×] |Error: +)?(?P<message>\S.*)$")
BOX = re.compile(r"\s*(?:,-|╭─)\[(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)\]$")
FAILED = re.compile(
    r"(?:Failed to compile\.?|> Build error occurred|(?:Error: )?Turbopack build failed with (?P<errors>\d+) errors?:)$"
)
WARNED = re.compile(r"(?:Compiled with warnings\.|\s*⚠ Compiled with warnings\b.*)$")
PASSED_ON = re.compile(
    r"> Build failed because of |Next\.js build worker exited|Export encountered |\s/\S+: /\S*$|"
    r"Import trace for requested module|https://nextjs\.org/docs/|info {1,2}- Need to disable|"
    r"\s+(?:▲ Next\.js|✓ |Creating an optimized|Linting and checking|Collecting )"
)
PRERENDER = re.compile(r"Error occurred prerendering page \"(?P<page>[^\"]+)\"")
OWN = re.compile(
    r"\s?(?:⨯|> ?)(?: Error:)? "
    r"(?P<message>(?:Couldn't find|Failed to load|Invalid |Conflicting |Unable to |Missing ).+)$"
)
CLEAN = re.compile(
    r"✔ No ESLint warnings or errors|\s*✓ Generating static pages|Route \((?:app|pages)\)|Compiled successfully[.!]"
)
FRAME = re.compile(r"\s*>?\s*\d* ?\| ?|\s*[,`:.]|\s+at |\s+\d+: ")


def parse(log: Log, context: Context) -> Reading:
    """Read every file block, prerender errors and configuration complaints."""
    reading = Reading()
    level: Severity | None = None
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if failed := FAILED.match(line):
            level = "error"
            reading.outcome = "failed"
            if failed["errors"]:
                reading.counts["errors"] = int(failed["errors"])
            reading.claim(index)
        elif WARNED.match(line):
            level = "warning"
            reading.claim(index)
        elif (
            _may_be_file(line)
            and (header := HEADER.match(line))
            and index + 1 < len(log.lines)
            and log.lines[index + 1]
        ):
            end = _file(header, log, index, reading, level)
            if end > index:
                index = end
                continue
        elif PRERENDER.match(line):
            index = _prerender(log, index, reading)
            continue
        elif context.words and context.exit_code and (own := OWN.match(line)):
            reading.outcome = "error"
            reading.add(Diagnostic(message=own["message"].strip(), log=log.span(index)))
            reading.claim(index)
        elif PASSED_ON.match(line) or CLEAN.match(line):
            reading.claim(index)
            if CLEAN.match(line) and reading.outcome is None:
                reading.outcome = "passed"
        index += 1
    return reading


def _may_be_file(line: str) -> bool:
    return bool(line) and (" " not in line or line.startswith(" ⨯ "))


def _file(header: re.Match[str], log: Log, index: int, reading: Reading, level: Severity | None) -> int:
    """Read what stands below a file's name; return the index after it, or `index` where nothing does."""
    at = index + 1
    if ROW.match(log.lines[at]) or LINE_ROW.match(log.lines[at]):
        while at < len(log.lines) and (row := ROW.match(log.whole(at)) or LINE_ROW.match(log.whole(at))):
            _row(row, header["file"], log, at, reading, level or "warning")
            at += 1
        reading.claim(index, at)
        return at
    if level is None:
        return index
    end = at
    while end < len(log.lines) and end - index < 80:
        line = log.lines[end]
        below = log.lines[end + 1] if end + 1 < len(log.lines) else ""
        if HEADER.match(line) or FAILED.match(line) or line.startswith(("> Build", "Next.js build")):
            break
        if not line and not (below and FRAME.match(below)):
            break
        end += 1
    said = SAID.match(log.whole(at))
    box = next((m for line in log.lines[at:end] if (m := BOX.match(line))), None)
    place = box or (header if header["line"] else None)
    reading.add(
        Diagnostic(
            message=said["message"].strip() if said else log.whole(at).strip(),
            severity=level,
            detail="\n".join(line for line in log.lines[at + 1 : end] if not re.match(r"\s+(?:at |\d+: )", line))[
                :4000
            ],
            file=place["file"] if place else header["file"],
            line=int(place["line"]) or None if place else None,
            column=int(place["column"]) or None if place else None,
            log=log.span(index, at),
        )
    )
    reading.claim(index, end)
    return end


def _row(row: re.Match[str], file: str, log: Log, at: int, reading: Reading, level: Severity) -> None:
    parts = row.groupdict()
    ruled = RULE.match(row["text"])
    reading.add(
        Diagnostic(
            message=(ruled["message"] if ruled else row["text"]).strip(),
            severity=("error" if parts["word"] == "Error" else "warning") if parts.get("word") else level,
            file=file,
            line=int(parts["line"]) or None,
            column=int(parts["column"]) or None if parts["column"] else None,
            rule=ruled["rule"] if ruled else None,
            log=log.span(at),
        )
    )


def _prerender(log: Log, index: int, reading: Reading) -> int:
    at = index + 1
    while at < len(log.lines) and not log.lines[at] and at - index < 3:
        at += 1
    end = at
    while end < len(log.lines) and log.lines[end] and not PASSED_ON.match(log.lines[end]):
        end += 1
    named = at < end
    reading.outcome = "failed"
    reading.add(
        Diagnostic(
            message=(log.whole(at) if named else log.whole(index)).removesuffix(" {").strip(),
            detail="\n".join([log.lines[index], *log.lines[at + 1 : min(end, at + 12)]]),
            log=log.span(index, at if named else index),
        )
    )
    reading.claim(index, end)
    return max(end, index + 1)
