"""oxlint 0.x and 1.x: graphical frames (ASCII and Unicode), stylish, unix, JSON, JUnit, and what it cannot work on."""

import re

from punchlist.model import Diagnostic, Related, Severity
from punchlist.reading.formats.json_values import claim, dicts_of, inner, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import eslint
from punchlist.reading.tools.lint_lines import parse_lines, without_total

HEAD = re.compile(r" {2}(?P<icon>[x×✖!⚠☞>»]) (?P<text>\S.*)$")
RULE = re.compile(r"(?P<rule>[a-zA-Z][\w-]*\([\w/@.:-]+\)): (?P<message>.*)$")
PLACE = re.compile(r"\s*(?:,-|╭─)\[(?P<file>.+?)(?::(?P<line>\d+):(?P<column>\d+))?\]$")
CLOSE = re.compile(r"\s*(?:`-{2,}|╰─{2,})")
MORE = re.compile(r" {2}[|│] (?P<text>.*)$")
CAUSE = re.compile(r" {2}(?:`->|\|->|├─▶|╰─▶) (?P<text>.*)$")
FOUND = re.compile(r"Found (?P<warnings>\d+) warnings? and (?P<errors>\d+) errors?\.$")
FINISHED = re.compile(r"Finished in \S+ on (?P<files>\d+) files?\b.* threads?\.$")
NO_FILES = re.compile(r"No files found to lint\b.*$")
TOO_MANY = re.compile(r"Exceeded maximum number of warnings\. Found \d+\.$")
AGENT = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:\s][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<word>error|warning)"
    r"(?: (?P<rule>[\w-]+\([\w/@.:-]+\)))?: (?P<message>.+?)(?: help: (?P<help>.*))?$"
)
BAD_SETUP = re.compile(
    r"(?:Failed to (?:parse|build|load|find)|Failed to (?:\w+ )?(?:parse|load|build) (?:oxlint )?configuration|"
    r"Error (?:parsing|loading|running)|Invalid (?:configuration|argument|value)|Plugin .* not found|"
    r"[Ee]rror: |`--[\w-]+` |Couldn't parse|No such configuration|Config file not found|The configuration file)"
)
ICONS: dict[str, Severity] = {"!": "warning", "⚠": "warning", "☞": "info", ">": "info", "»": "info"}
ICON_SIGNS = frozenset("x×✖!⚠☞>»")
STARTS = (
    *("Found ", "Finished ", "Exceeded ", "No ", "Failed ", "Error", "error: ", "Invalid ", "Plugin ", "`--"),
    *("Couldn't ", "Config", "The configuration"),
)
DETAIL_LINES = 40


def parse(log: Log, context: Context) -> Reading:
    """Read findings in oxlint's own formats, its totals, and its complaints about configuration and arguments."""
    reading = Reading()
    if any('"filename"' in line or '"number_of_files"' in line for line in log.lines):
        _json(log, reading)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if line.startswith("  ") and line[2:3] in ICON_SIGNS and (head := HEAD.match(line)):
            index = _framed(head, log, index, reading, context)
        elif line.startswith(STARTS) or ": warning" in line or ": error" in line:
            index = _other(log, index, reading, context)
        else:
            index += 1
    boxes = any(PLACE.match(line) for line in log.lines) and bool(reading.diagnostics)
    reading.partial |= boxes and reading.outcome != "error" and "errors" not in reading.counts
    if context.words and not reading.diagnostics:
        _as_others(log, reading, context)
    _verdict(reading)
    return reading


def _framed(head: re.Match[str], log: Log, index: int, reading: Reading, context: Context) -> int:
    """Add the finding whose header is `index`; return the index after its frame and help."""
    text = log.whole(index)[4:]
    end = index + 1
    while end < len(log.lines) and (more := MORE.match(log.lines[end])):
        text += f" {more['text'].strip()}"
        end += 1
    last_of_message = end - 1
    place: re.Match[str] | None = None
    detail: list[str] = []
    while end < len(log.lines) and log.lines[end] and not HEAD.match(log.lines[end]):
        line = log.lines[end]
        place = place or PLACE.match(line)
        if place is None and not line.startswith("  "):
            break
        detail.append(line)
        end += 1
    ruled = RULE.match(text)
    if place is None and ruled is None and not context.words:
        return index + 1
    if place is None and ruled is None:
        reading.outcome = "error"
    reading.add(
        Diagnostic(
            message=(ruled["message"] if ruled else text).strip(),
            severity=ICONS.get(head["icon"], "error"),
            detail="\n".join(detail[:DETAIL_LINES]),
            file=place["file"] if place else None,
            line=_number(place["line"]) if place else None,
            column=_number(place["column"]) if place else None,
            rule=ruled["rule"] if ruled else None,
            log=log.span(index, last_of_message),
        )
    )
    reading.claim(index, end)
    return end


