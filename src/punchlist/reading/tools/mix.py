"""Read mix: ExUnit's failures and totals (Elixir 1.4 to 1.18), compiler output, mix's own errors."""

import re
from itertools import pairwise

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.tools.elixir import ELIXIR, read_elixir

HEAD = re.compile(r" {0,3}(?P<number>\d+)\) (?P<name>\S.*) \((?P<module>[A-Z][\w.]*)\)$")
SETUP = re.compile(
    r" {0,3}\d+\) (?P<module>[A-Z][\w.]*): (?P<message>failure on setup_all callback"
    r"|.*tests have been invalidated.*).*$"
)
PLACE = re.compile(r" {5}(?P<file>\S.*\.exs?):(?P<line>\d+)$")
FRAME = re.compile(
    r" {7,}(?:\((?P<app>[\w-]+)(?: [^)]+)?\) )?"
    r"(?P<file>(?:[A-Za-z]:)?[^\s:(\"][^:]*\.(?:exs?|erl|eex|heex)):(?P<line>\d+): "
)
TOTALS = re.compile(r"(?:\d+ [a-z_ ]+, )*\d+ failures?\b")
ITEM = re.compile(r"(\d+) ([a-z][a-z_ ]*)")
ENDED = {"failures", "failure", "skipped", "excluded", "invalid"}
FINISHED = re.compile(r"Finished in [\d.]+ seconds(?: \([\d.]+s async, [\d.]+s sync\)| \([\d.]+s on load, .*\))$")
TRACE = re.compile(r"  \* \S.* \[L#\d+\]")
MOST = 60


def parse(log: Log, context: Context) -> Reading:
    """Read a run of mix, whatever its task."""
    reading = Reading()
    index = 0
    ran = totals = finished = False
    named = bool(context.words) and context.words[0] in ("mix", "elixir", "elixirc", "iex")
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line[:1] in (" ", "1", "2", "3", "4", "5", "6", "7", "8", "9") and line[:7].lstrip()[:1].isdigit():
            if head := HEAD.match(line):
                end = _failure(head, log, index, reading)
                ran = True
            elif setup := SETUP.match(line):
                end = _failure(setup, log, index, reading)
                ran = True
            elif (ran or named or finished) and TOTALS.match(line) and _totals(line, reading):
                reading.claim(index)
                totals = True
        elif line.startswith("Finished in ") and FINISHED.match(line):
            finished = True
            reading.claim(index)
        elif line.startswith("  * ") and TRACE.match(line):
            reading.claim(index)
        elif line.startswith("Running ExUnit with seed:"):
            ran = True
            reading.claim(index)
        elif line == "All tests have been excluded." or line.startswith("There are no tests to run"):
            reading.notes.append("mix ran no tests")
        index = end
    failed = any(d.test for d in reading.diagnostics)
    if ran and not totals:
        reading.partial = True
        reading.outcome = "failed" if failed else reading.outcome
    read_elixir(log, reading, named, ran or finished)
    return reading


def _failure(head: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Read one numbered failure: all that is indented by five below its head."""
    end = index + 1
    while end < len(log.lines):
        line = log.lines[end]
        if line.startswith("     ") or (
            not line and end + 1 < len(log.lines) and log.lines[end + 1].startswith("     ")
        ):
            end += 1
        else:
            break
    body = log.lines[index + 1 : end]
    setup = "name" not in head.groupdict()
    place = PLACE.match(body[0]) if body else None
    if not setup and not place:
        return index + 1
    rest = body[1:] if place else body
    message = _compared(rest) or next((text.strip() for text in rest if text.strip()), log.lines[index].strip())
    file, line_number = _innermost(rest, head["module"]) or (
        (place["file"], number(place["line"])) if place else (None, None)
    )
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(text[5:] for text in rest[:MOST]).strip("\n").removeprefix(message).lstrip("\n"),
            file=file,
            line=line_number,
            test=head["module"] if setup else f"{head['name']} ({head['module']})",
            tool="mix",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _compared(body: list[str]) -> str:
    """Both sides of an assertion, where each is one line."""
    for left, right in pairwise(body):
        if left.startswith("     left: ") and right.startswith("     right: "):
            return f"{left.strip()}\n{right.strip()}"
    return ""


def _innermost(body: list[str], module: str) -> tuple[str, int | None] | None:
    """The first frame of the project: its application is named like the test's module, or the frame has none."""
    flat = module.replace(".", "").casefold()
    for text in body:
        match = FRAME.match(text) if ":" in text else None
        if not match:
            continue
        app = match["app"]
        if app is None and not match["file"].startswith(("/", "deps/")):
            return match["file"], number(match["line"])
        if app and app not in ELIXIR and flat.startswith(app.replace("_", "").casefold()):
            return match["file"], number(match["line"])
    return None


def _totals(line: str, reading: Reading) -> bool:
    items = [(int(value), name.strip()) for value, name in ITEM.findall(line)]
    tests = sum(value for value, name in items if name not in ENDED)
    by = {name.removesuffix("s"): value for value, name in items if name in ENDED}
    if not any(name not in ENDED for _, name in items):
        return False
    failed, skipped = by.get("failure", 0), by.get("skipped", 0)
    passed = max(0, tests - failed - skipped - by.get("excluded", 0) - by.get("invalid", 0))
    for name, value in (
        ("passed", passed),
        ("failed", failed),
        ("skipped", skipped),
        ("deselected", by.get("excluded", 0)),
    ):
        if value or name in ("passed", "failed"):
            reading.counts[name] = reading.counts.get(name, 0) + value
    if failed or by.get("invalid"):
        reading.outcome = "failed"
    elif reading.outcome is None:
        reading.outcome = "passed"
    return True
