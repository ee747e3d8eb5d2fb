"""Read HLint's JSON: a list of hints, each with its place, what it found and what would do."""

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading

LEVELS: dict[str, Severity] = {"Error": "error", "Warning": "warning", "Suggestion": "info", "Ignore": "hint"}


def parse(log: Log, _context: Context) -> Reading:
    """Read every hint."""
    reading = Reading()
    for value in js.values(log):
        hints = [item for item in value.dicts() if js.text_of(item, "hint") and "startLine" in item]
        if not hints:
            continue
        at = value.first
        for hint in hints:
            at = js.lines_with(log, value, js.text_of(hint, "hint"), at)
            reading.add(_diagnostic(hint, log, at))
            at = min(at + 1, value.end - 1)
        js.claim(reading, log, value)
        reading.partial = reading.partial or not value.whole
    return reading


def _diagnostic(hint: dict[str, object], log: Log, at: int) -> Diagnostic:
    found, better = js.text_of(hint, "from"), js.text_of(hint, "to")
    return Diagnostic(
        message=js.text_of(hint, "hint"),
        severity=LEVELS.get(js.text_of(hint, "severity"), "warning"),
        detail="\n".join([*(["Found:", found] if found else []), *(["Perhaps:", better] if better else [])]),
        file=js.text_of(hint, "file"),
        line=js.number_of(hint, "startLine"),
        column=js.number_of(hint, "startColumn"),
        end_line=js.number_of(hint, "endLine"),
        end_column=js.number_of(hint, "endColumn"),
        tool="hlint",
        log=log.span(at),
    )
