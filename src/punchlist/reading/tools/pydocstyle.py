"""Read pydocstyle (5, 6): a line with the place, then an indented line with the rule and what is wrong."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.tools.usage import read_usage

PLACE = re.compile(r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+) (?P<where>(?:at|in) .+):$")
RULE = re.compile(r"\s+(?P<rule>D\d{3}): (?P<message>.+)")
TROUBLE = re.compile(r"(?P<severity>WARNING|ERROR): (?P<message>(?:Error in file (?P<file>[^:]+): )?.+)")


def parse(log: Log, context: Context) -> Reading:
    """Read pydocstyle's findings."""
    reading = Reading()
    named = bool(context.words)
    if named and read_usage(log, reading, "pydocstyle"):
        return reading
    for index, line in enumerate(log.lines):
        place = PLACE.match(line)
        rule = RULE.match(log.lines[index + 1]) if place and index + 1 < len(log.lines) else None
        if place and rule:
            reading.add(
                Diagnostic(
                    message=rule["message"],
                    detail=place["where"],
                    file=place["file"],
                    line=number(place["line"]),
                    rule=rule["rule"],
                    tool="pydocstyle",
                    log=log.span(index, index + 1),
                )
            )
            reading.claim(index, index + 2)
        elif named and (match := TROUBLE.match(line)):
            reading.add(
                Diagnostic(
                    message=match["message"],
                    severity="warning" if match["severity"] == "WARNING" else "error",
                    file=match["file"],
                    tool="pydocstyle",
                    log=log.span(index),
                )
            )
            reading.claim(index)
    return reading
