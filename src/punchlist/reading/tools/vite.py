"""vite 2 to 8: what ends a build, what its server says, and why its configuration does not load."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.js_frames import frames, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import esbuild, rolldown

DURING = re.compile(r"error (?:during build|when starting (?:dev|preview) server|during dependency optimization):$")
FAILED_CONFIG = re.compile(r"(?:[^a-z]*\s)?failed to load config from (?P<file>\S.*)$")
BUILT = re.compile(r"✓ built in ")
PROGRESS = re.compile(
    r"vite v\d|transforming\.\.\.|✓ \d+ modules? transformed|rendering chunks|computing gzip size|"
    r"[✗x] Build failed in |building (?:client|ssr|SSR|for )"
)
SIZE = re.compile(r"\S+\s+[\d.,]+ [kM]?i?B(?: │ .*)?$")
STACK = re.compile(r"\s+at ")
FILE = re.compile(r"\s*[fF]ile: (?P<file>\S.*?)(?::(?P<line>\d+):(?P<column>\d+))?(?: \(.*\))?$")
PLACED = re.compile(r"(?P<file>[^\s:[][^:]*?) \((?P<line>\d+):(?P<column>\d+)\): (?P<message>.+)$")
NAMES = re.compile(
    r"(?:(?:RollupError|Error|\w+Error)(?: \[\w+\])?: |\[(?:vite[\w:-]*|plugin [^\]]+|[\w@/.-]+:[\w@/:.-]+)\]:? )"
)
FROM = re.compile(r"from \"(?P<file>[^\"]+)\"")
IN_TEXT = re.compile(r"(?P<file>(?:/|[A-Za-z]:[\\/])\S+?):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$")
SERVER = re.compile(
    r"(?:\d\d?:\d\d:\d\d(?: [AP]M)? )?\[vite\] (?:\(\w+\) )?"
    r"(?:Internal server error|Pre-transform error|Error when \w+[^:]*|error while [^:]+): (?P<message>.+)$"
)
NOTICE = re.compile(r"\[plugin (?P<plugin>[^\]]+)\] (?P<message>Module .+ has been externalized .+)$")
WARNED = re.compile(r"\(!\) (?P<message>\S.*)$")
SETUP = re.compile(
    r"Could not resolve entry module|Cannot find (?:module|package)|Unknown option|Port \d+ is already in use"
)
CODE = re.compile(r"\s+code: '(?P<code>[A-Z][A-Z0-9_]+)'")


def parse(log: Log, context: Context) -> Reading:
    """Read the error that ended a build or a start, boxed findings, warnings, and the progress lines."""
    reading = Reading()
    config = next((m["file"] for line in log.lines if (m := FAILED_CONFIG.match(line))), None)
    rolldown.read_boxes(log, reading)
    if config:
        # What the bundler said of the configuration's imports is the same trouble as the error that follows.
        reading.diagnostics.clear()
        boxes = esbuild.parse(log, Context())
        reading.diagnostics += boxes.diagnostics
        reading.claimed += boxes.claimed
    taken = {at for first, end in reading.claimed for at in range(first, end)}
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if not line or index in taken:
            index += 1
        elif DURING.match(line):
            index = _ended(log, index, reading, config)
        elif "[vite]" in line and (server := SERVER.match(log.whole(index))):
            index = _served(server["message"], log, index, reading)
        else:
            _other(line, log, index, reading)
            index += 1
    begun = any(line.startswith(("vite v", "transforming")) for line in log.lines)
    reading.partial = begun and "build" in context.words and reading.outcome is None and not reading.diagnostics
    if config:
        reading.outcome = "error"
    elif reading.outcome is None and any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


def _other(line: str, log: Log, index: int, reading: Reading) -> None:
    if BUILT.match(line):
        reading.outcome = "passed"
        reading.claim(index)
    elif PROGRESS.match(line) or ("B" in line and SIZE.match(line)) or FAILED_CONFIG.match(line):
        reading.claim(index)
    elif (warned := NOTICE.match(line) or WARNED.match(line)) or ("): " in line and (warned := PLACED.match(line))):
        parts = warned.groupdict()
        reading.add(
            Diagnostic(
                message=warned["message"].strip(),
                severity="warning",
                file=parts.get("file"),
                line=_number(parts.get("line")),
                column=_number(parts.get("column")),
                log=log.span(index),
            )
        )
        reading.claim(index)


def _ended(log: Log, index: int, reading: Reading, config: str | None) -> int:
    """Read the block behind "error during build:": message, place, frame, then the stack of vite's own code."""
    end = index + 1
    stack = None
    while end < len(log.lines) and (log.numbers[end] < 0) == (log.numbers[index] < 0) and end - index < 250:
        if STACK.match(log.lines[end]):
            stack = stack or end
        elif stack is not None and not log.lines[end].startswith((" ", "}")):
            break
        end += 1
    block = range(index + 1, stack or end)
    first = next((at for at in block if log.lines[at].strip()), None)
    if first is None or rolldown.FAILED.match(log.lines[first]):
        reading.claim(index, (first or index) + 1)
        return max((first or index) + 1, index + 1)
    if inline := [at for at in block if esbuild.INLINE.match(log.whole(at))]:
        for at in inline:
            esbuild.add_inline(log, at, reading)
        reading.claim(index, end)
        return end
    _add_ended(log, first, block, (stack or end, end), reading, config)
    reading.claim(index, end)
    return end


def _add_ended(
    log: Log, first: int, block: range, stack: tuple[int, int], reading: Reading, config: str | None
) -> None:
    message = _bare(log.whole(first))
    below = [log.lines[at] for at in block if at > first]
    file, line, column = None, None, None
    for pattern in (PLACED, IN_TEXT):
        if placed := pattern.match(message):
            file, line, column = placed["file"], placed["line"], placed["column"]
            message = placed["message"]
            break
    else:
        if named := next((m for text in below if (m := FILE.match(text))), None):
            file, line, column = named["file"], named["line"], named["column"]
        elif source := FROM.search(message):
            file = source["file"]
    thrown = next((f for f in frames(log.lines[slice(*stack)]) if config and f.own and f.file == path(config)), None)
    code = next((m["code"] for at in range(*stack) if (m := CODE.match(log.lines[at]))), None)
    reading.add(
        Diagnostic(
            message=message.strip(),
            detail="\n".join(below[:40]).strip("\n"),
            file=config or file,
            line=(thrown.line if thrown else None) if config else _number(line),
            column=(thrown.column if thrown else None) if config else _number(column),
            rule=code,
            log=log.span(first),
        )
    )
    if config or SETUP.search(message):
        reading.outcome = "error"


def _served(text: str, log: Log, index: int, reading: Reading) -> int:
    """Read an error that the development server reports, with the plugin, file and frame below it."""
    end = index + 1
    while end < len(log.lines) and (log.lines[end].startswith("  ") or re.match(r"\d+ +\| ", log.lines[end].lstrip())):
        end += 1
    below = [line for line in log.lines[index + 1 : end] if not STACK.match(line)]
    named = next((m for line in below if (m := FILE.match(line))), None)
    reading.add(
        Diagnostic(
            message=_bare(text).strip(),
            detail="\n".join(below[:40]),
            file=named["file"] if named else None,
            line=_number(named["line"]) if named else None,
            column=_number(named["column"]) if named else None,
            log=log.span(index),
        )
    )
    reading.claim(index, end)
    return end


def _bare(text: str) -> str:
    while match := NAMES.match(text):
        text = text[match.end() :]
    return text


def _number(text: str | None) -> int | None:
    return int(text[:9]) or None if text else None
