"""The JSON that jest and vitest share (`--json`, `--reporter=json`): one result a file, one assertion result a test."""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats.json_values import Value, dicts_of, inner, lines_with, list_of, number_of, text_of
from punchlist.reading.js_compile import refused
from punchlist.reading.js_crash import own_detail
from punchlist.reading.js_frames import Frame, innermost
from punchlist.reading.log import Log

COUNTS = {
    "passed": "numPassedTests",
    "failed": "numFailedTests",
    "skipped": "numPendingTests",
    "todo": "numTodoTests",
}
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def is_results(value: object) -> bool:
    """Whether a JSON value is such a report."""
    return isinstance(value, dict) and "numTotalTests" in value and isinstance(value.get("testResults"), list)


def counts(value: object) -> dict[str, int]:
    """Return the totals of a report under the names of the model."""
    found = {name: inner(value, key) for name, key in COUNTS.items()}
    return {name: total for name, total in found.items() if isinstance(total, int)}


def failures(log: Log, found: Value, separator: str) -> list[Diagnostic]:
    """Return one finding a failure message of every failed test, and one for every file that could not run.

    The test's id is its titles joined by `separator`; the place is the innermost own frame, else the test's location.
    """
    read: list[Diagnostic] = []
    after = found.first
    for suite in dicts_of(found.value, "testResults"):
        name = text_of(suite, "name") or text_of(suite, "testFilePath")
        failed = [r for r in dicts_of(suite, "assertionResults") if r.get("status") == "failed"]
        for result in failed:
            read += _of_test(log, found, result, name, separator, after)
            if read and read[-1].log:
                after = max(after, _index(log, read[-1], after))
        message = ESCAPE.sub("", text_of(suite, "message"))
        if (
            suite.get("status") == "failed"
            and message.strip()
            and (not failed or "Test suite failed to run" in message)
        ):
            read += _of_suite(log, found, message, name, after)
    return read


def _index(log: Log, d: Diagnostic, otherwise: int) -> int:
    number = d.log.first if d.log else 0
    for index in range(otherwise, min(len(log.numbers), otherwise + 200_000)):
        if abs(log.numbers[index]) == number:
            return index
    return otherwise


def _of_test(
    log: Log, found: Value, result: dict[str, object], file: str, separator: str, after: int
) -> list[Diagnostic]:
    titles = [t for t in list_of(result, "ancestorTitles") if isinstance(t, str) and t]
    titles.append(text_of(result, "title"))
    read = []
    for text in [t for t in list_of(result, "failureMessages") if isinstance(t, str)] or [""]:
        lines = ESCAPE.sub("", text).split("\n")
        message, rest = _message(lines)
        place = innermost(line for line in lines if line.lstrip().startswith("at "))
        if place is None and number_of(result, "location", "line"):
            place = Frame(file, number_of(result, "location", "line"), number_of(result, "location", "column"))
        if not message:
            message = text_of(result, "fullName") or titles[-1]
        index = lines_with(log, found, text.split("\n", 1)[0] or titles[-1], after)
        read.append(
            Diagnostic(
                message=message,
                detail=own_detail(rest),
                file=place.file if place else file or None,
                line=place.line if place else None,
                column=place.column if place else None,
                test=separator.join(titles),
                log=log.span(index),
            )
        )
    return read


def _message(lines: list[str]) -> tuple[str, list[str]]:
    at = next((i for i, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return "", []
    message = lines[at].strip()
    if message in ("Error: STACK_TRACE_ERROR", "AssertionError:") and at + 1 < len(lines):
        # vitest 4.1 --reporter=json gives a timeout no other message than this placeholder.
        return message, lines[at + 1 :]
    return message, lines[at + 1 :]


def _of_suite(log: Log, found: Value, message: str, file: str, after: int) -> list[Diagnostic]:
    lines = message.split("\n")
    start = next((i for i, line in enumerate(lines) if "Test suite failed to run" in line), -1)
    body = [line.removeprefix("    ") for line in lines[start + 1 :]]
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    if first is None:
        return []
    said = body[first].strip()
    place = innermost(body)
    rule = None
    if not place and (compiler := refused(said, body[first + 1 :])):
        said, rule, place = compiler.message, compiler.rule, compiler.place
    index = lines_with(log, found, body[first].strip(), after)
    return [
        Diagnostic(
            message=said,
            rule=rule,
            detail=own_detail(body[first + 1 :]),
            file=place.file if place else file or None,
            line=place.line if place else None,
            column=place.column if place else None,
            log=log.span(index),
        )
    ]
