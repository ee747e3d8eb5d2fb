"""Read what shells say of scripts: syntax errors and the last run-time error (bash, dash, ksh, zsh, busybox)."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

BASH = re.compile(r"(?P<file>\S[^:\n]*): (?:line )?(?P<line>\d+): (?P<message>.+)$")
ZSH = re.compile(
    r"(?P<file>\S[^:\s]*):(?P<line>\d+): (?P<message>(?:parse error|unmatched|command not found|"
    r"no such file|bad ).*)$"
)
SYNTAX = re.compile(
    r"(?:syntax error|Syntax error|unexpected EOF while looking|conditional binary operator expected|parse error"
    r"|unmatched |unterminated|here-document at line|syntax error in conditional)"
)
ECHO = re.compile(r"`.*'$")
RUNTIME = re.compile(
    r".+: (?:command not found|not found|No such file or directory|Permission denied|unbound var"
    r"iable|parameter not set"
    r"|parameter null or not set|bad substitution|ambiguous redirect|Is a directory|cannot execu"
    r"te.*|bad interpreter.*)$"
    r"|cannot .+|.+: (?:integer expression expected|too many arguments|readonly variable|arithmetic syntax error.*)$"
)
MISSING = re.compile(
    r"(?:bash|sh|zsh|dash|ksh): (?:can't open |0: cannot open |0: Can't open )?(?P<file>[^\s:]+)"
    r": (?P<message>No such file.*)$"
)
EXTENSIONS = (".sh", ".bash", ".zsh", ".ksh", ".bats", ".command")


def parse(log: Log, context: Context) -> Reading:
    """Read syntax errors; where a shell runs a script that fails, also the last of its run-time errors."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("bash", "sh", "zsh", "dash", "ksh", "busybox", "ash")
    runtime: tuple[re.Match[str], int] | None = None
    for index, line in enumerate(log.lines):
        if ": " not in line:
            continue
        match = BASH.match(line) or ZSH.match(line)
        if match and SYNTAX.match(match["message"]):
            _add(reading, log, match, index)
        elif match and named and RUNTIME.match(match["message"]):
            runtime = match, index
        elif match and ECHO.match(match["message"]) and reading.diagnostics:
            reading.claim(index)
        elif named and (missing := MISSING.match(line)):
            reading.add(Diagnostic(message=missing["message"], file=missing["file"], tool="shell", log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
    if runtime and not reading.diagnostics and context.exit_code not in (0, None):
        _add(reading, log, *runtime)
    return reading


def _add(reading: Reading, log: Log, match: re.Match[str], index: int) -> None:
    last = index
    following = log.lines[index + 1] if index + 1 < len(log.lines) else ""
    if (echo := BASH.match(following)) and ECHO.match(echo["message"]):
        last = index + 1
    file = re.sub(r"^(?:bash|sh|dash): (?=\S+\.\w+$)", "", match["file"])
    reading.add(
        Diagnostic(
            message=match["message"],
            detail=following if last > index else "",
            file=None if file in ("bash", "sh", "-c", "main") else file,
            line=number(match["line"]),
            tool="shell",
            log=log.span(index, last),
        )
    )
    reading.claim(index, last + 1)
    reading.outcome = "failed"
