"""Read what rustc prints for people: blocks of a header, `--> place`, source frame and notes, and the short format.

Seen with rustc 1.56 to 1.95; clippy, rustdoc, miri and cargo's own TOML errors use the same blocks.
"""

import re

from punchlist.model import Diagnostic, Related, Severity
from punchlist.reading.log import Log
from punchlist.records import dataclass

HEADER = re.compile(r"(error|warning)(?:\[([\w:/-]+)\])?: (.+)")
PLACE = re.compile(r"\s*(?:-->|┌─|╭▸|╭─▸) (.+?):(\d+):(\d+)$")
OTHER_PLACE = re.compile(r"\s*(?:-->|:::|┌─|╭▸|⸬) (.+?):(\d+):(\d+)$")
SHORT = re.compile(r"((?:[A-Za-z]:)?[^\s:][^:]*):(\d+):(\d+): (error|warning)(?:\[(\w+)\])?: (.+)")
NOTE = re.compile(r"(note|help|info|suggestion)(?:: |$)(.*)")
INLINE_NOTE = re.compile(r"\s+[=╰] (note|help): (.*)")
LEVEL = re.compile(r"#!?\[(?:warn|deny|forbid|expect)\(([\w:]+)\)\]`")
FLAG = re.compile(r"`-[DWF] ([\w:-]+)`")
CLIPPY_URL = re.compile(r"rust-clippy/\S*#/?(\w+)")
DEFINED_HERE = "the lint level is defined here"
UNDERLINE = re.compile(r"\s*[|│] ( *)(\^+|━+|~+)\s*$")
SOURCE = re.compile(r"\s*\d+ [|│] (.*)")
LINKER = re.compile(r"\s*(?:= note: |╰ note: )?(?:\S*ld\S*|mold|\S*lld-link): (?:error: )?(undefined symbol: .+)")
REFERENCED = re.compile(r"\s*>>> referenced by .*?\(([^():]+):(\d+)\)|\s*>>> referenced by (\S+):(\d+)")
DETAIL_LINES = 60


@dataclass(frozen=True, slots=True)
class Block:
    """One diagnostic block: lines `first` up to, not including, `end`."""

    first: int
    end: int
    severity: Severity
    code: str | None
    message: str


def is_status(line: str) -> bool:
    """Whether a line is cargo's progress: a verb set right to column 12, then a blank (`   Compiling x v1`)."""
    verb = line.strip().split(" ", 1)[0]
    at = line.find(verb)
    return verb[:1].isupper() and 1 <= at <= 10 and at + len(verb) == 12 and line[12:13] in (" ", "")


def block_at(log: Log, index: int) -> Block | None:
    """Return the block whose header stands on line `index`, if one does."""
    line = log.lines[index]
    if not line.startswith(("error", "warning")):
        return None
    match = HEADER.match(log.whole(index))
    if match is None:
        return None
    severity: Severity = "error" if match[1] == "error" else "warning"
    return Block(index, _end(log, index), severity, match[2], match[3])


def _end(log: Log, first: int) -> int:
    """One past the block's last line: it goes on over blank lines only where the text after them is set in."""
    lines = log.lines
    end = first + 1
    while end < len(lines):
        line = lines[end]
        if line:
            if HEADER.match(line) or is_status(line) or (log.numbers[end] < 0) != (log.numbers[first] < 0):
                break
            end += 1
            continue
        after = end + 1
        while after < len(lines) and not lines[after] and after - end < 4:
            after += 1
        if after >= len(lines) or not lines[after].startswith("   ") or is_status(lines[after]):
            break
        end = after
    return end


def place_of(log: Log, block: Block) -> tuple[int, str, int, int] | None:
    """Return where the block's own place stands (line index) and what it is: file, line, column."""
    for index in range(block.first + 1, min(block.end, block.first + 60)):
        line = log.lines[index]
        if match := PLACE.match(line):
            return index, match[1], int(match[2]), int(match[3])
        if line.startswith(("note:", "help:")):
            return None
    return None


def diagnostic_of(log: Log, block: Block, tool: str) -> Diagnostic:
    """Turn a block into a finding: notes become related places, the rest of it the detail."""
    place = place_of(log, block)
    body = [log.lines[i] for i in range(block.first + 1, block.end) if place is None or i != place[0]]
    while body and not body[-1].strip(" |"):
        body.pop()
    return Diagnostic(
        message=block.message,
        severity=block.severity,
        detail="\n".join(body[:DETAIL_LINES]),
        file=place[1] if place else None,
        line=place[2] or None if place else None,
        column=place[3] or None if place else None,
        rule=rule_of(block.code, body),
        tool=tool,
        related=related_of(body),
        log=log.span(block.first, block.end - 1),
    )


def rule_of(code: str | None, body: list[str]) -> str | None:
    """Return the error code or the lint's name, from the header, clippy's address or the note on its level."""
    if code:
        return code
    text = "\n".join(body)
    if match := CLIPPY_URL.search(text):
        return f"clippy::{match[1]}"
    for index, line in enumerate(body):
        if "`" in line and (match := LEVEL.search(line) or FLAG.search(line)):
            return match[1].replace("-", "_")
        if DEFINED_HERE in line and (name := _underlined(body, index)):
            return name.replace("-", "_")
    return None


def _underlined(body: list[str], start: int) -> str | None:
    """The lint's name that the frame below `the lint level is defined here` marks."""
    source = ""
    for line in body[start : start + 8]:
        if match := SOURCE.match(line):
            source = match[1]
        elif source and (mark := UNDERLINE.match(line)):
            name = source[len(mark[1]) : len(mark[1]) + len(mark[2])]
            return name if re.fullmatch(r"[\w:-]+", name) else None
    return None


def related_of(body: list[str]) -> tuple[Related, ...]:
    """Return the places of a block's notes, each under the note's words."""
    found: list[Related] = []
    words = ""
    for line in body:
        if match := NOTE.match(line) or INLINE_NOTE.match(line):
            words = f"{match[1]}: {match[2]}".rstrip(": ")
        elif match := OTHER_PLACE.match(line):
            found.append(Related(words, match[1], int(match[2]), int(match[3]) or None))
    return tuple(found[:20])


def linker_causes(log: Log, block: Block, tool: str) -> list[Diagnostic]:
    """Return the undefined symbols that a linker names inside the notes of `linking with ... failed`."""
    found: list[Diagnostic] = []
    for index in range(block.first + 1, block.end):
        match = LINKER.match(log.lines[index])
        if not match:
            continue
        end = index + 1
        while end < block.end and log.lines[end].lstrip().startswith(">>>"):
            end += 1
        file, line = None, None
        if end > index + 1 and (place := REFERENCED.match(log.lines[index + 1])):
            file, line = (place[1], int(place[2])) if place[1] else (place[3], int(place[4]))
        detail = "\n".join(text.strip() for text in log.lines[index + 1 : end])
        found.append(
            Diagnostic(message=match[1], detail=detail, file=file, line=line, tool=tool, log=log.span(index, end - 1))
        )
    return found


def short_at(log: Log, index: int, tool: str) -> Diagnostic | None:
    """Return the finding of one line of `--message-format=short`, if this line is one."""
    line = log.lines[index]
    if ": error" not in line and ": warning" not in line:
        return None
    match = SHORT.match(log.whole(index))
    if match is None:
        return None
    return Diagnostic(
        message=match[6],
        severity="error" if match[4] == "error" else "warning",
        file=match[1],
        line=int(match[2]) or None,
        column=int(match[3]) or None,
        rule=match[5],
        tool=tool,
        log=log.span(index),
    )
