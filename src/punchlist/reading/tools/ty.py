"""Read ty (0.0): full and concise output, configuration and usage trouble.

Its github, gitlab and junit outputs are read by the modules of those formats. The half that tells most stands beside
the carets.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.arrowed import block_at, is_arrow
from punchlist.reading.tools.usage import read_usage
from punchlist.records import replace

HEADER = re.compile(
    r"(?P<severity>error|warning|info|fatal)\[(?P<rule>[a-z][a-z0-9]*(?:-[a-z0-9]+)*)\]:? (?P<message>\S.*)"
)
CONCISE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning|info|fatal)"
    r"\[(?P<rule>[a-z][a-z0-9-]*)\] (?P<message>.+)"
)
FOUND = re.compile(r"Found (?P<all>\d+) diagnostics?$")
FAILED = re.compile(r"ty failed$")
CAUSE = re.compile(r"  Cause: (?P<message>.+)")
LOOSE = re.compile(r"(?P<severity>error|warning|WARN|ERROR|fatal)(?:\[(?P<rule>[a-z-]+)\])?:? (?P<message>\S.*)")
NEEDLES = (
    "--> ",
    ": error[",
    ": warning[",
    ": info[",
    ": fatal[",
    "Found ",
    "All checks",
    "ty failed",
    "error",
    "WARN",
    "warning",
)


def parse(log: Log, context: Context) -> Reading:
    """Read ty's text output."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "ty"
    if named:
        read_usage(log, reading, "ty")
    if not lines_with(log, *NEEDLES):
        return reading
    index = 0
    while index < len(log.lines):
        index = _line(log, index, named, reading)
    if reading.expected is not None:
        reading.expected += sum(d.rule is None for d in reading.diagnostics)
    if named and context.exit_code == 2:
        reading.outcome = "error"
    text = any(d.rule for d in reading.diagnostics)
    reading.partial = named and text and reading.expected is None and not {"-q", "--quiet"} & set(context.words)
    return reading


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    if is_arrow(line) and (block := block_at(log, index, HEADER.match)):
        notes = block.notes(log)
        message = block.header["message"]
        # The header alone ("Argument is incorrect") does not tell what to do: the first note completes it.
        detail = block.detail(log)
        reading.add(
            Diagnostic(
                message=message,
                detail="\n".join([*notes, detail]) if notes else detail,
                severity=severity(block.header["severity"]),
                file=block.file,
                line=block.line,
                column=block.column,
                rule=block.header["rule"],
                tool="ty",
                log=log.span(block.first, block.end - 1),
            )
        )
        reading.claim(block.first, block.end)
        return block.end
    if match := CONCISE.match(line):
        reading.add(
            Diagnostic(
                message=match["message"],
                severity=severity(match["severity"]),
                file=match["file"],
                line=number(match["line"]),
                column=number(match["column"]),
                rule=match["rule"],
                tool="ty",
                log=log.span(index),
            )
        )
        reading.claim(index)
    elif match := FOUND.match(line):
        reading.expected = int(match["all"])
        errors = any(d.severity == "error" for d in reading.diagnostics)
        reading.outcome = "failed" if errors else reading.outcome
        reading.claim(index)
    elif line == "All checks passed!" and named:
        reading.outcome = "passed"
        reading.claim(index)
    elif named and FAILED.match(line):
        return _failed(log, index, reading)
    elif named and reading.outcome != "error" and (match := LOOSE.match(line)) and not _has_arrow(log, index):
        return _loose(log, index, match, reading)
    return index + 1


def _has_arrow(log: Log, index: int) -> bool:
    return index + 1 < len(log.lines) and is_arrow(log.lines[index + 1])


def _loose(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    """A diagnostic without a place: an unknown rule, no files found, a panic."""
    end = index + 1
    while end < len(log.lines) and log.lines[end] and not FOUND.match(log.lines[end]):
        end += 1
    reading.add(
        Diagnostic(
            message=match["message"],
            detail="\n".join(log.lines[index + 1 : end]),
            severity=severity(match["severity"].replace("WARN", "warning")),
            rule=match["rule"],
            tool="ty",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _failed(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and log.lines[end]:
        end += 1
    causes = [(at, match) for at in range(index, end) if (match := CAUSE.match(log.lines[at]))]
    at, message = (causes[-1][0], causes[-1][1]["message"]) if causes else (index, log.lines[index])
    finding = Diagnostic(message=message, tool="ty", log=log.span(at))
    rest = log.lines[index + 1 : end]
    reading.add(replace(finding, detail="\n".join(rest)) if len(rest) > 1 else finding)
    reading.claim(index, end)
    reading.outcome = "error"
    return end
