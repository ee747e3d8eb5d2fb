"""Read checkstyle XML of any writer: checkstyle, phpcs, phpstan, oxlint, stylelint, ktlint, detekt, shellcheck ...

A PMD report (`<pmd>`) has the same shape and is read as well.
"""

from punchlist.model import Diagnostic
from punchlist.reading.formats.xml_values import Document, documents, name_of, whole_text
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity

PMD = {"1": "error", "2": "error", "3": "warning", "4": "info", "5": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read every checkstyle document of a log."""
    reading = Reading()
    for document in documents(log, "checkstyle", "pmd", "pmd-cpd"):
        _document(document, log, context.words[0] if context.words else "", reading)
        document.claim(reading)
        reading.partial = reading.partial or not document.whole
    return reading


def _document(document: Document, log: Log, tool: str, reading: Reading) -> None:
    places = iter(document.lines_of("error", "violation"))
    errors = warnings = 0
    for file in document.root:
        if name_of(file) != "file":
            continue
        for item in file:
            if name_of(item) not in ("error", "violation"):
                continue
            line, offset = next(places, (document.first, 0))
            raw = (document.attribute(offset, "message") or item.get("message") or whole_text(item)).strip()
            message, _, rest = raw.partition("\n")
            word = item.get("severity") or PMD.get(item.get("priority", ""), "error")
            found = Diagnostic(
                message=message or item.get("source") or "no message",
                detail=rest,
                severity=severity(word),
                file=file.get("name"),
                line=number(item.get("line") or item.get("beginline")),
                column=number(item.get("column") or item.get("begincolumn")),
                end_line=number(item.get("endline")),
                rule=_rule(item.get("source") or item.get("rule") or ""),
                tool=tool,
                log=log.span(line, min(line + raw.count("\n"), document.end - 1)),
            )
            reading.add(found)
            errors += found.severity == "error"
            warnings += found.severity == "warning"
    for name, count in (("errors", errors), ("warnings", warnings)):
        if count:
            reading.counts[name] = reading.counts.get(name, 0) + count
    if errors:
        reading.outcome = "failed"
    elif document.whole and not warnings:
        reading.outcome = reading.outcome or "passed"


def _rule(source: str) -> str | None:
    """The rule as its tool spells it: ESLint and stylelint put a package before theirs."""
    return source.removeprefix("eslint.rules.").removeprefix("stylelint.rules.") or None
