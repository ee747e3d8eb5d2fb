"""Read ansible-playbook and ansible (2.4 to 2.20): failed and unreachable hosts by task, parse errors, the recap.

Since 2.19 a task's error and its origin stand above the host's `fatal:` line.
"""

import json
import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.scan import filled

TASK = re.compile(r"(?:TASK|RUNNING HANDLER|HANDLER) \[(?P<name>.+?)\] \*+$")
FAILED = re.compile(
    r"(?P<word>fatal|failed): \[(?P<host>[^\]]+)\](?: \(item=(?P<item>.+?)\))?: ?"
    r"(?P<how>FAILED!|UNREACHABLE!)?(?:FAILED)? => (?P<rest>.*)$|failed: \[(?P<host2>[^\]]+)\] "
    r"\(item=(?P<item2>.+)\) => (?P<rest2>.*)$"
)
ADHOC = re.compile(r"(?P<host>\S+) \| (?P<how>FAILED|UNREACHABLE)!? ?(?:\| rc=\d+ >>|=> \{)?$")
ERROR = re.compile(r"(?:\[ERROR\]|ERROR!|ERROR): ?(?P<message>.+)$")
ORIGIN = re.compile(r"Origin: (?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?$")
APPEARS = re.compile(
    r"The error appears to (?:be in|have been in) '(?P<file>.+?)': line (?P<line>\d+), column (?P<column>\d+)"
)
SYNTAX = re.compile(r"\s+in \"(?P<file>.+?)\", line (?P<line>\d+), column (?P<column>\d+)")
RECAP = re.compile(
    r"(?P<host>\S+)\s+: ok=(?P<ok>\d+)\s+changed=\d+\s+unreachable=(?P<unreachable>\d+)\s+failed=(?P<failed>\d+)"
    r"(?:\s+skipped=(?P<skipped>\d+))?"
)
STOP = re.compile(r"(?:fatal|failed|ok|changed|skipping|included): \[|TASK \[|PLAY |RUNNING HANDLER|\.\.\.ignoring")
ALL_ITEMS = ("All items completed", "One or more items failed")
NEAR = 80


def parse(log: Log, _context: Context) -> Reading:
    """Read a run; failures that the play ignores or rescues are none."""
    reading = Reading()
    task = ""
    pending: Diagnostic | None = None
    items = False
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if match := TASK.match(line):
            task, pending, items = match["name"], None, False
            reading.claim(index)
        elif line.startswith(("fatal: [", "failed: [")) and (match := FAILED.match(line)):
            end = _failed(match, task, pending, items, log, index, reading)
            items = items or bool(match["item"] or match["item2"])
            pending = None
        elif line.startswith(("[ERROR]", "ERROR")) and (match := ERROR.match(line)):
            pending, end = _error(match, log, index)
            if not _in_task(log, end):
                reading.add(pending)
                reading.outcome = reading.outcome or "error"
                pending = None
            reading.claim(index, end)
        elif "ok=" in line and (match := RECAP.match(line)):
            reading.claim(index)
            bad = int(match["failed"]) or int(match["unreachable"])
            reading.outcome = "failed" if bad or reading.outcome == "failed" else "passed"
        elif line.startswith(("PLAY ", "ok: [", "changed: [", "skipping: [")):
            reading.claim(index)
        index = end
    return reading


def _in_task(log: Log, end: int) -> bool:
    """Whether a host's own line follows an error: then that line is the finding."""
    following = next((text for text in log.lines[end : end + 3] if text), "")
    return following.startswith(("fatal: [", "failed: ["))


def _error(match: re.Match[str], log: Log, index: int) -> tuple[Diagnostic, int]:
    end = index + 1
    place = None
    while end < len(log.lines) and end - index < NEAR and not STOP.match(log.lines[end]):
        if log.lines[end].startswith(("[ERROR]", "[WARNING]", "ERROR!")):
            break
        if (log.numbers[end] < 0) != (log.numbers[index] < 0):
            break
        found = ORIGIN.match(log.lines[end]) or APPEARS.match(log.lines[end]) or SYNTAX.match(log.lines[end])
        place = found or place
        end += 1
    end = filled(log.lines, index + 1, end)
    missing = re.search(r"the playbook: (?P<file>\S+) could not be found", match["message"])
    return (
        Diagnostic(
            message=match["message"],
            detail="\n".join(log.lines[index + 1 : end]),
            file=place["file"] if place else missing["file"] if missing else None,
            line=number(place["line"]) if place else None,
            column=number(place["column"]) if place else None,
            tool="ansible",
            log=log.span(index, end - 1),
        ),
        end,
    )


def _failed(
    match: re.Match[str],
    task: str,
    pending: Diagnostic | None,
    items: bool,
    log: Log,
    index: int,
    reading: Reading,
) -> int:
    rest = match["rest"] if match["rest"] is not None else match["rest2"] or ""
    host, item = match["host"] or match["host2"], match["item"] or match["item2"]
    end = index + 1
    if rest.strip() == "{":
        while end < len(log.lines) and log.lines[end] != "}" and not STOP.match(log.lines[end]):
            end += 1
        end = min(len(log.lines), end + 1)
        rest = "\n".join(["{", *log.lines[index + 1 : end]])
    reading.claim(index, end)
    if end < len(log.lines) and log.lines[end].startswith("...ignoring"):
        reading.claim(end)
        return end + 1
    message, detail = _result(log.whole(index) if rest.count("\n") == 0 else rest, rest)
    if items and message.startswith(ALL_ITEMS):
        return end
    place = pending or _place(message + "\n" + detail)
    reading.add(
        Diagnostic(
            message=message,
            detail=detail,
            file=place.file if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            test=" > ".join(part for part in (f"[{host}]", task, f"item={item}" if item else "") if part),
            tool="ansible",
            log=log.span(index, end - 1),
        )
    )
    reading.outcome = "failed"
    return end


def _result(line: str, rest: str) -> tuple[str, str]:
    """The message and what the program printed, from the result's JSON."""
    text = line[line.find("=> ") + 3 :] if "\n" not in rest and "=> " in line else rest
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()[:2000] or "failed", ""
    if not isinstance(value, dict):
        return str(value), ""
    message = value.get("msg")
    message = message if isinstance(message, str) else json.dumps(message) if message else "failed"
    parts = [value.get(key) for key in ("stderr", "module_stderr", "stdout", "module_stdout")]
    said = "\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    first, _, more = message.partition("\n")
    return first, "\n".join(part for part in (more, said) if part)


def _place(text: str) -> Diagnostic | None:
    match = APPEARS.search(text)
    if not match:
        return None
    return Diagnostic(message="", file=match["file"], line=number(match["line"]), column=number(match["column"]))
