"""Read what linkers say: GNU ld, gold, lld, mold and Apple's ld; undefined and doubled symbols, missing libraries."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Log
from punchlist.records import dataclass, field

# The name a linker speaks under, with its path where it prints one.
LD = (
    r"(?:(?:\S*/)?(?:[\w+-]*-)?(?:ld(?:\.\w+|64(?:\.lld)?)?|mold|wasm-ld|lld-link|rust-lld"
    r"|ld-prime)(?:-\d+)?(?:\.exe)?): "
)
LINE = re.compile(rf"(?P<ld>{LD})?(?P<rest>.+)$")
IN_FUNCTION = re.compile(r"(?:\S.*: )?[iI]n function [`'‘].+['’]:$|\S+\.(?:o|a|so)\S*: \S+ \S+ [`»‘'].+['’«]:$")
MULTIPLE = re.compile(
    r"(?:(?:\S+\.o|\S+\.a\(.*?\)):)?(?P<file>[^:\s][^:]*):(?P<line>\d+"
    r"|\(\.\S+\)): (?P<message>multiple definition of .+|first defined here.*)$"
)
UNDEFINED = re.compile(
    r"(?:(?:\S+\.o|\S+\.a\(.*?\)|\S+\.so\S*):)?(?:(?P<file>[^:\s(][^:(]*?):)?(?:(?P<line>\d+)|\(\.[^)]*\)"
    r"|function [^:]+): (?:error: |warning: )?"
    r"(?P<message>(?:undefined reference to|more undefined references to|dangerous relocation"
    r"|undefined symbol|the `|relocation truncated).+)$"
)
OBJECT = re.compile(
    r"(?P<object>\S+\.(?:o|a|so|obj|lo)(?:\S*?)"
    r"|\S+\.a\(\S+\)): (?:error: )?(?P<message>(?:undefined reference to|relocation|multiple definition|"
    r"file not recognized|error adding symbols|could not read symbols|file format not recognized|undefined symbol).+)$"
)
CANNOT = re.compile(
    r"(?P<message>cannot find \S.*|cannot open .+|unrecognized option .+|unrecognised emulation .+"
    r"|library not found for .+|library '.+' not found"
    r"|framework not found .+|unable to find library .+|cannot open output file .+|final link failed.*"
    r"|unknown argument.*|file not found: .+"
    r"|symbol\(s\) not found for .+|entry symbol .+ undefined.*|no such file or directory: .+"
    r"|section .+ will not fit in region .+"
    r"|region .+ overflowed by .+|duplicate symbol.+|undefined symbol.+|invalid linker script.+"
    r"|\d+ duplicate symbols? .+|memory exhausted.*)$"
)
LLD = re.compile(r"(?P<word>error|warning|fatal|note): (?P<message>.+)$")
REFERENCE = re.compile(r">>> (?:referenced by|defined at|defined in) (.*)$")
PAREN_PLACE = re.compile(r"\(([^()\s]+):(\d+)\)")
PLAIN_PLACE = re.compile(r"([^\s():]+\.[A-Za-z+]+):(\d+)")
APPLE_UNDEFINED = re.compile(r"Undefined symbols? for architecture (\S+):$")
APPLE_SYMBOL = re.compile(r'\s+"?(.+?)"?, referenced from:$')
# Follow from undefined references in the same link; nothing to act on.
FOLLOWS = re.compile(
    r"(?:.*: )?(?:warning: relocation (?:against|in) .*read-only section|warning: creating DT_TEXTREL"
    r"|final link failed|symbol\(s\) not found for"
    r"|.*: follow$|NOTE: |bad value$|too many errors emitted)"
)


@dataclass(slots=True)
class Linker:
    """Findings and the lines they stand on."""

    found: list[Diagnostic] = field(default_factory=list)
    claimed: list[tuple[int, int]] = field(default_factory=list)


def line_at(log: Log, at: int, linked: Linker) -> int | None:
    """Read the linker's line at `at` with what belongs to it; returns one past it, or None where it is none."""
    line = log.lines[at]
    if not could_be(line):
        return None
    match = LINE.match(log.whole(at))
    if match is None:
        return None
    rest, named = match["rest"], bool(match["ld"])
    if match := APPLE_UNDEFINED.match(line):
        return _apple(log, at, match[1], linked)
    if IN_FUNCTION.match(rest):
        linked.claimed.append((at, at + 1))
        return at + 1
    if named and FOLLOWS.match(rest):
        linked.claimed.append((at, at + 1))
        if "final link failed" not in rest or linked.found:
            return at + 1
    for pattern in (MULTIPLE, UNDEFINED):
        if match := pattern.match(rest):
            return _placed(log, at, match, linked)
    if match := OBJECT.match(rest):
        return _add(log, at, at + 1, match["message"], linked, detail=match["object"])
    if named:
        return _named(log, at, rest, linked)
    return None


