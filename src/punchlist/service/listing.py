"""The checks of a project, as lines and as values."""

from typing import Any

from punchlist.project.records import Check
from punchlist.service.project import Project


def check_lines(project: Project) -> str:
    """Return one line a check: name, command as written, where it comes from; notices of the configuration last."""
    checks = project.checks()
    width = max(map(len, checks), default=0)
    lines = [f"{check.name:<{min(width, 24)}}  {_shown(check)}  ({check.origin})" for check in checks.values()]
    if not lines:
        lines = ["no checks found: add one to punchlist.toml ([checks.test] command = ...), or run any command"]
    return "\n".join([*lines, *(f"note: {notice}" for notice in (*project.root.notes, *project.config.notices))])


def _shown(check: Check) -> str:
    text = " ".join(check.command.split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def check_values(project: Project) -> list[dict[str, Any]]:
    """Return the checks as plain values, commands with `${VAR}` unexpanded."""
    return [
        {
            "name": check.name,
            "command": check.command,
            "steps": [{"name": step.name, "command": step.command} for step in check.steps] if check.pipeline else None,
            "parser": check.parser,
            "timeout_s": check.timeout_s or project.config.timeout_s,
            "origin": check.origin,
            "file": check.file,
            "line": check.line,
        }
        for check in project.checks().values()
    ]
