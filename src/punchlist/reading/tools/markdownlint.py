"""markdownlint-cli and markdownlint-cli2: rows of text, or `--json`."""

from punchlist.model import Diagnostic
from punchlist.reading import oneline
from punchlist.reading.formats.json_values import claim, lines_with, list_of, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading


def parse(log: Log, context: Context) -> Reading:
    """Read rows and their total, or the list of findings as JSON."""
    reading = oneline.parse(oneline.rows_of("javascript_build", "markdownlint"), log, context)
    if any('"ruleNames"' in line for line in log.lines):
        _json(log, reading)
    return reading


def _json(log: Log, reading: Reading) -> None:
    for value in values(log):
        found = [one for one in value.dicts() if isinstance(one.get("ruleNames"), list) and "lineNumber" in one]
        at = value.first
        for one in found:
            at = lines_with(log, value, text_of(one, "ruleDescription"), at)
            more = [text for key in ("errorDetail", "errorContext") if (text := text_of(one, key))]
            rules = [name for name in list_of(one, "ruleNames") if isinstance(name, str)]
            start = list_of(one, "errorRange")[:1]
            reading.add(
                Diagnostic(
                    message=text_of(one, "ruleDescription") or "no message",
                    severity=oneline.severity(text_of(one, "severity")),
                    detail="\n".join(more),
                    file=text_of(one, "fileName") or None,
                    line=number_of(one, "lineNumber"),
                    column=start[0] if start and isinstance(start[0], int) else None,
                    rule=rules[0] if rules else None,
                    log=log.span(at),
                )
            )
        if found:
            claim(reading, log, value)
            reading.outcome = "failed"
