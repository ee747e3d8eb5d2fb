"""Read ruff: `ruff check` (full, concise, grouped, pylint, json, json-lines, statistics) and `ruff format`.

Seen with ruff 0.1 to 0.17. Its github, gitlab, azure, junit, rdjson and sarif outputs are read by the modules of those
formats.
"""

import re
from collections.abc import Iterator

from punchlist.model import Diagnostic, Edit, Fix
from punchlist.reading.formats import json_values as js
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number, severity
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.arrowed import GUTTER, block_at, is_arrow
from punchlist.reading.tools.diffs import file_diffs
from punchlist.reading.tools.usage import read_usage

RULE = r"(?P<rule>[A-Z]{1,5}\d{2,5}|[a-z][a-z\d]*(?:-[a-z\d]+)+|unformatted|panic)"
NEEDLES = (": ", "--> ", "Found ", "All checks passed!", "reformat", "left unchanged", "already format", "ruff failed")
NEEDLES_GROUPED = re.compile(r"\d:\d+ +[A-Z]+\d")
HEADER = re.compile(rf"(?:{RULE}:?|(?:error|warning|info)\[(?P<name>[\w-]+)\]:) (?:\[\*\] )?(?P<message>\S.*)")
PYLINT_CODE = re.compile(r"[CRWEFI]\d{4}")
"""With pylint's name of the message behind it, this is a line of pylint's own text beside ruff's."""
SYMBOL = re.compile(r" \([a-z]+(?:-[a-z]+)+\)$")
LINE = re.compile(
    r"(?P<file>[^\s:](?:[^:]|:\\)*?)(?::cell (?P<cell>\d+))?:(?P<line>\d+):(?P<column>\d+): "
    rf"(?:(?P<severity>error|warning|info)\[(?P<name>[\w-]+)\] |{RULE}:? |(?=SyntaxError: ))(?:\[\*\] )?(?P<message>.+)"
)
PYLINT = re.compile(rf"(?P<file>[^\s:](?:[^:]|:\\)*):(?P<line>\d+): \[{RULE}\] (?P<message>.+)")
GROUP = re.compile(r"(?P<file>\S.*\.(?:pyi?|ipynb|pyw|toml|md)|\S+):$")
GROUPED = re.compile(
    rf" +(?:cell \d+:)?(?P<line>\d+):(?P<column>\d+) +(?:{RULE}:?|(?=SyntaxError: ))(?: \[\*\])? +(?P<message>.+)"
)
STATISTIC = re.compile(r"\d+\t(?:[A-Z]+\d+|invalid-syntax)? *\t")
FOUND = re.compile(r"Found (?P<all>\d+) errors?(?: \(\d+ fixed, (?P<left>\d+) remaining\))?\.$")
FIXED = re.compile(r"(?:Fixed|Would fix) (?P<count>\d+) errors? ?[.:(]|Found \d+ errors? \(\d+ fixed, 0 remaining\)")
FORMAT = re.compile(
    r"(?P<would>\d+) files? would be reformatted|\d+ files? (?:reformatted|left unchanged|already formatted)"
)
WOULD = re.compile(r"Would reformat: (?P<file>.+)")
TROUBLE = re.compile(
    r"(?P<severity>error|warning): (?P<message>(?:"
    r"Failed to \w+ (?P<file>[^:\s](?:[^:]|:\\)*?):(?:(?P<line>\d+):(?P<column>\d+):)?"
    r"|Invalid `?# noqa`? directive (?:on|at) (?P<noqa_file>[^:]+):(?P<noqa_line>\d+):"
    r"|Panicked while|Ruff crashed|No Python files found|Detected debug build|The following rules? ).*)"
)
ANY_TROUBLE = re.compile(r"(?P<severity>error|warning): (?P<message>\S.*)")
QUIET = {"-q", "--quiet", "-s", "--silent", "-e", "--exit-zero", "--watch"}
CAUSE = re.compile(r" +Cause: (?P<message>.+)")
CONFIG_FILE = re.compile(r"Failed to (?:parse|load|read)(?: configuration)? `?(?P<file>\S+?)`?$")
CONFIG_LINE = re.compile(r"at line (?P<line>\d+),? column (?P<column>\d+)")


