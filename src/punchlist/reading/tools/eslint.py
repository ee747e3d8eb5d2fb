"""ESLint 6 to 10 and what prints as it does: stylish and pretty rows, compact, unix, codeframe, JSON, and crashes."""

import re
from bisect import bisect_right
from itertools import accumulate, pairwise

from punchlist.model import Diagnostic, Edit, Fix, Outcome, Severity
from punchlist.reading.formats.json_values import Value, claim, dicts_of, inner, lines_with, number_of, text_of, values
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import eslint_tap
from punchlist.reading.tools.lint_lines import parse_lines, without_total

ROW = re.compile(
    r" +(?P<icon>[✖✘×⚠‼ℹxi] +)?(?P<line>\d+):(?P<column>\d+) +(?:(?P<word>error|warning|info|off)\b *)?(?P<text>.*)$"
)
BARE_ROW = re.compile(r" +(?:(?P<icon>[✖✘×⚠‼ℹ]) +|(?P<word>error|warning) +)(?P<text>\S.*)$")
RULE = re.compile(r"(?:^|.*?\S) {2,}(?P<rule>@?[A-Za-z][\w.-]*(?:/[\w@.-]+)*(?:\([\w/@.-]+\))?)$")
FULL_STOP = re.compile(r"(?P<message>.*\S) {2,}(?P<rule>\S+)$")
SUMMARY = re.compile(r"[✖×!xX]? ?(?P<problems>\d+) problems? \((?P<errors>\d+) errors?, (?P<warnings>\d+) warnings?\)$")
FIXABLE = re.compile(r" +\d+ errors? and \d+ warnings? potentially fixable with the `--fix` option\.$")
PRETTY_TOTAL = re.compile(r" {2}(?P<count>\d+) (?P<word>error|warning)s?$")
HEADER = re.compile(r"(?: {2})?(?P<file>(?:/|\.{0,2}[\\/]|[A-Za-z]:[\\/])?[^\s:][^:]*?)(?::\d+:\d+)?$")
TOO_MANY = re.compile(r"ESLint found too many warnings \(maximum: \d+\)\.$")
OOPS = "Oops! Something went wrong! :("
VERSION = re.compile(r"ESLint: v?\d+\.\d+")
ERROR_NAME = re.compile(r"(?:Uncaught )?(?:[A-Z]\w*)?Error(?: \[\w+\])?: ")
FRAME = re.compile(r"\s+at ")
RULE_OF_CRASH = re.compile(r'Rule: "(?P<rule>[^"]+)"$')
OCCURRED = re.compile(r"Occurred while linting (?P<file>.+):(?P<line>\d+)$")
PLACE_OF_PARSE = re.compile(
    r"file://(?P<file>[^:]+|[A-Za-z]:[^:]+):(?P<line>\d+)$|(?P<file2>/\S+?\.[mc]?[jt]s):(?P<line2>\d+)$"
)
USAGE = re.compile(
    r"(?:Invalid (?:option|value for option|type for option) |Option .+: |Missing value for |No value for |"
    r"The (?P<formatter>\S+) formatter is no longer part of core ESLint|"
    r"(?:There was a problem loading formatter|Could not find (?:option|config)|Invalid formatter)|"
    r"The (?:--[\w-]+|'[^']+') options? (?:is|are|cannot)|Replacing rules .+ is not |"
    r"No ESLint configuration found|You must pass |Config (?:file|\(unnamed\))|"
    r"ESLint couldn't find |eslint: command not found|--[\w-]+ (?:cannot|requires|must) )"
)
FORMATTER = re.compile(r"(?:There was a problem loading formatter(?: option)?: (?P<name>.+))$")
LEVELS: dict[str, Severity] = {"✖": "error", "✘": "error", "×": "error", "⚠": "warning", "‼": "warning", "ℹ": "info"}
# What a line of its own that matters here begins with: totals, notices, complaints about options.
OTHER_FIRST = frozenset(" EO✖×!xXIMNTRCYceis-0123456789")
DETAIL_LINES = 60


