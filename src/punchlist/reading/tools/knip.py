"""knip 2 to 5, depcheck 1, publint: sections with a count, items below."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading

SECTION = re.compile(
    r"(?P<name>(?:Unused|Unlisted|Unresolved|Duplicate|Referenced optional|Missing)[\w ]*?)(?: \((?P<count>\d+)\))?:?$"
)
ITEM = re.compile(
    r"(?:\* )?(?P<what>\S.*?)(?: {2,}(?P<kind>[a-z]\w+))?"
    r"(?: {2,}(?P<file>[^\s:]+)(?::(?P<line>\d+):(?P<column>\d+))?)?$"
)
PUBLINT = re.compile(r"(?P<name>Errors|Warnings|Suggestions):$")
NUMBERED = re.compile(r"\d+\. (?P<message>\S.*)$")
GOOD = re.compile(r"(?:✂️  )?Excellent, Knip found no issues|No depcheck issue|All good!")
LEVELS: dict[str, Severity] = {"Errors": "error", "Warnings": "warning", "Suggestions": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read every item under its section; the section's name is the rule."""
    reading = Reading()
    if not context.words:
        return reading
    section, level = "", ""
    expected = 0
    for index, line in enumerate(log.lines):
        if found := SECTION.match(line):
            section, level = found["name"], ""
            expected += int(found["count"] or 0)
            reading.claim(index)
        elif found := PUBLINT.match(line):
            section, level = "", found["name"]
            reading.claim(index)
        elif GOOD.match(line):
            reading.outcome = "passed"
            reading.claim(index)
        elif level and (found := NUMBERED.match(line)):
            reading.claim(index)
            reading.add(Diagnostic(message=found["message"], severity=LEVELS[level], log=log.span(index)))
        elif not line or line.startswith("Configuration hints"):
            section = ""
        elif section and (found := ITEM.match(log.whole(index))):
            _item(found, section, log, index, reading)
    reading.expected = expected or None
    if reading.diagnostics:
        reading.outcome = "passed" if context.exit_code == 0 else "failed"
    return reading


def _item(found: re.Match[str], section: str, log: Log, index: int, reading: Reading) -> None:
    what = found["what"].strip()
    file, line = found["file"], found["line"]
    if file is None and section.endswith("files"):
        file = what
    reading.claim(index)
    reading.add(
        Diagnostic(
            message=what,
            file=file,
            line=int(line) if line else None,
            column=int(found["column"]) if line else None,
            rule=section,
            log=log.span(index),
        )
    )
