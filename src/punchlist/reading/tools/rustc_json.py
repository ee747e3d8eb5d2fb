"""Read rustc's JSON diagnostics: cargo's and clippy's `--message-format=json` stream, `rustc --error-format=json`."""

import json

from punchlist.model import Diagnostic, Edit, Fix, Related, Severity
from punchlist.reading.formats.json_values import dicts_of, inner, number_of, text_of
from punchlist.reading.log import Context, Log, Reading

SKIPPED = (
    "aborting due to",
    "warnings emitted",
    "1 warning emitted",
    "Some errors have detailed explanations",
    "For more information about",
)
LEVELS: dict[str, Severity] = {"error": "error", "error: internal compiler error": "error", "warning": "warning"}
DETAIL_LINES = 60


def parse(log: Log, _context: Context) -> Reading:
    """Read one message a line; notes on their own (`note`, `failure-note`) are passed over."""
    reading = Reading()
    errors = warnings = 0
    for index, line in enumerate(log.lines):
        if not line.startswith("{") or (
            '"reason"' not in line and '"$message_type"' not in line and '"spans"' not in line
        ):
            continue
        try:
            value = json.loads(log.whole(index))
        except (ValueError, RecursionError):
            continue
        reason = text_of(value, "reason")
        message = inner(value, "message") if reason == "compiler-message" else value
        if reason == "build-finished":  # left unclaimed: it tells the reader of cargo's text where the errors stood
            reading.outcome = "passed" if value.get("success") is True else "failed"
            continue
        if reason and reason != "compiler-message":
            reading.claim(index)
            continue
        if not isinstance(message, dict) or "level" not in message or "spans" not in message:
            continue
        reading.claim(index)
        found = diagnostic(message, log, index, text_of(value, "package_id"))
        if found is None:
            continue
        errors += found.severity == "error"
        warnings += found.severity == "warning"
        reading.add(found)
    if errors or warnings:
        reading.counts = {name: value for name, value in (("errors", errors), ("warnings", warnings)) if value}
    return reading


def diagnostic(message: dict[str, object], log: Log, index: int, package: str = "") -> Diagnostic | None:
    """Turn one message into a finding, with its suggestions as a fix; None for totals and bare notes."""
    level = text_of(message, "level")
    text = text_of(message, "message")
    if level not in LEVELS or not text or text.startswith(SKIPPED) or text.endswith(SKIPPED[1]):
        return None
    spans = dicts_of(message, "spans")
    primary = next((span for span in spans if span.get("is_primary") is True), None)
    rendered = text_of(message, "rendered").rstrip().split("\n")[1:]
    return Diagnostic(
        message=text.split("\n")[0],
        severity=LEVELS[level],
        detail="\n".join([*text.split("\n")[1:], *rendered[:DETAIL_LINES]]),
        file=text_of(primary, "file_name") or None,
        line=number_of(primary, "line_start"),
        column=number_of(primary, "column_start"),
        end_line=number_of(primary, "line_end"),
        end_column=number_of(primary, "column_end"),
        rule=text_of(message, "code", "code") or None,
        package=_package(package),
        related=_related(message, spans),
        fix=fix_of(message),
        log=log.span(index),
    )


def _package(identity: str) -> str | None:
    """The package's name out of its id: `path+file:///x/model#0.1.0`, `...#name@0.1.0` or `name 0.1.0 (...)`."""
    if not identity:
        return None
    if " " in identity:
        return identity.split(" ", 1)[0]
    head, _, tail = identity.partition("#")
    return tail.split("@")[0] if "@" in tail else head.rstrip("/").rsplit("/", 1)[-1].split("?")[0] or None


def _related(message: dict[str, object], spans: list[dict[str, object]]) -> tuple[Related, ...]:
    found = [
        Related(
            text_of(span, "label"),
            text_of(span, "file_name"),
            number_of(span, "line_start"),
            number_of(span, "column_start"),
        )
        for span in spans
        if span.get("is_primary") is not True and text_of(span, "label")
    ]
    for child in dicts_of(message, "children"):
        label = f"{text_of(child, 'level')}: {text_of(child, 'message')}"
        found += [
            Related(label, text_of(s, "file_name"), number_of(s, "line_start"), number_of(s, "column_start"))
            for s in dicts_of(child, "spans")
            if not isinstance(s.get("suggested_replacement"), str)
        ]
    return tuple(found[:20])


def fix_of(message: dict[str, object]) -> Fix | None:
    """Return the first suggestion that can be applied as it is; safe only where rustc says MachineApplicable."""
    for child in [message, *dicts_of(message, "children")]:
        spans = [s for s in dicts_of(child, "spans") if isinstance(s.get("suggested_replacement"), str)]
        levels = {text_of(span, "suggestion_applicability") for span in spans}
        if not spans or not levels <= {"MachineApplicable", "MaybeIncorrect"}:
            continue
        edits = [_edit(span) for span in spans]
        if all(edits):
            return Fix(tuple(e for e in edits if e), levels == {"MachineApplicable"}, text_of(child, "message"))
    return None


def _edit(span: dict[str, object]) -> Edit | None:
    numbers = [number_of(span, key) for key in ("line_start", "column_start", "line_end", "column_end")]
    file = text_of(span, "file_name")
    if not file or None in numbers:
        return None
    line, column, end_line, end_column = (number or 1 for number in numbers)
    return Edit(file, line, column, end_line, end_column, text_of(span, "suggested_replacement"))
