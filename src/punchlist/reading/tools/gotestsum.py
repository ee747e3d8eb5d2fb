"""Read gotestsum: the `=== Failed` section at the end of every format, its DONE line, tests that passed on a re-run.

Seen with gotestsum 1.8 to 1.12. Packages are printed relative to the module, so they name the folders of bare files.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import go_build, go_test
from punchlist.records import dataclass, field, replace

DONE = re.compile(
    r"DONE (?:(?P<runs>\d+) runs, )?(?P<tests>\d+) tests?(?:, (?P<skipped>\d+) skipped)?"
    r"(?:, (?P<failed>\d+) failures?)?(?:, (?P<errors>\d+) errors?)? in [\d.]+\w+$"
)
BLOCK = re.compile(
    r"=== (?P<word>FAIL"
    r"|SKIP): (?P<package>\S+) ?(?P<test>.*?)(?: \(re-run (?P<rerun>\d+)\))? \((?P<time>[\d.]+m?s"
    r"|unknown)\)$"
)
SECTION = re.compile(r"=== (Failed|Skipped|Errors)$")
STATUS = re.compile(r"(?:[✓✔✖∅↷🟢🔴⚪⚠️🚫😀✗]+ ? |(?:PASS|FAIL|EMPTY|SKIP|UNKNOWN) )\S+")


@dataclass(slots=True)
class Block:
    """One failed test of the closing section: its attempts, and the lines of the last one."""

    package: str
    test: str
    first: int
    end: int
    attempts: set[int] = field(default_factory=set)


def parse(log: Log, context: Context) -> Reading:
    """Read the closing section; the same failures printed earlier by a live format are passed over."""
    reading = Reading()
    done = next((at for at, line in enumerate(log.lines) if line.startswith("DONE ") and DONE.match(line)), None)
    if done is None:
        return reading
    last = max(at for at, line in enumerate(log.lines) if line.startswith("DONE ") and DONE.match(line))
    _totals(log, last, reading, context)
    if _reports_on_stdout(context):  # the JUnit report in the same log says everything once more
        reading.counts = {}
        _claim(log, last, reading)
        return reading
    blocks = _blocks(log, last)
    runs = int((DONE.match(log.lines[last]) or {"runs": None})["runs"] or 1)
    failing = {(b.package, b.test) for b in blocks}
    for block in blocks:
        found = _failure(log, block, failing)
        if found is not None:
            flaky = runs > 1 and max(block.attempts) < runs - 1 and context.exit_code == 0
            reading.add(replace(found, state="flaky", severity="warning") if flaky else found)
    _claim(log, last, reading)
    return reading


def _reports_on_stdout(context: Context) -> bool:
    words = " ".join(context.words).replace("=", " ")
    return bool(re.search(r"--(?:junitfile|jsonfile) (?:/dev/std(?:out|err)|-)(?: |$)", words))


def _blocks(log: Log, end: int) -> list[Block]:
    found: dict[tuple[str, str], Block] = {}
    at = 0
    while at < end:
        match = BLOCK.match(log.lines[at]) if log.lines[at].startswith("=== ") else None
        if match is None or match["word"] != "FAIL":
            at += 1
            continue
        stop = at + 1
        while stop < end and not (
            log.lines[stop].startswith("=== ") and (BLOCK.match(log.lines[stop]) or SECTION.match(log.lines[stop]))
        ):
            stop += 1
        key = (match["package"], match["test"].strip())
        block = found.setdefault(key, Block(*key, at, stop))
        block.attempts.add(int(match["rerun"] or 0))
        at = stop
    return list(found.values())


def _failure(log: Log, block: Block, failing: set[tuple[str, str]]) -> Diagnostic | None:
    """Read a block as what `go test` prints for one failed test."""
    parent = any(p == block.package and t.startswith(block.test + "/") for p, t in failing) and block.test
    lines = [f"--- FAIL: {block.test} (0.00s)" if block.test else "", *log.lines[block.first + 1 : block.end]]
    numbers = log.numbers[block.first : block.end]
    package = "" if block.package == "." else block.package
    text = Log([*lines, f"FAIL\t{package or '.'}\t0.001s"], [*numbers, numbers[-1]])
    found = go_test.read_tests(text, Context()).diagnostics
    found = [d for d in found if not go_test.NOT_BUILT.search(d.message)]
    if not found:
        return None
    best = next((d for d in found if d.test), found[0])
    if parent and best.message.startswith("--- FAIL: "):
        return None
    if best.message.startswith("--- FAIL: "):
        best = replace(best, message=log.lines[block.first])
    name = f"{package}.{block.test}" if package and block.test else block.test
    folder = f"{package}/{best.file}" if package and best.file and "/" not in best.file else best.file
    return replace(best, test=name or None, package=package or None, file=folder, derived=folder != best.file)


def _totals(log: Log, at: int, reading: Reading, context: Context) -> None:
    match = DONE.match(log.lines[at])
    if match is None:
        return
    tests, skipped, failed = (int(match[name] or 0) for name in ("tests", "skipped", "failed"))
    reading.counts = {"passed": max(0, tests - skipped - failed), "failed": failed, "skipped": skipped}
    if match["errors"]:
        reading.counts["errors"] = int(match["errors"])
    if (failed or match["errors"]) and context.exit_code != 0:
        reading.outcome = "failed"
    elif not failed and not match["errors"]:
        reading.outcome = "passed"


def _claim(log: Log, last: int, reading: Reading) -> None:
    """Claim everything up to the DONE line but what the build stage printed."""
    start = 0
    for at in range(last + 1):
        line = log.lines[at]
        if (
            line
            and line[0] not in " \t=-"
            and (go_build.HEADER.match(line) or (".go:" in line and go_build.PLACE.match(line)))
        ):
            if at > start:
                reading.claim(start, at)
            start = at + 1
            while start <= last and log.lines[start].startswith("\t"):
                start += 1
    if start <= last:
        reading.claim(start, last + 1)
