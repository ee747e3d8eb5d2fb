"""Read twine (3 to 7): `check` and `upload`; its logger pads levels to eight columns and wraps what follows."""

import re

from punchlist.model import Diagnostic, Outcome
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.usage import read_usage

CHECKING = re.compile(r"Checking (?P<file>.+?): (?P<verdict>PASSED|FAILED)?(?P<warned>(?: with|, with) warnings?)?")
LEVEL = re.compile(r"(?P<level>ERROR|WARNING|INFO) +(?P<message>\S.*)")
# What stands below a message and does not go on with it.
WORDS = re.compile(r"line \d+:|See https?:")
EXCEPTION = re.compile(
    r"(?P<type>InvalidDistribution|HTTPError|[A-Z]\w*(?:Error|Exception|Found|Detected|Required)): (?P<message>.+)"
)


def parse(log: Log, context: Context) -> Reading:
    """Read twine's messages, each with the file that was checked last."""
    reading = Reading()
    if context.words and read_usage(log, reading, "twine"):
        return reading
    file: str | None = None
    index = 0
    while index < len(log.lines):
        line = log.lines[index].rstrip()
        end = index + 1
        if match := CHECKING.match(line):
            file = match["file"]
            verdict: Outcome | None = {"FAILED": "failed", "PASSED": "passed"}.get(match["verdict"] or "")  # type: ignore[assignment]
            if verdict and reading.outcome != "failed":
                reading.outcome = verdict
        elif match := LEVEL.match(line):
            while end < len(log.lines) and log.lines[end].startswith("         "):
                end += 1
            if match["level"] != "INFO":
                _add(log, index, end, match, file, reading)
        else:
            index += 1
            continue
        reading.claim(index, end)
        index = end
    return reading


def _add(log: Log, index: int, end: int, match: re.Match[str], file: str | None, reading: Reading) -> None:
    message = match["message"].strip()
    below = index + 1
    while below < end and not message.endswith(".") and not WORDS.match(log.lines[below].strip()):
        message += f" {log.lines[below].strip()}"
        below += 1
    raised = EXCEPTION.match(message)
    reading.add(
        Diagnostic(
            message=raised["message"] if raised else message,
            detail="\n".join([*([raised["type"]] if raised else []), *(t.strip() for t in log.lines[below:end])]),
            severity="error" if match["level"] == "ERROR" else "warning",
            file=file,
            tool="twine",
            log=log.span(index, end - 1),
        )
    )
    if raised and not file:
        reading.outcome = "error"
