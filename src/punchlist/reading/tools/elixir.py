"""Read what Elixir's compiler and mix itself say (1.4 to 1.18): warnings, errors, refused files, `** (Mix)`.

Up to 1.14 a place stands indented below the message, since 1.15 behind `└─` below an excerpt.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass

HEAD = re.compile(r"(?P<indent> *)(?P<word>warning|error|hint): (?P<message>\S.*)$")
PLACE = re.compile(
    r" {2,}(?:└─ )?(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:exs?|eex|heex|leex|sface|erl|hrl|yrl|xrl)|nofile)"
    r":(?P<line>\d+)(?::(?P<column>\d+))?(?:: (?P<where>.*))?$"
)
COMPILATION = re.compile(r"== Compilation error (?:in|on) file (?P<file>.+) ==$")
RAISED = re.compile(r"\*\* \((?P<kind>[A-Z][\w.]*|exit|throw|EXIT from .+?)\) (?P<message>.*)$")
AT = re.compile(
    r"(?:(?P<lead>[a-z][a-z ]*) on )?(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.\w+|nofile):(?P<line>\d+)"
    r"(?::(?P<column>\d+))?:? ?(?P<message>.*)$"
)
FRAME = re.compile(
    r" +(?:\((?P<app>[\w-]+)(?: [^)]+)?\) )?(?P<file>(?:[A-Za-z]:)?[^\s:(][^:]*\.(?:exs?|erl|eex|heex)):(?P<line>\d+): "
)
LOGGED = "(errors have been logged)"
UNFORMATTED = re.compile(r" +\* (?P<file>\S.*?\.\w+):?$| {2,4}(?P<file2>\S+\.(?:exs?|heex|eex|leex))$")
ERROR_LINES = re.compile(
    r"Compilation failed due to warnings while using the --warnings-as-errors option"
    r"|Paths given to \"?mix test\"? did not match any directory/file: .+|The --only option was given to .+"
    r"|Test suite aborted after successful execution\. .+|ERROR! .+|Could not find test files.*"
)
FINDINGS = ("mix format failed", "warnings as errors", "Credo", "lint", "Dialyzer")
NEAR = 40
MOST = 60
ELIXIR = frozenset({"elixir", "stdlib", "kernel", "erts", "ex_unit", "mix", "iex", "logger", "eex", "compiler"})


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception printed at the left edge with its lines."""

    kind: str
    message: str
    first: int
    end: int


def read_elixir(log: Log, reading: Reading, named: bool, ran: bool) -> None:
    """Add the compiler's warnings and errors and mix's own trouble; `ran`: tests did, which may log exceptions."""
    taken = {i for first, end in reading.claimed for i in range(first, end)}
    file = ""
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if not line or index in taken:
            pass
        elif ("warning: " in line or "error: " in line) and (match := HEAD.match(line)):
            end = _said(match, log, index, reading)
        elif line.startswith("== Compilation error") and (match := COMPILATION.match(line)):
            file = match["file"]
            reading.claim(index)
            reading.outcome = "failed"
        elif (
            line.startswith("** (")
            and (file or (named and (not ran or line[4:8] == "Mix)")))
            and (match := RAISED.match(line))
        ):
            end = _raised(match, log, index, reading, file)
            file = ""
        elif line.startswith("Unchecked dependencies"):
            end = _dependencies(log, index, reading)
        elif named and ERROR_LINES.match(line):
            _tool(log, index, reading)
        index = end


def _said(match: re.Match[str], log: Log, index: int, reading: Reading) -> int:
    """Read one message up to its place or places; without a place of Elixir's it is somebody else's."""
    end = index + 1
    places: list[tuple[int, re.Match[str]]] = []
    while end < len(log.lines) and end - index < NEAR:
        line = log.lines[end]
        if place := PLACE.match(line):
            places.append((end, place))
        elif places or (line and (HEAD.match(line) or line.startswith(("**", "==", "Compiling", "Generated")))):
            break
        end += 1
    if not places:
        return index + 1
    last = places[-1][0] + 1
    detail = "\n".join(text.rstrip() for text in log.lines[index + 1 : min(last, index + MOST)])
    own = [place for _, place in places if "Found at" in detail or "└─" in place[0]] or [places[0][1]]
    for place in own:
        reading.add(
            Diagnostic(
                message=match["message"],
                severity="error" if match["word"] == "error" else "warning",
                detail=detail,
                file=place["file"] if place["file"] != "nofile" else None,
                line=number(place["line"]),
                column=number(place["column"]),
                tool="mix",
                log=log.span(index, last - 1),
            )
        )
    reading.claim(index, last)
    if match["word"] == "error":
        reading.outcome = "failed"
    return last


