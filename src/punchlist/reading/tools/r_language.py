"""Read R: testthat (2 and 3) by most of its reporters, `R CMD check`, and the error that ended a script."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import filled, lines_with

RULE = r"(?: +[─-]{3,})?$"
# `── Failure ('test-a.R:3'): name ───`; the progress reporter has no dashes, the summary one numbers them.
TEST = re.compile(
    r" *(?:(?:──|--) )?(?:\d+\. )?(?P<word>Failure|Error|Warning) \('?(?P<file>[^':()\s][^':()]*\.[rR])"
    rf"(?::(?P<line>\d+))?(?::(?P<column>\d+))?'?\): (?P<test>.*?){RULE}"
)
# testthat 2: `── 1. Failure: name (@test-a.R#3)  ───`
OLD_TEST = re.compile(
    r" *(?:──|--) \d+\. (?P<word>Failure|Error|Warning): (?P<test>.*?) \(@(?P<file>[^#()]+)#(?P<line>\d+)\)"
    r"(?P<column>)(?: *[─-]{3,})?$"
)
SUMMED = re.compile(
    r" *\[ FAIL (?P<failed>\d+) \| WARN (?P<warnings>\d+) \| SKIP (?P<skipped>\d+) \| PASS (?P<passed>\d+) \]"
)
OLD_SUMMED = re.compile(
    r" *\[ OK: (?P<passed>\d+) \| SKIPPED: (?P<skipped>\d+) \| WARNINGS: (?P<warnings>\d+)"
    r" \| FAILED: (?P<failed>\d+) \]"
)
PARTS = re.compile(r" *(?:──|══|--|==)|[─═]{3,}|Skip \(| *\[ FAIL | *Error: [Tt]est failures| *Execution halted|\* ")
CHECK = re.compile(r"\* (?P<what>checking .*?|creating .*?) \.\.\.(?: (?P<word>ERROR|WARNING|NOTE))?$")
LATE = re.compile(r" *(?P<word>ERROR|WARNING|NOTE)$")
STATUS = re.compile(r"Status: (?P<text>OK|(?:\d+ (?:ERROR|WARNING|NOTE)s?(?:, )?)+)$")
IN_CODE = re.compile(r".*\((?P<file>[\w./-]+\.R):(?P<line>\d+)(?:-\d+)?\)$")
ERROR = re.compile(r"(?:Error|Fehler|Erreur)(?: in (?P<call>.+?) ?)?: *(?P<message>.*)$")
FATAL = re.compile(r"Fatal error: (?P<message>.+)$")
PLACED = re.compile(r"(?P<file>[^\s:][^:]*\.[rR]):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$")
ENDED = ("Execution halted", "Ausführung angehalten", "Exécution arrêtée")
LEVELS: dict[str, Severity] = {"ERROR": "error", "WARNING": "warning", "NOTE": "info"}
LOOK = 60
MOST = 40


def parse(log: Log, context: Context) -> Reading:
    """Read failing tests, the check's complaints, then what ended the script where nothing else explains it."""
    reading = Reading()
    _tests(log, reading)
    _checks(log, reading)
    failing = any(d.severity == "error" for d in reading.diagnostics)
    shown = sum(d.severity == "error" and d.tool == "testthat" for d in reading.diagnostics)
    if 0 < shown < reading.counts.get("failed", 0):
        reading.notes.append(f"testthat counts {reading.counts['failed']} failures, this log shows {shown} of them")
    for index in lines_with(log, *ENDED):
        if log.lines[index].strip() in ENDED:
            _halted(log, index, reading, explained=failing)
    if context.words and context.words[0] in ("Rscript", "R", "littler", "r"):
        for index in lines_with(log, "Fatal error: "):
            if match := FATAL.match(log.lines[index]):
                reading.add(Diagnostic(message=match["message"], tool="R", log=log.span(index)))
                reading.claim(index)
                reading.outcome = "error"
    if failing:
        reading.outcome = "failed"
    elif reading.outcome is None and reading.counts.get("passed") and not reading.counts.get("failed"):
        reading.outcome = "passed"
    return reading


