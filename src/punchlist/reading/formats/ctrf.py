"""Read the Common Test Report Format (CTRF JSON 0.0.x)."""

from punchlist.model import Diagnostic
from punchlist.reading.formats import json_values as js
from punchlist.reading.formats.places import Place, place_in
from punchlist.reading.log import Context, Log, Reading

COUNTS = {"passed": "passed", "failed": "failed", "skipped": "skipped", "pending": "skipped"}


def parse(log: Log, context: Context) -> Reading:
    """Read every CTRF document of a log."""
    reading = Reading()
    for value in js.values(log):
        for document in value.dicts():
            results = document.get("results")
            if not isinstance(js.inner(results, "tests"), list) or not isinstance(js.inner(results, "summary"), dict):
                continue
            _results(results, value, log, context, reading)
            js.claim(reading, log, value)
            reading.partial = reading.partial or not value.whole
    return reading


def _results(results: object, value: js.Value, log: Log, context: Context, reading: Reading) -> None:
    for key, name in COUNTS.items():
        count = js.inner(results, "summary", key)
        if isinstance(count, int) and count:
            reading.counts[name] = reading.counts.get(name, 0) + count
    at = value.first
    flaky = 0
    for test in js.dicts_of(results, "tests"):
        failed = js.text_of(test, "status") == "failed"
        again = test.get("flaky") is True and not failed
        flaky += again
        if not failed and not (again and js.text_of(test, "message")):
            continue
        text = js.text_of(test, "message") or js.text_of(test, "trace") or "failed"
        at = js.lines_with(log, value, js.text_of(test, "name"), at)
        reading.add(_diagnostic(test, text, again, js.text_of(results, "tool", "name"), value, log, at, context))
    if flaky:
        reading.counts["flaky"] = flaky
    reading.outcome = "failed" if reading.counts.get("failed") else reading.outcome or "passed"


def _diagnostic(
    test: dict[str, object], text: str, flaky: bool, tool: str, value: js.Value, log: Log, at: int, context: Context
) -> Diagnostic:
    message, _, rest = text.strip().partition("\n")
    trace = js.text_of(test, "trace")
    place = place_in(trace or rest, context.root)
    if place is None and js.text_of(test, "filePath"):
        place = Place(js.text_of(test, "filePath"), js.number_of(test, "line"))
    suite = test.get("suite")
    parents = (
        [suite]
        if isinstance(suite, str) and suite
        else [str(part) for part in suite]
        if isinstance(suite, list)
        else []
    )
    end = at
    while end + 1 < value.end and message[:30] not in log.lines[end] and end - at < 40:
        end += 1
    return Diagnostic(
        message=message,
        detail="\n".join(filter(None, [rest, trace if trace != text else ""])),
        severity="warning" if flaky else "error",
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=" > ".join([*parents, js.text_of(test, "name")]),
        tool=tool.casefold(),
        state="flaky" if flaky else "",
        log=log.span(at, end),
    )
