"""Read Rust panics: `thread 'x' panicked at file:line:col:`, the message under it, the backtrace's own frames.

Two layouts: since 1.73 the message stands below the header, before that it stands in quotes inside it. Since 1.89 a
thread id follows the name.
"""

import re

from punchlist.reading.log import Log
from punchlist.reading.scan import filled
from punchlist.records import dataclass

HEADER = re.compile(r"\s*thread '(.*?)'(?: \(\d+\))? panicked at (\S.*?):(\d+):(\d+):$")
OLD = re.compile(r"\s*thread '(.*?)' panicked at '(.*)', (\S[^']*?):(\d+)(?::(\d+))?$")
OLD_OPEN = re.compile(r"\s*thread '(.*?)' panicked at '(.*)$")
OLD_CLOSE = re.compile(r"(.*)', (\S[^']*?):(\d+)(?::(\d+))?$")
OVERFLOW = re.compile(r"\s*thread '(.*?)'(?: \(\d+\))? has overflowed its stack$")
FRAME = re.compile(r"\s+at (\S.*?):(\d+)(?::(\d+))?$")
NOTES = (
    "note: run with `RUST_BACKTRACE",
    "note: Some details are omitted",
    "note: panic did not contain",
    "note: test did not",
)
FOREIGN = re.compile(r"(?:/rustc/|.*/\.cargo/|.*/rustlib/|.*/toolchains/|library/(?:std|core|alloc|test)/|<)")
DETAIL_LINES = 60


@dataclass(frozen=True, slots=True)
class Panic:
    """A panic: the thread's name, its place (own code where the log shows any), the message's lines, lines used."""

    thread: str
    message: str
    detail: str
    file: str | None
    line: int | None
    column: int | None
    first: int
    end: int


def could_be(line: str) -> bool:
    """Whether a line may begin a panic: a cheap test before the patterns."""
    return "thread '" in line and (" panicked at " in line or " has overflowed its stack" in line)


def first_in(log: Log, start: int, end: int) -> Panic | None:
    """Return the first panic that lines `start` up to `end` show."""
    for index in range(start, end):
        if could_be(log.lines[index]) and (panic := panic_at(log, index, end)):
            return panic
    return None


def panic_at(log: Log, index: int, limit: int) -> Panic | None:
    """Return the panic whose header stands on line `index`; lines from `limit` on do not belong to it."""
    line = log.whole(index)
    glued = line.find("thread '")
    line = line[glued:] if glued > 0 else line
    if match := OVERFLOW.match(line):
        return Panic(match[1], line.strip(), "", None, None, None, index, index + 1)
    if match := HEADER.match(line):
        start = index + 1
        while start < limit and not log.lines[start]:
            start += 1
        end = _message_end(log, start, limit)
        body = log.lines[start:end]
        return _panic(log, match[1], body, (match[2], int(match[3]), int(match[4])), index, end, limit)
    return _old(log, line, index, limit)


def _old(log: Log, line: str, index: int, limit: int) -> Panic | None:
    if match := OLD.match(line):
        place = (match[3], int(match[4]), int(match[5] or 0))
        return _panic(log, match[1], [match[2]], place, index, index + 1, limit)
    match = OLD_OPEN.match(line)
    if match is None:
        return None
    body = [match[2]]
    for at in range(index + 1, min(limit, index + 200)):
        if close := OLD_CLOSE.match(log.lines[at]):
            place = (close[2], int(close[3]), int(close[4] or 0))
            return _panic(log, match[1], [*body, close[1]], place, index, at + 1, limit)
        body.append(log.lines[at])
    return None


def _message_end(log: Log, start: int, limit: int) -> int:
    end = start
    while end < limit:
        line = log.lines[end].strip()
        if line == "stack backtrace:" or line.startswith(NOTES):
            break
        if could_be(line) and (HEADER.match(line) or OVERFLOW.match(line)):
            break
        end += 1
    return filled(log.lines, start, end)


def _panic(
    log: Log, thread: str, body: list[str], place: tuple[str, int, int], first: int, end: int, limit: int
) -> Panic:
    frames, end = _frames(log, end, limit)
    file, line, column = place
    if FOREIGN.match(file):
        own = next((frame for frame in frames if not FOREIGN.match(frame[0])), None)
        file, line, column = own or place
    lines = [text.rstrip() for text in body] or [""]
    own_frames = [f"at {f}:{n}:{c}" for f, n, c in frames if not FOREIGN.match(f)][:5] if len(frames) > 1 else []
    message = lines[0].strip() or "explicit panic"
    detail = "\n".join([*lines[1:DETAIL_LINES], *own_frames])
    return Panic(thread, message, detail, file.removeprefix("./"), line or None, column or None, first, end)


def _frames(log: Log, start: int, limit: int) -> tuple[list[tuple[str, int, int]], int]:
    """The frames of the backtrace that follows a message (file, line, column), and one past it."""
    found: list[tuple[str, int, int]] = []
    end = start
    inside = False
    for at in range(start, limit):
        line = log.lines[at]
        text = line.strip()
        if text == "stack backtrace:":
            inside = True
        elif inside and (match := FRAME.match(line)):
            found.append((match[1], int(match[2]), int(match[3] or 0)))
        elif text.startswith(NOTES[:2]):
            return found, at + 1
        elif not (inside and re.match(r"\s*(?:\d+:|at )", line)):
            if text or inside:
                break
            continue
        end = at + 1
    return found, end
