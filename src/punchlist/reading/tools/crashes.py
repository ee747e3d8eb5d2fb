"""Read how native programs die: the shell's signal lines, failed asserts, uncaught exceptions, libc's aborts."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

SIGNALS = (
    r"Segmentation fault|Aborted|Abort trap(?:: 6)?|Bus error|Illegal instruction|Floating point exception|Killed|"
    r"Trace/breakpoint trap|Bad system call|Speicherzugriffsfehler|Erreur de segmentation|Violación de segmento"
)
SHELL = re.compile(
    r"(?:\S*(?:sh|bash)?: )?(?:line \d+: +)?(?:\[?\d+\]?\s+)?(?:\d+\s+)?"
    rf"(?P<message>(?:{SIGNALS})(?:: \d+)?(?: +\(core dumped\))?)(?P<command>\s.*)?$"
)
# "Killed" and "Aborted" alone are too common as words: they must stand alone or behind a pid.
LOUD = (
    "Segmentation fault",
    "core dumped",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "Abort trap",
)
WORTH = re.compile(
    rf"{SIGNALS}|core dumped|ssertion|terminate called|libc\+\+abi|\*\*\* |double free|free\(\): |malloc"
    rf"|munmap_chunk|corrupted "
)
ASSERT = re.compile(
    r"(?:\S+: )?(?P<file>[^\s:][^:]*\.\w+):(?P<line>\d+): (?P<function>.*: )?(?P<message>Assertion [`'].*' failed\.?)$"
    r"|Assertion failed: \((?P<apple>.*)\), function (?P<in>\S+), file (?P<file2>[^,]+), line (?P<line2>\d+)\.?$"
)
TERMINATE = re.compile(
    r"terminate called (?:after throwing an instance of '(?P<type>[^']+)'|without an active exception"
    r"|recursively)$"
)
LIBCPP = re.compile(r"(?:libc\+\+abi: |libc\+\+abi\.dylib: )(?P<message>terminating.*)$")
WHAT = re.compile(r"\s+what\(\):\s+(.*)$")
GLIBC = re.compile(
    r"(?:\*\*\* (?P<message>(?:stack smashing detected|buffer overflow detected|Error in `.*').*?)(?: \*\*\*.*)?"
    r"|(?P<plain>(?:double free or corruption|free\(\): |malloc\(\): |munmap_chunk\(\): |corrupted "
    r"|realloc\(\): |malloc_consolidate\(\): ).*))$"
)


def parse(log: Log, _context: Context) -> Reading:
    """Read deaths that no test runner or checker claimed; a reason outdoes the shell's line about the signal."""
    reading = Reading()
    reasons: list[Diagnostic] = []
    shell: list[Diagnostic] = []
    for at in lines_with(log, WORTH):
        found, end, is_shell = death_at(log, at)
        if found is not None:
            (shell if is_shell else reasons).append(found)
            reading.claim(at, end)
    reading.diagnostics = reasons or shell
    if reading.diagnostics:
        reading.outcome = "failed"
    return reading


def death_at(log: Log, at: int) -> tuple[Diagnostic | None, int, bool]:
    """Return the death that line `at` tells of, one past its lines, and whether it is only the shell's word for it."""
    line = log.lines[at]
    if not line:
        return None, at + 1, False
    if "ssertion" in line and (match := ASSERT.match(line)):
        message = match["message"] or f"Assertion failed: ({match['apple']})"
        detail = (match["function"] or match["in"] or "").rstrip(": ")
        file, number = match["file"] or match["file2"], match["line"] or match["line2"]
        return Diagnostic(message=message, detail=detail, file=file, line=int(number), log=log.span(at)), at + 1, False
    if line.startswith("terminate called") and (match := TERMINATE.match(line)):
        after = log.lines[at + 1] if at + 1 < len(log.lines) else ""
        if what := WHAT.match(after):
            return Diagnostic(message=what[1], detail=line, rule=match["type"], log=log.span(at, at + 1)), at + 2, False
        return Diagnostic(message=line, rule=match["type"], log=log.span(at)), at + 1, False
    if line.startswith("libc++abi") and (match := LIBCPP.match(line)):
        return Diagnostic(message=match["message"], log=log.span(at)), at + 1, False
    if match := GLIBC.match(line):
        return Diagnostic(message=(match["message"] or match["plain"]).strip(), log=log.span(at)), at + 1, False
    if (any(word in line for word in LOUD) or re.search(r"\b(?:Killed|Aborted)\b", line)) and (
        match := SHELL.match(line)
    ):
        loud = any(word in line for word in LOUD)
        behind_pid = re.match(r"\S*sh: line \d+: +\d+ ", line)
        if loud or behind_pid or not match["command"]:
            message = match["message"]
            detail = (match["command"] or "").strip()
            return Diagnostic(message=message, detail=detail, log=log.span(at)), at + 1, True
    return None, at + 1, False
