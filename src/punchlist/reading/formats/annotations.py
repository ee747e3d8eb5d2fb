"""Read annotations for CI systems: GitHub's `::error file=..,line=..::text` and `##[error]text`, Azure's `##vso[..]`.

Seen from ruff, ty, pylint, yamllint, sqlfluff, ansible-lint, biome, oxlint, golangci-lint, eslint and reviewdog.
"""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import replace

GITHUB = re.compile(
    r"(?P<lead>.*?)::(?P<severity>error|warning|notice)(?: (?P<fields>[^:]*?(?::(?!:)[^:]*?)*))?::(?P<text>.*)"
)
PLAIN = re.compile(r"##\[(?P<severity>error|warning)\](?P<text>.+)")
AZURE = re.compile(r"##vso\[task\.logissue (?P<fields>[^\]]*)\](?P<text>.*)")
FIELD = re.compile(r"(?:^|,) *(?P<name>[A-Za-z_]+)=")
# What follows from a failure that stands elsewhere, and advice of the CI system itself.
CONSEQUENCE = re.compile(
    r"(?:Error: )?(?:The )?[Pp]rocess(?: '.*')? (?:completed|failed) with exit code|The operation was canceled"
    r"|The job (?:was|has)|Node\.js \d+ actions are deprecated|The `?(?:set-output|save-state)`? command"
    r"|No files were found with the provided path"
    r"|Unable to .*cache|Failed to (?:save|restore)|The following actions|The (?:hosted )?runner"
    r"|(?:Bash|Cmd\.exe|PowerShell) exited with code"
)
PLACE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*):(?P<line>\d+)(?::(?P<column>\d+))?(?:-\d+(?::\d+)?)?(?::|\s+-)\s+"
)
ROW = re.compile(r"(?P<line>\d+):(?P<column>\d+) ")
BRACKETED = re.compile(r"\[(?P<rule>[a-z][\w./-]*)\] ")
# Pyrefly's titles: `Pyrefly missing-import`.
TOOL_THEN_RULE = re.compile(r"(?P<tool>[A-Z]\w+) (?P<rule>[a-z]+(?:-[a-z]+)+)$")
TOOL_AND_RULE = re.compile(r"(?P<tool>[\w.-]+) \((?P<rule>[\w./@-]+)\)$")
CODE = re.compile(r"(?:[A-Za-z@][\w@/.-]*[\d/\-\[][\w@/.\[\]-]*|[A-Za-z-]+\([\w/-]+\))$")
RULE_BEFORE = re.compile(r"(?P<rule>[A-Z]{1,5}\d{2,5}|[\w-]+\([\w/-]+\)|(?:error|warning)\[(?P<name>[\w-]+)\]):? ")
RULE_AFTER = re.compile(r"\s+[\[(](?P<rule>[a-z@][\w@/.-]*)[\])]$")
PYLINT = re.compile(r"[CR]\d{4}$")
WORD = re.compile(r"[a-z][\w-]*$")
# Titles that name a tool, not a rule.
TOOLS = re.compile(
    r"(?:\w*lint(?:er)?|sqlfluff|ruff|ty|mypy|biome|shellcheck|staticcheck|semgrep|reviewdog|test|build)$", re.I
)
SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning", "notice": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read every annotation line."""
    reading = Reading()
    for index, line in enumerate(log.lines):
        if "::" not in line and "##" not in line:
            continue
        found = _github(line) or _plain(line) or _azure(line)
        if found is None:
            continue
        reading.claim(index)
        if not CONSEQUENCE.match(found.message):
            tool = found.tool or (context.words[0] if context.words else "")
            reading.add(replace(found, tool=tool, log=log.span(index)))
    for name, severity in (("errors", "error"), ("warnings", "warning")):
        count = sum(d.severity == severity for d in reading.diagnostics)
        if count and all(d.file and not d.test for d in reading.diagnostics):
            reading.counts[name] = count
    return reading


def _github(line: str) -> Diagnostic | None:
    if "::error" not in line and "::warning" not in line and "::notice" not in line:
        return None
    match = GITHUB.match(line)
    # Scripts that print the command (`echo "::error::..."`) are shown before they run.
    if not match or re.search(r"""(?:echo|printf|print|Write-\w+|log)\b.*["'(]?$|["'`(]$""", match["lead"]):
        return None
    fields = _fields(match["fields"] or "")
    return _diagnostic(match["severity"], fields, _unescaped(match["text"]))


