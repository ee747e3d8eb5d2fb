"""Read TeamCity service messages: tests, inspections, build problems and error messages.

Seen from PHPUnit, pytest-teamcity, mocha-teamcity-reporter, dotnet test. Escapes are `|n`, `|'`, `||`, `|[`,
`|]`, `|0xABCD`.
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.places import Place, place_in
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass, field

MESSAGE = re.compile(r"##teamcity\[(?P<name>\w+)(?P<rest>(?:[^|\]']|\|.|'(?:[^'|]|\|.)*')*)\]")
ATTRIBUTE = re.compile(r"(?P<name>[\w.-]+)='(?P<value>(?:[^'|]|\|.)*)'")
PLAIN = re.compile(r" '(?P<value>(?:[^'|]|\|.)*)'")
ESCAPE = re.compile(r"\|(0x[0-9A-Fa-f]{4}|.)")
PLAIN_ESCAPES = {"n": "\n", "r": "", "x": "\n", "l": "\n", "p": "\n"}
HINT = re.compile(r"(?:php_qn|file|java:test|python\S*|\w+)://(?P<file>/?[^:]*?)(?:::(?P<name>.+))?$")
INSPECTIONS: dict[str, Severity] = {"ERROR": "error", "WARNING": "warning", "WEAK WARNING": "warning", "INFO": "info"}
TYPED = re.compile(r"(?P<type>[A-Za-z_\\][\w\\]*) : (?P<message>.+)", re.DOTALL)
# PHPUnit sends a risky test as a failed one.
RISKY = re.compile(r"This test (?:did not perform any assertions|printed output|is risky)|Test code or tested code")


@dataclass(slots=True)
class State:
    """What the messages so far say, by flow."""

    suites: dict[str, list[str]] = field(default_factory=dict)
    hints: dict[tuple[str, str], str] = field(default_factory=dict)
    started: int = 0
    failed: set[tuple[str, ...]] = field(default_factory=set)
    skipped: int = 0
    risky: int = 0
    own_totals: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read every service message."""
    reading = Reading()
    state = State()
    for index, line in enumerate(log.lines):
        if "##teamcity[" not in line:
            continue
        for match in MESSAGE.finditer(log.whole(index)):
            fields = {m["name"]: unescape(m["value"]) for m in ATTRIBUTE.finditer(match["rest"])}
            if plain := PLAIN.match(match["rest"]):
                fields["text"] = unescape(plain["value"])
            _message(match["name"], fields, index, log, context, state, reading)
        reading.claim(index)
    if state.started and not state.own_totals:
        failed = len(state.failed)
        counts = {
            "passed": state.started - failed - state.skipped - state.risky,
            "failed": failed,
            "skipped": state.skipped,
        }
        reading.counts.update({name: count for name, count in counts.items() if count > 0})
    if state.failed:
        reading.outcome = "failed"
    elif state.started and not reading.diagnostics:
        reading.outcome = "passed"
    return reading


def unescape(text: str) -> str:
    """Resolve TeamCity's escapes."""
    if "|" not in text:
        return text

    def char(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 16)) if len(code) > 1 else PLAIN_ESCAPES.get(code, code)

    return ESCAPE.sub(char, text)


def _message(
    name: str, fields: dict[str, str], index: int, log: Log, context: Context, state: State, reading: Reading
) -> None:
    flow = fields.get("flowId", "")
    suites = state.suites.setdefault(flow, [])
    title = fields.get("name", "")
    if name == "testSuiteStarted":
        suites.append(title)
    elif name == "testSuiteFinished" and title in suites:
        del suites[suites.index(title) :]
    elif name == "testStarted":
        state.started += 1
        hint = fields.get("locationHint", "")
        state.own_totals = state.own_totals or hint.startswith("php_qn:")
        state.hints[flow, title] = hint
    elif name == "testIgnored":
        state.skipped += 1
    elif name == "testFailed":
        if RISKY.match(fields.get("message", "")):
            state.risky += 1
            return
        state.failed.add((flow, *suites, title))
        place = HINT.match(state.hints.get((flow, title), ""))
        reading.add(_failed(fields, _test(title, suites, place), place, index, log, context))
    else:
        found = _other(name, fields, index, log)
        if found:
            reading.add(found)


def _test(title: str, suites: list[str], hint: re.Match[str] | None) -> str:
    if hint and hint["name"]:
        return hint["name"].lstrip("\\")
    inner = [suite for suite in suites[-1:] if suite and not title.startswith(suite)]
    return ".".join([*inner, title]) if all(" " not in part for part in inner) else " > ".join([*inner, title])


def _failed(
    fields: dict[str, str], test: str, hint: re.Match[str] | None, index: int, log: Log, context: Context
) -> Diagnostic:
    text = fields.get("message", "").strip() or fields.get("details", "").strip() or "failed"
    if typed := TYPED.match(text):
        text = typed["message"]
    message, _, rest = text.partition("\n")
    details = fields.get("details", "").strip("\n ")
    compared = [f"{key}: {fields[key]}" for key in ("expected", "actual") if fields.get(key)]
    place = place_in(f"{details}\n{rest}", context.root)
    if place is None and hint and hint["file"].startswith("/") and "." in hint["file"]:
        place = Place(hint["file"])
    return Diagnostic(
        message=message.strip(),
        detail="\n".join(filter(None, [rest, *compared, details])),
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=test,
        log=log.span(index),
    )


def _other(name: str, fields: dict[str, str], index: int, log: Log) -> Diagnostic | None:
    if name == "inspection":
        return Diagnostic(
            message=fields.get("message") or fields.get("typeId", "inspection"),
            severity=INSPECTIONS.get(fields.get("SEVERITY", "").upper(), "warning"),
            file=fields.get("file") or None,
            line=number(fields.get("line")),
            rule=fields.get("typeId") or None,
            log=log.span(index),
        )
    text = fields.get("description") if name == "buildProblem" else fields.get("text")
    failing = name == "buildProblem" or (name == "message" and fields.get("status") in ("ERROR", "FAILURE"))
    if failing and text:
        message, _, rest = text.partition("\n")
        return Diagnostic(
            message=message, detail="\n".join(filter(None, [rest, fields.get("errorDetails", "")])), log=log.span(index)
        )
    return None
