"""Read GitLab code quality reports and Code Climate issues: a list, or one object after another.

Severities: blocker, critical and major are errors (ruff, ty, mypy, eslint and stylelint write their errors as major),
minor is a warning.
"""

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading

SEVERITIES: dict[str, Severity] = {
    "blocker": "error",
    "critical": "error",
    "major": "error",
    "minor": "warning",
    "info": "info",
    "unknown": "warning",
}


def parse(log: Log, context: Context) -> Reading:
    """Read every code quality issue."""
    reading = Reading()
    tool = context.words[0] if context.words else ""
    for value in js.values(log):
        items = [item for item in value.dicts() if is_issue(item)]
        if not items:
            continue
        at = value.first
        for item in items:
            at = js.lines_with(log, value, js.text_of(item, "description").split("\n")[0], at)
            reading.add(_diagnostic(item, tool, log, at))
            at = min(at + 1, value.end - 1)
        js.claim(reading, log, value)
        reading.partial = reading.partial or not value.whole
    for name, word in (("errors", "error"), ("warnings", "warning")):
        count = sum(d.severity == word for d in reading.diagnostics)
        if count:
            reading.counts[name] = count
    if reading.counts.get("errors"):
        reading.outcome = "failed"
    return reading


def is_issue(item: dict[str, object]) -> bool:
    """Whether an object has the shape of an issue."""
    return isinstance(item.get("description"), str) and isinstance(js.inner(item, "location", "path"), str)


def _diagnostic(item: dict[str, object], tool: str, log: Log, at: int) -> Diagnostic:
    rule = js.text_of(item, "check_name") or js.text_of(item, "name")
    message, rest = js.message_of(item, "description")
    for lead in (f"{rule}: ", f"[{rule}] "):
        message = message.removeprefix(lead) if rule else message
    place = js.inner(item, "location")
    return Diagnostic(
        message=message or rule,
        detail="\n".join(filter(None, [rest, js.text_of(item, "content", "body")])),
        severity=SEVERITIES.get(js.text_of(item, "severity").casefold(), "error"),
        file=js.text_of(place, "path"),
        line=js.number_of(place, "lines", "begin")
        or js.number_of(place, "positions", "begin", "line")
        or js.number_of(place, "lines", "begin", "line"),
        column=js.number_of(place, "positions", "begin", "column"),
        end_line=js.number_of(place, "lines", "end") or js.number_of(place, "positions", "end", "line"),
        rule=rule or None,
        tool=js.text_of(item, "engine_name") or tool,
        log=log.span(at),
    )
