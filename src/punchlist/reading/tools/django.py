"""Read Django's management commands: tests (as unittest), system checks, command errors, missing migrations."""

import re
from collections.abc import Iterator

from punchlist.model import Diagnostic, Outcome, Severity
from punchlist.reading import frames
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import unittest

LEVELS: dict[str, Severity] = {
    "CRITICALS:": "error",
    "ERRORS:": "error",
    "WARNINGS:": "warning",
    "INFOS:": "info",
    "DEBUGS:": "info",
}
CHECK = re.compile(r"(?P<label>\S.*?): \((?P<rule>[\w.]+\.[A-Z]\d+)\) (?P<message>\S.*)$")
COMMAND = re.compile(
    r"(?P<message>(?:CommandError|SystemCheckError): \S.*|Unknown command: .*|No installed app with label .*)$"
)
USAGE = re.compile(r"(?:manage\.py|django-admin)\S* .*: error: (?P<message>\S.*)$")
MIGRATIONS = re.compile(r"Migrations for '(?P<app>[^']+)':$")
MIGRATION = re.compile(r"  (?P<file>\S.*\.py)\S*$")
ISSUES = re.compile(r"System check identified (?:no issues|(?P<number>\d+) issues?)\b.*$")
MISMATCH = re.compile(r"Conflicting migrations detected; .*")


def parse(log: Log, context: Context) -> Reading:
    """Read one log of `manage.py` or `django-admin`."""
    reading = unittest.parse(log, context)
    checks = list(_checks(log, reading))
    reading.diagnostics += checks
    commands = _commands(log, reading)
    pending = _pending(log, context, reading)
    tests_ran = reading.outcome in ("failed", "passed")
    verdict: Outcome | None = reading.outcome
    if any(d.severity == "error" for d in checks):
        verdict = verdict or "failed"
    if pending:
        verdict = verdict or "failed"
    if commands and not checks:
        verdict = verdict or "error"
    if verdict is None and not tests_ran:
        verdict = _crash(log, context, reading)
    reading.outcome = verdict
    return reading


def _checks(log: Log, reading: Reading) -> Iterator[Diagnostic]:
    """System checks: sections by level, one finding a line, its hint indented below (1.8 to 5.2)."""
    level: Severity | None = None
    if not lines_with(log, "System check identified", *LEVELS):
        return
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        end = index + 1
        if line in LEVELS:
            level = LEVELS[line]
            reading.claim(index)
        elif line.startswith(("System check identified", "SystemCheckError: System check identified")):
            reading.claim(index)
        elif level is not None and line[:1] not in ("", "\t", " ") and (match := CHECK.match(line)):
            while end < len(log.lines) and log.lines[end][:1] in ("\t", " "):
                end += 1
            more = [text.strip() for text in log.lines[index + 1 : end]]
            reading.claim(index, end)
            yield Diagnostic(
                message=log.whole(index)[match.start("message") :].strip(),
                severity=level,
                detail="\n".join([f"on {match['label']}" if match["label"] != "?" else "", *more]).strip(),
                rule=match["rule"],
                log=log.span(index, end - 1),
            )
        index = end


def _commands(log: Log, reading: Reading) -> bool:
    found = False
    for index in lines_with(
        log, "CommandError", "SystemCheckError", "Unknown command", "No installed app", ": error: "
    ):
        line = log.lines[index]
        match = COMMAND.match(line) or USAGE.match(line)
        if match is None or match["message"].startswith("SystemCheckError: System check identified"):
            continue
        end = index + 1
        if MISMATCH.search(line) or line.rstrip().endswith(":"):
            while end < len(log.lines) and log.lines[end].startswith((" ", "To fix", "\t")):
                end += 1
        reading.add(
            Diagnostic(
                message=log.whole(index)[match.start("message") :].strip(),
                detail="\n".join(log.lines[index + 1 : end]),
                log=log.span(index, end - 1),
            )
        )
        reading.claim(index, end)
        found = True
    return found


def _pending(log: Log, context: Context, reading: Reading) -> bool:
    """`makemigrations --check`: models that changed without a migration, which the command would write."""
    if "--check" not in context.words and "--check-changes" not in context.words:
        return False
    found = False
    app = ""
    for index in lines_with(log, "Migrations for "):
        line = log.lines[index]
        if match := MIGRATIONS.match(line):
            app = match["app"]
            end = index + 1
            while end < len(log.lines) and log.lines[end].startswith("  "):
                end += 1
            lines = log.lines[index + 1 : end]
            file = next((m["file"] for text in lines if (m := MIGRATION.match(text))), None)
            reading.add(
                Diagnostic(
                    message=line,
                    detail="\n".join(text.strip() for text in lines),
                    file=file,
                    package=app,
                    log=log.span(index, end - 1),
                )
            )
            reading.claim(index, end)
            found = True
    return found


def _crash(log: Log, context: Context, reading: Reading) -> Outcome | None:
    """A traceback out of manage.py: bad settings, a missing module, a broken database; the command did not run."""
    if not context.words or context.exit_code == 0:
        return None
    chain = frames.read_tracebacks(log.lines, 0, len(log.lines))
    last = frames.final(chain)
    if last is None or not last.message:
        return None
    own = [f for f in last.frames if not frames.is_foreign(f.file, context.root)]
    place = frames.innermost((f for f in own if not f.file.endswith("manage.py")), context.root)
    causes = [f"caused by: {t.message}" for t in chain if t is not last and t.message][-3:]
    reading.add(
        Diagnostic(
            message=log.whole(last.at)[last.depth :].strip(),
            detail="\n".join([*(f"at {f.file}:{f.line}: {f.source}" for f in own[-6:]), *causes]),
            file=place.file if place else None,
            line=place.line if place else None,
            log=log.span(last.first, last.at),
        )
    )
    reading.claim(chain[0].first, last.end)
    return "error"
