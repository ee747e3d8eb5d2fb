"""knip 2 to 6, depcheck 1, publint: sections with a count, items below; knip's and depcheck's JSON."""

import re

from punchlist.model import Diagnostic, Severity
from punchlist.reading.formats.json_values import (
    Value,
    claim,
    dicts_of,
    lines_with,
    list_of,
    number_of,
    text_of,
    values,
)
from punchlist.reading.log import Context, Log, Reading

SECTION = re.compile(
    r"(?P<name>(?:Unused|Unlisted|Unresolved|Duplicate|Referenced optional|Missing)[\w ]*?)(?: \((?P<count>\d+)\))?:?$"
)
ITEM = re.compile(
    r"(?:\* )?(?P<what>\S.*?)(?: {2,}(?P<kind>[a-z]\w+))?"
    r"(?: {2,}(?P<file>[^\s:]+)(?::(?P<line>\d+):(?P<column>\d+))?)?$"
)
PAIR = re.compile(r"(?:\* )?(?P<file>[^\s:]+\.\w+): (?P<items>\S.*)$")
WHERE = re.compile(r"(?:\* )?(?P<what>@?[\w./-]+): (?P<file>\.{0,2}/\S+)$")
PUBLINT = re.compile(r"(?P<name>Errors|Warnings|Suggestions):$")
NUMBERED = re.compile(r"\d+\. (?P<message>\S.*)$")
GOOD = re.compile(r"(?:✂️  )?Excellent, Knip found no issues|No depcheck issue|All good!")
LEVELS: dict[str, Severity] = {"Errors": "error", "Warnings": "warning", "Suggestions": "info"}


def parse(log: Log, context: Context) -> Reading:
    """Read every item under its section; the section's name is the rule."""
    reading = Reading()
    if not context.words:
        return reading
    if any(line.lstrip().startswith(("{", '"issues"')) for line in log.lines):
        _json(log, reading)
    section, level = "", ""
    expected = 0
    for index, line in enumerate(log.lines):
        if found := SECTION.match(line):
            section, level = found["name"], ""
            expected += int(found["count"] or 0)
            reading.claim(index)
        elif found := PUBLINT.match(line):
            section, level = "", found["name"]
            reading.claim(index)
        elif GOOD.match(line):
            reading.outcome = "passed"
            reading.claim(index)
        elif level and (found := NUMBERED.match(line)):
            reading.claim(index)
            reading.add(Diagnostic(message=found["message"], severity=LEVELS[level], log=log.span(index)))
        elif not line or line.startswith("Configuration hints"):
            section = ""
        elif section and (found := ITEM.match(log.whole(index))):
            _item(found, section, log, index, reading)
    if not any(PAIR.match(line) for line in log.lines):  # there a section counts its files
        reading.expected = expected or None
    if reading.diagnostics:
        reading.outcome = "passed" if context.exit_code == 0 else "failed"
    return reading


def _item(found: re.Match[str], section: str, log: Log, index: int, reading: Reading) -> None:
    reading.claim(index)
    if pair := PAIR.match(log.whole(index)):
        # knip --reporter compact: the file first, then all that is wrong in it
        for item in pair["items"].split(", "):
            reading.add(Diagnostic(message=item, file=pair["file"], rule=section, log=log.span(index)))
        return
    what = found["what"].strip()
    file, line = found["file"], found["line"]
    if missing := WHERE.match(log.whole(index)):
        what, file = missing["what"], missing["file"].removeprefix("./")
    if file is None and section.endswith("files"):
        file = what
    reading.add(
        Diagnostic(
            message=what,
            file=file,
            line=int(line) if line else None,
            column=int(found["column"]) if line else None,
            rule=section,
            log=log.span(index),
        )
    )


def _json(log: Log, reading: Reading) -> None:
    for value in values(log):
        one = value.value
        if not isinstance(one, dict):
            continue
        if "issues" in one and isinstance(one["issues"], list):
            _knip(log, value, one, reading)
        elif isinstance(one.get("missing"), dict) and "dependencies" in one:
            _depcheck(log, value, one, reading)


def _knip(log: Log, value: Value, report: dict[str, object], reading: Reading) -> None:
    """One object a file; each kind of problem is a list of names with places."""
    claim(reading, log, value)
    old = [name for name in list_of(report, "files") if isinstance(name, str)]
    for name in old:
        reading.add(Diagnostic(message=name, file=name, rule="files", log=log.span(lines_with(log, value, name, 0))))
    for file in dicts_of(report, "issues"):
        at = lines_with(log, value, text_of(file, "file"), value.first)
        for kind in file:
            for item in dicts_of(file, kind):
                name = text_of(item, "name")
                at = lines_with(log, value, name, at)
                reading.add(
                    Diagnostic(
                        message=name or kind,
                        file=text_of(file, "file") or None,
                        line=number_of(item, "line"),
                        column=number_of(item, "col"),
                        rule=kind,
                        log=log.span(at),
                    )
                )


def _depcheck(log: Log, value: Value, report: dict[str, object], reading: Reading) -> None:
    claim(reading, log, value)
    for kind, rule in (("dependencies", "Unused dependencies"), ("devDependencies", "Unused devDependencies")):
        for name in [one for one in list_of(report, kind) if isinstance(one, str)]:
            span = log.span(lines_with(log, value, name, value.first))
            reading.add(Diagnostic(message=name, rule=rule, log=span))
    missing = report["missing"]
    for name, files in missing.items() if isinstance(missing, dict) else ():
        span = log.span(lines_with(log, value, str(name), value.first))
        for file in [one for one in files if isinstance(one, str)] if isinstance(files, list) else [None]:
            reading.add(Diagnostic(message=str(name), file=file, rule="Missing dependencies", log=span))
