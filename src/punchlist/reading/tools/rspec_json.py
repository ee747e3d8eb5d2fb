"""Read what `rspec --format json` writes (3.x)."""

from collections.abc import Iterator

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import Value, dicts_of, lines_with, list_of, number_of, text_of, values
from punchlist.reading.log import Log
from punchlist.reading.tools.ruby_frames import frame, innermost
from punchlist.records import dataclass

DETAIL = 60


@dataclass(frozen=True, slots=True)
class Report:
    """One report: failed examples, messages of errors outside of examples, totals (run, failed, pending, errors)."""

    value: Value
    failed: tuple[dict[str, object], ...]
    outside: tuple[str, ...]
    totals: tuple[int, int, int, int]


def reports(log: Log) -> Iterator[Report]:
    """Yield every RSpec report of the log."""
    if not any('"examples"' in line for line in log.lines):
        return
    for value in values(log):
        for report in value.dicts():
            if "examples" not in report or not ("summary" in report or "summary_line" in report):
                continue
            failed = tuple(e for e in dicts_of(report, "examples") if e.get("status") == "failed")
            messages = [m for m in list_of(report, "messages") if isinstance(m, str)]
            keys = ("example_count", "failure_count", "pending_count", "errors_outside_of_examples_count")
            run, bad, pending, errors = (number_of(report, "summary", key) or 0 for key in keys)
            yield Report(
                value, failed, tuple(m for m in messages if "An error occurred " in m), (run, bad, pending, errors)
            )


def diagnostic(example: dict[str, object], report: Report, log: Log, root: str) -> Diagnostic:
    """Return a failed example as a diagnostic; its place is the innermost own frame, else the example's own line."""
    text = text_of(example, "exception", "message").strip("\n") or "failed"
    lines = [line for line in text.split("\n") if line.strip()] or ["failed"]
    kind = text_of(example, "exception", "class")
    message, rest = lines[0].strip(), lines[1:]
    if kind and not kind.startswith("RSpec::"):
        rest = [f"{kind}: {message}", *rest]
    trace = [f for t in list_of(example, "exception", "backtrace") if isinstance(t, str) and (f := frame(t))]
    place = innermost(trace, root)
    test = text_of(example, "full_description").strip() or text_of(example, "description")
    at = lines_with(log, report.value, test, report.value.first)
    return Diagnostic(
        message=message,
        detail="\n".join(rest[:DETAIL]),
        file=place.file if place else text_of(example, "file_path") or None,
        line=place.line if place else number_of(example, "line_number"),
        test=test or None,
        log=log.span(at, report.value.end - 1),
    )
