"""Read cargo-deny's text (`error[vulnerability]: ...` with `┌─ file:line:col` frames) and cargo-audit's advisories."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import filled

HEAD = re.compile(r"(?P<word>error|warning|note|help)\[(?P<rule>[A-Za-z][\w-]*)\]: (?P<message>.+)$")
PLACE = re.compile(r"\s*┌─ (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)$")
TOTALS = re.compile(r"(?:advisories|bans|licenses|sources)(?: (?:ok|FAILED))?(?:, |$)")
FIELD = re.compile(
    r"(?P<name>Crate|Version|Warning|Title|Date|ID|URL|Severity|Solution|Dependency tree): *(?P<value>.*)$"
)
AUDIT_END = re.compile(
    r"error: (?P<errors>\d+) vulnerabilit(?:y|ies) found!"
    r"|warning: (?P<warnings>\d+) allowed warnings? found"
)


def parse(log: Log, _context: Context) -> Reading:
    """Read blocks of both tools."""
    reading = Reading()
    at = 0
    while at < len(log.lines):
        line = log.lines[at]
        if match := HEAD.match(line):
            at = _deny(log, at, match, reading)
        elif line.startswith("Crate:") and FIELD.match(line):
            at = _advisory(log, at, reading)
        else:
            if AUDIT_END.match(line) or (line and TOTALS.match(line)):
                reading.claim(at)
                if "FAILED" in line or line.startswith("error: "):
                    reading.outcome = "failed"
                elif reading.outcome is None and line.startswith(
                    ("advisories ok", "bans ok", "licenses ok", "sources ok")
                ):
                    reading.outcome = "passed"
            at += 1
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    return reading


def _deny(log: Log, at: int, match: re.Match[str], reading: Reading) -> int:
    end = at + 1
    while (
        end < len(log.lines)
        and not HEAD.match(log.lines[end])
        and (not log.lines[end] or log.lines[end][0] == " " or "│" in log.lines[end])
    ):
        end += 1
    end = filled(log.lines, at + 1, end)
    if match["word"] in ("error", "warning"):
        place = next((m for line in log.lines[at + 1 : min(end, at + 4)] if (m := PLACE.match(line))), None)
        severity: Severity = "error" if match["word"] == "error" else "warning"
        reading.add(
            Diagnostic(
                message=match["message"],
                severity=severity,
                rule=match["rule"],
                file=place["file"] if place else None,
                line=int(place["line"]) if place else None,
                column=int(place["column"]) if place else None,
                detail="\n".join(log.lines[at + 1 : end][:60]),
                log=log.span(at, end - 1),
            )
        )
    reading.claim(at, end)
    return end


def _advisory(log: Log, at: int, reading: Reading) -> int:
    end = at
    fields: dict[str, str] = {}
    while end < len(log.lines) and log.lines[end]:
        if match := FIELD.match(log.lines[end]):
            fields.setdefault(match["name"], match["value"].strip())
        end += 1
    title = fields.get("Title") or log.lines[at]
    severity: Severity = "warning" if "Warning" in fields else "error"
    reading.add(
        Diagnostic(
            message=title,
            severity=severity,
            rule=fields.get("ID"),
            package=fields.get("Crate"),
            detail="\n".join(log.lines[at:end][:40]),
            log=log.span(at, end - 1),
        )
    )
    reading.claim(at, end)
    return end
