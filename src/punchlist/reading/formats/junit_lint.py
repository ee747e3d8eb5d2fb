"""Read JUnit XML that a linter wrote: each test case is a finding, its name the rule.

Seen from ruff, eslint, biome, oxlint, stylelint, phpcs, phpstan, rubocop, tflint, golangci-lint, mypy.
"""

import re
from xml.etree.ElementTree import Element

from punchlist.model import Diagnostic
from punchlist.reading.formats.xml_values import Document, name_of, whole_text
from punchlist.reading.log import Log, Reading
from punchlist.reading.oneline import number, severity

# The text of a finding: `line 1, col 2, Error - message (rule)` (eslint), `line 1, column 2, message` (oxlint).
PLACE = re.compile(
    r"\s*line (?P<line>\d+), col(?:umn)? (?P<column>\d+), (?:(?P<severity>Error|Warning|Info)\w* - )?"
    r"(?P<message>[^\n]*)"
)
AT = re.compile(r"(?P<rule>[\w.]+) at (?P<file>.+) \((?P<line>\d+):(?P<column>\d+)\)$")
COLON = re.compile(r"(?P<file>[^\s:](?:[^:]|:[\\/])*):(?P<line>\d+)(?::(?P<column>\d+))?(?::\s*(?P<message>[^\n]*))?")
COMMA = re.compile(r"(?P<file>\S+?):(?P<line>\d+),(?P<column>\d+)-\d+: (?P<message>.*)")
RULE_IN_TEXT = re.compile(r"\s*\((?P<rule>[\w@/.-]+)\)$")
PACKAGED = re.compile(r"org\.(?P<tool>ruff|eslint|biome|ty|stylelint|rubocop)\.(?P<rule>.+)")
KNOWN = (
    "oxlint",
    "biome",
    "rubocop",
    "phpstan",
    "psalm",
    "tflint",
    "ruff",
    "ty",
    "eslint",
    "phpcs",
    "mypy",
    "stylelint",
    "bandit",
)
BANDIT = re.compile(
    r"Test ID: (?P<rule>B\d+) Severity: (?P<word>\w+)(?s:.*?)\nLocation (?P<file>.+?):(?P<line>\d+)(?:$|\n)"
)
OXLINT_RULE = re.compile(r"[\w-]+\([\w/-]+\)$")


def linter(root: Element) -> str:
    """Return the linter that wrote a document, or "" where it holds tests."""
    name = (root.get("name") or "").casefold()
    name = "phpcs" if name.startswith("php_codesniffer") else name
    if name in KNOWN:
        return name
    for case in _first_cases(root):
        if match := PACKAGED.match(case.get("name") or ""):
            return match["tool"]
        texts = [e for e in case if name_of(e) in ("failure", "error")]
        if case.get("classname") == "mypy" and (case.get("name") or "").startswith("mypy"):
            return "mypy"
        if (case.get("name") or "").startswith("stylelint."):
            return "stylelint"
        for element in texts:
            if OXLINT_RULE.match(case.get("name") or "") and PLACE.match(element.text or ""):
                return "oxlint"
            if "\nCategory: " in (element.text or "") and "\nLine: " in (element.text or ""):
                return "golangci-lint"
    suites = [s for s in root if name_of(s) == "testsuite"]
    named = {(s.get("name") or "").casefold() for s in suites[:3]} & set(KNOWN)
    return next(iter(named), "")


def _first_cases(root: Element) -> list[Element]:
    found = []
    for case in root.iter():
        if name_of(case) == "testcase":
            found.append(case)
            if len(found) >= 50 or any(name_of(e) in ("failure", "error") for e in case):
                break
    return found


def read(document: Document, log: Log, tool: str, reading: Reading) -> None:
    """Add the findings of one document."""
    places = iter(document.lines_of("failure", "error"))
    counts = {"errors": 0, "warnings": 0}
    findings = 0
    for suite in document.root.iter():
        for case in suite:
            if name_of(case) != "testcase":
                continue
            for element in case:
                if name_of(element) not in ("failure", "error"):
                    continue
                line, offset = next(places, (document.first, 0))
                raw = document.attribute(offset, "message") or element.get("message") or ""
                for found in _findings(suite, case, element, tool, raw):
                    end = min(line + raw.count("\n") + whole_text(element).count("\n"), document.end - 1)
                    reading.add(_placed(found, log, line, end))
                    counts["errors" if found.severity == "error" else "warnings"] += 1
                    findings += 1
    if tool == "mypy":  # it prints its own text and totals beside the report
        return
    for name, value in counts.items():
        if findings:
            reading.counts[name] = reading.counts.get(name, 0) + value
    reading.outcome = "failed" if counts["errors"] else reading.outcome or ("passed" if document.whole else None)


def _placed(found: Diagnostic, log: Log, line: int, end: int) -> Diagnostic:
    from punchlist.records import replace

    return replace(found, log=log.span(line, end))


def _findings(suite: Element, case: Element, element: Element, tool: str, raw: str) -> list[Diagnostic]:
    text = whole_text(element).strip("\n")
    if tool == "mypy":
        return _mypy(text)
    name = case.get("name") or ""
    packaged = PACKAGED.match(name)
    rule: str | None = packaged["rule"] if packaged else name.removeprefix("stylelint.")
    if packaged and rule:
        # Biome writes the groups of its rules with dots here, ESLint a word where a finding has no rule.
        rule = rule.replace(".", "/") if packaged["tool"] == "biome" else rule if rule != "unknown" else None
    word = {p.get("name"): p.get("value") for p in case.iter() if name_of(p) == "property"}.get("severity")
    file, line, column = suite.get("name"), number(case.get("line")), number(case.get("column"))
    message = raw or text.strip()
    place = PLACE.match(text)
    if place:
        line, column = line or number(place["line"]), column or number(place["column"])
        word = word or place["severity"]
        message = raw or RULE_IN_TEXT.sub("", place["message"])
    elif match := AT.match(name):
        rule, file, line, column = match["rule"], match["file"], number(match["line"]), number(match["column"])
    elif (match := COMMA.match(raw)) or (tool in ("golangci-lint", "tflint") and (match := COLON.match(raw))):
        file, line, column = match["file"], number(match["line"]), number(match["column"])
        message = match["message"]
    elif tool == "bandit" and (match := BANDIT.match(text)):
        rule, word, file, line = match["rule"], match["word"], match["file"], number(match["line"])
    elif tool == "rubocop" and (match := COLON.search(text)):
        file, line, column = match["file"], number(match["line"]), number(match["column"])
    elif match := COLON.match(name):
        file, line, column, rule = match["file"], number(match["line"]), number(match["column"]), None
    if tool == "oxlint":
        word = "error" if name_of(element) == "error" else "warning"
    first, _, rest = message.strip().partition("\n")
    return [
        Diagnostic(
            message=first,
            detail=rest.strip("\n"),
            severity=severity(word or element.get("type"), "error"),
            file=file,
            line=line,
            column=column,
            rule=rule or None,
            tool=tool,
        )
    ]


def _mypy(text: str) -> list[Diagnostic]:
    from punchlist.reading.log import Context
    from punchlist.reading.tools import mypy

    lines = text.split("\n")
    return mypy.parse(Log(lines, list(range(1, len(lines) + 1))), Context()).diagnostics