def parse(log: Log, context: Context) -> Reading:
    """Read findings in any of ESLint's own formats, totals, and what it says when it cannot work."""
    reading = Reading()
    if _may_hold_json(log):
        _json(log, reading)
    elif context.words and eslint_tap.read(log, reading):
        _verdict(reading, context)
        return reading
    taken = {at for first, end in reading.claimed for at in range(first, end)}
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if not line or index in taken:
            index += 1
        elif (
            line[0] == " "
            and not PRETTY_TOTAL.match(line)
            and (line.lstrip(" ✖✘×⚠‼ℹxi")[:1].isdigit() or _is_bare(log, index))
        ):
            index = _file(log, index, reading)
        elif line[0] in OTHER_FIRST or "problem" in line:
            index = _other(log, index, reading, context)
        else:
            index += 1
    if not reading.diagnostics:
        parse_lines(log, reading)
        without_total(reading)
    elif "errors" not in reading.counts and reading.outcome != "error":
        # Rows are always followed by their total.
        reading.partial = True
    _verdict(reading, context)
    return reading


def _may_hold_json(log: Log) -> bool:
    return any("filePath" in line for line in log.lines)


def _json(log: Log, reading: Reading) -> None:
    """Read ESLint's JSON: a list of files, or one with the rules' metadata beside it (`json-with-metadata`)."""
    for value in values(log):
        files = [one for one in value.dicts() if "filePath" in one and isinstance(one.get("messages"), list)]
        if isinstance(value.value, dict) and not files:
            files = [one for one in dicts_of(value.value, "results") if "filePath" in one]
        if not files:
            continue
        for file in files:
            _json_file(log, value, file, reading)
        for name, key in (("errors", "errorCount"), ("warnings", "warningCount")):
            reading.counts[name] = reading.counts.get(name, 0) + sum(number_of(one, key) or 0 for one in files)
        reading.partial |= not value.whole
        claim(reading, log, value)
        if not reading.counts["errors"]:
            reading.outcome = reading.outcome or "passed"


def _json_file(log: Log, value: Value, file: dict[str, object], reading: Reading) -> None:
    at = lines_with(log, value, text_of(file, "filePath"), value.first)
    offsets = _Offsets(text_of(file, "source"))
    for message in dicts_of(file, "messages"):
        text = text_of(message, "message")
        at = lines_with(log, value, text, at)
        fatal = message.get("fatal") is True
        first, _, rest = text.partition("\n")
        reading.add(
            Diagnostic(
                message=first.strip() or text.strip(),
                detail=rest.strip("\n"),
                severity="warning" if message.get("severity") == 1 and not fatal else "error",
                file=text_of(file, "filePath") or None,
                line=number_of(message, "line"),
                column=number_of(message, "column"),
                end_line=number_of(message, "endLine"),
                end_column=number_of(message, "endColumn"),
                rule=text_of(message, "ruleId") or None,
                fix=_fix(message, text_of(file, "filePath"), offsets),
                log=log.span(at),
            )
        )


class _Offsets:
    """Places of the offsets that ESLint counts in a file's text: UTF-16 units, as its columns are."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._starts: list[int] | None = None

    def place(self, offset: object) -> tuple[int, int] | None:
        """Return line and column, both 1-based, of an offset; None where it does not lie in the text."""
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0 or not self.source:
            return None
        if self._starts is None:
            lengths = (len(line.encode("utf-16-le", "replace")) // 2 + 1 for line in self.source.split("\n"))
            self._starts = [0, *accumulate(lengths)]
        if offset >= self._starts[-1]:
            return None
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def _fix(message: dict[str, object], file: str, offsets: _Offsets) -> Fix | None:
    """Return the change ESLint itself would make; else, not safe, the only one it suggests."""
    if edit := _edit(inner(message, "fix"), file, offsets):
        return Fix((edit,), safe=True)
    suggestions = dicts_of(message, "suggestions")
    if len(suggestions) == 1 and (edit := _edit(inner(suggestions[0], "fix"), file, offsets)):
        return Fix((edit,), safe=False, title=text_of(suggestions[0], "desc"))
    return None


def _edit(fix: object, file: str, offsets: _Offsets) -> Edit | None:
    span = inner(fix, "range")
    if not isinstance(span, list) or len(span) != 2 or not isinstance(inner(fix, "text"), str):
        return None
    start, end = offsets.place(span[0]), offsets.place(span[1])
    return Edit(file, *start, *end, text_of(fix, "text")) if start and end and start <= end else None


# -- Stylish and pretty: a file, then its rows


def _is_bare(log: Log, index: int) -> bool:
    """Whether a row without a place stands here: directly below a file's own line or another row."""
    if index == 0 or not BARE_ROW.match(log.lines[index]):
        return False
    above = log.lines[index - 1]
    return bool(ROW.match(above) or (not above.startswith(" ") and HEADER.match(above) and "/" in above))


