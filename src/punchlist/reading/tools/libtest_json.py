"""Read libtest's JSON events (`cargo test -- -Z unstable-options --format json`, nextest's libtest-json)."""

import json
import re

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import text_of
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import libtest

TOTALS = (("passed", "passed"), ("failed", "failed"), ("ignored", "skipped"))


def parse(log: Log, _context: Context) -> Reading:
    """Read one event a line."""
    reading = Reading()
    open_suites = 0
    for index, line in enumerate(log.lines):
        if not line.startswith("{") or '"type"' not in line:
            continue
        try:
            event = json.loads(log.whole(index))
        except (ValueError, RecursionError):
            continue
        kind = text_of(event, "type")
        if kind not in ("suite", "test", "bench", "report"):
            continue
        reading.claim(index)
        what = text_of(event, "event")
        if kind == "suite":
            open_suites += 1 if what == "started" else -1
            _suite(event, what, reading)
        elif kind == "test" and what == "failed":
            reading.add(_failed(event, log, index))
    reading.partial = open_suites > 0
    return reading


def _suite(event: dict[str, object], what: str, reading: Reading) -> None:
    if what not in ("ok", "failed"):
        return
    for key, name in TOTALS:
        value = event.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            reading.counts[name] = reading.counts.get(name, 0) + value
    if what == "failed":
        reading.outcome = "failed"
    elif reading.outcome is None:
        reading.outcome = "passed"


def _failed(event: dict[str, object], log: Log, index: int) -> Diagnostic:
    name = text_of(event, "name")
    # nextest names the binary in front: `shop::checkout$negative`.
    name = name.rsplit("$", 1)[-1]
    output = text_of(event, "stdout") or text_of(event, "message")
    lines = ["", *re.sub(r"\x1b\[[0-9;]*m", "", output).split("\n")]
    inner = Log(lines, [1] * len(lines))
    doctest = libtest.DOCTEST.match(name)
    if not output.strip():
        message = text_of(event, "reason") or "failed"
        return Diagnostic(message=message, test=name, log=log.span(index))
    found = libtest.from_output(inner, 0, len(lines), name, doctest)
    return Diagnostic(
        message=found.message, detail=found.detail, file=found.file, line=found.line, column=found.column,
        rule=found.rule, test=name, log=log.span(index),
    )  # fmt: skip