def _tests(log: Log, reading: Reading) -> None:
    seen: set[tuple[str, ...]] = set()
    for index in lines_with(log, "Failure", "Error (", "Error: ", "Warning"):
        match = TEST.match(log.lines[index]) or OLD_TEST.match(log.lines[index])
        if match is None:
            continue
        end = index + 1
        while end < len(log.lines) and end < index + LOOK and not PARTS.match(log.lines[end]):
            if TEST.match(log.lines[end]):
                break
            end += 1
        end = filled(log.lines, index + 1, end)
        body = [text.strip() for text in log.lines[index + 1 : end]]
        key = (match["word"], match["file"], match["line"] or "", match["test"], "\n".join(body))
        reading.claim(index, end)
        if key in seen:
            continue
        seen.add(key)
        reading.add(
            Diagnostic(
                message=body[0] if body else match["test"],
                severity="warning" if match["word"] == "Warning" else "error",
                detail="\n".join(body[1:MOST]),
                file=match["file"],
                line=number(match["line"]),
                column=number(match["column"]),
                test=match["test"],
                tool="testthat",
                log=log.span(index, end - 1),
            )
        )
    for index in lines_with(log, "[ FAIL ", "[ OK: "):
        if match := SUMMED.match(log.lines[index]) or OLD_SUMMED.match(log.lines[index]):
            # Printed more than once; the last one holds.
            reading.counts.update({name: int(value) for name, value in match.groupdict().items()})
            reading.claim(index)
            reading.outcome = "failed" if int(match["failed"]) else None


def _checks(log: Log, reading: Reading) -> None:
    """`* checking X ... NOTE`, its text below until the next star; a verdict may stand on the line after."""
    heads = [at for at in lines_with(log, "* ") if log.lines[at].startswith("* ")]
    for index, bound in zip(heads, [*heads[1:], len(log.lines)][: len(heads)], strict=True):
        match = CHECK.match(log.lines[index])
        if match is None:
            continue
        start, word = index + 1, match["word"]
        if word is None and start < bound and (late := LATE.match(log.lines[start])):
            start, word = start + 1, late["word"]
        if word is None:
            continue
        end = start
        while end < bound and end < start + 200 and log.lines[end] and log.stream(end) == log.stream(index):
            end += 1
        body = log.lines[start:end]
        tests = word == "ERROR" and any(start <= d.log.first and d.test for d in reading.diagnostics if d.log)
        reading.claim(index, end)
        if tests and "tests" in match["what"]:
            continue
        place = next((m for text in body if (m := IN_CODE.match(text))), None)
        reading.add(
            Diagnostic(
                message=next((text.strip() for text in body if text.strip()), match["what"]),
                severity=LEVELS[word],
                detail="\n".join(body[1:MOST]),
                file=place["file"] if place else None,
                line=number(place["line"]) if place else None,
                rule=match["what"].removeprefix("checking "),
                tool="R CMD check",
                log=log.span(index, max(index, end - 1)),
            )
        )
    for index in lines_with(log, "Status: "):
        if match := STATUS.match(log.lines[index]):
            reading.outcome = "failed" if "ERROR" in match["text"] or "WARNING" in match["text"] else "passed"
            reading.claim(index)


def _halted(log: Log, end: int, reading: Reading, *, explained: bool) -> None:
    """The error above `Execution halted`, a long message on the line below its head."""
    for index in range(end - 1, max(-1, end - LOOK), -1):
        match = ERROR.match(log.lines[index].strip())
        if match is None:
            continue
        below = [text.strip() for text in log.lines[index + 1 : end] if not text.startswith(("Calls: ", "In addition"))]
        message = match["message"] or (below.pop(0) if below else match["call"] or "")
        if explained or re.match(r"[Tt]est failures", message):
            reading.claim(index, end + 1)
            reading.outcome = reading.outcome or "failed"
            return
        place = PLACED.match(message)
        reading.add(
            Diagnostic(
                message=place["message"] if place else message,
                detail="\n".join(log.lines[index + 1 : end]),
                file=place["file"] if place else None,
                line=number(place["line"]) if place else None,
                column=number(place["column"]) if place else None,
                tool="R",
                log=log.span(index, end),
            )
        )
        reading.claim(index, end + 1)
        reading.outcome = reading.outcome or "failed"
        return
