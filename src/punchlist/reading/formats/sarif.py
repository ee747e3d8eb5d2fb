"""Read SARIF 2.1 (and 2.0): results with their rules, places, suppressions, and notifications of failed runs."""

import re
from urllib.parse import unquote

from punchlist.model import Diagnostic, Related, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading

LEVELS: dict[str, Severity] = {"error": "error", "warning": "warning", "note": "info", "none": "info"}
ARGUMENT = re.compile(r"\{(\d+)\}")


def parse(log: Log, context: Context) -> Reading:
    """Read every SARIF document of a log."""
    reading = Reading()
    for value in js.values(log):
        for document in value.dicts():
            runs = js.dicts_of(document, "runs")
            if not isinstance(document.get("runs"), list) or not ("$schema" in document or "version" in document):
                continue
            for run in runs:
                _run(run, value, log, context.words[0] if context.words else "", reading)
            js.claim(reading, log, value)
            reading.partial = reading.partial or not value.whole
    for name, word in (("errors", "error"), ("warnings", "warning")):
        count = sum(d.severity == word for d in reading.diagnostics)
        if count:
            reading.counts[name] = count
    if reading.claimed and reading.outcome is None:
        reading.outcome = "failed" if reading.counts.get("errors") else None if reading.diagnostics else "passed"
    return reading


def _run(run: dict[str, object], value: js.Value, log: Log, tool: str, reading: Reading) -> None:
    driver = js.inner(run, "tool", "driver")
    name = tool or js.text_of(driver, "name").casefold()
    rules = js.dicts_of(driver, "rules") or [
        rule for extension in js.dicts_of(run, "tool", "extensions") for rule in js.dicts_of(extension, "rules")
    ]
    by_id = {js.text_of(rule, "id"): rule for rule in rules}
    at = value.first
    for result in js.dicts_of(run, "results"):
        if js.text_of(result, "kind") in ("pass", "notApplicable", "open") or _suppressed(result):
            continue
        if js.text_of(result, "baselineState") == "absent":
            continue
        index = js.inner(result, "ruleIndex")
        if not isinstance(index, int):
            index = js.inner(result, "rule", "index")
        rule_id = js.text_of(result, "ruleId") or js.text_of(result, "rule", "id")
        rule = by_id.get(rule_id) or (rules[index] if isinstance(index, int) and 0 <= index < len(rules) else {})
        text = _text(result, rule)
        message, _, rest = text.partition("\n")
        at = js.lines_with(log, value, message, at)
        reading.add(_diagnostic(result, rule, rule_id, message or rule_id, rest, name, run, log, at))
        at = min(at + 1, value.end - 1)
    for invocation in js.dicts_of(run, "invocations"):
        for key in ("toolExecutionNotifications", "toolConfigurationNotifications"):
            for note in js.dicts_of(invocation, key):
                if js.text_of(note, "level") == "error":
                    reading.add(_diagnostic(note, {}, "", _text(note, {}), "", name, run, log, value.first))
        if invocation.get("executionSuccessful") is False and not js.dicts_of(run, "results"):
            reading.outcome = "error"


def _suppressed(result: dict[str, object]) -> bool:
    return any(js.text_of(s, "status") in ("", "accepted") for s in js.dicts_of(result, "suppressions"))


def _text(result: dict[str, object], rule: object) -> str:
    text = js.text_of(result, "message", "text") or js.text_of(result, "message", "markdown")
    if not text:
        key = js.text_of(result, "message", "id")
        text = js.text_of(rule, "messageStrings", key, "text") or js.text_of(rule, "shortDescription", "text")
    arguments = [str(item) for item in js.list_of(result, "message", "arguments")]
    return ARGUMENT.sub(lambda m: arguments[int(m[1])] if int(m[1]) < len(arguments) else m[0], text).strip()


def _diagnostic(
    result: dict[str, object],
    rule: object,
    rule_id: str,
    message: str,
    rest: str,
    tool: str,
    run: dict[str, object],
    log: Log,
    at: int,
) -> Diagnostic:
    places = js.dicts_of(result, "locations")
    place = places[0] if places else {}
    level = js.text_of(result, "level") or js.text_of(rule, "defaultConfiguration", "level")
    region = js.inner(place, "physicalLocation", "region")
    return Diagnostic(
        message=message or "no message",
        detail=rest,
        severity=LEVELS.get(level, "warning"),
        file=_file(place, run) or None,
        line=js.number_of(region, "startLine"),
        column=js.number_of(region, "startColumn"),
        end_line=js.number_of(region, "endLine"),
        end_column=js.number_of(region, "endColumn"),
        rule=rule_id or js.text_of(rule, "id") or None,
        tool=tool,
        related=tuple(
            Related(
                js.text_of(other, "message", "text"),
                _file(other, run) or None,
                js.number_of(other, "physicalLocation", "region", "startLine"),
                js.number_of(other, "physicalLocation", "region", "startColumn"),
            )
            for other in js.dicts_of(result, "relatedLocations")[:20]
        ),
        log=log.span(at),
    )


def _file(place: object, run: dict[str, object]) -> str:
    uri = js.text_of(place, "physicalLocation", "artifactLocation", "uri")
    index = js.inner(place, "physicalLocation", "artifactLocation", "index")
    artifacts = js.dicts_of(run, "artifacts")
    if not uri and isinstance(index, int) and 0 <= index < len(artifacts):
        uri = js.text_of(artifacts[index], "location", "uri")
    base = js.text_of(place, "physicalLocation", "artifactLocation", "uriBaseId")
    root = js.text_of(run, "originalUriBaseIds", base, "uri") if base else ""
    if root.startswith("file:///") and not re.match(r"[a-z][\w+.-]*:|/", uri):
        uri = f"{root.rstrip('/')}/{uri}"
    uri = re.sub(r"^file:///(?=[A-Za-z]:)", "", uri)
    return unquote(uri) if "%" in uri else uri
