"""TypeScript's compiler and what prints as it does: tsc 3 to 7, vue-tsc, ts-node, tsup's d.ts build.

Plain lines are `file(line,column): error TS2322: text`, pretty ones `file:line:column - error TS2322: text`; the word
and the code are the same in every locale, so totals are recognised by their numbers (TypeScript 5.9 and 7.0 seen).
"""

import re

from punchlist.model import Diagnostic, Outcome, Related, Severity
from punchlist.reading.log import Context, Log, Reading

HEAD = re.compile(
    r"(?:(?:Error|ERROR in|WARNING in|Warning):? +(?=\S+:\d))?"
    r"(?:(?P<file>\S.*?)(?:\((?P<line>\d+),(?P<column>\d+)\): |:(?P<line2>\d+):(?P<column2>\d+) - |: ))?"
    r"(?P<word>[a-z]+) (?P<rule>(?:TS|NG)-?\d{4,6}): (?P<message>.+)$"
)
CODELESS = re.compile(
    r"(?P<file>\S.*?\.[mc]?[jt]sx?):(?P<line>\d+):(?P<column>\d+) - (?P<word>error|warning) (?P<rule>TS\d+)$"
)
FRAME = re.compile(r"\s*(?:\d+ ?|\.\.\.|\s+~*|~+)")
SQUIGGLE = re.compile(r"\s*~+$")
PLACE = re.compile(r"  (?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)(?: - (?P<message>\S.*))?$")
TABLE = re.compile(r"\s*\d+  \S.*?(?::\d+)?$")
CYCLE = re.compile(
    r"(?:\[?\d\d?[:.]\d\d[:.]\d\d(?:[\s\u202f]?[AP]M)?\]?|\[.{4,30}?\d\d.{0,6}?\])\s(?:- )?(?P<text>.+)$"
)
BUILDS = re.compile(
    r"(?:- )?(?:Projects in this build|Project '|Building project '|Updating (?:unchanged )?output|Skipping)"
)
RESTART = re.compile(r"File change detected\. Starting incremental compilation|Starting compilation in watch mode")
FOUND = re.compile(r"Found (?P<errors>\d+) errors?\b")
NUMBER = re.compile(r"\d+")
NOT_TSC = "This is not the tsc command you are looking for"
HELP = re.compile(r"tsc: The TypeScript Compiler - Version ")
WORDS: dict[str, Severity] = {"error": "error", "warning": "warning", "suggestion": "hint", "message": "info"}
DETAIL_LINES = 60


def parse(log: Log, context: Context) -> Reading:
    """Read compiler findings, their elaborations and related places, watch and build progress, totals."""
    reading = Reading()
    cycle = 0
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if " TS" in line or " NG" in line or line.startswith(("error TS", "message TS")):
            match = HEAD.match(line) or HEAD.match(log.whole(index))
            if match and match["word"] in WORDS:
                index = _finding(match, log, index, reading)
                continue
        elif line and line[0] != " ":
            if "Starting " in line and RESTART.search(line) and len(reading.diagnostics) > cycle:
                cycle = _restart(reading)
            _other(line, log, index, reading, context, cycle)
        index += 1
    _verdict(reading)
    if context.words[:1] in (("tsc",), ("vue-tsc",)) and reading.outcome == "failed" and "errors" not in reading.counts:
        # Findings with a frame are always followed by their total, but for those of options.
        reading.partial = any(": error" not in log.lines[i] and " - error" in log.lines[i] for i, _ in reading.claimed)
    return reading