def parse(log: Log, context: Context) -> Reading:
    """Read every output mode of ruff."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "ruff"
    if named:
        read_usage(log, reading, "ruff")
    if any('"noqa_row"' in line for line in log.lines[:40]) or (named and any(map(_opens, log.lines))):
        _json(log, reading)
        log = js.without(log, reading)
    if not lines_with(log, *NEEDLES, NEEDLES_GROUPED):
        return _summed(log, named, context, reading)
    lines = log.lines
    index = 0
    group = ""
    while index < len(lines):
        line = lines[index]
        if not line:
            group = ""
            index += 1
            continue
        if line[-1] == ":" and GROUP.match(line) and index + 1 < len(lines) and GROUPED.match(lines[index + 1]):
            group = line[:-1]
            reading.claim(index)
            index += 1
            continue
        index = _finding(log, index, group, reading) or _other(log, index, named, reading) or index + 1
    return _summed(log, named, context, reading)


def _opens(line: str) -> bool:
    """Whether a line may begin ruff's JSON."""
    return line in ("[", "[]", "{") or line.startswith(("[{", '{"'))


def _summed(log: Log, named: bool, context: Context, reading: Reading) -> Reading:
    """Add diffs, counts and verdicts that follow from all that was read."""
    _format_diff(log, reading)
    # The pylint format has neither columns nor totals.
    text = any(d.rule is not None and d.column for d in reading.diagnostics) and reading.outcome is None
    reading.partial = reading.partial or (named and text and not QUIET & set(context.words))
    rules = [d.rule for d in reading.diagnostics if d.rule and d.severity == "error"]
    if rules and "unformatted" not in rules:
        reading.counts.setdefault("errors", len(rules))
    # Files that cannot be read are no findings, and `ruff format` exits 2 where it cannot parse a file.
    if (rules and set(rules) == {"E902"}) or (named and context.exit_code == 2):
        reading.outcome = "error"
    if reading.expected is not None:
        reading.expected += sum(not d.file and d.severity == "warning" for d in reading.diagnostics)
    return reading


