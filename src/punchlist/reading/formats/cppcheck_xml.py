"""Read cppcheck's XML (versions 2 and 3 of the format): the first location is the place, the others the way to it."""

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.xml_values import Document, documents, name_of
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number

LEVELS: dict[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "style": "info",
    "performance": "info",
    "portability": "info",
    "information": "info",
    "none": "info",
    "debug": "hint",
}


def parse(log: Log, _context: Context) -> Reading:
    """Read every document that names cppcheck; its progress lines say nothing."""
    reading = Reading()
    for document in documents(log, "results"):
        if not any(name_of(item) == "cppcheck" for item in document.root):
            continue
        _errors(document, log, reading)
        document.claim(reading)
        reading.partial = reading.partial or not document.whole
        if any(d.severity == "error" for d in reading.diagnostics):
            reading.outcome = "failed"
        elif reading.outcome is None and not reading.diagnostics:
            reading.outcome = "passed"
    return reading


def _errors(document: Document, log: Log, reading: Reading) -> None:
    lines = document.lines_of("error")
    for at, item in enumerate(one for one in document.root.iter() if name_of(one) == "error"):
        line = lines[at][0] if at < len(lines) else document.first
        places = [part for part in item if name_of(part) == "location"]
        place = places[0] if places else None
        verbose = item.get("verbose") or ""
        way = [f"{p.get('file')}:{p.get('line')}:{p.get('column')}: {p.get('info')}" for p in places if p.get("info")]
        reading.add(
            Diagnostic(
                message=item.get("msg") or verbose or item.get("id") or "no message",
                severity=LEVELS.get(item.get("severity") or "", "warning"),
                detail="\n".join([*([verbose] if verbose != item.get("msg") else []), *way]),
                file=place.get("file") if place is not None else None,
                line=number(place.get("line")) if place is not None else None,
                column=number(place.get("column")) if place is not None else None,
                rule=item.get("id"),
                tool="cppcheck",
                log=log.span(line),
            )
        )
