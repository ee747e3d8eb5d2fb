"""Read pip-audit (2): its table and its json."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools.usage import read_usage

FOUND = re.compile(r"Found (?P<count>\d+) known vulnerabilit(?:y|ies)")
RULE = re.compile(r"-{2,}(?: -{2,}){2,}$")
ID = re.compile(r"(?:PYSEC|GHSA|CVE|OSV)-[\w-]+$")
TROUBLE = re.compile(r"ERROR:(?:pip_audit[\w.]*:)? ?(?P<message>.+)")


def parse(log: Log, context: Context) -> Reading:
    """Read vulnerabilities, each a finding of its package."""
    reading = Reading()
    named = bool(context.words)
    if named and read_usage(log, reading, "pip-audit"):
        return reading
    for index, line in enumerate(log.lines):
        if match := FOUND.match(line):
            reading.outcome = "failed"
            reading.expected = int(match["count"])
            reading.claim(index)
        elif line.startswith("No known vulnerabilities found"):
            reading.outcome = "passed"
            reading.claim(index)
        elif named and (match := TROUBLE.match(line)):
            reading.add(Diagnostic(message=match["message"], tool="pip-audit", log=log.span(index)))
            reading.outcome = "error"
            reading.claim(index)
        elif RULE.match(line) and index and log.lines[index - 1].startswith("Name "):
            _table(log, index, reading)
    _json(log, reading)
    return reading


def _table(log: Log, rule: int, reading: Reading) -> None:
    index = rule + 1
    while index < len(log.lines) and log.lines[index].strip():
        cells = re.split(r" +", log.lines[index].strip(), maxsplit=3)
        if len(cells) >= 3 and ID.match(cells[2]):
            fixed = f"fixed in {cells[3]}" if len(cells) > 3 else "no fix listed"
            reading.add(
                Diagnostic(
                    message=f"{cells[0]} {cells[1]} {cells[2]}",
                    detail=fixed,
                    rule=cells[2],
                    package=cells[0],
                    tool="pip-audit",
                    log=log.span(index),
                )
            )
        index += 1
    reading.claim(rule - 1, index)


def _json(log: Log, reading: Reading) -> None:
    for value in js.values(log):
        items = js.dicts_of(value.value, "dependencies") if isinstance(value.value, dict) else []
        if not any("vulns" in item for item in items):
            continue
        at = value.first
        for item in items:
            name = js.text_of(item, "name")
            for vulnerability in js.dicts_of(item, "vulns"):
                identity = js.text_of(vulnerability, "id")
                at = js.lines_with(log, value, identity, at)
                fixed = ", ".join(str(version) for version in js.list_of(vulnerability, "fix_versions"))
                reading.add(
                    Diagnostic(
                        message=js.text_of(vulnerability, "description").strip().split("\n")[0]
                        or identity
                        or name
                        or "vulnerable",
                        detail=f"{name} {js.text_of(item, 'version')}, fixed in {fixed or 'no version'}",
                        rule=identity or None,
                        package=name,
                        tool="pip-audit",
                        log=log.span(at, min(at + 20, value.end - 1)),
                    )
                )
        js.claim(reading, log, value)
        reading.outcome = "failed" if reading.diagnostics else reading.outcome or "passed"