def _file(log: Log, index: int, reading: Reading) -> int:
    """Read the rows of one file; `index` is its first row. Return the index after them."""
    row = ROW.match(log.lines[index]) or BARE_ROW.match(log.lines[index])
    header = _header(log, index)
    if row is None or header is None or not _is_row(row):
        return index + 1
    claimed = index - 1
    while index < len(log.lines):
        row = ROW.match(log.whole(index)) or BARE_ROW.match(log.whole(index))
        if row is None or not _is_row(row):
            break
        index = _row(row, log, index, header, reading)
    reading.claim(claimed, index)
    return index


def _is_row(row: re.Match[str]) -> bool:
    return bool((row["word"] or (row["icon"] or "").strip()) and row["text"])


def _header(log: Log, index: int) -> str | None:
    if index == 0:
        return None
    line = log.lines[index - 1]
    match = HEADER.match(line)
    return match["file"] if match and line.strip() and (match["file"][0] not in "✖×") else None


def _row(row: re.Match[str], log: Log, index: int, file: str, reading: Reading) -> int:
    """Add the finding of a row with the lines that its message runs on; return the index after it."""
    end = _row_end(log, index + 1)
    block = [row["text"], *(log.whole(at) for at in range(index + 1, end))]
    message, rule = _message_and_rule(block)
    places = row.groupdict()
    icon = (row["icon"] or "").strip()
    reading.add(
        Diagnostic(
            message=message,
            severity="error" if row["word"] == "error" else LEVELS.get(icon, "warning"),
            detail="\n".join(block[1:][:DETAIL_LINES]),
            file=file,
            line=_number(places.get("line")),
            column=_number(places.get("column")),
            rule=rule,
            log=log.span(index, end - 1),
        )
    )
    return end


def _message_and_rule(block: list[str]) -> tuple[str, str | None]:
    """Take the rule off the end of the block (changed in place) and return the message and the rule."""
    rule = RULE.match(block[-1])
    if rule is None:
        return block[0].strip(), None
    block[-1] = block[-1][: rule.start("rule")].rstrip()
    if len(block) > 1 and not block[-1]:
        block.pop()
    return block[0].strip() or rule["rule"], rule["rule"]


def _row_end(log: Log, index: int) -> int:
    """Return where the message of a row ends: at the next row, the next file, the totals or a blank before one."""
    start = index
    while index < len(log.lines):
        line = log.lines[index]
        if _begins_row(line) or SUMMARY.match(line) or PRETTY_TOTAL.match(line) or TOO_MANY.match(line):
            return index
        if not line and _is_end(log, index + 1):
            return index
        if (log.numbers[index] < 0) != (log.numbers[start - 1] < 0) or index in log.gaps or index - start > 200:
            return index
        index += 1
    return index


def _is_end(log: Log, index: int) -> bool:
    """Whether something new begins behind a blank line: totals, a file with rows, another blank, the end."""
    if index >= len(log.lines) or not log.lines[index]:
        return True
    line = log.lines[index]
    if SUMMARY.match(line) or PRETTY_TOTAL.match(line):
        return True
    if index + 1 < len(log.lines) and _begins_row(log.lines[index + 1]) and HEADER.match(line):
        return True
    return not any(RULE.match(later) for later in _until_row(log, index))


