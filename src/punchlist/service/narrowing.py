"""Narrow a report to what a caller asks for: one severity, so many groups and occurrences, another order."""

from collections.abc import Mapping
from typing import Any

from punchlist.analysis.groups import group
from punchlist.analysis.ranking import ranked
from punchlist.model import Report
from punchlist.records import replace


def narrowed(report: Report, options: Mapping[str, Any]) -> Report:
    """Return the report with what `severity`, `max_groups` and `max_occurrences` leave; a note counts the rest."""
    wanted = [d for d in report.diagnostics if options.get("severity") in (None, d.severity)]
    groups = list(ranked(group(wanted)))
    if options.get("sort_by") == "count":
        groups.sort(key=lambda g: -g.count)
    most_groups = options.get("max_groups", len(groups))
    most = options.get("max_occurrences", len(wanted))
    kept = tuple(d for g in groups[:most_groups] for d in g.diagnostics[:most])
    left = len(report.diagnostics) - len(kept)
    notes = (f"{left} findings left out as asked",) if left else ()
    return replace(report, diagnostics=kept, notes=(*report.notes, *notes))
