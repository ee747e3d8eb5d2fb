"""Node.js ending on an uncaught error (source line, error, stack, the object behind it) or out of memory."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading

ORIGIN = re.compile(r"(?P<file>(?:file://|node:|/|[A-Za-z]:[\\/]|\[)\S.*?|internal/\S+\.js):(?P<line>\d+)$")
ERROR = re.compile(
    r"(?:Uncaught |\[?Unhandled(?:PromiseRejection|Rejection)?: )?"
    r"(?P<name>[A-Z]\w*(?:Error|Exception|Rejection)|Error|[a-z]\w*Error)"
    r"(?: \[(?P<code>[A-Z][A-Z0-9_]+)\])?: (?P<text>.*)$"
)
REJECTED = re.compile(r"\(node:\d+\) UnhandledPromiseRejectionWarning: (?P<text>\S.*)$")
STACK = re.compile(r"\s+at (?P<frame>\S.*)$")
FRAME = re.compile(r"(?:.*\()?(?P<file>(?:file://)?[^():][^()]*?):(?P<line>\d+):(?P<column>\d+)\)?(?: \{)?$")
CODE = re.compile(r"\s+code: '(?P<code>[A-Z][A-Z0-9_]+)',?$")
VERSION = re.compile(r"Node\.js v\d+\.\d+")
CARET = re.compile(r"\s*\^+\s*$")
REQUIRED = re.compile(r"- (?P<file>\S.*)$")
MEMORY = re.compile(r"FATAL ERROR: (?P<text>.+)$")
FOREIGN = ("node:", "internal/", "node_modules/", "/node_modules/", "<anonymous>", "evalmachine", "[eval]")
DETAIL_LINES = 30


def parse(log: Log, _context: Context) -> Reading:
    """Read each uncaught error: the block that ends in the version line, or that a source line with carets opens."""
    reading = Reading()
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("FATAL ERROR: "):
            index = _memory(log, index, reading)
        elif CARET.match(line) and index >= 1 and (start := _origin(log, index)) is not None:
            index = _thrown(log, start, index + 1, reading)
        elif line.startswith("(node:") and (rejected := REJECTED.match(line)):
            index = _rejected(rejected, log, index, reading)
        elif VERSION.match(line) and index not in _claimed(reading):
            index = _before_version(log, index, reading)
        else:
            index += 1
    return reading


def _claimed(reading: Reading) -> set[int]:
    return {at for first, end in reading.claimed for at in range(first, end)}


def _origin(log: Log, caret: int) -> int | None:
    """The line that names where the error was thrown: one to three above the carets."""
    for at in range(caret - 1, max(-1, caret - 4), -1):
        if ORIGIN.match(log.lines[at]):
            return at
    return None


def _thrown(log: Log, start: int, after: int, reading: Reading) -> int:
    """Read the error behind the carets; `start` is the line that names the source."""
    at = after
    while at < len(log.lines) and at < after + 3 and not log.lines[at]:
        at += 1
    if at >= len(log.lines) or not log.lines[at]:
        return after
    end = _end(log, at)
    error = ERROR.match(log.whole(at))
    if error is None and not any(VERSION.match(line) for line in log.lines[at : end + 3]):
        return after
    origin = ORIGIN.match(log.lines[start])
    _add(log, at, end, reading, origin)
    reading.claim(start, end)
    return end


def _end(log: Log, index: int) -> int:
    """Return where an error's text, stack, properties and version line end."""
    end = index + 1
    sign = log.numbers[index] < 0
    while end < len(log.lines) and end - index < 400 and (log.numbers[end] < 0) == sign:
        line = log.lines[end]
        if VERSION.match(line):
            return end + 1
        if not line and not _goes_on(log, end + 1):
            return end
        end += 1
    return end


def _goes_on(log: Log, index: int) -> bool:
    """Whether the block goes on behind a blank line: with its version line, or more of a message before a stack."""
    later = log.lines[index : index + 12]
    if later and VERSION.match(later[0]):
        return True
    for line in later:
        if STACK.match(line) or VERSION.match(line):
            return True
        if ORIGIN.match(line) or ERROR.match(line):
            return False
    return False


def _add(log: Log, at: int, end: int, reading: Reading, origin: re.Match[str] | None) -> None:
    error = ERROR.match(log.whole(at))
    lines = log.lines[at + 1 : end]
    frames = [m["frame"] for line in lines if (m := STACK.match(line))]
    own = next((m for text in frames if (m := FRAME.match(text)) and _is_own(m["file"])), None)
    required = [m["file"] for line in lines if (m := REQUIRED.match(line))]
    file, number, column = None, None, None
    if origin and _is_own(origin["file"]) and (own is None or (error and error["name"] == "SyntaxError")):
        file, number = origin["file"], int(origin["line"][:9])
    elif own:
        file, number, column = own["file"], int(own["line"][:9]), int(own["column"][:9])
    elif required:
        file = next((one for one in required if _is_own(one)), None)
    code = next((m["code"] for line in lines if (m := CODE.match(line))), None)
    detail = [line for line in lines if line.strip() and not STACK.match(line) and not VERSION.match(line)]
    frames_own = [f"    at {text}" for text in frames if (m := FRAME.match(text)) and _is_own(m["file"])]
    reading.add(
        Diagnostic(
            message=log.whole(at).removeprefix("Uncaught ").removesuffix(" {").strip(),
            detail="\n".join([*detail[:DETAIL_LINES], *frames_own[:10]]),
            file=file.removeprefix("file://") if file else None,
            line=number or None,
            column=column or None,
            rule=(error["code"] if error else None) or code,
            log=log.span(at),
        )
    )


def _is_own(file: str) -> bool:
    path = file.removeprefix("file://").replace("\\", "/")
    return not path.startswith(FOREIGN) and "/node_modules/" not in path and ("/" in path or "." in path)


def _before_version(log: Log, index: int, reading: Reading) -> int:
    """Read an error without a source line: the nearest error line above the version line with a stack below it."""
    sign = log.numbers[index] < 0
    for at in range(index - 1, max(-1, index - 200), -1):
        if (log.numbers[at] < 0) != sign or VERSION.match(log.lines[at]):
            break
        if ERROR.match(log.lines[at]) and any(STACK.match(line) for line in log.lines[at + 1 : index]):
            _add(log, at, index, reading, None)
            reading.claim(at, index + 1)
            break
    return index + 1


def _rejected(rejected: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and STACK.match(log.lines[end]):
        end += 1
    frames = [m["frame"] for line in log.lines[index + 1 : end] if (m := STACK.match(line))]
    own = next((m for text in frames if (m := FRAME.match(text)) and _is_own(m["file"])), None)
    if ERROR.match(rejected["text"]) and frames:
        reading.add(
            Diagnostic(
                message=rejected["text"].strip(),
                severity="warning",
                file=own["file"].removeprefix("file://") if own else None,
                line=int(own["line"][:9]) or None if own else None,
                column=int(own["column"][:9]) or None if own else None,
                log=log.span(index),
            )
        )
    reading.claim(index, end)
    return end


def _memory(log: Log, index: int, reading: Reading) -> int:
    fatal = MEMORY.match(log.whole(index))
    end = index + 1
    while (
        end < len(log.lines)
        and end - index < 60
        and (not log.lines[end] or re.match(r"\s*\d+: 0x|-{3,}|<---|\[\d+:0x|\s*[A-Z]\w+:|Aborted", log.lines[end]))
    ):
        end += 1
    reading.add(Diagnostic(message=fatal["text"].strip() if fatal else log.lines[index], log=log.span(index)))
    reading.claim(index, end)
    return end
