"""What the common argument libraries print when a command line is wrong: clap, argparse, click, optparse."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Log, Reading
from punchlist.reading.scan import lines_with

# clap 4 (Rust): `error: unexpected argument '--x' found`, tips, `Usage: ...`, `For more information, try '--help'.`
CLAP = re.compile(
    r"error: (?P<message>(?:unexpected argument|invalid value|unrecognized subcommand|a value"
    r"|the (?:following|argument|subcommand)|a value is required|one or more required"
    r"|'.+' requires a subcommand|equal sign is needed|invalid UTF-8).*)"
)
CLAP_END = re.compile(r"For more information,? try '?.*--help")
# argparse: `prog: error: message` after the usage lines; click: `Error: message` after `Usage:` and `Try '...'`.
ARGPARSE = re.compile(r"(?P<program>[\w.@/ -]+?): error: (?P<message>.+)")
CLICK = re.compile(r"Error: (?P<message>.+)")
BOX = re.compile(r"[│|] (?P<text>.*?) *[│|]$")


def read_usage(log: Log, reading: Reading, tool: str) -> bool:
    """Add the one diagnostic of a refused command line and claim its lines; tell whether there is one."""
    if not lines_with(log, "error: ", "Error: ", "─ Error"):
        return False
    return _clap(log, reading, tool) or _python(log, reading, tool)


def _clap(log: Log, reading: Reading, tool: str) -> bool:
    for index, line in enumerate(log.lines):
        if line.startswith("error: ") and (match := CLAP.match(line)):
            end = next(
                (at + 1 for at in range(index, min(len(log.lines), index + 40)) if CLAP_END.match(log.lines[at])),
                index + 1,
            )
            _refused(log, reading, tool, match["message"], index, end, index)
            return True
    return False


def _python(log: Log, reading: Reading, tool: str) -> bool:
    usage = next((i for i, line in enumerate(log.lines) if line.lower().startswith("usage:")), None)
    if usage is None:
        return False
    for index in range(usage + 1, min(len(log.lines), usage + 400)):
        line = log.lines[index]
        match = ARGPARSE.match(line) if ": error: " in line else CLICK.match(line)
        if match:
            _refused(log, reading, tool, match["message"], index, index + 1, usage)
            return True
        if (boxed := BOX.match(line)) and "─ Error" in log.lines[index - 1]:
            _refused(log, reading, tool, boxed["text"], index, index + 2, usage)
            return True
    return False


def _refused(log: Log, reading: Reading, tool: str, message: str, index: int, end: int, first: int) -> None:
    rest = "\n".join(line for line in log.lines[index + 1 : end] if line.strip())
    reading.add(Diagnostic(message=message.strip(), detail=rest, tool=tool, log=log.span(index)))
    reading.claim(min(first, index), end)
    reading.outcome = "error"
