"""Read JUnit's console launcher and TestNG's own text report."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import jvm_trace

FAILURES = re.compile(r"Failures \((?P<number>\d+)\):$")
HEAD = re.compile(r"  (?P<name>(?:JUnit|Suite|Kotest|Spock|[A-Z]\w*)\b[^:]*:\S.*)$")
SOURCE = re.compile(
    r"    (?:Method|Class)Source \[className = '(?P<class>[^']+)'(?:, methodName = '(?P<method>[^']*)')?.*\]$"
)
RAISED = re.compile(r"    => (?P<text>.*)$")
CALL = re.compile(r"(?P<lead>\s+)(?P<call>[\w.$/@-]+[\w$<>]+\([^()]+\))$")
TOTAL = re.compile(r"\[ +(?P<number>\d+) tests (?P<what>successful|failed|skipped|aborted) +\]$")
NAMES = {"successful": "passed", "failed": "failed", "skipped": "skipped", "aborted": "skipped"}
# TestNG
FAILED = re.compile(
    r"(?:\[\w+\] )?(?P<what>FAILED|FAILED CONFIGURATION|SKIPPED"
    r"|PASSED)(?: CONFIGURATION)?: (?:@\w+ )?(?P<name>\S.*?)(?: finished in .*)?$"
)
RUN = re.compile(
    r"(?:Total tests run|Tests run): (?P<run>\d+),(?: Passes: (?P<passed>\d+),)? Failures: "
    r"(?P<failed>\d+), Skips: (?P<skipped>\d+)"
)
# JUnit's text runners: 4 puts the exception on the line below, 3 (GroovyTestCase too) behind the name
OLD = re.compile(r"(?P<number>\d+)\) (?P<method>[^()]+)\((?P<class>[\w.$]+)\)(?P<text>\S.*)?$")
OLD_TOTALS = re.compile(r"Tests run: (?P<run>\d+),  Failures: (?P<failed>\d+)(?:,  Errors: (?P<errors>\d+))?$")
OLD_PARTS = re.compile(r"There (?:was|were) \d+ (?:failure|error)s?:$|FAILURES!!!")
OLD_OK = re.compile(r"OK \((?P<run>\d+) tests?\)$")
LOOK = 300


def parse(log: Log, _context: Context) -> Reading:
    """Read failing tests and totals of whichever runner printed them."""
    reading = Reading()
    _console(log, reading)
    _testng(log, reading)
    _junit4(log, reading)
    if reading.diagnostics:
        reading.outcome = "failed"
    elif reading.counts:
        failed = reading.counts.get("failed") or reading.counts.get("errors")
        reading.outcome = "failed" if failed else "passed"
    return reading


def _add(log: Log, reading: Reading, test: str, owner: str, body: Sequence[str], index: int, end: int) -> None:
    trace = jvm_trace.read(body)
    own = jvm_trace.own_frame(trace.frames, owner)
    reading.add(
        Diagnostic(
            message=trace.message or test,
            detail="\n".join(trace.detail),
            file=own.path if own else None,
            line=own.line if own else None,
            test=test,
            derived=own is not None and own.path != own.file,
            log=log.span(index, max(end - 1, index)),
        )
    )
    reading.claim(index, end)


def _console(log: Log, reading: Reading) -> None:
    """`Failures (2):`, then each test's path, its source, `=>` and the trace without `at`."""
    lines = log.lines
    for start in lines_with(log, "Failures ("):
        if not FAILURES.match(lines[start]):
            continue
        index = start + 1
        while index < len(lines) and not lines[index].startswith(("Test run finished", "[ ")):
            head = HEAD.match(lines[index])
            if head is None or index + 1 >= len(lines) or not (source := SOURCE.match(lines[index + 1])):
                index += 1
                continue
            end = index + 2
            while (
                end < len(lines)
                and end < index + LOOK
                and not (HEAD.match(lines[end]) and end + 1 < len(lines) and SOURCE.match(lines[end + 1]))
            ):
                if lines[end].startswith(("Test run finished", "[ ")):
                    break
                end += 1
            body = [_as_trace(log.whole(i)) for i in range(index + 2, end)]
            while body and not body[-1].strip():
                body.pop()
            test = f"{source['class']}.{source['method']}" if source["method"] else source["class"]
            tail = re.search(r"(\[\d+\]).*$", head["name"].rsplit(":", 1)[-1])
            _add(
                log,
                reading,
                test + (tail[1] if tail and source["method"] else ""),
                source["class"],
                body,
                index,
                index + 2 + len(body),
            )
            index = end
    for index in lines_with(log, " tests successful", " tests failed", " tests skipped", " tests aborted"):
        if match := TOTAL.match(lines[index]):
            name = NAMES[match["what"]]
            reading.counts[name] = reading.counts.get(name, 0) + int(match["number"])
            reading.claim(index)


def _as_trace(line: str) -> str:
    if match := RAISED.match(line):
        return match["text"]
    if call := CALL.match(line):
        return f"\tat {call['call']}"
    return line.removeprefix("       ")


def _testng(log: Log, reading: Reading) -> None:
    lines = log.lines
    seen: set[str] = set()
    for index in lines_with(log, "FAILED: ", "FAILED CONFIGURATION: "):
        match = FAILED.match(lines[index])
        if match is None or not match["what"].startswith("FAILED"):
            continue
        end = index + 1
        while (
            end < len(lines)
            and end < index + LOOK
            and not FAILED.match(lines[end])
            and not lines[end].startswith("====")
        ):
            end += 1
        body = [log.whole(i) for i in range(index + 1, end)]
        while body and not body[-1].strip():
            body.pop()
        if (body and body[0].lstrip().startswith("java.lang.AssertionError: java")) or match["name"] in seen:
            continue
        seen.add(match["name"])
        name = match["name"]
        _add(log, reading, name, name.split("(")[0].rpartition(".")[0], body, index, index + 1 + len(body))
    for index in lines_with(log, "ests run: "):
        if match := RUN.match(lines[index].strip()):
            run, failed, skipped = int(match["run"]), int(match["failed"]), int(match["skipped"])
            reading.counts.update({"passed": max(run - failed - skipped, 0), "failed": failed, "skipped": skipped})
            reading.claim(index)


def _junit4(log: Log, reading: Reading) -> None:
    lines = log.lines
    runner = bool(lines_with(log, "JUnit version ", "FAILURES!!!"))
    found = [(i, m) for i in lines_with(log, ") ", ")") if (m := OLD.match(lines[i]))] if runner else []
    ends = [*(i for i, _ in found), len(lines)][1:] if found else []
    for (index, match), bound in zip(found, ends, strict=True):
        end = index + 1
        while end < min(bound, index + LOOK) and not OLD_PARTS.match(lines[end]):
            if not lines[end] and jvm_trace.is_trace_line(lines[end - 1]):
                break
            end += 1
        body = [*filter(None, [match["text"]]), *(log.whole(i) for i in range(index + 1, end))]
        _add(log, reading, f"{match['class']}.{match['method']}", match["class"], body, index, end)
    for index in lines_with(log, "Tests run: ", "OK ("):
        if totals := OLD_TOTALS.match(lines[index]):
            run, failed, errors = int(totals["run"]), int(totals["failed"]), int(totals["errors"] or 0)
            reading.counts.update({"passed": max(run - failed - errors, 0), "failed": failed})
            if errors:
                reading.counts["errors"] = errors
            reading.claim(index)
        elif lines_with(log, "JUnit version ") and (passed := OLD_OK.match(lines[index])):
            reading.counts.update({"passed": int(passed["run"]), "failed": 0})
            reading.claim(index)
