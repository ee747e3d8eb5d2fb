"""Read how programs of compiled and of scripting languages die of an error nobody caught.

Each language has one shape: a head line, its message there or on the next line, frames below it (Nim: above it). The
place is the head's own, else that of the first frame that is not in the language's library. A run that ended with 0
lived on, whatever it printed.
"""

import re
from collections.abc import Iterator

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import lines_with
from punchlist.records import dataclass

LIBRARY = re.compile(
    r"(?:^|/)(?:lib|lib64|share|include)/|^<|^\?\?|^(?:ice-9|srfi|system)/|^libraries/|\.crystal/|\.nimble/"
    r"|^stdlib\.ml$|^(?:erl_eval|init|escript|lists|maps|proc_lib|gen_\w+)\.erl$"
)
"""Paths of the languages' own libraries."""
LOOK = 200
MOST = 40


@dataclass(frozen=True, slots=True)
class Shape:
    """How one language reports it: `head` (groups message, file, line, column, rule), `said` the next line's message.

    `frame` has groups file, line, column; `skip` matches lines between frames; `above` says that frames stand before
    the head, the innermost last.
    """

    tool: str
    needle: str
    head: re.Pattern[str]
    frame: re.Pattern[str] | None = None
    skip: re.Pattern[str] | None = None
    said: re.Pattern[str] | None = None
    above: bool = False


def _shape(
    tool: str, needle: str, head: str, frame: str = "", skip: str = "", said: str = "", *, above: bool = False
) -> Shape:
    frames, skipped, next_line = (re.compile(text) if text else None for text in (frame, skip, said))
    return Shape(tool, needle, re.compile(head), frames, skipped, next_line, above)


FORTRAN_FRAME = r"\s+at (?P<file>\S+):(?P<line>\d+)$"
FORTRAN_SKIP = r"$|Error termination\. Backtrace:|#\d+ +0x[0-9a-f]+ in "
DOTNET_FRAME = r"\s+at .*? in (?P<file>\S.*):(?:line )?(?P<line>\d+)\s*$"
SHAPES: tuple[Shape, ...] = (
    _shape(
        "gfortran",
        "At line ",
        r"At line (?P<line>\d+) of file (?P<file>.+?)(?: \(unit = .*\))?$",
        FORTRAN_FRAME,
        FORTRAN_SKIP,
        r"Fortran runtime error: (?P<message>.+)$",
    ),
    _shape("gfortran", "Fortran runtime ", r"Fortran runtime error: (?P<message>.+)$", FORTRAN_FRAME, FORTRAN_SKIP),
    _shape("gfortran", "ERROR STOP", r"(?P<message>ERROR STOP\b.*)$", FORTRAN_FRAME, FORTRAN_SKIP),
    _shape(
        "gnat",
        "raised ",
        r"raised (?P<rule>[A-Z][\w.]+) : (?:(?P<file>[^\s:]+\.ad[bs]):(?P<line>\d+) )?(?P<message>.+)$",
    ),
    _shape(
        "nim",
        "unhandled exception: ",
        r"Error: unhandled exception: (?:(?P<file>\S+\.nim)\((?P<line>\d+), (?P<column>\d+)\) )?"
        r"(?P<message>.*?)(?: \[(?P<rule>\w+)\])?$",
        r"(?P<file>\S.*\.nims?)\((?P<line>\d+)\) +\S+$",
        r"Traceback \(most recent call last\)$|\[\[reraised from:|\]\]$",
        above=True,
    ),
    _shape(
        "d",
        ".d(",
        r"(?P<rule>[a-z]\w*(?:\.\w+)+)@(?P<file>[^\s()]+\.d)\((?P<line>\d+)\): (?P<message>.*)$",
        r"(?P<file>[^\s?][^:]*\.d):(?P<line>\d+) ",
        r"-{3,}$|\?\?:\? |\S+\(.*\[0x[0-9a-f]+\]$",
    ),
    _shape(
        "fpc",
        "Runtime error ",
        r"(?P<message>Runtime error \d+) at \$[0-9A-F]+$",
        r"\s+\$[0-9A-F]+ .*line (?P<line>\d+) of (?P<file>\S+)$",
        r"\s+\$[0-9A-F]+",
    ),
    _shape(
        "fpc",
        "An unhandled exception",
        r"An unhandled exception occurred at \$[0-9A-F]+:?$",
        r"\s+\$[0-9A-F]+ .*line (?P<line>\d+) of (?P<file>\S+)$",
        r"\s+\$[0-9A-F]+",
        r"(?P<message>\S.*)$",
    ),
    _shape(
        "ocaml",
        "Fatal error: exception",
        r"Fatal error: exception (?P<message>(?:(?P<rule>(?:Stdlib\.)?[A-Z]\w*)"
        r"(?:\(\"(?P<file>[^\"]+\.\w+)\", (?P<line>\d+), (?P<zero>\d+)\))?.*|\S.*))$",
        r"(?:Raised at|Raised by primitive operation at|Called from|Re-raised at) .*file \"(?P<file>[^\"]+)\".*,"
        r" lines? (?P<line>\d+)(?:-\d+)?, characters (?P<zero>\d+)-",
        r"(?:Raised|Called|Re-raised) ",
    ),
    _shape(
        "ghc",
        "CallStack (from ",
        r"CallStack \(from HasCallStack\):$",
        r"  +\S.*, called at (?P<file>\S+\.l?hs):(?P<line>\d+):(?P<column>\d+) in ",
        r"  +\S",
    ),
    _shape(
        "crystal",
        "Unhandled exception: ",
        r"Unhandled exception: (?P<message>.*?)(?: \((?P<rule>[A-Z]\w*(?:::\w+)*)\))?$",
        r"\s+from (?P<file>\S+\.cr):(?P<line>\d+):(?P<column>\d+) in ",
        r"\s+from ",
    ),
    _shape(
        "dotnet",
        "nhandled ",
        r"Unhandled [Ee]xception[:.] ?(?P<message>(?:\S+\.)*(?P<rule>\w+): .*)?$",
        DOTNET_FRAME,
        r"\s+at |\[ERROR\] FATAL UNHANDLED EXCEPTION: | *--->|\s+--- End of ",
        r"(?P<message>(?:\w+\.)+(?P<rule>\w+)(?:: .*)?)$",
    ),
    _shape(
        "guile",
        ".scm:",
        r"(?P<file>[^\s:]+\.scm):(?P<line>\d+):(?P<column>\d+): (?P<message>(?:In procedure \S+: |unexpected "
        r"|.*nbound variable|"
        r"Throw to key |Wrong |.*no code for module ).*)$",
    ),
    _shape("escript", "escript: exception ", r"escript: exception (?P<message>.+)$", "", r"  in "),
    _shape(
        "erl", "init terminating in ", r"(?P<message>init terminating in \S+ .*)$", "", r"$|Crash dump|\{\"init term"
    ),
)


