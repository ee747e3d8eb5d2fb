"""Read gcc's JSON diagnostics (`-fdiagnostics-format=json`, gcc 9 to 14): one array for each compilation."""

from punchlist.model import Diagnostic, Edit, Fix, Related, Severity
from punchlist.reading.formats.json_values import claim, dicts_of, inner, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading

KINDS: dict[str, Severity] = {
    "error": "error", "fatal error": "error", "internal compiler error": "error", "sorry, unimplemented": "error",
    "warning": "warning", "pedwarn": "warning",
}  # fmt: skip


def parse(log: Log, _context: Context) -> Reading:
    """Read every array of diagnostics."""
    reading = Reading()
    for value in values(log):
        made = [item for item in value.dicts() if "kind" in item and "locations" in item and "message" in item]
        if not made:
            continue
        claim(reading, log, value)
        for item in made:
            found = _diagnostic(item, log, value.first, value.end)
            if found is not None:
                reading.add(found)
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


def _diagnostic(item: dict[str, object], log: Log, first: int, end: int) -> Diagnostic | None:
    severity = KINDS.get(text_of(item, "kind"))
    if severity is None:
        return None
    location = next(iter(dicts_of(item, "locations")), {})
    related = []
    notes = []
    for child in dicts_of(item, "children"):
        place = next(iter(dicts_of(child, "locations")), {})
        notes.append(f"{text_of(child, 'kind')}: {text_of(child, 'message')}")
        line, column = number_of(place, "caret", "line"), _column(place, "caret")
        related.append(Related(text_of(child, "message"), text_of(place, "caret", "file") or None, line, column))
    return Diagnostic(
        message=text_of(item, "message"),
        severity=severity,
        detail="\n".join(notes[:40]),
        file=text_of(location, "caret", "file") or None,
        line=number_of(location, "caret", "line"),
        column=_column(location, "caret"),
        end_line=number_of(location, "finish", "line"),
        end_column=_after(_column(location, "finish")),
        rule=text_of(item, "option") or None,
        related=tuple(related[:20]),
        fix=_fix(item),
        log=log.span(first, end - 1),
    )


def _column(location: dict[str, object], key: str) -> int | None:
    return number_of(location, key, "display-column") or number_of(location, key, "column")


def _after(column: int | None) -> int | None:
    return column + 1 if column else None


def _fix(item: dict[str, object]) -> Fix | None:
    edits = []
    for hint in dicts_of(item, "fixits"):
        numbers = [number_of(hint, end, key) for end in ("start", "next") for key in ("line", "column")]
        text = inner(hint, "string")
        if None in numbers or not isinstance(text, str):
            return None
        line, column, end_line, end_column = (number or 1 for number in numbers)
        edits.append(Edit(text_of(hint, "start", "file"), line, column, end_line, end_column, text))
    return Fix(tuple(edits), False) if edits else None
