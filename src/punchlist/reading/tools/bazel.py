"""Read Bazel: errors of loading and analysis, failed actions and tests, the table of test results. Seen with 5 to 7."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

ERROR = re.compile(r"(?:\(\d\d:\d\d:\d\d\) )?(?P<word>ERROR|WARNING|FAILED|FAIL|TIMEOUT): (?P<message>.+)$")
PLACE = re.compile(r"(?P<file>\S+?):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$")
ACTION = re.compile(r"(?P<what>.+?) failed: \((?P<how>[^)]*)\):? ?(?P<rest>.*)$")
TEST = re.compile(
    r"(?P<label>(?:@\S*)?//\S+) +(?:\(cached\) )?(?P<word>PASSED|FAILED|TIMEOUT|FLAKY|NO STATUS"
    r"|FAILED TO BUILD|INCOMPLETE|SKIPPED)\b(?P<rest>.*)$"
)
EXECUTED = re.compile(r"Executed (\d+) out of (\d+) tests?: (?P<rest>.*)$")
PART = re.compile(r"(\d+) (?:tests? )?(pass|passes|fails?|was skipped|were skipped)\b")
CHATTER = re.compile(
    r"(?:\(\d\d:\d\d:\d\d\) )?(?:INFO|Loading|Analyzing|DEBUG|Target //|Use --sandbox_debug"
    r"|Use --verbose_failures)\b"
)
CONSEQUENCE = re.compile(
    r"Build did NOT complete successfully|Build completed, \d+ tests? FAILED|Couldn't start the build"
    r"|command succeeded, but"
)
SEE_LOG = re.compile(r"\(see (?P<path>\S+)\)")


def parse(log: Log, _context: Context) -> Reading:
    """Read errors and test results; a failed compilation is left to the compiler's own words where they stand below."""
    reading = Reading()
    tests: dict[str, Diagnostic] = {}
    actions: list[Diagnostic] = []
    compiled = False
    for at, line in enumerate(log.lines):
        if not line:
            continue
        if match := TEST.match(line):
            reading.claim(at)
            if match["word"] not in ("PASSED", "SKIPPED", "NO STATUS"):
                state = "flaky" if match["word"] == "FLAKY" else ""
                label = match["label"]
                before = tests.get(label)
                detail = before.detail if before else ""
                tests[label] = Diagnostic(
                    message=line.strip(),
                    detail=detail,
                    test=label,
                    state=state,
                    severity="warning" if state else "error",
                    log=log.span(at),
                )
        elif match := ERROR.match(line):
            compiled |= _error(log, at, match, reading, tests, actions)
        elif match := EXECUTED.match(line):
            for number, word in PART.findall(match["rest"]):
                name = "passed" if word.startswith("pass") else "failed" if word.startswith("fail") else "skipped"
                reading.counts[name] = reading.counts.get(name, 0) + int(number)
            reading.claim(at)
        elif CHATTER.match(line):
            reading.claim(at)
    said = {d.message for d in reading.diagnostics}
    reading.diagnostics = [d for d in reading.diagnostics if not _repeats(d.message, said)]
    reading.diagnostics += tests.values()
    # The action's command line follows; blank lines among them are a compiler's findings that were read already.
    reading.diagnostics += [] if compiled else actions
    if reading.diagnostics and any(d.severity == "error" for d in reading.diagnostics):
        failed = bool(tests or actions)
        reading.outcome = "failed" if failed else "error"
    elif actions:
        reading.outcome = "failed"
    return reading


def _repeats(message: str, said: set[str]) -> bool:
    """Whether a message only says again what another one does (`Skipping '//x': reason` beside `reason`)."""
    return message.startswith("Skipping '") and any(message.endswith(f": {other}") for other in said)


def _error(
    log: Log, at: int, match: re.Match[str], reading: Reading, tests: dict[str, Diagnostic], actions: list[Diagnostic]
) -> bool:
    """Take in one `ERROR:` or `FAIL:` line; returns whether it is an action whose tool's output was read already."""
    word, message = match["word"], match["message"]
    reading.claim(at)
    if CONSEQUENCE.match(message):
        return False
    if word in ("FAIL", "TIMEOUT", "FAILED"):
        label = message.split(" ", 1)[0]
        if label.startswith(("//", "@")):
            tests[label] = Diagnostic(message=log.lines[at], detail=message, test=label, log=log.span(at))
        return False
    place = PLACE.match(message)
    text = place["message"] if place else message
    found = Diagnostic(
        message=text,
        severity="warning" if word == "WARNING" else "error",
        file=place["file"] if place else None,
        line=int(place["line"]) if place else None,
        column=int(place["column"]) or None if place else None,
        log=log.span(at),
    )
    if place and ACTION.match(text):
        after = log.lines[at + 1 : at + 40]
        actions.append(found)
        return any(not line for line in after[:30]) and bool(after)
    reading.add(found)
    return False
