"""Read RuboCop and what is built on it (standardrb, erb_lint): progress, clang, emacs, simple, offenses, JSON."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import claim, dicts_of, number_of, text_of, values
from punchlist.reading.formats.json_values import lines_with as lines_of
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with

TAG = r"(?P<tag>\[(?:Correctable|Corrected|Todo)\] )?"
COP = r"(?:(?P<rule>[A-Z][\w-]*(?:/[A-Z]\w*)+): )?"
LINE = re.compile(
    rf"(?P<file>(?:[A-Za-z]:)?[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<word>[IRCWEF]): {TAG}{COP}(?P<message>.*)$"
)
STANDARD = re.compile(
    rf"  (?P<file>(?:[A-Za-z]:)?[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?:{COP}"
    rf"|(?P<rule2>[A-Z]\w*(?:/\w+)+): )(?P<message>.*)$"
)
SIMPLE_FILE = re.compile(r"== (?P<file>\S.*) ==$")
SIMPLE = re.compile(rf"(?P<word>[IRCWEF]): +(?P<line>\d+): +(?P<column>\d+): {TAG}{COP}(?P<message>.*)$")
TOTALS = re.compile(r"(?P<files>\d+|no) files? inspected, (?P<offenses>\d+|no) offenses? detected(?P<rest>.*)$")
CORRECTED = re.compile(r", (?P<number>\d+|no) offenses? corrected")
COUNTED = re.compile(rf"(?P<number>\d+)  +{TAG}(?P<rule>[A-Z]\w*(?:/\w+)+)$")
TOTAL_LINE = re.compile(r"(?P<number>\d+)  Total(?: in \d+ files)?$")
TROUBLE = re.compile(
    r"(?P<message>(?:Error: )?(?:Configuration file not found: |unrecognized (?:cop|parameter)"
    r"|Unknown Ruby version|RuboCop found unknown"
    r"|\((?P<file>[^)\s]+)\): |Unable to find gem|cannot load such file -- |Incorrect cop name|Unrecognized cop"
    r"|No formatter for|invalid (?:option|argument): |The .* cop has been|Property .* of|Obsolete"
    r"|obsolete (?:cop|parameter)"
    r"|File or directory not found|No such file or directory|Could not find|Ruby version .* (?:is not"
    r"|isn't) supported).*)$"
)
CRASHED = re.compile(
    r"An error occurred while (?P<rule>\S+) cop was inspecting (?P<file>.+?)(?::(?P<line>\d+):(?P<column>\d+))?\.?$"
)
GITHUB = re.compile(
    r"::(?P<severity>error|warning) file=(?P<file>[^,]*),line=(?P<line>\d+),col=(?P<column>\d+)::"
    r"(?P<rule>[A-Z][\w-]*(?:/[A-Z]\w*)+): (?P<message>.*)$"
)
WORST = re.compile(r"\d+  +(?P<file>\S.*)$")
AT = re.compile(r" at line (?P<line>\d+)(?: column (?P<column>\d+))?")
WORDS: dict[str, Severity] = {"I": "info", "R": "warning", "C": "warning", "W": "warning", "E": "error", "F": "error"}
NAMES: dict[str, Severity] = {"info": "info", "error": "error", "fatal": "error"}


def parse(log: Log, context: Context) -> Reading:
    """Read offences, totals, cops that crashed, and what keeps RuboCop from working."""
    reading = Reading()
    if not _json(log, reading):
        _text(log, reading)
        _github(log, reading)
        _files(log, context, reading)
    _totals(log, reading)
    _trouble(log, context, reading)
    left = [d for d in reading.diagnostics if d.severity in ("error", "warning")]
    if reading.outcome is None and left:
        reading.outcome = "failed" if context.exit_code != 0 else None
    return reading


def _text(log: Log, reading: Reading) -> None:
    lines = log.lines
    file = ""
    standard = bool(lines_with(log, "standard: Use Ruby Standard Style"))
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if not line:
            continue
        match = None
        if line[0] == "=" and (head := SIMPLE_FILE.match(line)):
            file = head["file"]
            reading.claim(index - 1)
        elif line[1:2] == ":" and line[0] in WORDS and file:
            match = SIMPLE.match(line)
        elif ": " in line:
            match = LINE.match(line) or (STANDARD.match(line) if standard and line[0] == " " else None)
        elif line[0].isdigit() and (counted := COUNTED.match(line)):
            _counted(log, index - 1, counted, reading)
        if match:
            index = _offence(log, index - 1, match, file, reading)


def _offence(log: Log, index: int, match: re.Match[str], file: str, reading: Reading) -> int:
    """Add an offence and claim the source, the carets and the note that stand below it."""
    parts = match.groupdict()
    lines = log.lines
    end = index + 1
    detail = []
    if end < len(lines) and lines[end].startswith("(Using Ruby "):
        detail.append(lines[end])
        end += 1
    if match.re is LINE and end + 1 < len(lines) and re.match(r" *\^+(?:\{\})?$|\^\{\}$", lines[end + 1]):
        detail.append(lines[end].rstrip())
        end += 2
    message = log.whole(index)[match.start("message") :].strip()
    severity: Severity = WORDS.get(parts.get("word") or "", "warning")
    if (parts.get("tag") or "").startswith("[Corrected]"):
        severity = "info"
        detail.insert(0, "corrected")
    reading.add(
        Diagnostic(
            message=message,
            severity=severity,
            detail="\n".join(detail),
            file=parts.get("file") or file or None,
            line=int(match["line"]) or None,
            column=int(match["column"]) or None,
            rule=parts.get("rule") or parts.get("rule2"),
            log=log.span(index, end - 1),
        )
    )
    reading.claim(index, end)
    return end


def _counted(log: Log, index: int, match: re.Match[str], reading: Reading) -> None:
    """`--format offenses` only counts by cop."""
    reading.add(
        Diagnostic(message=log.lines[index].strip(), severity="warning", rule=match["rule"], log=log.span(index))
    )
    reading.claim(index)


def _github(log: Log, reading: Reading) -> None:
    for index in lines_with(log, "::error file=", "::warning file="):
        if match := GITHUB.match(log.whole(index)):
            message, *rest = match["message"].replace("%0A", "\n").replace("%0D", "").replace("%25", "%").split("\n")
            reading.add(
                Diagnostic(
                    message=message,
                    severity="error" if match["severity"] == "error" else "warning",
                    detail="\n".join(rest),
                    file=match["file"],
                    line=int(match["line"]),
                    column=int(match["column"]) or None,
                    rule=match["rule"],
                    log=log.span(index),
                )
            )
            reading.claim(index)


def _files(log: Log, context: Context, reading: Reading) -> None:
    """`--format worst` and `--format files` name files only."""
    forms = {"worst": WORST, "w": WORST, "files": re.compile(r"(?P<file>\S.*)$"), "fi": re.compile(r"(?P<file>\S.*)$")}
    wanted = next(
        (
            forms[word]
            for before, word in zip(context.words, context.words[1:], strict=False)
            if before in ("-f", "--format") and word in forms
        ),
        None,
    )
    if wanted is None:
        return
    for index, line in enumerate(log.lines):
        match = wanted.match(line)
        if match and not TOTAL_LINE.match(line) and log.numbers[index] > 0 and line != "--":
            reading.add(Diagnostic(message=line.strip(), severity="warning", file=match["file"], log=log.span(index)))
            reading.claim(index)


def _totals(log: Log, reading: Reading) -> None:
    for index in lines_with(log, " inspected, ", "  Total"):
        if match := TOTALS.match(log.lines[index]):
            found = 0 if match["offenses"] == "no" else int(match["offenses"])
            fixed = CORRECTED.search(match["rest"])
            corrected = int(fixed["number"]) if fixed and fixed["number"].isdigit() else 0
            reading.outcome = "failed" if found > corrected else reading.outcome or "passed"
            if any(d.file for d in reading.diagnostics):
                reading.expected = (reading.expected or 0) + found
            reading.claim(index)
        elif TOTAL_LINE.match(log.lines[index]):
            reading.claim(index)
    for index in lines_with(log, "Inspecting ", "Offenses:"):
        if re.match(r"Inspecting \d+ files?$|Offenses:$", log.lines[index]):
            reading.claim(index)


def _trouble(log: Log, context: Context, reading: Reading) -> None:
    lines = log.lines
    for index in lines_with(log, "An error occurred while "):
        match = CRASHED.match(lines[index])
        if match:
            reading.add(
                Diagnostic(
                    message=lines[index],
                    file=match["file"],
                    line=int(match["line"]) if match["line"] else None,
                    rule=match["rule"],
                    log=log.span(index),
                )
            )
            reading.claim(index)
    if context.exit_code in (0, 1) or reading.diagnostics or not context.words:
        return
    for index, line in enumerate(lines):
        match = TROUBLE.match(line) if line else None
        if match:
            at = AT.search(line)
            reading.add(
                Diagnostic(
                    message=match["message"].removeprefix("Error: "),
                    detail="\n".join(text for text in lines[index + 1 : index + 6] if text.strip()),
                    file=match["file"],
                    line=int(at["line"]) if at else None,
                    log=log.span(index),
                )
            )
            reading.claim(index)
            reading.outcome = "error"
            return


def _json(log: Log, reading: Reading) -> bool:
    """Read `--format json`."""
    if not lines_with(log, '"rubocop_version"', '"offense_count"'):
        return False
    found = False
    for value in values(log):
        for report in value.dicts():
            if "files" not in report or "metadata" not in report:
                continue
            found = True
            at = value.first
            for file in dicts_of(report, "files"):
                for offence in dicts_of(file, "offenses"):
                    message, _, rest = text_of(offence, "message").partition("\n")
                    rule = text_of(offence, "cop_name")
                    at = lines_of(log, value, message, at)
                    reading.add(
                        Diagnostic(
                            message=message.removeprefix(f"{rule}: ") or rule,
                            severity="info"
                            if offence.get("corrected") is True
                            else NAMES.get(text_of(offence, "severity"), "warning"),
                            detail=rest,
                            file=text_of(file, "path") or None,
                            line=number_of(offence, "location", "start_line") or number_of(offence, "location", "line"),
                            column=number_of(offence, "location", "start_column")
                            or number_of(offence, "location", "column"),
                            rule=rule or None,
                            log=log.span(at),
                        )
                    )
            claim(reading, log, value)
            left = [d for d in reading.diagnostics if d.severity != "info"]
            reading.outcome = "failed" if left else "passed"
    return found
