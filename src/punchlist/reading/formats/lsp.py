"""Read diagnostics of the Language Server Protocol: publishDiagnostics messages, their params, or a list of them.

Positions are 0-based in the protocol.
"""

import re
from urllib.parse import unquote

from punchlist.model import Diagnostic, Related, Severity
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading

SEVERITIES: dict[int, Severity] = {1: "error", 2: "warning", 3: "info", 4: "hint"}


def parse(log: Log, context: Context) -> Reading:
    """Read every set of diagnostics with its document; a later set of a document replaces the earlier one."""
    reading = Reading()
    sets: dict[str, list[Diagnostic]] = {}
    for value in js.values(log):
        for item in value.dicts():
            params = item.get("params") if str(item.get("method")).endswith("publishDiagnostics") else item
            uri = js.text_of(params, "uri")
            if not uri or not isinstance(js.inner(params, "diagnostics"), list):
                continue
            at = value.first
            found = []
            for one in js.dicts_of(params, "diagnostics"):
                at = js.lines_with(log, value, js.text_of(one, "message").split("\n")[0], at)
                found.append(_diagnostic(one, uri, context.words[0] if context.words else "", log, at))
                at = min(at + 1, value.end - 1)
            sets[uri] = found
            js.claim(reading, log, value)
            reading.partial = reading.partial or not value.whole
    reading.diagnostics = [d for found in sets.values() for d in found]
    if any(d.severity == "error" for d in reading.diagnostics):
        reading.outcome = "failed"
    elif sets and not reading.diagnostics:
        reading.outcome = "passed"
    return reading


def _diagnostic(item: dict[str, object], uri: str, tool: str, log: Log, at: int) -> Diagnostic:
    message, rest = js.message_of(item, "message")
    code = item.get("code")
    level = item.get("severity")
    start, end = js.inner(item, "range", "start"), js.inner(item, "range", "end")
    return Diagnostic(
        message=message,
        detail=rest,
        severity=SEVERITIES.get(level, "error") if isinstance(level, int) else "error",
        file=path_of(uri),
        line=_one_based(start, "line"),
        column=_one_based(start, "character"),
        end_line=_one_based(end, "line"),
        end_column=_one_based(end, "character"),
        rule=str(code) if isinstance(code, (str, int)) and code != "" else None,
        tool=js.text_of(item, "source").casefold() or tool,
        related=tuple(
            Related(
                js.text_of(other, "message"),
                path_of(js.text_of(other, "location", "uri")) or None,
                _one_based(js.inner(other, "location", "range", "start"), "line"),
                _one_based(js.inner(other, "location", "range", "start"), "character"),
            )
            for other in js.dicts_of(item, "relatedInformation")[:20]
        ),
        log=log.span(at),
    )


def path_of(uri: str) -> str:
    """Return the path of a file URI (`file:///C%3A/x` is `C:/x`), or the text as it is."""
    path = unquote(re.sub(r"^file://(?:localhost)?", "", uri)) if uri.startswith("file:") else uri
    return path[1:] if re.match(r"/[A-Za-z]:/", path) else path


def _one_based(position: object, key: str) -> int | None:
    value = js.inner(position, key)
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
