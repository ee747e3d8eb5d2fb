"""Read CMake: messages of configuring with their call stacks, generator failures, `--build` without a build folder.

Seen with CMake 3.16 to 3.31. Long messages are wrapped and set in by two; the user's frame is the last of the stack.
"""

import re

from punchlist.model import Diagnostic, Related, Severity
from punchlist.reading.log import Context, Log, Reading

HEAD = re.compile(
    r"CMake (?P<word>Error|Warning|Deprecation Warning|Deprecation Error|Internal Error|Author Warning)"
    r"(?: \(dev\))?(?: at (?P<file>[^\n]+?):(?P<line>\d+)(?: \((?P<command>[^)]*)\))?"
    r"| in (?P<in>[^\n]+?))?:?(?: (?P<message>\S.*))?$"
)
FRAME = re.compile(r"  (?P<file>\S.*):(?P<line>\d+)(?: \((?P<command>[^)]*)\))?$")
PLAIN = re.compile(r"Error: (?P<message>.+)$")
INCOMPLETE = re.compile(
    r"-- (?:Configuring incomplete, errors occurred!|Generating incomplete)|CMake Generate step failed"
)
DONE = re.compile(r"-- (?:Build files have been written to: |Generating done|Configuring done)")
ADVICE = re.compile(r"See also \"|This (?:warning|error) is for project developers|CMake Generate step failed")
NOT_BUILT = re.compile(
    r"(?:is not a directory|could not load cache|could not find CMAKE_|generator : .*Does not match"
    r"|not a CMake build directory|"
                       r"No such file or directory|could not find CMakeLists)")  # fmt: skip
MODULES = re.compile(r".*[/\\]share[/\\]cmake|.*[/\\]CMake[/\\]share[/\\]|.*[/\\]lib[/\\]cmake[/\\]")
DETAIL_LINES = 60


def parse(log: Log, context: Context) -> Reading:
    """Read every message with its stack."""
    reading = Reading()
    errors = False
    at = 0
    while at < len(log.lines):
        line = log.lines[at]
        if line.startswith("CMake ") and (match := HEAD.match(line)):
            at, is_error = _message(log, at, match, reading)
            errors |= is_error
            continue
        if line.startswith(("-- ", "See also", "This ", "CMake Generate")):
            if INCOMPLETE.match(line):
                errors = True
                reading.claim(at)
            elif DONE.match(line) or ADVICE.match(line):
                reading.claim(at)
        elif line.startswith("Error: ") and context.words[:1] == ("cmake",) and (match := PLAIN.match(line)):
            errors = True
            reading.add(Diagnostic(message=match["message"], log=log.span(at)))
            reading.claim(at)
        at += 1
    if errors:
        reading.outcome = "error"
        if not any(d.severity == "error" for d in reading.diagnostics):
            _incomplete(log, reading)
    return reading


def _incomplete(log: Log, reading: Reading) -> None:
    at = next((i for i, line in enumerate(log.lines) if INCOMPLETE.match(line)), None)
    if at is not None:
        reading.add(Diagnostic(message=log.lines[at].removeprefix("-- "), log=log.span(at)))


def _message(log: Log, at: int, match: re.Match[str], reading: Reading) -> tuple[int, bool]:
    end = at + 1
    body: list[str] = [match["message"]] if match["message"] else []
    while end < len(log.lines) and (log.lines[end].startswith("  ") or _paragraph_goes_on(log, end)):
        body.append(log.lines[end].strip())
        end += 1
    frames: list[tuple[str, int, str]] = []
    if end < len(log.lines) and log.lines[end].startswith("Call Stack"):
        end += 1
        while end < len(log.lines) and (frame := FRAME.match(log.lines[end])):
            frames.append((frame["file"], int(frame["line"]), frame["command"] or ""))
            end += 1
    if end < len(log.lines) and ADVICE.match(log.lines[end]):
        end += 1
    severity: Severity = "error" if "Error" in match["word"] else "warning"
    message, detail = _wrapped(body)
    file, number = match["file"] or match["in"], int(match["line"]) if match["line"] else None
    if file and MODULES.match(file):  # a module that CMake brings: the project's own call of it is the place
        own = next((frame for frame in frames if not MODULES.match(frame[0])), None)
        if own is not None:
            detail = [*detail, f"at {file}:{number}"]
            file, number = own[0], own[1]
    reading.add(
        Diagnostic(
            message=message or log.lines[at], severity=severity, detail="\n".join(detail[:DETAIL_LINES]),
            file=file, line=number,
            related=tuple(Related(f"called by {command}", file, line) for file, line, command in frames[:10]),
            log=log.span(at, end - 1),
        )
    )  # fmt: skip
    reading.claim(at, end)
    return end, severity == "error"


def _paragraph_goes_on(log: Log, at: int) -> bool:
    """Whether a blank line stands inside of a message: text set in follows before the next message."""
    if log.lines[at]:
        return False
    for line in log.lines[at + 1 : at + 3]:
        if line:
            return line.startswith("  ")
    return False


def _wrapped(body: list[str]) -> tuple[str, list[str]]:
    """Join a wrapped first paragraph to one message; the paragraphs after it are the detail."""
    while body and not body[0]:
        body = body[1:]
    stop = body.index("") if "" in body else len(body)
    return " ".join(body[:stop]), body[stop + 1 :]