def _plain(line: str) -> Diagnostic | None:
    match = PLAIN.search(line) if "##[" in line else None
    return _diagnostic(match["severity"], {}, match["text"]) if match else None


def _azure(line: str) -> Diagnostic | None:
    match = AZURE.search(line) if "##vso[task.logissue" in line else None
    if not match:
        return None
    pairs = (part.split("=", 1) for part in match["fields"].split(";") if "=" in part)
    given = {name.strip().lower(): _unescaped(value) for name, value in pairs}
    names = {"sourcepath": "file", "linenumber": "line", "columnnumber": "col", "code": "title"}
    fields = {names.get(name, name): value for name, value in given.items()}
    return _diagnostic(given.get("type", "error"), fields, _unescaped(match["text"]))


def _fields(text: str) -> dict[str, str]:
    starts = list(FIELD.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return {
        match["name"].lower(): _unescaped(text[match.end() : end]) for match, end in zip(starts, ends, strict=False)
    }


def _unescaped(text: str) -> str:
    if "%" not in text:
        return text
    for code, char in (
        ("%0D", ""),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%3B", ";"),
        ("%5D", "]"),
        ("%25", "%"),
    ):
        text = text.replace(code, char).replace(code.lower(), char)
    return text.replace("%AZP25", "%")


def _diagnostic(word: str, fields: dict[str, str], text: str) -> Diagnostic:
    message, _, detail = text.strip().partition("\n")
    file, line, column = (
        fields.get("file"),
        number(fields.get("line")),
        number(fields.get("col") or fields.get("column")),
    )
    rule, tool, title = _title(fields.get("title", "").strip())
    if match := PLACE.match(message):
        same = not file or file.replace("\\", "/").endswith(match["file"].replace("\\", "/").lstrip("./"))
        if same:
            file, line, column = file or match["file"], line or number(match["line"]), column or number(match["column"])
            message = message[match.end() :]
    elif (match := ROW.match(message)) and line == int(match["line"]):
        message = message[match.end() :]
    message, rule = _without_rule(message.strip(), rule)
    test = title.replace(" › ", " > ") if " > " in title or " › " in title else None
    if title and title != message and not test:
        detail = f"{title}\n{detail}".rstrip("\n")
    # pylint sends its conventions and refactorings as notices.
    level: Severity = "warning" if PYLINT.match(rule) and word == "notice" else SEVERITIES.get(word, "error")
    return Diagnostic(
        message=message or title or text.strip() or word,
        severity=level,
        detail=detail,
        file=file or None,
        line=line,
        column=column,
        end_line=number(fields.get("endline")),
        end_column=number(fields.get("endcolumn")),
        rule=rule or None,
        test=test,
        tool=tool,
    )


def _title(title: str) -> tuple[str, str, str]:
    """What a title is: (rule, tool, free text)."""
    if match := TOOL_AND_RULE.match(title) or TOOL_THEN_RULE.match(title):
        return match["rule"], match["tool"].casefold(), ""
    if CODE.match(title) or (WORD.match(title) and not TOOLS.match(title)):
        return title, "", ""
    if TOOLS.match(title):
        return "", title.casefold(), ""
    return "", "", title


def _without_rule(message: str, rule: str) -> tuple[str, str]:
    if match := BRACKETED.match(message):
        return message[match.end() :], rule or match["rule"]
    if rule and message.startswith((f"{rule}: ", f"{rule} ")):
        return message[len(rule) :].lstrip(": "), rule
    if (match := RULE_BEFORE.match(message)) and rule in ("", match["rule"], match["name"] or ""):
        message, rule = message[match.end() :], rule or match["name"] or match["rule"]
    if rule and message.endswith((f" [{rule}]", f" ({rule})")):
        message = message[: -len(rule) - 3]
    elif not rule and (match := RULE_AFTER.search(message)) and re.search(r"[-/.]|^[a-z]+lint$|check$", match["rule"]):
        message, rule = message[: match.start()], match["rule"]
    return message, rule
