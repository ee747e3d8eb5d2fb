"""Read mkdocs (1.0 to 1.6): warnings and errors of a build, strict mode, configuration errors."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.usage import read_usage

LINE = re.compile(r"(?:(?P<level>WARNING|ERROR|CRITICAL) +- +)(?:\[[\d:, -]+\] )?(?P<message>.+)")
INFO = re.compile(r"(?:INFO|DEBUG) +- ")
FILE = re.compile(
    r"[Dd]oc(?:umentation)? (?:file|page) '(?P<file>[^']+)'|page '(?P<page>[^']+)'|file '(?P<config>[^']+\.ya?ml)'"
)
CONFIG = re.compile(r"Config value:? '(?P<key>[^']+)'")
ABORTED = re.compile(
    r"(?:Exited|Aborted)(?: with (?P<count>\d+) (?:configuration errors?|warnings?(?: in strict mode)?)"
    r"| in strict mode|.*)!"
)
ERROR = re.compile(r"Error: (?P<message>.+)")


def parse(log: Log, context: Context) -> Reading:
    """Read mkdocs' output."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "mkdocs"
    if named and read_usage(log, reading, "mkdocs"):
        return reading
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if match := LINE.match(line):
            while end < len(log.lines) and log.lines[end].startswith("  ") and end - index < 40:
                end += 1
            place = FILE.search(match["message"])
            reading.add(
                Diagnostic(
                    message=match["message"],
                    detail="\n".join(log.lines[index + 1 : end]),
                    severity="warning" if match["level"] == "WARNING" else "error",
                    file=(place["file"] or place["page"] or place["config"]) if place else None,
                    rule=config["key"] if (config := CONFIG.match(match["message"])) else None,
                    tool="mkdocs",
                    log=log.span(index, end - 1),
                )
            )
        elif match := ABORTED.match(line):
            reading.outcome = "error" if "configuration" in line else "failed"
        elif named and (match := ERROR.match(line)):
            reading.add(Diagnostic(message=match["message"], tool="mkdocs", log=log.span(index)))
            reading.outcome = "error"
        elif INFO.match(line):
            if "Documentation built in" in line:
                reading.outcome = reading.outcome or "passed"
        else:
            index += 1
            continue
        reading.claim(index, end)
        index = end
    return reading