def _finding(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Add the finding that begins at `index`; return the index after its block."""
    pretty = match["line2"] is not None
    end, detail = _elaborations(log, index + 1, framed=pretty)
    related: list[Related] = []
    if pretty or (end < len(log.lines) and not log.lines[end] and _is_frame(log, end + 1)):
        end = _frames(log, end, related)
    line, column = match["line"] or match["line2"], match["column"] or match["column2"]
    reading.add(
        Diagnostic(
            message=match["message"].strip(),
            severity=WORDS[match["word"]],
            detail="\n".join([*detail, *(f"{r.file}:{r.line}:{r.column} {r.message}" for r in related)][:DETAIL_LINES]),
            file=match["file"],
            line=int(line) or None if line else None,
            column=int(column) or None if column else None,
            rule=match["rule"],
            tool="tsc",
            related=tuple(related),
            log=log.span(index, index + len(detail)),
        )
    )
    reading.claim(index, end)
    return end


def _elaborations(log: Log, index: int, *, framed: bool) -> tuple[int, list[str]]:
    """Return where the lines that go on after a header end, and those lines: indented ones, up to a blank if framed."""
    start = index
    while (
        index < len(log.lines)
        and log.lines[index].startswith("" if framed else "  ")
        and log.lines[index]
        and not HEAD.match(log.lines[index].lstrip())
    ):
        if SQUIGGLE.match(log.lines[index]):
            break
        index += 1
    return index, log.lines[start:index]


def _is_frame(log: Log, index: int) -> bool:
    """Whether a source line with its squiggle stands at `index`."""
    return any(SQUIGGLE.match(line) for line in log.lines[index + 1 : index + 2]) and bool(
        re.match(r"\s*\d+ ", log.lines[index])
    )


def _frames(log: Log, index: int, related: list[Related]) -> int:
    """Pass over the code frame of a pretty finding and collect its related places; return where they end."""
    lines = log.lines
    place: re.Match[str] | None = None
    end = index
    while index < len(lines):
        line = lines[index]
        if not line:
            index += 1
            if index < len(lines) and not (FRAME.match(lines[index]) or PLACE.match(lines[index])):
                break
            continue
        if found := PLACE.match(line):
            place = None if found["message"] else found
            if found["message"]:
                related.append(Related(found["message"], found["file"], int(found["line"]), int(found["column"])))
        elif not FRAME.match(line):
            break
        elif place and line.startswith("    ") and not re.match(r"    \s*(?:\d+ |~|\.\.\.)", line):
            related.append(Related(line.strip(), place["file"], int(place["line"]), int(place["column"])))
            place = None
        index += 1
        end = index
    return end


def _restart(reading: Reading) -> int:
    """Forget what a watching compiler said before it checked everything again."""
    reading.notes.append(f"{len(reading.diagnostics)} findings of an earlier check in watch mode are left out")
    reading.diagnostics.clear()
    reading.counts.clear()
    return 0


def _other(line: str, log: Log, index: int, reading: Reading, context: Context, cycle: int) -> None:
    stamped = CYCLE.match(line) if line[0] in "[0123456789" else None
    text = stamped["text"] if stamped else line
    found = len(reading.diagnostics) - cycle
    if total := FOUND.match(text):
        reading.counts["errors"] = int(total["errors"])
        reading.claim(index, _table_end(log, index + 1))
    elif BUILDS.match(text) or ("Starting " in text and RESTART.search(text)):
        reading.claim(index)
    elif NOT_TSC in line or (HELP.match(line) and context.exit_code):
        _unusable(line, log, index, reading)
    elif found and _counts(text, found) and (stamped or _table_end(log, index + 1) > index + 1 or _last(log, index)):
        reading.counts["errors"] = found
        reading.claim(index, _table_end(log, index + 1))


def _counts(text: str, found: int) -> bool:
    """Whether a line in any language can be the total of `found` errors: it names no other number first."""
    number = NUMBER.search(text)
    return number is not None and int(number[0][:9]) == found and "/" not in text[: number.start()]


def _last(log: Log, index: int) -> bool:
    return not any(log.lines[index + 1 : index + 8])


def _table_end(log: Log, index: int) -> int:
    """Return where the table of files that follows a total ends (`index` where there is none)."""
    at = index
    while at < len(log.lines) and not log.lines[at]:
        at += 1
    if at + 1 >= len(log.lines) or not TABLE.match(log.lines[at + 1]) or log.lines[at].startswith(" "):
        return index
    at += 1
    while at < len(log.lines) and TABLE.match(log.lines[at]):
        at += 1
    return at


def _unusable(line: str, log: Log, index: int, reading: Reading) -> None:
    reading.outcome = "error"
    reading.claim(index)
    if NOT_TSC in line:
        reading.add(Diagnostic(message=line.strip(), tool="tsc", log=log.span(index)))
    else:
        reading.notes.append("tsc printed its help: no tsconfig.json was found and no files were named")


def _verdict(reading: Reading) -> None:
    errors = [d for d in reading.diagnostics if d.severity == "error"]
    if reading.outcome or not reading.understood:
        return
    if errors:
        verdict: Outcome = "error" if all(map(_is_configuration, errors)) else "failed"
        reading.outcome = verdict
    elif reading.counts.get("errors") == 0:
        reading.outcome = "passed"
    if "errors" in reading.counts:
        warnings = len(reading.diagnostics) - len(errors)
        reading.expected = reading.counts["errors"] + warnings


def _is_configuration(d: Diagnostic) -> bool:
    """Whether the compiler complains of its options or its inputs, not of code: codes 5xxx, 6xxx and 18000 to 18003."""
    code = int((d.rule or "TS0")[2:])
    on_options = 5000 <= code < 7000 or 18000 <= code <= 18003 or code == 2688
    return on_options and (d.file is None or d.file.endswith(".json"))
