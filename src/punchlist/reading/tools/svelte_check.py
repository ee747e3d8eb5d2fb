"""svelte-check 2 to 4: human, human-verbose, machine and machine-verbose output."""

import json
import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import number_of, text_of
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import replace

PLACE = re.compile(r"(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)$")
WORD = re.compile(r"(?P<word>Error|Warn|Hint|Info): (?P<text>.*)$")
SOURCE = re.compile(r"(?P<text>.*?) ?\((?P<source>svelte|ts|js|css|scss|less|postcss|html|[a-z][\w-]*)\)$")
URL = re.compile(r"https://svelte\.dev/e/(?P<code>\w+)")
TOTAL = re.compile(
    r"svelte-check found (?P<errors>\d+|no) errors?(?:,? and (?P<warnings>\d+|no) warnings?)?(?:,.*)?(?: in .*)?$"
)
MACHINE = re.compile(
    r'\d+ (?P<word>ERROR|WARNING|INFO) "(?P<file>[^"]+)" (?P<line>\d+):(?P<column>\d+) (?P<text>".*")$'
)
VERBOSE = re.compile(r"\d+ (?P<json>\{.*\})$")
COMPLETED = re.compile(r"\d+ COMPLETED \d+ FILES (?P<errors>\d+) ERRORS (?P<warnings>\d+) WARNINGS\b")
FAILURE = re.compile(r"\d+ FAILURE (?P<text>.+)$")
NOISE = re.compile(r"Loading svelte-check in workspace: |Getting Svelte diagnostics\.\.\.|={10,}$|\d+ START \"")
START = re.compile(r'\d+ START "(?P<folder>(?:/|[A-Za-z]:).+)"$')
ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|[a-z]+://")
USAGE = re.compile(r" {4}(?P<message>(?:Unknown option|Missing|Invalid|Could not|Can't) .+)$")
STARTS = ("svelte-check found ", "Loading svelte-check", "Getting Svelte", "=====", "    ")
LEVELS: dict[str, Severity] = {
    "Error": "error",
    "Warn": "warning",
    "ERROR": "error",
    "WARNING": "warning",
    "Hint": "hint",
}


def parse(log: Log, context: Context) -> Reading:
    """Read findings of every output mode and the totals."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        word = WORD.match(log.whole(index)) if line[:5] in ("Error", "Warn:", "Hint:", "Info:") else None
        place = PLACE.match(log.lines[index - 1]) if word and index else None
        if word and place:
            index = _human(place, word, log, index, reading)
            continue
        if line[:1].isdigit():
            _machine(log, index, reading)
        elif not line.startswith(STARTS):
            pass
        elif total := TOTAL.match(line):
            _totals(total, reading)
            reading.claim(index)
        elif NOISE.match(line):
            reading.claim(index)
        elif context.words and context.exit_code and (usage := USAGE.match(line)):
            reading.outcome = "error"
            reading.add(Diagnostic(message=usage["message"].strip(), log=log.span(index)))
            reading.claim(index)
        index += 1
    folders = {match["folder"] for line in log.lines if (match := START.match(line))}
    if len(folders) == 1:
        _below(folders.pop(), reading)
    reading.partial = bool(reading.claimed) and not reading.counts and reading.outcome != "error"
    if reading.outcome is None and (any(d.severity == "error" for d in reading.diagnostics)):
        reading.outcome = "failed"
    return reading


def _human(place: re.Match[str], word: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Add the finding whose word stands at `index`, its place above; return the index after its block."""
    end = index + 1
    while end < len(log.lines) and log.lines[end] and not NOISE.match(log.lines[end]):
        end += 1
    lines = [word["text"], *(log.whole(at) for at in range(index + 1, end))]
    at, source = next(((i, m) for i, text in enumerate(lines) if (m := SOURCE.match(text))), (0, None))
    if source:
        lines[at] = source["text"]
    url = next((m for text in lines[: at + 1] if (m := URL.search(text))), None)
    reading.add(
        Diagnostic(
            message=lines[0].strip(),
            severity=LEVELS.get(word["word"], "info"),
            detail="\n".join(lines[1:][:30]),
            file=place["file"],
            line=int(place["line"]) or None,
            column=int(place["column"]) or None,
            rule=url["code"] if url else None,
            log=log.span(index),
        )
    )
    reading.claim(index - 1, end)
    return end


def _below(folder: str, reading: Reading) -> None:
    """Machine output names files from the workspace that its first line tells."""
    reading.diagnostics = [
        replace(d, file=f"{folder.rstrip('/')}/{d.file}") if d.file and not ABSOLUTE.match(d.file) else d
        for d in reading.diagnostics
    ]


def _machine(log: Log, index: int, reading: Reading) -> None:
    line = log.whole(index)
    if completed := COMPLETED.match(line):
        _totals(completed, reading)
    elif found := MACHINE.match(line):
        _add(log, index, reading, found.groupdict(), _text(found["text"]))
    elif failure := FAILURE.match(line):
        reading.outcome = "error"
        reading.add(Diagnostic(message=_text(failure["text"]), log=log.span(index)))
    elif verbose := VERBOSE.match(line):
        try:
            one = json.loads(verbose["json"])
        except (ValueError, RecursionError):
            return
        _verbose(log, index, reading, one)
    else:
        return
    reading.claim(index)


def _text(quoted: str) -> str:
    try:
        text = json.loads(quoted)
    except (ValueError, RecursionError):
        return quoted.strip('"')
    return text if isinstance(text, str) else quoted


def _verbose(log: Log, index: int, reading: Reading, one: object) -> None:
    start = one.get("start") if isinstance(one, dict) else None
    if not isinstance(one, dict) or not isinstance(start, dict):
        return
    line, column = start.get("line"), start.get("character")
    code = one.get("code")
    parts = {
        "word": text_of(one, "type"),
        "file": text_of(one, "filename"),
        "line": str(line + 1) if isinstance(line, int) else "",
        "column": str(column + 1) if isinstance(column, int) else "",
        "code": f"TS{number_of(one, 'code')}" if isinstance(code, int) else code if isinstance(code, str) else "",
    }
    _add(log, index, reading, parts, text_of(one, "message"))


def _add(log: Log, index: int, reading: Reading, parts: dict[str, str], text: str) -> None:
    url = URL.search(text)
    first, _, rest = text.partition("\n")
    reading.add(
        Diagnostic(
            message=first.strip(),
            severity=LEVELS.get(parts["word"], "info"),
            detail=rest,
            file=parts["file"] or None,
            line=int(parts["line"]) or None if parts["line"].isdigit() else None,
            column=int(parts["column"]) or None if parts["column"].isdigit() else None,
            rule=parts.get("code") or (url["code"] if url else None),
            log=log.span(index),
        )
    )


def _totals(total: re.Match[str], reading: Reading) -> None:
    for name in ("errors", "warnings"):
        if total[name]:
            reading.counts[name] = int(total[name]) if total[name].isdigit() else 0
    reading.outcome = "failed" if reading.counts.get("errors") else None
    if not reading.counts.get("errors"):
        reading.outcome = "passed" if not reading.counts.get("warnings") else None
    hints = sum(d.severity in ("hint", "info") for d in reading.diagnostics)
    reading.expected = reading.counts.get("errors", 0) + reading.counts.get("warnings", 0) + hints
