"""cypress run (4 to 14): mocha's blocks for every spec, the boxes of results, what kept it from running."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_compile import refused
from punchlist.reading.js_crash import own_detail
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import mocha
from punchlist.records import replace

RUNNING = re.compile(r"\s*Running: +(?P<spec>\S.*?)(?: +\(\d+ of \d+\))?$")
SPEC_RAN = re.compile(r"\s*│ Spec Ran: +(?P<spec>\S.*?) *│$")
BOX = re.compile(r"\s*[│┌└├]")
TOTAL = re.compile(
    r"\s*[✖✔]  (?:\d+ of \d+ failed \(\d+%\)|All specs passed!) +\S+ +(?P<tests>\d+) +(?P<passed>\d+|-)"
    r" +(?P<failed>\d+|-) +(?P<pending>\d+|-) +(?P<skipped>\d+|-)$"
)
OUTSIDE = "The following error originated from your"
CANNOT = re.compile(
    r"(?:Can't run because |Could not find Cypress|Cypress could not verify|Cypress failed to verify|Your configFile"
    r"|Your `?configFile|It looks like this is your first time using Cypress|The cypress npm package is installed, but"
    r"|Error: (?:Webpack Compilation Error|Cypress)|No version of Cypress is installed"
    r"|The Test Runner unexpectedly exited"
    r"|We detected that the .* process just crashed|Cypress encountered an error while parsing|error: unknown option).*"
)


def parse(log: Log, context: Context) -> Reading:
    """Read a cypress run: failures by spec file, the totals of its last table, errors of the runner itself."""
    reading = mocha.parse(log, replace(context, words=()))
    specs = [
        (at, match["spec"])
        for at, line in enumerate(log.lines)
        if "Running:" in line and (match := RUNNING.match(line))
    ]
    reading.diagnostics = [_placed(log, d, specs) for d in reading.diagnostics]
    for index, line in enumerate(log.lines):
        if not line:
            continue
        if line.lstrip().startswith(("✖  ", "✔  ")) and (match := TOTAL.match(line)):
            names = {"passed": "passed", "failed": "failed", "pending": "skipped"}
            reading.counts = {name: int(match[key]) for key, name in names.items() if match[key].isdigit()}
            reading.counts.setdefault("failed", 0)
            reading.outcome = "failed" if reading.counts["failed"] or reading.diagnostics else "passed"
            reading.claim(index)
        elif line.startswith("Oops...we found an error preparing"):
            _unprepared(log, reading, index)
        elif line[0] != " " and not reading.counts and context.words and CANNOT.match(line):
            _could_not(log, reading, index)
        elif line.lstrip()[:1] in "│┌└├" and specs and BOX.match(line):
            reading.claim(index)
    return reading


def _placed(log: Log, d: Diagnostic, specs: list[tuple[int, str]]) -> Diagnostic:
    """Give a failure its spec's file where no own frame is shown, and the reason of an error outside of a test."""
    if d.log and d.message.startswith(("The following error", "Error: The following error")):
        reason = next((line.strip() for line in d.detail.split("\n") if line.strip().startswith("> ")), "")
        if reason:
            d = replace(d, message=reason.removeprefix("> "), detail=f"{d.message}\n{d.detail}")
    if d.file or not d.log:
        return d
    before = [spec for at, spec in specs if abs(log.numbers[at]) < d.log.first]
    return replace(d, file=before[-1]) if before else d


def _unprepared(log: Log, reading: Reading, index: int) -> None:
    """A spec that could not be bundled: `> file`, `The error was:`, the bundler's words."""
    end = index + 1
    while end < len(log.lines) and not log.lines[end].startswith(("This occurred while Cypress", "  (Results)")):
        end += 1
    body = log.lines[index + 1 : end]
    spec = next((line.strip()[2:] for line in body if line.strip().startswith("> ")), None)
    said = [i for i, line in enumerate(body) if line.strip() and not line.startswith((" ", "The error was:"))]
    if not said:
        return
    first = said[0]
    found = refused(body[first], body[first + 1 :])
    useful = next((i for i in said[1:] if not body[i].startswith(("./", "Module build failed"))), first)
    reading.add(
        Diagnostic(
            message=found.message if found else body[useful].strip(),
            detail=own_detail([line for line in body[first:] if line.strip()]),
            file=found.place.file if found and found.place else spec,
            line=found.place.line if found and found.place else None,
            column=found.place.column if found and found.place else None,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)


def _could_not(log: Log, reading: Reading, index: int) -> None:
    end = index + 1
    while end < len(log.lines) and end - index < 40 and not log.lines[end].startswith("==="):
        end += 1
    if reading.diagnostics:
        return
    detail = own_detail([line for line in log.lines[index + 1 : end] if line.strip()])
    reading.add(Diagnostic(message=log.whole(index).strip(), detail=detail, log=log.span(index, end - 1)))
    reading.outcome = "error"
    reading.claim(index, end)
