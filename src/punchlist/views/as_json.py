"""A report as the JSON of `punchlist read`: diagnostics, groups, notes; absent fields are left out."""

from collections.abc import Mapping
from typing import Any

from punchlist.analysis.groups import group
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic, Report
from punchlist.views.masking import mask

DETAIL_LIMIT = 8000
_PLAIN = ("column", "end_line", "end_column", "rule", "tool", "state")


def read_json(report: Report) -> dict[str, Any]:
    """Shape a report for a program: outcome, tool, counts, exit_code, diagnostics in total order, groups, notes."""
    out: dict[str, Any] = {
        "outcome": report.outcome,
        "tool": "+".join(report.tools) or None,
        "tools": list(report.tools) if len(report.tools) > 1 else None,
        "counts": dict(report.counts),
        "exit_code": report.how.exit_code,
        "signal": report.how.signal,
        "ending": report.how.ending if report.how.ending not in ("none", "exit") else None,
        "partial": report.partial or None,
        "diagnostics": [diagnostic_json(d) for d in report.diagnostics],
        "groups": _groups(report),
        "notes": [mask(note) for note in report.notes],
        "excerpt": [{"stream": s, "line": n, "text": mask(text)} for s, n, text in report.excerpt] or None,
    }
    return _present(out)


def diagnostic_json(d: Diagnostic) -> dict[str, Any]:
    """Shape one diagnostic; positions are 1-based code points, ends exclusive."""
    return _present(
        {
            "severity": d.severity,
            "message": mask(d.message),
            "detail": mask(d.detail[:DETAIL_LIMIT]) or None,
            "file": d.file,
            "line": d.line,
            **{name: getattr(d, name) or None for name in _PLAIN},
            "test": mask(d.test) if d.test else None,
            "package": d.package,
            "derived": d.derived or None,
            "times": d.times if d.times > 1 else None,
            "related": [
                _present({"message": mask(r.message), "file": r.file, "line": r.line, "column": r.column})
                for r in d.related
            ]
            or None,
            "fix": _fix(d),
            "log": {"stream": d.log.stream, "first": d.log.first, "last": d.log.last} if d.log else None,
        }
    )


def _fix(d: Diagnostic) -> dict[str, Any] | None:
    if d.fix is None:
        return None
    edits = [
        {
            "file": e.file,
            "line": e.line,
            "column": e.column,
            "end_line": e.end_line,
            "end_column": e.end_column,
            "text": e.text,
        }
        for e in d.fix.edits
    ]
    return {"safe": d.fix.safe, "title": d.fix.title, "edits": edits}


def _groups(report: Report) -> list[dict[str, Any]]:
    index = {id(d): i for i, d in enumerate(report.diagnostics)}
    return [
        _present(
            {
                "fingerprint": g.fingerprint,
                "severity": g.severity,
                "rule": g.rule,
                "message": mask(g.message),
                "count": g.count,
                "cause": {"file": g.diagnostics[0].file, "line": g.diagnostics[0].line} if g.cause else None,
                "diagnostics": [index[id(d)] for d in g.diagnostics],
            }
        )
        for g in ranked(group(report.diagnostics))
    ]


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