def parse(log: Log, context: Context) -> Reading:
    """Read each death, the language's own frames with it."""
    reading = Reading()
    if context.exit_code == 0:
        return reading
    for index, shape in _heads(log):
        if any(first <= index < end for first, end in reading.claimed):
            continue
        if match := shape.head.match(log.lines[index]):
            _death(shape, match, log, index, reading)
    if reading.diagnostics:
        reading.outcome = "failed"
    return reading


def _heads(log: Log) -> Iterator[tuple[int, Shape]]:
    at = sorted((index, n) for n, shape in enumerate(SHAPES) for index in lines_with(log, shape.needle))
    yield from ((index, SHAPES[n]) for index, n in at)


def _death(shape: Shape, head: re.Match[str], log: Log, index: int, reading: Reading) -> None:
    parts = head.groupdict()
    first, end = index, index + 1
    message = parts.get("message") or ""
    if shape.said and not message and end < len(log.lines) and (said := shape.said.match(log.lines[end])):
        parts.update({name: text for name, text in said.groupdict().items() if text})
        message, end = parts["message"], end + 1
    frames: list[re.Match[str]] = []
    if shape.above:
        first, frames = _above(shape, log, index)
    elif shape.frame or shape.skip:
        end, frames = _below(shape, log, end)
    if not message and shape.tool == "ghc":
        message = _line_above(log, index)
        first = index - 1 if message else index
    own = next((frame for frame in frames if not LIBRARY.search(frame["file"])), None)
    place = parts if parts.get("file") and not LIBRARY.search(parts["file"]) else own.groupdict() if own else {}
    if not message:
        return
    zero = place.get("zero")
    reading.add(
        Diagnostic(
            message=message.strip(),
            detail="\n".join((log.lines[first:index] or log.lines[index + 1 : end])[-MOST:]).strip("\n"),
            file=place.get("file"),
            line=number(place.get("line")),
            column=int(zero) + 1 if zero else number(place.get("column")),
            rule=parts.get("rule"),
            tool=shape.tool,
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)


def _below(shape: Shape, log: Log, end: int) -> tuple[int, list[re.Match[str]]]:
    frames: list[re.Match[str]] = []
    last = end
    while end < len(log.lines) and end - last < 4 and end < last + LOOK:
        line = log.lines[end]
        if shape.frame and (match := shape.frame.match(line)):
            frames.append(match)
        elif not (shape.skip and shape.skip.match(line)):
            break
        end += 1
        last = end if line else last
    return last, frames


def _above(shape: Shape, log: Log, index: int) -> tuple[int, list[re.Match[str]]]:
    frames: list[re.Match[str]] = []
    first = index
    while first > 0 and index - first < LOOK:
        line = log.lines[first - 1]
        if shape.frame and (match := shape.frame.match(line)):
            frames.append(match)
        elif not (shape.skip and shape.skip.match(line)):
            break
        first -= 1
    return first, frames


def _line_above(log: Log, index: int) -> str:
    """The message of a shape whose head stands below it: `prog: text` (GHC)."""
    if index == 0:
        return ""
    said = re.match(r"(?:[\w./-]+: )?(?P<message>\S.*)$", log.lines[index - 1])
    return said["message"] if said else ""
