"""Read pre-commit (2 to 4): one block a hook; what a failed hook printed is read by the parser of its tool."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass, replace

HOOK = re.compile(r"(?P<name>\S.*?)\.{3,}(?:\((?P<why>[^)]+)\))?(?P<verdict>Passed|Failed|Skipped)$")
ID = re.compile(r"- hook id: (?P<id>.+)")
FACT = re.compile(r"- (?:hook id|exit code|duration|files were modified)")
NO_HOOK = re.compile(r"No hook with id `[^`]+` in stage .+|No files? (?:to check|matched).*config.*")
CRASH = re.compile(r"(?P<message>An (?:unexpected )?error has occurred: .+)")
CONFIG = re.compile(r"=+> (?P<message>.+)")
CHECK_LOG = "Check the log at "
NOTICE = re.compile(r"\[(?P<level>ERROR|WARNING|INFO)\] (?P<message>.+)")
PLACED = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*\.\w+|[\w./-]+):(?:(?P<line>\d+):)?(?:(?P<column>\d+):?)? ?(?P<message>\S.*)"
)
FIXING = re.compile(r"(?:Fixing|Rewriting|Sorting|Fixed) (?P<file>\S.*)")
MOST = 60


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook's block: lines `first` up to, not including, `end`; `body` is where its own output begins."""

    name: str
    id: str
    verdict: str
    first: int
    body: int
    end: int
    modified: bool


def parse(log: Log, context: Context) -> Reading:
    """Read the hooks; a failed one gives the findings of its tool, else its own lines."""
    reading = Reading()
    hooks = _hooks(log)
    for hook in hooks:
        reading.claim(hook.first, hook.body)
        if hook.verdict == "Failed":
            _failed(log, hook, context, reading)
    if any(hook.verdict == "Failed" for hook in hooks):
        reading.outcome = "failed"
    elif hooks:
        reading.outcome = "passed"
    _own_trouble(log, bool(context.words), reading)
    return reading


def _hooks(log: Log) -> list[Hook]:
    starts = [(at, match) for at, line in enumerate(log.lines) if "..." in line and (match := HOOK.match(line))]
    found = []
    for number_, (at, match) in enumerate(starts):
        end = starts[number_ + 1][0] if number_ + 1 < len(starts) else _stream_end(log, at)
        body = at + 1
        identity = ""
        while body < end and FACT.match(log.lines[body]):
            if said := ID.match(log.lines[body]):
                identity = said["id"]
            body += 1
        modified = any("files were modified" in line for line in log.lines[at:body])
        if identity or match["verdict"] != "Failed":
            found.append(Hook(match["name"], identity, match["verdict"], at, body, end, modified))
    return found


def _stream_end(log: Log, at: int) -> int:
    end = at + 1
    while end < len(log.lines) and (log.numbers[end] < 0) == (log.numbers[at] < 0):
        end += 1
    return end


def _failed(log: Log, hook: Hook, context: Context, reading: Reading) -> None:
    inner = _by_tool(log, hook, context)
    if inner.diagnostics:
        for d in inner.diagnostics:
            reading.add(replace(d, tool=d.tool or hook.id))
        for first, end in inner.claimed:
            reading.claim(first, end)
        return
    lines = [at for at in range(hook.body, hook.end) if log.lines[at].strip()]
    found = [one for at in lines if (one := _line(log, at, hook)) is not None]
    reading.diagnostics += found
    if not found:
        at = lines[0] if lines else hook.first
        reading.add(
            Diagnostic(
                message=log.lines[at].strip()
                if lines
                else f"{hook.name}: files were modified by this hook"
                if hook.modified
                else hook.name,
                detail="\n".join(log.lines[i] for i in lines[1:MOST]),
                rule=hook.id or None,
                tool="pre-commit",
                log=log.span(at, lines[-1]) if lines else log.span(hook.first, hook.body - 1),
            )
        )
    reading.claim(hook.body, hook.end)


def _line(log: Log, at: int, hook: Hook) -> Diagnostic | None:
    line = log.lines[at]
    match = FIXING.match(line) or PLACED.match(line)
    if not match:
        return None
    parts = match.groupdict()
    return Diagnostic(
        message=(parts.get("message") or line).strip(),
        file=match["file"],
        line=number(parts.get("line")),
        column=number(parts.get("column")),
        rule=hook.id or None,
        tool="pre-commit",
        log=log.span(at),
    )


def _by_tool(log: Log, hook: Hook, context: Context) -> Reading:
    """Read a hook's lines with the parser that its id is named after, else with those whose signs stand in them."""
    from punchlist.reading.reader import run_parser
    from punchlist.reading.recognise import by_signs
    from punchlist.reading.registry import PARSERS

    words = tuple(re.split(r"[-_ ](?=check|format|lint|docker|system|fix)", hook.id))
    names = {hook.id, words[0]}
    lines = [line if hook.body <= at < hook.end else "" for at, line in enumerate(log.lines)]
    chosen = [parser for parser in PARSERS if names & {parser.name, *parser.commands}]
    chosen = chosen or [candidate.parser for candidate in by_signs("\n".join(lines[hook.body : hook.end]))]
    whole = Reading()
    for parser in chosen:
        if parser.name == "pre-commit":
            continue
        part = replace(log, lines=lines, long={i: t for i, t in log.long.items() if lines[i]})
        command = next((word for word in (hook.id, words[0]) if word in (parser.name, *parser.commands)), "")
        inside = Context((command, *words[1:]) if command else (), 1, context.root)
        reading = run_parser(parser, part, inside)
        whole.diagnostics += [replace(d, tool=d.tool or parser.name) for d in reading.diagnostics]
        whole.claimed += reading.claimed
        for first, end in reading.claimed:
            lines[first:end] = [""] * (min(end, len(lines)) - first)
    return whole


def _own_trouble(log: Log, named: bool, reading: Reading) -> None:
    for index, line in enumerate(log.lines):
        if match := CRASH.match(line):
            end = index + 1
            while end < len(log.lines) and log.lines[end] and not log.lines[end].startswith(CHECK_LOG):
                end += 1
            causes = [(at, m["message"]) for at in range(index, end) if (m := CONFIG.match(log.lines[at]))]
            message = match["message"]
            if message.rstrip().endswith(":") and causes:
                message = causes[-1][1]
            reading.add(
                Diagnostic(
                    message=message,
                    detail="\n".join(log.lines[index + 1 : min(end, index + MOST)]),
                    tool="pre-commit",
                    log=log.span(index, end - 1),
                )
            )
            reading.claim(index, min(end + 1, len(log.lines)))
            reading.outcome = "error"
        elif named and (match := NO_HOOK.match(line)):
            reading.add(Diagnostic(message=match[0], tool="pre-commit", log=log.span(index)))
            reading.outcome = "error"
            reading.claim(index)
        elif named and (match := NOTICE.match(line)):
            if match["level"] == "ERROR":
                reading.add(Diagnostic(message=match["message"], tool="pre-commit", log=log.span(index)))
                reading.outcome = "error"
            reading.claim(index)
