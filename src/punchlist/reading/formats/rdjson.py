"""Read the reviewdog diagnostic format: RDJSON (one object) and RDJSONL (one diagnostic a line)."""

from punchlist.model import Diagnostic, Edit, Fix
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import severity


def parse(log: Log, context: Context) -> Reading:
    """Read every diagnostic in one of the two forms."""
    reading = Reading()
    tool = context.words[0] if context.words else ""
    for value in js.values(log):
        found = False
        for item in value.dicts():
            if isinstance(item.get("diagnostics"), list) and _is_report(item):
                found = True
                source = js.text_of(item, "source", "name") or tool
                _add_all(js.dicts_of(item, "diagnostics"), source, js.text_of(item, "severity"), value, log, reading)
            elif isinstance(js.inner(item, "location", "path"), str) and "message" in item:
                found = True
                _add_all([item], tool, "", value, log, reading)
        if found:
            js.claim(reading, log, value)
            reading.partial = reading.partial or not value.whole
    for name, word in (("errors", "error"), ("warnings", "warning")):
        count = sum(d.severity == word for d in reading.diagnostics)
        if count:
            reading.counts[name] = count
    if reading.claimed:
        reading.outcome = "failed" if reading.counts.get("errors") else None if reading.diagnostics else "passed"
    return reading


def _is_report(item: dict[str, object]) -> bool:
    found = js.dicts_of(item, "diagnostics")
    return "source" in item or any(isinstance(js.inner(d, "location", "path"), str) for d in found)


def _add_all(
    items: list[dict[str, object]], tool: str, default: str, value: js.Value, log: Log, reading: Reading
) -> None:
    at = value.first
    for item in items:
        message, rest = js.message_of(item, "message")
        at = js.lines_with(log, value, message, at)
        file = js.text_of(item, "location", "path")
        own = js.text_of(item, "source", "name") or tool
        # ruff writes WARNING for the whole report, whatever it found (0.1 to 0.17).
        word = js.text_of(item, "severity") or ("error" if own == "ruff" else default)
        reading.add(
            Diagnostic(
                message=message,
                detail=rest,
                severity=severity(word, "warning"),
                file=file or None,
                line=js.number_of(item, "location", "range", "start", "line"),
                column=js.number_of(item, "location", "range", "start", "column"),
                end_line=js.number_of(item, "location", "range", "end", "line"),
                end_column=js.number_of(item, "location", "range", "end", "column"),
                rule=js.text_of(item, "code", "value") or None,
                tool=own,
                fix=_fix(item, file),
                log=log.span(at),
            )
        )
        at = min(at + 1, value.end - 1)


def _fix(item: dict[str, object], file: str) -> Fix | None:
    edits = []
    for suggestion in js.dicts_of(item, "suggestions"):
        at = [js.number_of(suggestion, "range", end, key) for end in ("start", "end") for key in ("line", "column")]
        line, column, end_line, end_column = at
        if line and column and end_line and end_column and file:
            edits.append(Edit(file, line, column, end_line, end_column, js.text_of(suggestion, "text")))
    return Fix(tuple(edits), safe=False) if edits else None