def _finding(log: Log, index: int, group: str, reading: Reading) -> int:
    """Read a finding at a line; one past its last line, or 0 where there is none."""
    line = log.lines[index]
    if ": " not in line and "--> " not in line and not (group and line[0] == " "):
        return 0
    if is_arrow(line):
        block = block_at(log, index, HEADER.match)
        if block is None:
            return 0
        head = block.header
        rule = head["rule"] or head["name"]
        reading.add(
            Diagnostic(
                message=head["message"],
                detail=block.detail(log),
                file=block.file,
                line=block.line,
                column=block.column,
                rule=rule,
                severity=severity(line.split("[")[0], "error") if head["name"] else "error",
                tool="ruff",
                log=log.span(block.first, block.end - 1),
            )
        )
        reading.claim(block.first, block.end)
        return block.end
    match = GROUPED.match(line) if group and line[0] == " " else LINE.match(line) or PYLINT.match(line)
    if not match or (PYLINT_CODE.fullmatch(match.groupdict().get("rule") or "") and SYMBOL.search(match["message"])):
        return 0
    end = index + 1
    while end < len(log.lines) and end - index < 80 and GUTTER.match(log.lines[end]):
        end += 1
    parts = match.groupdict()
    reading.add(
        Diagnostic(
            message=match["message"].strip(),
            detail="\n".join(log.lines[index + 1 : end]),
            file=group or parts["file"],
            line=number(match["line"]),
            column=number(parts.get("column")),
            rule=parts.get("rule") or parts.get("name") or "invalid-syntax",
            severity=severity(parts.get("severity"), "error"),
            tool="ruff",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _other(log: Log, index: int, named: bool, reading: Reading) -> int:
    """Read totals, verdicts and trouble of ruff itself."""
    line = log.lines[index]
    if match := FOUND.match(line):
        reading.counts["errors"] = int(match["left"] or match["all"])
        reading.outcome = "failed" if reading.counts["errors"] else "passed"
        if not reading.claimed or not STATISTIC.match(log.lines[index - 1]):
            reading.expected = reading.counts["errors"]
    elif line == "All checks passed!":
        reading.outcome = reading.outcome or "passed"
    elif match := WOULD.match(line):
        reading.add(Diagnostic(message=line, file=match["file"], tool="ruff", log=log.span(index)))
        reading.outcome = "failed"
    elif match := FORMAT.match(line):
        reading.outcome = "failed" if match["would"] else reading.outcome or "passed"
    elif line == "ruff failed" or (line.startswith("ruff failed")):
        return _failed(log, index, reading)
    elif match := (TROUBLE.match(line) or (ANY_TROUBLE.match(line) if named and reading.outcome != "error" else None)):
        parts = match.groupdict()
        error = match["severity"] == "error"
        end = index + 1
        while end < len(log.lines) and CAUSE.match(log.lines[end]):
            end += 1
        reading.add(
            Diagnostic(
                message=match["message"],
                severity="error" if error else "warning",
                detail="\n".join(log.lines[index + 1 : end]),
                file=parts.get("file") or parts.get("noqa_file"),
                line=number(parts.get("line") or parts.get("noqa_line")),
                column=number(parts.get("column")),
                tool="ruff",
                log=log.span(index, end - 1),
            )
        )
        reading.outcome = "error" if error else reading.outcome
        reading.claim(index, end)
        return end
    elif line.startswith("Would fix ") and FIXED.match(line):
        reading.outcome = "failed"
    elif not (STATISTIC.match(line) or line.startswith(("[*] ", "No fixes avail")) or FIXED.match(line)):
        return 0
    reading.claim(index)
    return index + 1


def _failed(log: Log, index: int, reading: Reading) -> int:
    """Read `ruff failed` with its chain of causes; a TOML error ends in the sentence that says what is wrong."""
    end = index + 1
    while end < len(log.lines) and log.lines[end]:
        end += 1
    causes = [(at, m["message"]) for at in range(index + 1, end) if (m := CAUSE.match(log.lines[at]))]
    at, message = causes[-1] if causes else (index, log.lines[index])
    reading.partial = reading.partial or not causes
    whole = "\n".join(log.lines[index:end])
    if "TOML parse error" in message and end - 1 > at and not GUTTER.match(log.lines[end - 1]):
        at, message = end - 1, log.lines[end - 1]
    files = [m["file"] for _, cause in causes if (m := CONFIG_FILE.match(cause))]
    place = CONFIG_LINE.search(whole)
    reading.add(
        Diagnostic(
            message=message,
            detail="\n".join(log.lines[index + 1 : end]) if len(causes) > 1 else "",
            file=files[0] if files else None,
            line=number(place["line"]) if place and files else None,
            column=number(place["column"]) if place and files else None,
            tool="ruff",
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    reading.outcome = "error"
    return end


def _format_diff(log: Log, reading: Reading) -> None:
    """`--diff` prints what would change; the total on stderr shows whose diff it is."""
    if not reading.claimed:
        return
    known = {d.file for d in reading.diagnostics}
    for diff in file_diffs(log):
        if diff.file not in known:
            reading.add(
                Diagnostic(
                    message=log.lines[diff.first],
                    detail=diff.text(log),
                    file=diff.file,
                    line=diff.line,
                    tool="ruff",
                    log=log.span(diff.first, diff.end - 1),
                )
            )
        reading.claim(diff.first, diff.end)


def _json(log: Log, reading: Reading) -> None:
    seen = 0
    for value in js.values(log):
        items = [item for item in value.dicts() if "filename" in item and "location" in item and "message" in item]
        if not items and value.value != []:
            continue
        at = value.first
        for item in items:
            at = js.lines_with(log, value, js.text_of(item, "message"), at)
            reading.add(_from_json(item, log, at))
            at = min(at + 1, value.end - 1)
        js.claim(reading, log, value)
        seen += len(items)
        reading.partial = reading.partial or not value.whole
    if seen:
        reading.counts.setdefault("errors", seen)
        reading.outcome = "failed"


def _from_json(item: dict[str, object], log: Log, at: int) -> Diagnostic:
    file = js.text_of(item, "filename")
    message, rest = js.message_of(item, "message")
    return Diagnostic(
        message=message,
        detail="\n".join(filter(None, [rest, js.text_of(item, "fix", "message")])),
        severity=severity(js.text_of(item, "severity"), "error"),
        file=file or None,
        line=js.number_of(item, "location", "row"),
        column=js.number_of(item, "location", "column"),
        end_line=js.number_of(item, "end_location", "row"),
        end_column=js.number_of(item, "end_location", "column"),
        rule=js.text_of(item, "code") or "invalid-syntax",
        tool="ruff",
        fix=_fix(item, file),
        log=log.span(at),
    )


def _fix(item: dict[str, object], file: str) -> Fix | None:
    edits = tuple(_edits(js.dicts_of(item, "fix", "edits"), file))
    if not edits or item.get("cell") is not None:
        return None
    return Fix(edits, js.text_of(item, "fix", "applicability") == "safe", js.text_of(item, "fix", "message"))


def _edits(edits: list[dict[str, object]], file: str) -> Iterator[Edit]:
    for edit in edits:
        places = [js.number_of(edit, key, part) for key in ("location", "end_location") for part in ("row", "column")]
        line, column, end_line, end_column = places
        if line and column and end_line and end_column:
            yield Edit(file, line, column, end_line, end_column, js.text_of(edit, "content"))
