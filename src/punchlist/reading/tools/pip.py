"""Read pip (20 to 26): install, check, download, wheel; also `pipenv` and `tox`'s own calls of it.

A build that fails is reported several times; the cause is what the build backend printed in between.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.build_output import causes

ERROR = re.compile(r"\s*ERROR: (?P<message>.+)")
BUILD = re.compile(r"(?P<lead>\s*)error: (?P<code>[a-z]+(?:-[a-z]+)+)$")
OUTPUT = re.compile(r"(?P<lead>\s*)╰─> \[(?P<lines>\d+) lines? of output\]")
CROSS = re.compile(r"\s*[×x] (?P<message>.+)")
ARROW = re.compile(r"\s*╰─> (?P<text>.+)")
NO_VERSION = re.compile(r"ERROR: Could not find a version that satisfies the requirement")
IGNORED = re.compile(r"ERROR: Ignored the following")
CONSEQUENCE = re.compile(
    r"\s*ERROR: (?:ERROR: )?(?:Failed (?:building|to build)|Could not build wheels|Command errored out"
    r"|Failed cleaning|ResolutionImpossible"
    r"|No matching distribution found for .+ \(from .+\)$(?<!x))"
)
CONFLICT = re.compile(r"The conflict is caused by:")
REQUIREMENT = re.compile(r"\(from line (?P<line>\d+) of (?P<file>[^)]+)\)")
CHECK = re.compile(
    r"(?P<message>(?P<package>[\w.-]+) \S+ (?:has requirement .+, but you have .+"
    r"|requires .+, (?:which is not installed|but you have .+)|"
    r"is not supported on this platform).*)"
)
NO_BROKEN = "No broken requirements found."
SUCCESS = re.compile(r"Successfully (?:installed|built|uninstalled|downloaded) |Requirement already satisfied: ")
USAGE = re.compile(
    r"(?P<message>no such option: .+|ERROR: unknown command .+|ERROR: You must give at least one requirement.+)"
)
CHATTER = re.compile(
    r"(?:Collecting |Downloading |  Downloading |Using cached |  Using cached |Processing |Looking in "
    r"|Installing collected"
    r"|Building wheels? |  (?:Building|Preparing|Installing|Getting|Created|Stored) |Requirement already"
    r"|Attempting|    (?:Found|Un|Succ)"
    r"|WARNING: |\[notice\]|DEPRECATION: |INFO: |Successfully |Using pip |Obtaining |note: |  note: "
    r"|To fix this |\d+\. |hint: )"
)
MOST = 60
NEEDLES = (
    "rror",
    "ERROR",
    "requirement",
    "requires",
    "Successfully",
    "no such option",
    "No broken",
    "supported",
)


def parse(log: Log, context: Context) -> Reading:
    """Read pip's errors, each once, with the cause that the build printed."""
    reading = Reading()
    named = bool(context.words) and context.words[0] in ("pip", "pipx", "pipenv")
    if not lines_with(log, *NEEDLES):
        return reading
    _builds(log, context, reading)
    index = 0
    done = _claimed(reading)
    while index < len(log.lines):
        index = index + 1 if index in done else _line(log, index, named, reading)
    if reading.outcome is None and not _succeeded(log):
        # Inside of another tool's run, what cannot be installed keeps that tool from its work.
        if reading.diagnostics:
            reading.outcome = "failed" if named else "error"
    elif named and reading.outcome is None:
        reading.outcome = "passed"
    return reading


def _claimed(reading: Reading) -> set[int]:
    return {index for first, end in reading.claimed for index in range(first, end)}


def _succeeded(log: Log) -> bool:
    return any(line.startswith("Successfully ") or line == NO_BROKEN for line in log.lines)


def _builds(log: Log, context: Context, reading: Reading) -> None:
    """Read the blocks `error: code`, `× what failed`, `╰─> [N lines of output]` with the lines below."""
    starts = [at for at, line in enumerate(log.lines) if "error: " in line and BUILD.match(line)]
    failures: list[tuple[int, int, str]] = []
    for at, start in enumerate(starts):
        limit = starts[at + 1] if at + 1 < len(starts) else len(log.lines)
        end, inner = _block(log, start, limit)
        if inner is None:
            # `-v` prints the output before the block, at the same indent.
            inner = (_output_before(log, start, starts[at - 1] if at else 0), start)
        found = causes(log.lines, *inner, context.root)
        for cause in found:
            last = min(cause.end, cause.at + MOST)
            reading.add(
                Diagnostic(
                    message=cause.message.strip(),
                    detail="\n".join(log.lines[cause.at + 1 : last]),
                    file=cause.file,
                    line=cause.line,
                    column=cause.column,
                    tool="pip",
                    log=log.span(cause.at, last - 1),
                )
            )
        if not found:
            failures.append((start, end, log.lines[start].strip().removeprefix("error: ")))
        reading.claim(inner[0], end)
        reading.claim(start, end)
    if failures and not reading.diagnostics:
        _bare(log, failures, reading)