def _other(log: Log, index: int, reading: Reading, context: Context) -> int:
    line = log.lines[index]
    if found := FOUND.match(line):
        reading.counts["errors"] = int(found["errors"])
        reading.counts["warnings"] = int(found["warnings"])
        reading.claim(index)
    elif FINISHED.match(line) or TOO_MANY.match(line):
        reading.claim(index)
        if line.startswith("Exceeded"):
            reading.outcome = "failed"
    elif ": warning" in line or ": error" in line:
        _agent(log, index, reading)
    elif NO_FILES.match(line):
        reading.outcome = "error" if context.exit_code else "passed"
        if context.exit_code:
            reading.add(Diagnostic(message=line.strip(), log=log.span(index)))
        else:
            reading.notes.append(line.strip())
        reading.claim(index)
    elif context.words and context.exit_code and BAD_SETUP.match(line):
        return _bad_setup(log, index, reading)
    return index + 1


def _agent(log: Log, index: int, reading: Reading) -> None:
    """Read a line of the format that oxlint chooses where a coding agent runs it."""
    if match := AGENT.match(log.whole(index)):
        reading.add(
            Diagnostic(
                message=match["message"].strip(),
                severity="warning" if match["word"] == "warning" else "error",
                detail=match["help"] or "",
                file=match["file"],
                line=_number(match["line"]),
                column=_number(match["column"]),
                rule=match["rule"],
                log=log.span(index),
            )
        )
        reading.claim(index)


def _bad_setup(log: Log, index: int, reading: Reading) -> int:
    """Read a complaint about configuration or arguments: its first line, and the reasons framed below it."""
    end = index + 1
    while end < len(log.lines) and (not log.lines[end] or log.lines[end].startswith(" ")):
        end += 1
    reasons = [at for at in range(index + 1, end) if HEAD.match(log.lines[at])]
    reading.outcome = "error"
    reading.claim(index, end)
    for at in reasons or [index]:
        stop = min([r for r in reasons if r > at], default=end)
        text = log.whole(at)
        place = next((m for line in log.lines[at:stop] if (m := PLACE.match(line))), None)
        reading.add(
            Diagnostic(
                message=text[4:].strip() if reasons else text.strip(),
                detail="\n".join(log.lines[at + 1 : stop]).strip("\n"),
                file=place["file"] if place else None,
                line=_number(place["line"]) if place else None,
                column=_number(place["column"]) if place else None,
                log=log.span(at),
            )
        )
    return end


def _json(log: Log, reading: Reading) -> None:
    for value in values(log):
        found = dicts_of(value.value, "diagnostics")
        if not found and inner(value.value, "number_of_files") is None:
            continue
        at = value.first
        for one in found:
            text = text_of(one, "message")
            if not text:
                continue
            at = lines_with(log, value, text, at)
            labels = dicts_of(one, "labels")
            label = labels[0] if labels else None
            file = text_of(one, "filename") or None
            reading.add(
                Diagnostic(
                    message=text,
                    severity={"warning": "warning", "advice": "info"}.get(text_of(one, "severity"), "error"),  # type: ignore[arg-type]
                    detail=text_of(one, "help"),
                    file=file,
                    line=number_of(label, "span", "line"),
                    column=number_of(label, "span", "column"),
                    rule=text_of(one, "code") or None,
                    related=tuple(_related(more, file) for more in labels[1:]),
                    log=log.span(at),
                )
            )
        reading.partial |= not value.whole
        reading.outcome = reading.outcome or (None if found else "passed")
        claim(reading, log, value)


def _related(label: dict[str, object], file: str | None) -> Related:
    return Related(text_of(label, "label"), file, number_of(label, "span", "line"), number_of(label, "span", "column"))


def _as_others(log: Log, reading: Reading, context: Context) -> None:
    """Read oxlint's stylish and unix formats, which are ESLint's."""
    parse_lines(log, reading)
    without_total(reading)
    if not reading.diagnostics:
        other = eslint.parse(log, Context((), context.exit_code, context.root))
        reading.diagnostics += other.diagnostics
        reading.claimed += other.claimed
        reading.counts |= other.counts
        reading.partial |= other.partial


def _number(text: str | None) -> int | None:
    return int(text[:9]) or None if text else None


def _verdict(reading: Reading) -> None:
    if reading.diagnostics and "errors" in reading.counts and "warnings" in reading.counts:
        reading.expected = reading.counts["errors"] + reading.counts["warnings"]
    if not reading.diagnostics and any(reading.counts.values()):
        # The findings stand in a format that another parser reads and counts.
        reading.outcome = reading.outcome or ("failed" if reading.counts.get("errors") else None)
        reading.counts.clear()
    if reading.outcome is None and (
        any(d.severity == "error" for d in reading.diagnostics) or reading.counts.get("errors")
    ):
        reading.outcome = "failed"
    elif reading.outcome is None and reading.counts.get("errors") == 0 and not reading.counts.get("warnings"):
        reading.outcome = "passed"
