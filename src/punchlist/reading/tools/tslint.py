"""tslint 5 and 6: stylish (the default), prose and verbose lines."""

import re

from punchlist.model import Diagnostic
from punchlist.reading import oneline
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import replace

ROW = re.compile(
    r"(?P<word>ERROR|WARNING): (?P<line>\d+):(?P<column>\d+) {2,}(?P<rule>[\w/@-]+) {2,}(?P<message>\S.*)$"
)
HEADER = re.compile(r"(?P<file>\S.*?):\d+:\d+$")


def parse(log: Log, context: Context) -> Reading:
    """Read rows below the file they belong to, and the one-line formats."""
    reading = Reading()
    file = None
    for index, line in enumerate(log.lines):
        if line.startswith(("ERROR: ", "WARNING: ")):
            if file and (row := ROW.match(log.whole(index))):
                reading.claim(index)
                reading.add(
                    Diagnostic(
                        message=row["message"].strip(),
                        severity="error" if row["word"] == "ERROR" else "warning",
                        file=file,
                        line=int(row["line"]) or None,
                        column=int(row["column"]) or None,
                        rule=row["rule"],
                        log=log.span(index),
                    )
                )
        elif line[-1:].isdigit() and (header := HEADER.match(line)):
            file = header["file"]
    if not reading.diagnostics:
        reading = oneline.parse(oneline.rows_of("javascript_build", "tslint"), log, context)
        reading.diagnostics = [replace(d, file=(d.file or "").strip() or None) for d in reading.diagnostics]
    return reading
