"""Read what Python itself prints when a program fails: tracebacks of every shape, syntax errors, start-up errors.

An exception nobody caught ends in a traceback from `<module>`; a logged one begins where it was caught. Where the
command is no Python script the second kind is the program's own talk and is left alone.
"""

import json
import re
from collections.abc import Iterator, Sequence

from punchlist.model import Diagnostic
from punchlist.reading import frames
from punchlist.reading.frames import CHAINS, Frame, Traceback
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

START = re.compile(
    r"(?:\S*[/\\])?(?:python|pypy|Python)[\w.]*(?:\.exe)?: "
    r"(?P<message>can't open file .*|Error while finding module specification .*"
    r"|can't find '__main__' module .*|No module named .*|'.*' is a package and cannot be directly executed.*)$"
)
OPTION = re.compile(r"(?P<message>(?:Unknown|unknown) option:? .*|Argument expected for the -\w option)$")
USAGE = re.compile(r"[\w.-]+\.py: error: (?P<message>\S.*)$")
SYNTAX = re.compile(r"(?P<rule>SyntaxError|IndentationError|TabError): \S")
ESCAPED = re.compile(r'Traceback \(most recent call last\):(?:\\\\n|\\n)(?:[^"\\]|\\.)*')
STAMP = re.compile(r"\d{4}-\d\d-\d\d|\[\d|[A-Z]{4,8}[: ]|\d\d:\d\d:\d\d")
FATAL = re.compile(r"(?:Fatal Python error|Windows fatal exception): \S.*$")
UNCAUGHT = ("<module>", "_run_module_as_main", "_run_code")
WORDS = (
    "Traceback (",
    '  File "',
    "ython: ",
    "ython.exe: ",
    "ython2",
    "ython3",
    "pypy",
    "Fatal Python",
    "Windows fatal",
    "nknown option",
    "Argument expected",
    ".py: error: ",
    "Warning: ",
)
MORE_LINES = 10
MOST = 200


def parse(log: Log, context: Context) -> Reading:
    """Read tracebacks: all of them for a Python command, else only those of exceptions that ended a program."""
    reading = Reading()
    named = bool(context.words)
    lines = log.lines
    end = 0
    for index in lines_with(log, *WORDS):
        if index < end:
            continue
        if len(reading.diagnostics) >= MOST:
            reading.notes.append(f"more than {MOST} tracebacks: the rest was not read")
            break
        line = lines[index]
        if "Traceback (" in line:
            end = _traceback(log, context, index, named, reading)
        elif line.startswith('  File "') and (found := _syntax(log, index)):
            reading.add(found[0])
            end = found[1]
            reading.claim(index, end)
        elif "ython" in line and (match := START.match(line)):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
        elif "atal " in line and (fatal := FATAL.search(line)):
            end = _fatal(log, context, index, fatal[0], reading)
        elif named and (match := OPTION.match(line) or USAGE.match(line)):
            reading.add(Diagnostic(message=match["message"], log=log.span(index)))
            reading.claim(index)
        elif named and (match := frames.WARNING.match(line)):
            end = _warning(log, index, match, reading)
    _verdict(context, reading)
    return reading


def _verdict(context: Context, reading: Reading) -> None:
    errors = any(d.severity == "error" for d in reading.diagnostics)
    if context.exit_code is None or not errors:
        return
    if context.exit_code == 0:
        reading.outcome = "passed"
    elif any(FATAL.match(d.message) for d in reading.diagnostics):
        reading.outcome = "error"
    else:
        own = any(d.file or START.search(d.message) for d in reading.diagnostics)
        reading.outcome = "failed" if context.words or own or _start_up(reading) else "error"


def _start_up(reading: Reading) -> bool:
    return any(
        d.message.startswith(("can't open", "Error while finding", "No module named")) for d in reading.diagnostics
    )


def _traceback(log: Log, context: Context, index: int, named: bool, reading: Reading) -> int:
    """Read the chain of tracebacks that begins on a line; return the index after it."""
    if "\\n" in log.lines[index]:
        if named:
            for diagnostic in _escaped(log, context, index):
                reading.add(diagnostic)
                reading.claim(index)
        return index + 1
    chain = _chain(log.lines, index)
    if not chain:
        return index + 1
    end = max(traceback.end for traceback in chain)
    outer = frames.final(chain)
    if outer is None or not outer.message or not (named or _uncaught(outer)):
        return end
    first = chain[0].first
    detail = _causes([t for t in chain if t.depth == outer.depth and t is not outer])
    last = outer is chain[-1]
    stop = _message_end(log, end) if last and named else end
    more = [log.lines[i] for i in range(end, stop)] if last else []
    reading.add(_diagnostic(log, context, outer, [*more, *detail], first, stop - 1))
    for member in chain:
        if member.depth > outer.depth and member.message:
            reading.add(_diagnostic(log, context, member, [], member.first, member.end - 1))
    reading.claim(first, stop)
    return stop


def _chain(lines: Sequence[str], index: int) -> list[Traceback]:
    """The tracebacks that belong to one exception: its causes before it, the members of a group inside it."""
    chain: list[Traceback] = []
    while index < len(lines):
        traceback = frames.read_traceback(lines, index) if "Traceback (" in lines[index] else None
        if traceback is None:
            break
        chain.append(traceback)
        index = traceback.end
        while index < len(lines) and _between(lines[index], chain[0].depth):
            index += 1
            if "Traceback (" in lines[index - 1] and frames.HEAD.match(lines[index - 1]):
                index -= 1
                break
        if not any(_joins(lines[i]) for i in range(traceback.end, min(index + 1, len(lines)))):
            break
    return chain


