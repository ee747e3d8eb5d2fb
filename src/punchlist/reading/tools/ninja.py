"""Read ninja's own words: failed steps whose program nobody could read, missing inputs, bad build files; from 1.8."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>-?\d+)\] )?(?P<target>.+)$")
STEP = re.compile(r"\[\d+/\d+\] ")
STOPPED = re.compile(
    r"ninja: build stopped: |ninja: subcommand failed|ninja: Entering directory|ninja: no work to do"
    r"|ninja: warning: "
)
ERROR = re.compile(r"ninja: (?:error|fatal): (?:(?P<file>[^\s:][^:]*):(?P<line>\d+): )?(?P<message>.+)$")
LOUD = re.compile(r"error|fail|fatal|exception|traceback|undefined|not found|no such|cannot|denied|invalid", re.I)


def parse(log: Log, context: Context) -> Reading:
    """Read ninja's lines; a failed step is a finding only where its output stands unread below it."""
    reading = Reading()
    failed = False
    loose: list[Diagnostic] = []
    at = 0
    while at < len(log.lines):
        line = log.lines[at]
        if line.startswith("FAILED: ") and (match := FAILED.match(line)):
            failed = True
            at = _step(log, at, match, reading, loose)
            continue
        if line.startswith("ninja: "):
            if match := ERROR.match(line):
                reading.add(
                    Diagnostic(
                        message=match["message"],
                        file=match["file"],
                        line=int(match["line"]) if match["line"] else None,
                        log=log.span(at),
                    )
                )
                reading.outcome = "error"
            elif STOPPED.match(line):
                failed |= "stopped" in line or "failed" in line
                if "no work to do" in line and context.exit_code in (0, None):
                    reading.outcome = reading.outcome or "passed"
            reading.claim(at)
        at += 1
    reading.diagnostics += loose
    if failed:
        reading.outcome = "failed"
    return reading


def _step(log: Log, at: int, match: re.Match[str], reading: Reading, loose: list[Diagnostic]) -> int:
    """A failed step: its command on the next line, then what it printed, as far as no other parser claimed it."""
    end = at + 1
    while (
        end < len(log.lines)
        and not STEP.match(log.lines[end])
        and not log.lines[end].startswith(("FAILED: ", "ninja: "))
    ):
        end += 1
    reading.claim(at, min(at + 2, end))
    printed = [(i, log.lines[i]) for i in range(at + 2, end)]
    # Lines that another parser claimed are blank: then it has said what failed.
    if not printed or any(not text for _, text in printed[:-1]):
        return end
    index, text = next((one for one in printed if LOUD.search(one[1])), printed[-1])
    detail = [match["target"], *(line for i, line in printed if i != index)]
    loose.append(Diagnostic(message=text.strip(), detail="\n".join(detail[:40]), log=log.span(index)))
    reading.claim(at + 2, end)
    return end
