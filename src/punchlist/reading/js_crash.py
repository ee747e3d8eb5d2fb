"""Uncaught exceptions as Node.js prints them: what runs of any JavaScript tool end with when the tool itself breaks."""

import re
from collections.abc import Iterator

from punchlist.model import Diagnostic
from punchlist.reading.js_frames import Frame, frame, innermost, is_own, path
from punchlist.reading.log import Log
from punchlist.records import dataclass

# `TypeError: x`, `Error [ERR_X]: x`, `AggregateError`, `[UnhandledPromiseRejection: x`
THROWN = re.compile(
    r"(?:Uncaught[: ]+|Unhandled[: ]+)?(?P<name>[A-Z]\w*(?:Error|Exception|Rejection|Warning)|Error|DOMException"
    r"|\[UnhandledPromiseRejection)(?: \[(?P<code>[^\]]+)\])*(?::|$)"
)
HEADER = re.compile(r"(?P<file>(?:file://|node:|/|[A-Za-z]:[\\/]|\.{0,2}/)?[^\s:*?\"<>|][^:*?\"<>|]*):(?P<line>\d+)$")
CARET = re.compile(r"\s*\^+\s*$")
CODE = re.compile(r"\[(ERR_[A-Z_0-9]+|E[A-Z]{3,})\]|code: '(ERR_[A-Z_0-9]+|MODULE_NOT_FOUND|E[A-Z]{3,})'")
IMPORTER = re.compile(r"imported from (?P<file>(?:file://|[A-Za-z]:[\\/]|/)\S.*?)(?:\s+at\b.*)?$")
REQUIRED_BY = re.compile(r"- (?P<file>(?:[A-Za-z]:[\\/]|/)\S.*)$")
HEAP = re.compile(r"FATAL ERROR: (?P<message>.*(?:heap|memory|Allocation).*)")
NODE_END = re.compile(r"(?:Node\.js|Bun|Deno) v\d")
LONGEST = 120


@dataclass(frozen=True, slots=True)
class Crash:
    """One uncaught exception: lines `first` up to `end` (indexes), the line `at` that says what was thrown."""

    first: int
    at: int
    end: int
    message: str
    rule: str | None
    file: str | None
    line: int | None
    column: int | None
    detail: str

    def diagnostic(self, log: Log, tool: str = "") -> Diagnostic:
        """Return the crash as a finding."""
        return Diagnostic(
            message=self.message,
            detail=self.detail,
            file=self.file,
            line=self.line,
            column=self.column,
            rule=self.rule,
            tool=tool,
            log=log.span(self.at, self.end - 1),
        )


def crashes(log: Log, first: int = 0, end: int | None = None) -> Iterator[Crash]:
    """Yield the uncaught exceptions between two lines: `path:line`, source, caret, error, frames, `Node.js v20`."""
    end = len(log.lines) if end is None else end
    index = first
    while index < end:
        line = log.lines[index]
        found = None
        if line.endswith(tuple("0123456789")) and ":" in line and (header := HEADER.match(line)):
            found = _with_source(log, index, end, header)
        elif line.startswith("FATAL ERROR: ") and (match := HEAP.match(line)):
            found = Crash(index, index, index + 1, match["message"], None, None, None, None, "")
        if found:
            yield found
            index = found.end
        else:
            index += 1


def startup(log: Log) -> Crash | None:
    """Return what kept a tool from starting: an uncaught exception, else the first line that names an error."""
    for crash in crashes(log):
        return crash
    thrown = next((at for at, line in enumerate(log.lines) if line[:1] not in " \t" and THROWN.match(line)), None)
    return None if thrown is None else build(log, thrown, thrown, len(log.lines))


def _with_source(log: Log, index: int, end: int, header: re.Match[str]) -> Crash | None:
    at = index + 1
    limit = min(end, index + 12)
    while at < limit and not CARET.match(log.lines[at]):
        at += 1
    if at >= limit:
        return None
    at += 1
    while at < limit + 3 and at < end and not log.lines[at].strip():
        at += 1
    if at >= end:
        return None
    thrown = THROWN.match(log.lines[at])
    if not thrown and not _ends_with_node(log, at, end):
        return None
    return build(log, index, at, end, header)


def _ends_with_node(log: Log, at: int, end: int) -> bool:
    return any(NODE_END.match(log.lines[i]) for i in range(at, min(end, at + LONGEST)))


def build(log: Log, first: int, at: int, end: int, header: re.Match[str] | None = None) -> Crash:
    """Build the crash whose error stands on line `at`; it ends behind its frames, its properties and the version."""
    stop = at + 1
    while stop < end and stop < at + LONGEST and _belongs(log.lines, stop, end):
        stop += 1
        if NODE_END.match(log.lines[stop - 1]):
            break
    while stop > at + 1 and not log.lines[stop - 1].strip():
        stop -= 1
    body = log.lines[at:stop]
    where = _place(body, header)
    code = CODE.search("\n".join(body))
    return Crash(
        first,
        at,
        stop,
        log.whole(at).strip(),
        (code[1] or code[2]) if code else None,
        *where,
        own_detail(body[1:]),
    )


def _belongs(lines: list[str], index: int, end: int) -> bool:
    """Whether a line still belongs to an error: frames, properties, message lines; one blank line may stand between."""
    line = lines[index]
    if not line.strip():
        following = next((lines[i] for i in range(index + 1, min(end, index + 3)) if lines[i].strip()), "")
        return following.startswith(("    at ", "  [", "Node.js v", "}", "  code:", "Require stack")) or bool(
            following and frame(following)
        )
    return not HEADER.match(line) and not line.startswith(("✖", "✔", "▶", "ℹ", "not ok", "ok ", "# "))


def _place(body: list[str], header: re.Match[str] | None) -> tuple[str | None, int | None, int | None]:
    head = body[0]
    shown = Frame(path(header["file"]), int(header["line"])) if header else None
    own_shown = shown is not None and is_own(shown.file)
    if shown and own_shown and head.startswith("SyntaxError"):
        return shown.file, shown.line, None
    if found := innermost(body):
        return found.file, found.line, found.column
    if shown and own_shown:
        return shown.file, shown.line, None
    for line in body:
        if match := IMPORTER.search(line) or REQUIRED_BY.match(line):
            return path(match["file"]), None, None
    return None, None, None


def own_detail(lines: list[str], limit: int = 60) -> str:
    """Return what else an error says: its lines without foreign frames and version, at most `limit` of them."""
    kept: list[str] = []
    for line in lines:
        found = frame(line)
        if (found and not found.own) or NODE_END.match(line) or (not line.strip() and not (kept and kept[-1].strip())):
            continue
        kept.append(line)
    while kept and not kept[-1].strip():
        kept.pop()
    if len(kept) > limit:
        kept = [*kept[: limit - 15], f"... {len(kept) - limit + 1} more lines", *kept[-14:]]
    return "\n".join(kept)
