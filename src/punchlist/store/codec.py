"""Reports to bytes and back: JSON of the records, defaults left out, compressed."""

import json
import zlib
from typing import Any

from punchlist.model import Diagnostic, Edit, Fix, How, Related, Report, Span
from punchlist.records import fields

_DEFAULTS: dict[str, Any] = {f.name: f.default for f in fields(Diagnostic)}


def to_plain(d: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as plain values, defaults left out."""
    plain = {name: value for name in _DEFAULTS if (value := getattr(d, name)) != _DEFAULTS[name]}
    if d.log:
        plain["log"] = [d.log.stream, d.log.first, d.log.last]
    if d.related:
        plain["related"] = [[r.message, r.file, r.line, r.column] for r in d.related]
    if d.fix:
        edits = [[e.file, e.line, e.column, e.end_line, e.end_column, e.text] for e in d.fix.edits]
        plain["fix"] = [edits, d.fix.safe, d.fix.title]
    return plain


def from_plain(plain: dict[str, Any]) -> Diagnostic:
    """Rebuild a diagnostic; keys of a newer version are ignored."""
    values = {name: value for name, value in plain.items() if name in _DEFAULTS}
    if "log" in values:
        values["log"] = Span(*values["log"])
    if "related" in values:
        values["related"] = tuple(Related(*r) for r in values["related"])
    if "fix" in values:
        edits, safe, title = values["fix"]
        values["fix"] = Fix(tuple(Edit(*e) for e in edits), safe, title)
    return Diagnostic(**values)


def pack(report: Report) -> bytes:
    """Return a report as compressed JSON."""
    how = report.how
    plain = {
        "outcome": report.outcome,
        "tools": report.tools,
        "counts": report.counts,
        "diagnostics": [to_plain(d) for d in report.diagnostics],
        "notes": report.notes,
        "excerpt": report.excerpt,
        "partial": report.partial,
        "how": [how.ending, how.exit_code, how.signal, how.message],
    }
    return zlib.compress(
        json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"), 3
    )


def unpack(packed: bytes) -> Report:
    """Rebuild a report."""
    plain = json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))
    ending, exit_code, signal, message = plain["how"]
    return Report(
        outcome=plain["outcome"],
        tools=tuple(plain["tools"]),
        counts=plain["counts"],
        diagnostics=tuple(from_plain(d) for d in plain["diagnostics"]),
        notes=tuple(plain["notes"]),
        excerpt=tuple((stream, number, text) for stream, number, text in plain["excerpt"]),
        partial=plain["partial"],
        how=How(ending=ending, exit_code=exit_code, signal=signal, message=message),
    )
