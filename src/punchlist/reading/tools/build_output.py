"""What a build printed inside of pip, uv or poetry: the compiler's errors, else the exception, else its own word."""

import re
from collections.abc import Sequence

from punchlist.reading import frames
from punchlist.reading.oneline import number
from punchlist.records import dataclass

COMPILER = re.compile(
    r"\s*(?P<file>(?:[A-Za-z]:)?[^\s:(][^:(]*?\.\w+)(?::(?P<line>\d+)(?::(?P<column>\d+))?|\((?P<line2>\d+)\)) ?: "
    r"(?P<message>(?:fatal )?error(?: C\d+)?: .+)"
)
CARGO = re.compile(r"\s*(?P<message>error(?:\[E\d+\])?: .+)")
EXCEPTION = re.compile(
    r"\s*(?P<message>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Invalid\w*|Interrupt|NotFound|Warning)(?:: .+)?)$"
)
FRAME = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
WORD = re.compile(
    r"\s*(?P<message>(?:error|ERROR|fatal): .+|\*\*\* .+|.+: (?:command not found|not found"
    r"|No such file or directory))$"
)
CONSEQUENCE = re.compile(
    r"\s*(?:error: (?:[Cc]ommand .+ (?:failed|returned)|subprocess-exited|metadata-generation|legacy-install))"
)


# Where installers unpack and isolate builds.
SCRATCH = re.compile(r"(?:^|[\\/])(?:tmp|temp)[\\/]|[\\/]\.cache[\\/]|pip-build-env|pip-req-build", re.I)


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause: its message, the line it stands on (index), the last line that belongs to it, and its place."""

    message: str
    at: int
    end: int
    file: str | None = None
    line: int | None = None
    column: int | None = None


def causes(lines: Sequence[str], first: int, end: int, root: str = "") -> list[Cause]:
    """Return why a build failed, from the lines `first` up to, not including, `end` of a log."""
    return _compiler(lines, first, end) or _exception(lines, first, end, root) or _word(lines, first, end)


def _compiler(lines: Sequence[str], first: int, end: int) -> list[Cause]:
    found: dict[tuple[str, str, str], Cause] = {}
    for at in range(first, end):
        line = lines[at]
        if "error" not in line or not (match := COMPILER.match(line)):
            continue
        last = at + 1
        while last < end and re.match(r"\s+(?:\d+ )?\|", lines[last]):
            last += 1
        place = match["line"] or match["line2"]
        found.setdefault(
            (match["file"], place, match["message"]),
            Cause(match["message"], at, last, match["file"], number(place), number(match["column"])),
        )
    return list(found.values())


def _exception(lines: Sequence[str], first: int, end: int, root: str) -> list[Cause]:
    last: Cause | None = None
    own: tuple[str, int] | None = None
    inside = False
    for at in range(first, end):
        line = lines[at]
        if "Traceback (most recent call last)" in line:
            inside, own = True, None
        elif inside and (match := FRAME.match(line)):
            file = match["file"]
            if not frames.is_foreign(file, root) and not SCRATCH.search(file):
                own = file, int(match["line"])
        elif inside and (match := EXCEPTION.match(line)):
            last = Cause(match["message"], at, at + 1, own[0] if own else None, own[1] if own else None)
            inside = False
    return [last] if last else []


def _word(lines: Sequence[str], first: int, end: int) -> list[Cause]:
    for at in range(end - 1, first - 1, -1):
        line = lines[at]
        if (match := WORD.match(line) or CARGO.match(line)) and not CONSEQUENCE.match(line):
            return [Cause(match["message"].strip(), at, at + 1)]
    return []
