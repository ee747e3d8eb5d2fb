"""Read structured logs: one JSON object a line, with numeric (pino, bunyan) or worded levels.

Only errors become findings. An error with a stack points at the project's innermost frame. A log line is no verdict:
what a program logged while it succeeded does not fail it.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats import json_values as js
from punchlist.reading.formats.places import place_in
from punchlist.reading.log import Context, Log, Reading

LEVEL_KEYS = ("level", "severity", "levelname", "log.level", "lvl", "@l", "log_level", "Level", "LEVEL")
TEXT_KEYS = ("msg", "message", "@m", "event", "@mt", "text", "Message", "short_message", "MessageTemplate")
STACKS = (
    "stack",
    "stack_trace",
    "stacktrace",
    "stackTrace",
    "exc_info",
    "exception",
    "traceback",
    "@x",
    "error.stack_trace",
)
ERRORS = ("err", "error", "exception", "exc", "cause")
FAILING = re.compile(r"(?:error|err|fatal|critical|crit|alert|emerg(?:ency)?|panic|severe|dpanic)$", re.I)
# pino and bunyan: 50 error, 60 fatal.
NUMERIC = 50
DETAIL_LINES = 60


def parse(log: Log, context: Context) -> Reading:
    """Read the error lines of a structured log, where at least half of what is printed is such a log."""
    reading = Reading()
    lines = 0
    found = []
    for value in js.values(log):
        if value.end != value.first + 1 or not isinstance(value.value, dict):
            continue
        level, text = _level(value.value), _text(value.value)
        if level is None or text is None:
            continue
        lines += 1
        reading.claim(value.first)
        if _is_error(level):
            found.append(_diagnostic(value.value, text, log, value.first, context))
    printed = sum(1 for line in log.lines if line.strip())
    if not lines or lines * 2 < printed:
        return Reading()
    reading.diagnostics = found
    if context.exit_code == 0:
        reading.outcome = "passed"
    return reading


def _level(item: dict[str, object]) -> str | int | None:
    for key in LEVEL_KEYS:
        level = item.get(key)
        if isinstance(level, (str, int)) and not isinstance(level, bool):
            return level
    inner = js.inner(item, "log", "level")
    return inner if isinstance(inner, str) else None


def _text(item: dict[str, object]) -> str | None:
    for key in TEXT_KEYS:
        text = item.get(key)
        if isinstance(text, str):
            return text
    return js.text_of(item, "err", "message") or js.text_of(item, "error", "message") or None


def _is_error(level: str | int) -> bool:
    if isinstance(level, str) and level.isdigit():
        level = int(level)
    return level >= NUMERIC if isinstance(level, int) else bool(FAILING.match(level))


def _diagnostic(item: dict[str, object], text: str, log: Log, index: int, context: Context) -> Diagnostic:
    stack = next((s for key in STACKS if (s := js.text_of(item, key))), "")
    name = ""
    for key in ERRORS:
        stack = stack or js.text_of(item, key, "stack") or js.text_of(item, key, "stacktrace")
        name = name or js.text_of(item, key, "message") or js.text_of(item, key)
    place = place_in(stack, context.root) if stack else None
    caller = js.text_of(item, "caller")
    if place is None and re.match(r"[\w./-]+\.\w+:\d+$", caller):
        place = place_in(f" {caller}", context.root)
    message, _, rest = text.strip().partition("\n")
    more = [name] if name and name.split("\n")[0] not in message and name != stack else []
    return Diagnostic(
        message=message or name.split("\n")[0] or "error",
        detail="\n".join([*more, *rest.split("\n"), *stack.split("\n")][:DETAIL_LINES]).strip("\n"),
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        log=log.span(index),
    )