def could_be(line: str) -> bool:
    """Whether a line may be a linker's: a cheap test before the patterns."""
    return (
        "undefined reference" in line
        or "multiple definition" in line
        or "n function `" in line
        or "ld" in line[:80]
        or "lld" in line[:80]
        or line.startswith(("mold: ", "Undefined symbol"))
        or "undefined symbol" in line
    )


def _placed(log: Log, at: int, match: re.Match[str], linked: Linker) -> int:
    message = match["message"]
    if message.startswith(("first defined here", "more undefined references")):
        linked.claimed.append((at, at + 1))
        return at + 1
    file, line = match["file"], match["line"]
    number = int(line) if line and line.isdigit() else None
    if file and re.search(r"\.(?:o|a|so)$", file):
        file = None
    head, _, tail = message.partition("; ")
    end = at + 1
    return _add(log, at, end, message if not tail else head, linked, file=file, line=number, detail=tail)


def _named(log: Log, at: int, rest: str, linked: Linker) -> int | None:
    """A line that begins with the linker's name."""
    if match := LLD.match(rest):
        if match["word"] == "note":
            linked.claimed.append((at, at + 1))
            return at + 1
        return _lld(log, at, match, linked)
    if match := CANNOT.match(rest):
        return _add(log, at, at + 1, match["message"], linked)
    if " warning: " in rest or rest.startswith("warning: "):
        return _add(log, at, at + 1, rest, linked, warning=True)
    if " error: " in rest:
        return _add(log, at, at + 1, rest.split(" error: ", 1)[1], linked, detail=rest)
    return None


def _lld(log: Log, at: int, match: re.Match[str], linked: Linker) -> int:
    """lld and mold: `error: undefined symbol: x` with `>>> referenced by` lines below it."""
    end = at + 1
    while end < len(log.lines) and log.lines[end].startswith(">>>"):
        end += 1
    file, line = None, None
    for text in log.lines[at + 1 : end]:
        reference = REFERENCE.match(text)
        place = reference and (PAREN_PLACE.search(reference[1]) or PLAIN_PLACE.search(reference[1]))
        if place:
            file, line = place[1], int(place[2])
            break
    message = match["message"]
    if message.startswith("too many errors emitted"):
        linked.claimed.append((at, end))
        return end
    detail = "\n".join(log.lines[at + 1 : end])
    return _add(log, at, end, message, linked, file=file, line=line, detail=detail, warning=match["word"] == "warning")


def _apple(log: Log, at: int, architecture: str, linked: Linker) -> int:
    end = at + 1
    while end < len(log.lines) and log.lines[end].startswith(" "):
        if match := APPLE_SYMBOL.match(log.lines[end]):
            stop = end + 1
            while stop < len(log.lines) and log.lines[stop].startswith("      "):
                stop += 1
            detail = "\n".join(line.strip() for line in log.lines[end + 1 : stop])
            _add(log, at, stop, f"Undefined symbols for architecture {architecture}: {match[1]}", linked, detail=detail)
            end = stop
        else:
            end += 1
    linked.claimed.append((at, end))
    return end


def _add(
    log: Log,
    at: int,
    end: int,
    message: str,
    linked: Linker,
    *,
    file: str | None = None,
    line: int | None = None,
    detail: str = "",
    warning: bool = False,
) -> int:
    linked.found.append(
        Diagnostic(
            message=message.strip(), severity="warning" if warning else "error", detail=detail, file=file, line=line,
            tool="ld", log=log.span(at, end - 1),
        )
    )  # fmt: skip
    linked.claimed.append((at, end))
    return end
