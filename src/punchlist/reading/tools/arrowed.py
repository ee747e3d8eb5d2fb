"""Blocks in the style of rustc's: a header, an arrow line with the place, then source lines behind a gutter."""

import re
from collections.abc import Callable

from punchlist.reading.log import Log
from punchlist.reading.oneline import number
from punchlist.reading.scan import filled
from punchlist.records import dataclass

ARROW = re.compile(r" *--> (?P<file>[^:].*?)(?::cell \d+)?(?::(?P<line>\d+)(?::(?P<column>\d+))?)?(?:-\d+(?::\d+)?)?$")
GUTTER = re.compile(r" *(?:\d+ *)?(?:[|+\-=]|:::)(?: |$)|\.\.\.$| *\||-{20,}$")
ADVICE = re.compile(r"(?:info|help|note|hint|tip)(?:\[[\w-]+\])?: ")
CARET = re.compile(r" *\|(?: *\|)*[ |_]*[\^~]+ (?P<note>.+)$")
MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Block:
    """One block: `first` is its header's line, `end` one past its last (indexes), and the place its arrow names."""

    first: int
    end: int
    header: re.Match[str]
    file: str
    line: int | None
    column: int | None

    def detail(self, log: Log) -> str:
        """Return the lines below the arrow."""
        return "\n".join(log.lines[self.first + 2 : min(self.end, self.first + 2 + MOST_LINES)]).strip("\n")

    def notes(self, log: Log) -> list[str]:
        """Return what stands beside the carets of the first snippet, each text once."""
        found: list[str] = []
        for index in range(self.first + 2, self.end):
            line = log.lines[index]
            if ADVICE.match(line):
                break
            if match := CARET.match(line):
                found.append(match["note"].strip())
        return list(dict.fromkeys(found))


def block_at(log: Log, arrow: int, header: Callable[[str], re.Match[str] | None]) -> Block | None:
    """Return the block whose arrow stands on line `arrow`, when the line above it is a header."""
    place = ARROW.match(log.lines[arrow])
    head = header(log.lines[arrow - 1]) if place and arrow else None
    if not place or not head:
        return None
    end = arrow + 1
    while end < len(log.lines) and _belongs(log, end, header):
        end += 1
    end = filled(log.lines, arrow + 1, end)
    return Block(arrow - 1, end, head, place["file"], number(place["line"]), number(place["column"]))


def is_arrow(line: str) -> bool:
    """Whether a line may be the arrow line of a block."""
    return "-->" in line and line.lstrip().startswith("--> ")


def _belongs(log: Log, index: int, header: Callable[[str], re.Match[str] | None]) -> bool:
    line = log.lines[index]
    if not line or (log.numbers[index] < 0) != (log.numbers[index - 1] < 0):
        return False
    if ADVICE.match(line) or GUTTER.match(line):
        return True
    return line[0] == " " and not header(line)