def _raised(match: re.Match[str], log: Log, index: int, reading: Reading, file: str) -> int:
    end = index + 1
    while end < len(log.lines) and log.lines[end].startswith((" ", "\t")):
        end += 1
    one = Raised(match["kind"], match["message"], index, end)
    if one.kind == "Mix":
        return _mix(one, log, reading)
    body = log.lines[index + 1 : end]
    if LOGGED in one.message and any(d.severity == "error" for d in reading.diagnostics):
        reading.claim(index, end)
        return end
    at = AT.match(one.message)
    message, place = log.lines[index], None
    column = None
    if at:
        place, column = (at["file"], number(at["line"])), number(at["column"])
        nested = next((head for text in body if (head := HEAD.match(text))), None)
        message = at["message"] or (nested["message"] if nested else "") or log.lines[index]
    else:
        frames = [f for text in body if (f := FRAME.match(text)) and (f["app"] or "") not in ELIXIR]
        own = next((f for f in frames if f["file"] == file), None) or (frames[0] if frames else None)
        place = (own["file"], number(own["line"])) if own else None
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join([log.lines[index], *body][1 if message == log.lines[index] else 0 :][:MOST]),
            file=place[0] if place else file or None,
            line=place[1] if place else None,
            column=column,
            tool="mix",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "failed" if file or reading.outcome == "failed" else "error"
    return end


def _mix(one: Raised, log: Log, reading: Reading) -> int:
    """Read `** (Mix) ...`: unformatted files and found warnings are findings, all else is trouble of mix itself."""
    end = one.end
    if "format failed" in one.message:
        files = []
        while end < len(log.lines) and (
            not log.lines[end] or log.lines[end][0] == " " or "not formatted" in log.lines[end]
        ):
            if match := UNFORMATTED.match(log.lines[end]):
                files.append((match["file"] or match["file2"], end))
            end += 1
        for name, at in files:
            reading.add(Diagnostic(message=one.message, file=name, tool="mix", log=log.span(one.first, at)))
        if not files:
            reading.add(Diagnostic(message=one.message, tool="mix", log=log.span(one.first)))
        reading.outcome = "failed"
    else:
        while end < len(log.lines) and log.lines[end] and not log.lines[end].startswith(("==", "**")):
            end += 1
        if any(d.severity == "error" for d in reading.diagnostics) and reading.outcome == "failed":
            reading.claim(one.first, end)
            return end
        reading.add(
            Diagnostic(
                message=one.message or log.lines[one.first],
                detail="\n".join(log.lines[one.first + 1 : end]),
                tool="mix",
                log=log.span(one.first, end - 1),
            )
        )
        known = any(word in one.message for word in FINDINGS)
        reading.outcome = "failed" if known or reading.outcome == "failed" else "error"
    reading.claim(one.first, end)
    return end


def _dependencies(log: Log, index: int, reading: Reading) -> int:
    end = index + 1
    while end < len(log.lines) and (log.lines[end].startswith(("*", " ")) or not log.lines[end]):
        if log.lines[end].startswith("* "):
            below = log.lines[end + 1].strip() if end + 1 < len(log.lines) else ""
            reading.add(
                Diagnostic(message=log.lines[end][2:], detail=below, tool="mix", log=log.span(end, end + bool(below)))
            )
        end += 1
    reading.claim(index, end)
    reading.outcome = "error"
    return end


def _tool(log: Log, index: int, reading: Reading) -> None:
    line = log.lines[index]
    warned = line.startswith(("Compilation failed due", "ERROR! Test suite aborted", "Test suite aborted"))
    if not (warned and reading.diagnostics):
        reading.add(Diagnostic(message=line, tool="mix", log=log.span(index)))
    reading.outcome = "failed" if warned else "error"
    reading.claim(index)
