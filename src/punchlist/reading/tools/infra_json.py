"""Read the JSON of infrastructure linters: hadolint, actionlint, typos, buf, spectral, terraform, gitleaks ...

Each tool is known by the keys of its findings; lines and columns that count from 0 are made to count from 1.
"""

from collections.abc import Callable

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import Value, claim, dicts_of, inner, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import severity
from punchlist.records import dataclass, replace

Item = dict[str, object]
SPECTRAL: dict[int, Severity] = {0: "error", 1: "warning", 2: "info", 3: "hint"}


@dataclass(frozen=True, slots=True)
class Shape:
    """One tool's findings: the keys that show them, where they stand in an object, and how one is read."""

    tool: str
    keys: frozenset[str]
    within: str
    read: Callable[[Item], Diagnostic]


def _hadolint(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "message"),
        severity="info" if text_of(item, "level") == "style" else severity(text_of(item, "level")),
        file=text_of(item, "file") or None,
        line=number_of(item, "line"),
        column=number_of(item, "column"),
        rule=text_of(item, "code") or None,
    )


def _actionlint(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "message"),
        detail=text_of(item, "snippet"),
        file=text_of(item, "filepath") or None,
        line=number_of(item, "line"),
        column=number_of(item, "column"),
        end_column=number_of(item, "end_column"),
        rule=text_of(item, "kind") or None,
    )


def _typos(item: Item) -> Diagnostic:
    words = ", ".join(f"`{word}`" for word in _texts(inner(item, "corrections")))
    offset = inner(item, "byte_offset")
    return Diagnostic(
        message=f"typo `{text_of(item, 'typo')}`, corrections: {words}",
        file=text_of(item, "path") or None,
        line=number_of(item, "line_num"),
        column=offset + 1 if isinstance(offset, int) and 0 <= offset < 1e6 else None,
    )


def _buf(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "message"),
        file=text_of(item, "path") or None,
        line=number_of(item, "start_line"),
        column=number_of(item, "start_column"),
        end_line=number_of(item, "end_line"),
        end_column=number_of(item, "end_column"),
        rule=text_of(item, "type") or None,
    )


def _spectral(item: Item) -> Diagnostic:
    level = inner(item, "severity")
    return Diagnostic(
        message=text_of(item, "message"),
        detail=".".join(_texts(inner(item, "path"))),
        severity=SPECTRAL.get(level, "error") if isinstance(level, int) else "error",
        file=text_of(item, "source") or None,
        line=_from_zero(inner(item, "range", "start", "line")),
        column=_from_zero(inner(item, "range", "start", "character")),
        rule=text_of(item, "code") or None,
    )


def _tflint(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "message"),
        severity=severity(text_of(item, "rule", "severity")),
        file=text_of(item, "range", "filename") or None,
        line=number_of(item, "range", "start", "line"),
        column=number_of(item, "range", "start", "column"),
        rule=text_of(item, "rule", "name") or None,
    )


def _terraform(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "summary"),
        detail=text_of(item, "detail"),
        severity=severity(text_of(item, "severity")),
        file=text_of(item, "range", "filename") or None,
        line=number_of(item, "range", "start", "line"),
        column=number_of(item, "range", "start", "column"),
    )


def _gitleaks(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "Description"),
        file=text_of(item, "File") or None,
        line=number_of(item, "StartLine"),
        column=number_of(item, "StartColumn"),
        rule=text_of(item, "RuleID") or None,
    )


def _semgrep(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "extra", "message"),
        severity=severity(text_of(item, "extra", "severity")),
        file=text_of(item, "path") or None,
        line=number_of(item, "start", "line"),
        column=number_of(item, "start", "col"),
        rule=text_of(item, "check_id") or None,
    )


def _cfn_lint(item: Item) -> Diagnostic:
    return Diagnostic(
        message=text_of(item, "Message"),
        severity=severity(text_of(item, "Level")),
        file=text_of(item, "Filename") or None,
        line=number_of(item, "Location", "Start", "LineNumber"),
        column=number_of(item, "Location", "Start", "ColumnNumber"),
        end_line=number_of(item, "Location", "End", "LineNumber"),
        end_column=number_of(item, "Location", "End", "ColumnNumber"),
        rule=text_of(item, "Rule", "Id") or None,
    )


def _zizmor(item: Item) -> Diagnostic:
    """The primary location is the finding's; what stands there says more than the rule's own text."""
    places = dicts_of(item, "locations")
    kinds = [text_of(place, "symbolic", "kind") for place in places]
    place = places[kinds.index("Primary")] if "Primary" in kinds else places[0] if places else {}
    key = inner(place, "symbolic", "key")
    return Diagnostic(
        message=text_of(item, "desc"),
        detail=text_of(place, "symbolic", "annotation"),
        severity=severity(text_of(item, "determinations", "severity")),
        file=text_of(key, "Local", "verbatim_path") or text_of(key, "Local", "given_path") or None,
        line=_from_zero(inner(place, "concrete", "location", "start_point", "row")),
        column=_from_zero(inner(place, "concrete", "location", "start_point", "column")),
        rule=text_of(item, "ident") or None,
    )


SHAPES = (
    Shape("hadolint", frozenset({"code", "column", "file", "level", "line", "message"}), "", _hadolint),
    Shape("actionlint", frozenset({"message", "filepath", "line", "column", "kind"}), "", _actionlint),
    Shape("typos", frozenset({"typo", "corrections", "path", "line_num"}), "", _typos),
    Shape("buf", frozenset({"path", "start_line", "start_column", "type", "message"}), "", _buf),
    Shape("spectral", frozenset({"code", "path", "message", "severity", "range", "source"}), "", _spectral),
    Shape("tflint", frozenset({"rule", "message", "range"}), "issues", _tflint),
    Shape("terraform", frozenset({"severity", "summary", "detail"}), "diagnostics", _terraform),
    Shape("gitleaks", frozenset({"Description", "RuleID", "File", "StartLine"}), "", _gitleaks),
    Shape("cfn-lint", frozenset({"Filename", "Level", "Location", "Message", "Rule"}), "", _cfn_lint),
    Shape("zizmor", frozenset({"ident", "desc", "determinations", "locations"}), "", _zizmor),
    Shape("semgrep", frozenset({"check_id", "path", "start", "extra"}), "results", _semgrep),
)


def parse(log: Log, context: Context) -> Reading:
    """Read every finding of a known shape."""
    reading = Reading()
    for value in values(log):
        for shape in SHAPES:
            items = dicts_of(value.value, shape.within) if shape.within else value.dicts()
            items = [item for item in items if shape.keys <= set(item)]
            if shape.tool == "hadolint":
                items = [item for item in items if isinstance(item.get("code"), str)]
            if items:
                _add(shape, items, value, log, reading)
                break
    if reading.diagnostics and context.exit_code != 0:
        reading.outcome = "failed"
    return reading


def _add(shape: Shape, items: list[Item], value: Value, log: Log, reading: Reading) -> None:
    at = value.first
    for item in items:
        found = shape.read(item)
        if value.end - value.first > 1:
            at = lines_with(log, value, found.message, at)
        reading.add(_at(found, shape.tool, log, at))
    claim(reading, log, value)
    reading.partial = reading.partial or not value.whole


def _at(found: Diagnostic, tool: str, log: Log, index: int) -> Diagnostic:
    return replace(found, tool=tool, message=found.message or "no message", log=log.span(index))


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _from_zero(value: object) -> int | None:
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1e7 else None
