"""esbuild 0.8 to 0.28 and what prints through it: boxed errors and warnings, API failures, Angular's builder."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading

# Mono prints its uncaught exceptions behind `[ERROR] FATAL`.
HEAD = re.compile(r"(?:[✘▲X⚠] )?\[(?P<word>ERROR|WARNING)\] (?P<text>(?!FATAL UNHANDLED EXCEPTION: )\S.*)$")
PLACE = re.compile(r" {4}(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+):$")
INLINE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:\s][^:]*):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<word>ERROR|WARNING|error|warning): (?P<text>.+)$"
)
OLD = re.compile(r" > (?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+): (?P<word>error|warning): (?P<text>.+)$")
SUFFIX = re.compile(r"(?P<text>.*\S) \[(?P<tag>plugin [^\]]+|[a-z][a-z0-9-]+)\]$")
CODE = re.compile(r"(?P<rule>(?:TS|NG)-?\d+): (?P<message>.+)$")
TOTAL = re.compile(
    r"(?:(?P<warnings>\d+)(?: of \d+)? warnings?)?(?: and )?(?:(?P<shown>\d+)(?: of (?P<errors>\d+))? errors?)?"
    r"(?: shown\b.*)?$"
)
OF_WARNINGS = re.compile(r"\d+ of (?P<warnings>\d+) warnings?")
FAILED = re.compile(
    r"(?:\S+ )?Error: Build failed with \d+ errors?:$|(?:\[[\w:-]+\] )?Transform failed with \d+ errors?:$"
)
DONE = re.compile(r"⚡ ?Done in \S+$")
SETUP = re.compile(
    r"Invalid (?:build|transform) flag|Must use |Cannot use |Could not resolve \"|Could not read|Unrecognized |"
    r"Missing |Invalid (?:value|option|log|loader|target|platform|format)|Failed to (?:read|write|parse)"
)
DETAIL_LINES = 40


def parse(log: Log, context: Context) -> Reading:
    """Read boxed findings, one-line ones of the JavaScript API, and the total."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if "[ERROR] " in line or "[WARNING] " in line:
            if head := HEAD.match(log.whole(index)):
                index = _boxed(head, log, index, reading)
                continue
        elif ": ERROR: " in line or ": WARNING: " in line or line.startswith(" > "):
            add_inline(log, index, reading)
        elif FAILED.match(line) or DONE.match(line):
            reading.claim(index)
            if DONE.match(line):
                reading.outcome = "passed"
        elif reading.diagnostics and line[:1].isdigit():
            _total(line, index, reading)
        index += 1
    _verdict(reading, context)
    reading.partial = context.words[:1] == ("esbuild",) and bool(reading.diagnostics) and not reading.counts
    return reading


def _boxed(head: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Add the finding whose header is `index`; its box is indented, blank lines between; return the index after."""
    text, rule = head["text"], None
    first = index
    last = index
    while last + 1 < len(log.lines) and log.lines[last + 1] and not log.lines[last + 1].startswith(" "):
        if HEAD.match(log.lines[last + 1]) or TOTAL.match(log.lines[last + 1]) or last - index > 20:
            break
        last += 1
    more = log.lines[index + 1 : last + 1]
    if suffix := SUFFIX.match(more[-1] if more else text):
        rule = None if suffix["tag"].startswith("plugin ") else suffix["tag"]
        if not more:
            text = suffix["text"]
    if coded := CODE.match(text):
        rule, text = coded["rule"], coded["message"]
    end = last + 1
    place: re.Match[str] | None = None
    while end < len(log.lines) and (not log.lines[end] or log.lines[end].startswith("  ")):
        if place is None:
            place = PLACE.match(log.lines[end])
        end += 1
    reading.add(
        Diagnostic(
            message=text.strip(),
            severity="warning" if head["word"] == "WARNING" else "error",
            detail="\n".join([*more, *log.lines[last + 1 : end]][:DETAIL_LINES]).strip("\n"),
            file=place["file"] if place else None,
            line=_number(place["line"]) if place else None,
            column=_number(place["column"]) if place else None,
            rule=rule,
            log=log.span(first, last),
        )
    )
    reading.claim(index, end)
    return end


def add_inline(log: Log, index: int, reading: Reading) -> None:
    """Add the finding of a line as the JavaScript API prints it, if line `index` is one."""
    match = INLINE.match(log.whole(index)) or OLD.match(log.whole(index))
    if match is None:
        return
    word: Severity = "warning" if match["word"].lower() == "warning" else "error"
    text = match["text"]
    suffix = SUFFIX.match(text)
    reading.claim(index)
    reading.add(
        Diagnostic(
            message=suffix["text"] if suffix else text,
            severity=word,
            file=match["file"],
            line=_number(match["line"]),
            column=_number(match["column"]),
            rule=suffix["tag"] if suffix and not suffix["tag"].startswith("plugin ") else None,
            log=log.span(index),
        )
    )


def _total(line: str, index: int, reading: Reading) -> None:
    total = TOTAL.match(line)
    if total is None or not (total["warnings"] or total["shown"]):
        return
    warnings = OF_WARNINGS.search(line)
    if total["shown"]:
        reading.counts["errors"] = int(total["errors"] or total["shown"])
    if total["warnings"]:
        reading.counts["warnings"] = int(warnings["warnings"] if warnings else total["warnings"])
    hidden = int(total["errors"] or 0) - int(total["shown"] or 0) if total["errors"] else 0
    if hidden:
        reading.notes.append(f"{hidden} errors are not in the log; esbuild shows them with --log-limit=0")
    reading.claim(index)


def _verdict(reading: Reading, context: Context) -> None:
    errors = [d for d in reading.diagnostics if d.severity == "error"]
    if not errors:
        return
    unplaced = all(d.file is None and SETUP.match(d.message) for d in errors)
    reading.outcome = "error" if unplaced and context.exit_code != 0 else "failed"


def _number(text: str | None) -> int | None:
    return int(text[:9]) or None if text else None
