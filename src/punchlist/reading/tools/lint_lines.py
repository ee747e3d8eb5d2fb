"""The one-line formats that JavaScript linters share: compact, unix and codeframe, with their common total."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Log, Reading
from punchlist.reading.oneline import number, severity

COMPACT = re.compile(r"(?P<file>.+?): line (?P<line>\d+), col (?P<column>\d+), (?P<word>[A-Za-z]+) - (?P<text>.*)$")
UNIX = re.compile(r"(?P<file>(?:[A-Za-z]:)?[^:\s][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<text>.*)$")
CODEFRAME = re.compile(
    r"(?P<word>error|warning): (?P<message>.+?)(?: \((?P<rule>[^()\s]+)\))? at "
    r"(?P<file>[^\s\n][^\n]*?)(?::(?P<line>\d+):(?P<column>\d+))?:?$",
    re.S,
)
END_COMPACT = re.compile(r"(?P<message>.*?)(?: \((?P<rule>[^()\s]+(?:\([^()\s]+\))?)\))?$")
END_UNIX = re.compile(
    r"(?P<message>.*?)(?: \((?P<rule2>[^()\s]+)\))? ?\[(?P<word>[Ee]rror|[Ww]arning|[Ii]nfo)(?:/(?P<rule>[^\]]+))?\]$"
)
TOTAL = re.compile(r"(?P<problems>\d+) problems?(?: \((?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?\))?$")
FRAME = re.compile(r"(?:> )?\s*\d* \| ?|>? +\|")
FRAME_TOTAL = re.compile(r"(?:(?P<errors>\d+) errors?)?(?: and )?(?:(?P<warnings>\d+) warnings?)? found\.$")
MOST_LINES = 60


def parse_lines(log: Log, reading: Reading, tool: str = "") -> None:
    """Add the findings of compact, unix and codeframe output to `reading`.

    The formats print one total or none; errors and warnings are counted where the findings read come to that total.
    """
    before = len(reading.diagnostics)
    total: int | None = None
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if ": line " in line and (head := COMPACT.match(log.whole(index))):
            index = _block(head, END_COMPACT, log, index, reading, tool)
        elif line.startswith(("error: ", "warning: ")):
            index = _framed(log, index, reading, tool)
        elif ":" in line and line[0] not in " \t[" and (head := UNIX.match(log.whole(index))):
            index = _block(head, END_UNIX, log, index, reading, tool)
        else:
            if (match := TOTAL.match(line)) and len(reading.diagnostics) > before:
                total = (total or 0) + int(match["problems"])
                reading.claim(index)
            elif (match := FRAME_TOTAL.match(line)) and match.lastgroup and len(reading.diagnostics) > before:
                reading.counts |= {name: int(value or 0) for name, value in match.groupdict().items()}
                reading.expected = before + sum(reading.counts.values())
                reading.claim(index)
            index += 1
    if len(reading.diagnostics) > before:
        _count(reading, before, total)


def without_total(reading: Reading) -> None:
    """Mark findings of a tool that always prints a total as cut off where none was read."""
    if reading.diagnostics and reading.expected is None:
        reading.partial = True
        reading.counts.clear()


def _count(reading: Reading, before: int, total: int | None) -> None:
    found = reading.diagnostics[before:]
    if total is not None:
        reading.expected = before + total
    if total in (None, len(found)) and "errors" not in reading.counts:
        reading.counts["errors"] = sum(d.severity == "error" for d in found)
        reading.counts["warnings"] = sum(d.severity == "warning" for d in found)


def _block(head: re.Match[str], ending: re.Pattern[str], log: Log, index: int, reading: Reading, tool: str) -> int:
    """Add the finding whose first line is `index`; its text runs on until a line ends as the format ends."""
    lines = [head["text"]]
    end = index + 1
    if ending is END_UNIX or ("(" not in head["text"] and not _next(log, end)):
        while not _ends(lines[-1], ending):
            if _next(log, end) or end - index > MOST_LINES:
                break
            lines.append(log.whole(end))
            end += 1
    tail = ending.match(lines[-1])
    if tail is None or (len(lines) > 1 and not _ends(lines[-1], ending)):
        if ending is END_UNIX:
            return index + 1
        lines, end, tail = lines[:1], index + 1, END_COMPACT.match(lines[0])
    parts = {**head.groupdict(), **{k: v for k, v in (tail.groupdict() if tail else {}).items() if v is not None}}
    lines[-1] = parts.get("message") or ""
    reading.add(
        Diagnostic(
            message=lines[0].strip() or (parts.get("rule") or head["text"]),
            severity=severity(parts["word"]),
            detail="\n".join(lines[1:]),
            file=head["file"],
            line=number(head["line"]),
            column=number(head["column"]),
            rule=parts.get("rule") or parts.get("rule2"),
            tool=tool,
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _ends(line: str, ending: re.Pattern[str]) -> bool:
    match = ending.match(line)
    return match is not None and (ending is END_UNIX or bool(match["rule"]))


def _next(log: Log, index: int) -> bool:
    """Whether a new finding, a total or the end stands at `index`."""
    if index >= len(log.lines) or index in log.gaps:
        return True
    line = log.lines[index]
    if TOTAL.match(line) or COMPACT.match(line) or UNIX.match(line):
        return True
    return not line and (index + 1 >= len(log.lines) or bool(TOTAL.match(log.lines[index + 1])))


def _framed(log: Log, index: int, reading: Reading, tool: str) -> int:
    """Add a finding of the codeframe format, whose text may run over lines up to the one that names the place."""
    last = index
    text = log.whole(index)
    while not (head := CODEFRAME.match(text)) or (head["line"] is None and " " in head["file"]):
        last += 1
        if last >= len(log.lines) or not log.lines[last] or last - index > 20:
            return index + 1
        text += f"\n{log.whole(last)}"
    end = last + 1
    while end < len(log.lines) and FRAME.match(log.lines[end]):
        end += 1
    first, _, rest = head["message"].partition("\n")
    reading.add(
        Diagnostic(
            message=first,
            severity=severity(head["word"]),
            detail=rest,
            file=head["file"],
            line=number(head["line"]),
            column=number(head["column"]),
            rule=head["rule"] if head["rule"] != "null" else None,
            tool=tool,
            log=log.span(index, last),
        )
    )
    reading.claim(index, end)
    return end