def _between(line: str, depth: int) -> bool:
    """Whether a line may stand between two tracebacks of one exception."""
    text = line.strip(frames.GUTTER)
    if not text or text in CHAINS or text == '"""':
        return True
    return line[:1] == " " and (depth > 0 or line[:3] in ("  +", "   ", "  |"))


def _joins(line: str) -> bool:
    text = line.strip(frames.GUTTER)
    return text in CHAINS or text.startswith("---") or (line[:1] == " " and "Traceback (" in line)


def _uncaught(traceback: Traceback) -> bool:
    return bool(traceback.frames) and traceback.frames[0].function in UNCAUGHT


def _causes(chain: Sequence[Traceback]) -> list[str]:
    return [f"caused by: {traceback.message}{_where(traceback)}" for traceback in chain if traceback.message]


def _where(traceback: Traceback) -> str:
    """The place and the source of a syntax error: it lies in another file than any frame tells."""
    place = _syntax_place(traceback)
    return f" ({place.file}:{place.line}: {place.source})" if place else ""


def _diagnostic(log: Log, context: Context, traceback: Traceback, more: list[str], first: int, last: int) -> Diagnostic:
    place = _syntax_place(traceback) or frames.innermost(traceback.frames, context.root)
    own = [f for f in traceback.frames if not frames.is_foreign(f.file, context.root)]
    steps = [
        f"at {frames.within(f.file, context.root) or f.file}:{f.line}" + (f": {f.source}" if f.source else "")
        for f in own
    ]
    text = log.whole(traceback.at)
    return Diagnostic(
        message=text[traceback.depth :].strip() if traceback.message in text else traceback.message,
        detail="\n".join([*more, *(steps if len(steps) <= 8 else [*steps[:4], *steps[-4:]])]),
        file=place.file if place else None,
        line=place.line if place else None,
        log=log.span(first, last),
    )


def _syntax_place(traceback: Traceback) -> Frame | None:
    """The place that a SyntaxError names itself: a last frame without a function."""
    if traceback.frames and not traceback.frames[-1].function and SYNTAX.match(traceback.message + " x"):
        return traceback.frames[-1]
    return None


def _message_end(log: Log, end: int) -> int:
    """The end of a message of several lines, where the exception is the last thing on its stream."""
    stream = log.stream(end - 1) if end else ""
    stop = end
    while stop < len(log.lines) and stop < end + MORE_LINES and log.stream(stop) == stream:
        if not log.lines[stop] or STAMP.match(log.lines[stop]) or "Traceback (" in log.lines[stop]:
            break
        stop += 1
    after = [log.lines[i] for i in range(stop, min(stop + 3, len(log.lines))) if log.stream(i) == stream]
    return end if any(after) else stop


def _warning(log: Log, index: int, match: re.Match[str], reading: Reading) -> int:
    """A warning that Python prints: its place and category, then the source line, indented."""
    end = index + 1
    if end < len(log.lines) and log.lines[end].startswith("  ") and not log.lines[end].startswith('  File "'):
        end += 1
    reading.add(
        Diagnostic(
            severity="warning",
            message=log.whole(index)[match.start("message") :].strip(),
            detail="\n".join(line.strip() for line in log.lines[index + 1 : end]),
            file=match["file"],
            line=int(match["line"]) or None,
            rule=match["rule"],
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _syntax(log: Log, index: int) -> tuple[Diagnostic, int] | None:
    """A syntax error of the script itself: place, source, caret and reason, without a traceback's head."""
    match = frames.FILE.match(log.lines[index])
    if match is None or match["function"]:
        return None
    for at in range(index + 1, min(index + 6, len(log.lines))):
        if SYNTAX.match(log.lines[at]):
            source = "\n".join(log.lines[index + 1 : at])
            diagnostic = Diagnostic(
                message=log.whole(at).strip(),
                detail=source,
                file=match["file"],
                line=int(match["line"]) or None,
                log=log.span(index, at),
            )
            return diagnostic, at + 1
        if log.lines[at][:1] not in ("", " ", "\t"):
            break
    return None


def _fatal(log: Log, context: Context, index: int, message: str, reading: Reading) -> int:
    stack, end = frames.read_fault(log.lines, index)
    own = frames.innermost(stack, context.root)
    reading.add(
        Diagnostic(
            message=message,
            file=own.file if own else None,
            line=own.line if own else None,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _escaped(log: Log, context: Context, index: int) -> Iterator[Diagnostic]:
    """Tracebacks inside of JSON strings, as structured logs hold them."""
    for match in ESCAPED.finditer(log.whole(index)):
        try:
            text = str(json.loads(f'"{match[0]}"'))
        except ValueError:
            text = match[0].replace("\\n", "\n").replace('\\"', '"')
        chain = frames.read_tracebacks(
            text.replace("\\n", "\n").split("\n"), 0, text.count("\n") + text.count("\\n") + 1
        )
        last = frames.final(chain)
        if last is None or not last.message:
            continue
        place = frames.innermost(last.frames, context.root)
        yield Diagnostic(
            message=last.message,
            detail="\n".join(_causes([t for t in chain if t is not last])),
            file=place.file if place else None,
            line=place.line if place else None,
            log=log.span(index),
        )
