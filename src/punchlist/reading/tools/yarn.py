"""yarn 1 (`error ...` lines) and yarn 2 to 4 (`YN0028` codes, usage errors)."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import replace

CODED = re.compile(r"➤ (?P<code>YN\d{4}): (?:[│┌└·|] ?)?(?P<text>.*)$")
USAGE = re.compile(r"(?P<kind>Usage Error|Internal Error|Unknown Syntax Error|Type Error): (?P<message>\S.*)$")
CLASSIC = re.compile(r"error (?P<message>\S.*)$")
CLASSIC_WARNING = re.compile(r"warning (?P<message>\S.*)$")
PASSED_ON = re.compile(r"Command failed with (?:exit code|signal)|Command failed\.$|\S+: Command failed\.?$")
NOISE = re.compile(
    r"info Visit https://yarnpkg\.com|info (?:No lockfile|Direct|All|There appears|This module|\")|"
    r"yarn (?:run|install|add) v\d|\$ \S|✨  ?Done in|\[\d/\d\] |success |Done in [\d.]+s\.$|yarn install v"
)
DONE = re.compile(r"✨  ?Done in|Done in [\d.]+s\.$")
# Codes that end an installation, and codes that only warn; all others tell of progress.
ERRORS = frozenset(
    (
        1,
        9,
        10,
        16,
        18,
        20,
        21,
        22,
        27,
        28,
        30,
        32,
        35,
        41,
        42,
        43,
        44,
        45,
        50,
        58,
        62,
        63,
        70,
        71,
        72,
        78,
        80,
        81,
        82,
        83,
    )
)
WARNINGS = frozenset((2, 3, 4, 5, 23, 24, 57, 60, 61, 66, 68, 69, 76, 86, 87))
END = re.compile(
    r"(?:Failed with errors|Done with warnings|Done) in |Completed|Resolution step|Fetch step|Link step|[┌└]"
)


def parse(log: Log, context: Context) -> Reading:
    """Read what yarn says of its own work; that a script failed is understood, not repeated."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("➤ YN") and (coded := CODED.match(log.whole(index))):
            _coded(coded, log, index, reading)
        elif usage := USAGE.match(log.whole(index)):
            _add(reading, log, index, usage["message"])
        elif line.startswith("error ") and context.words and (error := CLASSIC.match(log.whole(index))):
            reading.claim(index)
            if not PASSED_ON.match(error["message"]) or _silent(log):
                _add(reading, log, index, error["message"])
        elif line.startswith("warning ") and context.words and (warning := CLASSIC_WARNING.match(log.whole(index))):
            reading.add(Diagnostic(message=warning["message"].strip(), severity="warning", log=log.span(index)))
            reading.claim(index)
        elif NOISE.match(line):
            reading.claim(index)
            if DONE.match(line) and context.exit_code in (0, None):
                reading.outcome = "passed"
        index += 1
    return reading


def _silent(log: Log) -> bool:
    """Whether the script printed nothing: every line of the log is yarn's own."""
    return all(line and (NOISE.match(line) or line.startswith(("error ", "warning "))) for line in log.lines)


def _add(reading: Reading, log: Log, index: int, message: str) -> None:
    reading.outcome = None if PASSED_ON.match(message) else "error"
    reading.add(Diagnostic(message=message.strip(), log=log.span(index)))
    reading.claim(index)


def _coded(coded: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    reading.claim(index)
    number = int(coded["code"][2:])
    text = coded["text"].strip()
    if number == 0 and text.startswith("Failed with errors"):
        reading.outcome = "error"
    if coded["text"].startswith("  ") and reading.diagnostics and reading.diagnostics[-1].rule == coded["code"]:
        last = reading.diagnostics[-1]
        reading.diagnostics[-1] = replace(last, detail=f"{last.detail}\n{text}".strip("\n"))
        return
    if not text or END.match(text) or (number not in ERRORS and number not in WARNINGS):
        return
    level: Severity = "error" if number in ERRORS else "warning"
    reading.add(Diagnostic(message=text, severity=level, rule=coded["code"], log=log.span(index)))
    if level == "error":
        reading.outcome = "error"
