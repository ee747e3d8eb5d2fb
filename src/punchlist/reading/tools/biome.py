"""Biome 1.x and 2.x (rome before): blocks headed by `file:line:column category ━━━`, summary, JSON."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import Value, claim, dicts_of, inner, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading

HEAD = re.compile(
    r"(?:(?P<file>\S.*?)(?::(?P<line>\d+):(?P<column>\d+))? )?(?P<rule>[A-Za-z][\w-]*(?:/[\w-]+)*)"
    r"(?P<tags>(?: +[A-Z][A-Z ]*[A-Z])?) +━{2,}$"
)
BARE_HEAD = re.compile(
    r"(?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+) "
    r"(?P<rule>(?:lint|parse|assist|suppressions|syntax|plugin)(?:/[\w/-]+)?)(?P<tags>(?: +[A-Z]+)?)\s*$"
)
MESSAGE = re.compile(r" {2}(?P<icon>[×✖!⚠iℹ]) (?P<text>\S.*)$")
FOUND = re.compile(r"Found (?P<count>\d+) (?P<word>error|warning|info)s?\.$")
NOT_SHOWN = re.compile(r"Diagnostics not shown: (?P<count>\d+)\.?$")
CHECKED = re.compile(
    r"(?:Checked|Formatted|Compared|Fixed|Skipped|Searched) (?P<files>\d+) files?\b|Suggested fixes skipped|"
    r"The number of diagnostics exceeds|If you wish to apply the suggested|No fixes applied|Analyzed \d+ files?"
)
CONSEQUENCE = re.compile(
    r"Some (?:errors|warnings) were emitted while |(?:Biome|Rome) exited (?:as|because) the configuration|"
    r"The configuration resulted in errors|Errors were emitted while"
)
NOTHING_DONE = re.compile(r"No files were processed in the specified paths")
USAGE = re.compile(
    r"(?:Error: )?(?:no such (?:flag|command)|expected |couldn't parse |`--?[\w-]+`? |not expected |--?\w+ )"
)
NOISE = re.compile(r"The `json` and `json-pretty` reporters are experimental")
ICONS: dict[str, Severity] = {"!": "warning", "⚠": "warning", "i": "info", "ℹ": "info"}
LEVELS: dict[str, Severity] = {
    "fatal": "error", "error": "error", "warning": "warning", "warn": "warning", "information": "info",
    "info": "info", "hint": "hint",
}  # fmt: skip
SETUP_RULES = ("configuration", "deserialize", "flags/invalid", "internalError", "fs/", "io", "project", "args/")
FILES_TO_FORMAT = re.compile(r" {2}i The following files need to be formatted")
ITEM = re.compile(r" {2}- (?P<file>\S.*)$")
BARE_KINDS = (" lint/", " parse", " assist/", " suppressions/", " syntax", " plugin")
STARTS = (
    *("Found ", "Diagnostics not ", "Checked ", "Formatted ", "Compared ", "Fixed ", "Skipped ", "Searched ", "The "),
    *("Suggested fixes", "If you wish", "No fixes", "Analyzed ", "Error: "),
)
DETAIL_LINES = 40


def parse(log: Log, context: Context) -> Reading:
    """Read findings in Biome's own formats, its totals, and what it says of its configuration and its files."""
    reading = Reading()
    unworkable = False
    not_shown = 0
    if any('"diagnostics"' in line for line in log.lines):
        _json(log, reading)
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        head = _head(line)
        if head:
            end = _block_end(log, index + 1)
            unworkable |= _block(head, log, index, end, reading)
            reading.claim(index, end)
            index = end
            continue
        if not line.startswith(STARTS):
            index += 1
            continue
        if found := FOUND.match(line):
            name = {"error": "errors", "warning": "warnings", "info": "info"}[found["word"]]
            if name != "info":
                reading.counts[name] = int(found["count"])
            reading.claim(index)
        elif hidden := NOT_SHOWN.match(line):
            not_shown = int(hidden["count"])
            reading.claim(index)
        elif CHECKED.match(line):
            reading.claim(index)
            _checked(line, reading, context)
        elif NOISE.match(line):
            reading.claim(index)
        elif context.words and context.exit_code and line.startswith("Error: ") and USAGE.match(line):
            reading.add(Diagnostic(message=line.strip(), log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        index += 1
    blocks = any(_head(line) for line in log.lines) and bool(reading.diagnostics)
    reading.partial |= blocks and reading.outcome is None and not reading.counts and not unworkable
    _verdict(reading, unworkable, not_shown)
    return reading


def _head(line: str) -> re.Match[str] | None:
    if line.endswith("━"):
        return HEAD.match(line)
    return BARE_HEAD.match(line) if line[:1] > " " and any(kind in line for kind in BARE_KINDS) else None


def _block_end(log: Log, index: int) -> int:
    """Return where a block ends: its lines are blank or indented by two columns, and stay on one stream."""
    while index < len(log.lines):
        line = log.lines[index]
        if line and not line.startswith("  "):
            return index
        if (log.numbers[index] < 0) != (log.numbers[index - 1] < 0):
            return index
        index += 1
    return index


def _block(head: re.Match[str], log: Log, index: int, end: int, reading: Reading) -> bool:
    """Add the finding of a block, unless it only sums up others; return whether Biome could not work."""
    at = next((i for i in range(index + 1, end) if MESSAGE.match(log.lines[i])), None)
    if at is None:
        return False
    message = MESSAGE.match(log.whole(at))
    if message is None:
        return False
    if NOTHING_DONE.search(message["text"]) and reading.diagnostics:
        return False
    rule, setup = head["rule"], head["rule"].startswith(SETUP_RULES)
    if rule.startswith("reporter/"):
        return False
    if head["file"] is None and CONSEQUENCE.search(message["text"]):
        reading.outcome = reading.outcome or "failed"
        return setup
    last = at
    lines = [message["text"].strip()]
    while last + 1 < end and re.match(r" {4}\S", log.lines[last + 1]):
        last += 1
        lines.append(log.lines[last].strip())
    reading.add(
        Diagnostic(
            message=" ".join(lines),
            severity=ICONS.get(message["icon"], "error"),
            detail="\n".join(line[2:] for line in log.lines[last + 1 : end]).strip("\n ")[:4000],
            file=head["file"],
            line=_number(head["line"]),
            column=_number(head["column"]),
            rule=rule,
            log=log.span(index if last == at else at, last),
        )
    )
    if head["file"] is None and NOTHING_DONE.search(message["text"]):
        return True
    return (setup and head["file"] is None) or rule.startswith(("deserialize", "configuration", "flags/"))


def _checked(line: str, reading: Reading, context: Context) -> None:
    checked = CHECKED.match(line)
    if not checked or checked["files"] is None:
        return
    if int(checked["files"]) == 0 and context.exit_code:
        reading.outcome = "error"


def _json(log: Log, reading: Reading) -> None:
    """Read `--reporter=json` (and json-pretty): a summary and diagnostics, 1.x and 2.x shapes."""
    for value in values(log):
        summary = inner(value.value, "summary")
        found = dicts_of(value.value, "diagnostics")
        if not isinstance(summary, dict) or (not found and "errors" not in summary):
            continue
        for name in ("errors", "warnings"):
            if isinstance(summary.get(name), int):
                reading.counts[name] = number_of(summary, name) or 0
        at = value.first
        for one in found:
            at = _json_one(log, value, one, at, reading)
        reading.partial |= not value.whole
        claim(reading, log, value)


def _json_one(log: Log, value: Value, one: dict[str, object], at: int, reading: Reading) -> int:
    message = inner(one, "message")
    text = message if isinstance(message, str) else text_of(one, "description")
    if not text and isinstance(message, list):
        text = "".join(text_of(part, "content") for part in message)
    if not text:
        return at
    at = lines_with(log, value, text, at)
    place = inner(one, "location")
    line, column = number_of(place, "start", "line"), number_of(place, "start", "column")
    span, source = inner(place, "span"), text_of(place, "sourceCode")
    if line is None and isinstance(span, list) and source:
        line, column = _place_of(span, source)
    reading.add(
        Diagnostic(
            message=text,
            severity=LEVELS.get(text_of(one, "severity"), "error"),
            file=text_of(place, "path", "file") or text_of(place, "path") or None,
            line=line,
            column=column,
            rule=text_of(one, "category") or None,
            log=log.span(at),
        )
    )
    return at


def _place_of(span: list[object], source: str) -> tuple[int | None, int | None]:
    """Line and column of a byte offset into the source that the report carries along."""
    start = span[0] if span else None
    if not isinstance(start, int) or isinstance(start, bool) or start < 0:
        return None, None
    before = source.encode(errors="surrogatepass")[:start].decode(errors="replace")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _number(text: str | None) -> int | None:
    return int(text[:9]) or None if text else None


def _verdict(reading: Reading, unworkable: bool, not_shown: int) -> None:
    errors = [d for d in reading.diagnostics if d.severity == "error"]
    if unworkable:
        reading.outcome = "error"
    elif reading.outcome is None and (errors or reading.counts.get("errors")):
        reading.outcome = "failed"
    elif reading.outcome is None and reading.understood and not reading.diagnostics:
        reading.outcome = "passed"
    if not_shown:
        reading.notes.append(f"{not_shown} findings are not in the log; biome shows them with --max-diagnostics=none")
    if reading.diagnostics and "errors" in reading.counts:
        infos = sum(d.severity in ("info", "hint") for d in reading.diagnostics)
        total = reading.counts["errors"] + reading.counts.get("warnings", 0) + infos - not_shown
        # A file that does not parse is one error to `biome format`, which prints two blocks for it.
        reading.expected = max(total, len(reading.diagnostics))
