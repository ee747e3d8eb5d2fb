"""Read include-what-you-use: the lines that a file should add and remove. Seen with 0.12 to 0.22."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

SHOULD = re.compile(r"(?P<file>\S.*) should (?P<what>add|remove) these lines:$")
LINE = re.compile(r"(?:- )?(?P<line>\S.*)$")
AT = re.compile(r"// lines? (\d+)-(\d+)")
FULL_LIST = re.compile(r"The full include-list for \S.*:$|\(\S.* has correct #includes/fwd-decls\)$")


def parse(log: Log, _context: Context) -> Reading:
    """Read each line to add or to remove as a finding of its file."""
    reading = Reading()
    current: re.Match[str] | None = None
    for at, line in enumerate(log.lines):
        if match := SHOULD.match(line):
            current = match
            reading.claim(at)
        elif not line or line == "---" or FULL_LIST.match(line):
            current = None
            if line and line != "---":
                reading.claim(at)
        elif current is not None and (found := LINE.match(line)):
            place = AT.search(line)
            reading.add(
                Diagnostic(
                    message=line,
                    severity="warning",
                    detail=f"should {current['what']} this line",
                    file=current["file"],
                    line=int(place[1]) if place else None,
                    rule=f"{current['what']}-include" if "#include" in found["line"] else current["what"],
                    log=log.span(at),
                )
            )
            reading.claim(at)
    if reading.diagnostics:
        reading.outcome = "failed"
    return reading
