"""What many unknown tools print: a place and a message on one line, and a shell that could not start a program."""

# ruff: noqa: E501  patterns read best on one line
import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity

PATH = r"(?:[A-Za-z]:[\\/]|/|\.{1,2}/)?(?:[\w@~+.-]+[\\/])*[\w@~+.-]*[A-Za-z_][\w@~+.-]*"
# Folders below the first may have blanks in their names.
SPACED = r"(?:[A-Za-z]:[\\/]|/)?[\w@~+.-]+(?:[\\/][\w@~+. -]+){0,20}[\\/][\w@~+. -]*[\w@~+-]\.[A-Za-z]\w{0,9}"
WORD = r"(?:fatal |syntax |parse |internal )?error|warning|fatal|failure|critical"
# file:line[:column]: severity [rule]: message    file(line,column): severity RULE: message
STATED = re.compile(
    rf"\s*(?P<file>{PATH}|{SPACED})(?::(?P<line>\d+)(?:[:.](?P<column>\d+))?(?:-\d+(?::\d+)?)?|\((?P<line2>\d+)(?:[,:](?P<column2>\d+))?(?:[,-]\d+)*\))"
    rf"\s*:?\s*\[?(?P<severity>{WORD})\]?(?:[ :]+(?P<rule>[A-Z]+[-_]?\d+|\[[\w./-]+\]))?\s*[:\]-]\s*(?P<message>\S.*)",
    re.I,
)
# severity: file:line[:column]: message
LED = re.compile(
    rf"\s*\[?(?P<severity>{WORD})\]?[ :-]+(?:in |at )?(?P<file>{PATH}):(?P<line>\d+)(?::(?P<column>\d+))?[:,]?\s+(?:-\s+)?(?P<message>\S.*)",
    re.I,
)
# file:line:column message, without a word for how bad it is: only where nothing better was found
BARE = re.compile(
    rf"(?P<file>(?:\.{{0,2}}[\\/])?{PATH}\.[A-Za-z]\w{{0,9}}):(?P<line>\d+)(?::(?P<column>\d+))?:? +(?!in |at )(?:-\s+)?(?P<message>[^\s|].*)"
)
# dash, bash, zsh, fish, cmd, PowerShell, env, exec and make about a program that is not there or may not run
SHELL = re.compile(
    r"(?:(?:/\S+/)?(?:sh|bash|dash|zsh|ksh|env|exec|make(?:\[\d+\])?|fish|nohup|xargs|time|sudo)|\S+\.sh): "
    r"(?:(?:line )?(?P<line>\d+): |\d+: )?(?:exec: )?[‘'\"]?(?P<program>[^:\n]{1,200}?)[’'\"]?: "
    r"(?P<why>(?:command )?not found|No such file or directory|Permission denied|cannot execute.*|Is a directory)$"
    r"|zsh: command not found: \S+$|fish: Unknown command: \S|'.{1,200}' is not recognized as an internal or external command"
    r"|(?:\S+ ?: )?The term '.{1,200}' is not recognized as "
)
NOT_A_PLACE = re.compile(r"https?://|localhost|\d+\.\d+\.\d+\.\d+|^\s*at |^\s*File ")


def parse(log: Log, context: Context) -> Reading:
    """Read stated places everywhere; bare ones only where no line states how bad it is."""
    reading = Reading()
    bare: list[tuple[int, re.Match[str]]] = []
    for index, line in enumerate(log.lines):
        if ":" not in line and "(" not in line and "not recognized" not in line:
            continue
        if match := SHELL.match(line):
            reading.add(Diagnostic(message=line.strip(), tool="shell", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        elif NOT_A_PLACE.search(line):
            continue
        elif match := STATED.match(line) or LED.match(line):
            _add(reading, log, index, match)
        elif (match := BARE.match(line)) and len(bare) < 500:
            bare.append((index, match))
    if not reading.diagnostics and context.exit_code != 0:
        for index, match in bare:
            _add(reading, log, index, match)
    return reading


def _add(reading: Reading, log: Log, index: int, match: re.Match[str]) -> None:
    parts = match.groupdict()
    reading.claim(index)
    reading.add(
        Diagnostic(
            message=parts["message"].strip(),
            severity=severity((parts.get("severity") or "").split(" ")[-1]),
            file=parts["file"],
            line=number(parts["line"] or parts.get("line2")),
            column=number(parts["column"] or parts.get("column2")),
            rule=(parts.get("rule") or "").strip("[]") or None,
            log=log.span(index),
        )
    )