def _block(log: Log, start: int, limit: int) -> tuple[int, tuple[int, int] | None]:
    """The end of a block, and the lines of output in it, if it holds any."""
    inner: tuple[int, int] | None = None
    end = start + 1
    while end < limit and end - start < 12:
        if match := OUTPUT.match(log.lines[end]):
            first = end + 1
            end = min(limit, first + int(match["lines"]))
            inner = first, end
            while end < limit and not log.lines[end].strip().startswith("[end of output]") and end - first < 5000:
                end += 1
            break
        if log.lines[end].lstrip().startswith("╰─>") or (not log.lines[end].strip() and end > start + 2):
            break
        end += 1
    return min(limit, end + 1), inner


def _output_before(log: Log, start: int, least: int) -> int:
    first = start
    while first > least and log.lines[first - 1].startswith("  ") and start - first < 2000:
        first -= 1
    return first


def _bare(log: Log, failures: list[tuple[int, int, str]], reading: Reading) -> None:
    start, end, code = failures[0]
    said = next((m["message"] for at in range(start, end) if (m := CROSS.match(log.lines[at]))), code)
    arrow = next((m["text"] for at in range(start, end) if (m := ARROW.match(log.lines[at]))), "")
    more = [line for line in log.lines[start + 1 : end] if line.strip()]
    reading.add(
        Diagnostic(
            message=said,
            detail="\n".join(more) if arrow and arrow != said else "",
            rule=code,
            tool="pip",
            log=log.span(start, end - 1),
        )
    )


def _line(log: Log, index: int, named: bool, reading: Reading) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    if match := USAGE.match(line):
        if named:
            reading.add(Diagnostic(message=match["message"].removeprefix("ERROR: "), tool="pip", log=log.span(index)))
            reading.outcome = "error"
            reading.claim(index)
    elif "ERROR: " in line and (match := ERROR.match(line)):
        return _error(log, index, match, reading)
    elif (match := CHECK.match(line)) and (
        named or "dependency resolver" in "".join(log.lines[max(0, index - 3) : index])
    ):
        reading.add(Diagnostic(message=match["message"], package=match["package"], tool="pip", log=log.span(index)))
        reading.claim(index)
    elif line == NO_BROKEN:
        reading.claim(index)
        reading.outcome = "passed"
    elif named and CHATTER.match(line):
        reading.claim(index)
    return index + 1


def _error(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    line = log.lines[index]
    end = index + 1
    if IGNORED.match(line) or "dependency resolver does not currently" in line:
        reading.claim(index)
        return end
    if (NO_VERSION.match(line) or CONSEQUENCE.match(line)) and (reading.diagnostics or _another(log, index)):
        reading.claim(index)
        return end
    while end < len(log.lines) and end - index < 30 and log.lines[end].startswith("    "):
        end += 1
    if end < len(log.lines) and log.lines[end].startswith(("Hint: ", "hint: ")):
        end += 1
    message = match["message"]
    detail = list(log.lines[index + 1 : end])
    if message == "Exception:":
        return _crashed(log, index, reading)
    if message.startswith("Cannot install "):
        detail += _conflict(log, reading)
    if message.startswith("No matching distribution"):
        detail += [text for text in log.lines[max(0, index - 4) : index] if NO_VERSION.match(text)]
    place = REQUIREMENT.search("\n".join(log.lines[index:end]))
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(detail),
            file=place["file"] if place else None,
            line=number(place["line"]) if place else None,
            tool="pip",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _another(log: Log, index: int) -> bool:
    """Whether a later error says what this one only leads to."""
    return any(
        line.startswith("ERROR: ") and not CONSEQUENCE.match(line) and not IGNORED.match(line)
        for line in log.lines[index + 1 : index + 40]
    )


def _conflict(log: Log, reading: Reading) -> list[str]:
    for at, line in enumerate(log.lines):
        if CONFLICT.match(line):
            end = at + 1
            while end < len(log.lines) and log.lines[end].startswith("    "):
                end += 1
            reading.claim(at, end)
            return log.lines[at:end]
    return []


def _crashed(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and end - index < 400 and log.lines[end][:1] in (" ", "T", "D", ""):
        end += 1
    message = log.lines[end] if end < len(log.lines) and log.lines[end] else log.lines[index]
    reading.add(
        Diagnostic(message=message, detail="pip crashed", tool="pip", log=log.span(index, min(end, len(log.lines) - 1)))
    )
    reading.claim(index, end + 1)
    reading.outcome = "error"
    return end + 1