def _until_row(log: Log, index: int) -> list[str]:
    """The lines up to the next file's rows or the totals, at most as many as a long message has."""
    lines = log.lines[index : index + 60]
    for at, (line, below) in enumerate(pairwise([*lines, ""])):
        if SUMMARY.match(line) or _begins_row(line) or (_begins_row(below) and not line.startswith(" ")):
            return lines[:at]
    return []


def _begins_row(line: str) -> bool:
    if not line.startswith(" "):
        return False
    row = ROW.match(line)
    return row is not None and _is_row(row)


def _number(text: str | None) -> int | None:
    return int(text[:9]) or None if text else None


# -- Everything else


def _other(log: Log, index: int, reading: Reading, context: Context) -> int:
    line = log.lines[index]
    if summary := SUMMARY.match(line):
        reading.counts["errors"] = reading.counts.get("errors", 0) + int(summary["errors"])
        reading.counts["warnings"] = reading.counts.get("warnings", 0) + int(summary["warnings"])
        reading.claim(index)
    elif total := PRETTY_TOTAL.match(line):
        if reading.diagnostics:
            reading.counts[f"{total['word']}s"] = int(total["count"])
            reading.claim(index)
    elif FIXABLE.match(line):
        reading.claim(index)
    elif TOO_MANY.match(line):
        reading.outcome = "failed"
        reading.notes.append(line.strip())
        reading.claim(index)
    elif OOPS in line:
        return _crash(log, index, reading)
    elif context.words and context.exit_code and USAGE.match(line):
        reading.outcome = "error"
        reading.add(Diagnostic(message=line.strip(), log=log.span(index)))
        reading.claim(index)
    return index + 1


def _crash(log: Log, index: int, reading: Reading) -> int:
    """Read the block behind "Oops! Something went wrong!": the version, the reason, advice or a stack."""
    end = index + 1
    while end < len(log.lines) and end - index < 120 and (log.numbers[end] < 0) == (log.numbers[index] < 0):
        end += 1
    body = [at for at in range(index + 1, end) if log.lines[at].strip() and not VERSION.match(log.lines[at])]
    reason = next((at for at in body if ERROR_NAME.match(log.lines[at])), body[0] if body else index)
    stack = next((at for at in body if at > reason and FRAME.match(log.lines[at])), None)
    last = _stack_end(log, stack, end) if stack is not None else end
    place = _crash_place(log, index, end)
    rule = next((m["rule"] for at in range(index, end) if (m := RULE_OF_CRASH.match(log.lines[at]))), None)
    head, tail = (reason, stack) if stack is not None else (reason, last)
    said = [log.lines[at] for at in range(head + 1, tail or last)]
    reading.outcome = "error"
    reading.add(
        Diagnostic(
            message=log.whole(reason).strip(),
            detail="\n".join(said).strip("\n")[:6000],
            file=place[0],
            line=place[1],
            rule=rule,
            log=log.span(reason),
        )
    )
    reading.claim(index, last)
    return last


def _stack_end(log: Log, stack: int, end: int) -> int:
    at = stack
    while at < end and FRAME.match(log.lines[at]):
        at += 1
    return at


def _crash_place(log: Log, index: int, end: int) -> tuple[str | None, int | None]:
    """The file a rule crashed on, or the configuration file that does not parse, where the block names it."""
    for at in range(index, end):
        if match := OCCURRED.match(log.lines[at]):
            return match["file"], _number(match["line"])
        if match := PLACE_OF_PARSE.match(log.lines[at]):
            return match["file"] or match["file2"], _number(match["line"] or match["line2"])
    return None, None


def _verdict(reading: Reading, context: Context) -> None:
    if "errors" in reading.counts:
        reading.expected = reading.counts["errors"] + reading.counts.get("warnings", 0)
    if reading.outcome in ("error", "failed"):
        return
    verdict: Outcome | None = None
    if any(d.severity == "error" for d in reading.diagnostics) or reading.counts.get("errors"):
        verdict = "failed"
    elif reading.diagnostics or reading.counts:
        verdict = "passed" if not context.exit_code else None
    reading.outcome = verdict
