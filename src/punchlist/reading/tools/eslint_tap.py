"""ESLint's `tap` formatter (in its core up to 8, a package since): a point a file, its messages in a YAML block."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Log, Reading
from punchlist.reading.oneline import number, severity

POINT = re.compile(r"(?P<not>not )?ok \d+ - (?P<file>\S.*)$")
MESSAGE = re.compile(r" +(?:- )?message: ?(?P<text>.*)$")
KEY = re.compile(r" +(?P<key>severity|line|column|ruleId): ?(?P<value>.*)$")
OTHER_KEY = re.compile(r" +(?:data|messages):$")


def read(log: Log, reading: Reading) -> bool:
    """Read every message of every file; whether the log is such a report."""
    if not any(line.lstrip().startswith("ruleId:") for line in log.lines):
        return False
    file, index, seen = "", 0, False
    while index < len(log.lines):
        line = log.lines[index]
        if point := POINT.match(line):
            file, seen = point["file"], True
            reading.claim(index)
        elif file and (said := MESSAGE.match(line)):
            index = _message(log, index, said["text"], file, reading)
            continue
        elif seen and (
            line.strip() in ("---", "...") or line.startswith(("TAP version", "1..")) or OTHER_KEY.match(line)
        ):
            reading.claim(index)
        index += 1
    for name in ("error", "warning"):
        reading.counts[f"{name}s"] = sum(d.severity == name for d in reading.diagnostics)
    return True


def _message(log: Log, index: int, text: str, file: str, reading: Reading) -> int:
    """One `message:` and the keys below it; a folded text goes on in deeper lines."""
    first, end = index, index + 1
    parts: dict[str, str] = {}
    while end < len(log.lines):
        line = log.lines[end]
        if key := KEY.match(line):
            parts[key["key"]] = _plain(key["value"])
        elif not parts and line.startswith("    ") and not OTHER_KEY.match(line):
            text += f" {line.strip()}"
        elif not line.strip().startswith("data:"):
            break
        end += 1
    reading.add(
        Diagnostic(
            message=_plain(text.removeprefix(">-").removeprefix("|-").strip()),
            severity=severity(parts.get("severity")),
            file=file,
            line=number(parts.get("line")),
            column=number(parts.get("column")),
            rule=parts.get("ruleId") or None,
            log=log.span(first, end - 1),
        )
    )
    reading.claim(first, end)
    return end


def _plain(text: str) -> str:
    """A YAML scalar without its quotes."""
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text[1:-1].replace('\\"', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text
