"""Read Nim's std/unittest (1.0 to 2.2): checks and exceptions stand above the test's verdict."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import replace

SUITE = re.compile(r"\[Suite\] (?P<name>.*)$")
VERDICT = re.compile(r" *\[(?P<word>OK|FAILED|SKIPPED)\] (?P<name>.*)$")
CHECK = re.compile(r" +(?P<file>\S.*\.nim)\((?P<line>\d+), (?P<column>\d+)\): (?P<message>.+)$")
RAISED = re.compile(r" +Unhandled exception: (?P<message>.*?)(?: \[(?P<rule>\w+)\])?$")
FRAME = re.compile(r"(?P<file>\S.*\.nims?)\((?P<line>\d+)\) +\S*")
CONSEQUENCE = re.compile(r"Error: execution of an external program failed: ")
NAMES = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}


def parse(log: Log, _context: Context) -> Reading:
    """Read each failed check; one that no verdict follows ended the run (`require`)."""
    reading = Reading()
    waiting: list[Diagnostic] = []
    suite, place, first = "", None, 0
    for index, line in enumerate(log.lines):
        if match := SUITE.match(line):
            suite = match["name"]
            reading.claim(index)
        elif match := VERDICT.match(line):
            name = f"{suite} {match['name']}" if suite and line.startswith(" ") else match["name"]
            _verdict(NAMES[match["word"]], name, waiting, log, index, reading)
            waiting, place = [], None
        elif match := CHECK.match(line):
            waiting.append(_check(match, log, index, reading))
        elif match := FRAME.match(line):
            place, first = match, index
        elif match := RAISED.match(line):
            waiting.append(
                Diagnostic(
                    message=match["message"],
                    file=place["file"] if place else None,
                    line=int(place["line"]) if place else None,
                    rule=match["rule"],
                    tool="nim",
                    log=log.span(first if place else index, index),
                )
            )
            reading.claim(first if place else index, index + 1)
        elif CONSEQUENCE.match(line) and (reading.diagnostics or waiting):
            reading.claim(index)
    reading.diagnostics += waiting
    if waiting:
        reading.partial = True
        reading.outcome = "failed"
    return reading


def _check(match: re.Match[str], log: Log, index: int, reading: Reading) -> Diagnostic:
    end = index + 1
    while end < len(log.lines) and log.lines[end].startswith("    ") and not CHECK.match(log.lines[end]):
        if RAISED.match(log.lines[end]):
            break
        end += 1
    reading.claim(index, end)
    return Diagnostic(
        message=match["message"],
        detail="\n".join(text.strip() for text in log.lines[index + 1 : end]),
        file=match["file"],
        line=int(match["line"]),
        column=int(match["column"]),
        tool="nim",
        log=log.span(index, end - 1),
    )


def _verdict(word: str, name: str, waiting: list[Diagnostic], log: Log, index: int, reading: Reading) -> None:
    reading.counts[word] = reading.counts.get(word, 0) + 1
    reading.claim(index)
    if word == "failed":
        failed = waiting or [Diagnostic(message=log.lines[index].strip(), tool="nim", log=log.span(index))]
        reading.diagnostics += [replace(one, test=name) for one in failed]
        reading.outcome = "failed"
    elif reading.outcome is None:
        reading.outcome = "passed"
