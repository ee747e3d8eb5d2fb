"""What answers cost against the plain logs of the same runs: follow-up calls and the tools' descriptions included."""

import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from punchlist.model import Trouble
from punchlist.service.project import Project
from punchlist.store import sent
from punchlist.store.runs import Run
from punchlist.views.budget import CHARS_PER_TOKEN

# Hosts show a model at most so much of a command's output; Claude Code, 30,000 characters.
HOST_CUT = 30_000


def note(project: Project, tool: str, size: int, about: Iterable[str] = ()) -> None:
    """Keep that a tool sent an answer of `size` bytes about these runs.

    Nothing is kept before the project has a state: listing tools leaves no folder behind. A database that is busy or
    a full disk loses only this.
    """
    runs: list[Run] = []
    with suppress(Trouble, sqlite3.Error, OSError):
        if not project.has_state:
            return
        for run_id in dict.fromkeys(about):
            with suppress(Trouble):
                runs.append(project.store.get(run_id))
        now = time.time()
        rows = [
            sent.Sent(at=now, tool=tool, bytes=0 if number else size, run_id=run.id, log_bytes=_log(run))
            for number, run in enumerate(runs)
        ]
        sent.keep(project.store, rows or [sent.Sent(at=now, tool=tool, bytes=size)])


def _log(run: Run) -> int | None:
    return None if run.kind not in ("check", "command", "read") else 0 if run.state == "running" else run.bytes


def summary(answers: Sequence[sent.Sent]) -> dict[str, Any]:
    """Return sums in bytes: `tools` by name, and of the runs that have a plain log what was sent about them.

    A log counts once, for the tool that first answered about its run.
    """
    logs: dict[str, int] = {}
    first: dict[str, str] = {}
    about: dict[str, int] = {}
    for one in answers:
        if one.run_id is not None and one.log_bytes is not None:
            first.setdefault(one.run_id, one.tool)
            logs[one.run_id] = max(logs.get(one.run_id, 0), one.log_bytes)
            about[one.run_id] = about.get(one.run_id, 0) + one.bytes
    tools: dict[str, dict[str, int]] = {}
    for one in answers:
        row = tools.setdefault(one.tool, {"calls": 0, "sentBytes": 0, "logBytes": 0})
        row["calls"] += one.bytes > 0
        row["sentBytes"] += one.bytes
    for run_id, tool in first.items():
        tools[tool]["logBytes"] += logs[run_id]
    total, sent_about = sum(one.bytes for one in answers), sum(about.values())
    return {
        "since": answers[0].at if answers else None,
        "tools": dict(sorted(tools.items(), key=lambda item: (-item[1]["sentBytes"], item[0]))),
        "runs": len(logs),
        "logBytes": sum(logs.values()),
        "cutLogBytes": sum(min(size, HOST_CUT) for size in logs.values()),
        "sentAboutRunsBytes": sent_about,
        "sentOtherwiseBytes": total - sent_about,
        "longerThanLog": sum(about[run_id] > size for run_id, size in logs.items()),
    }


def text(value: dict[str, Any]) -> str:
    """Return the sums for a person, in tokens of three bytes, as budgets are counted."""
    if not value["tools"]:
        return "Nothing was sent yet."
    since = time.strftime("%Y-%m-%d", time.localtime(value["since"]))
    lines = [
        f"Sent since {since}, in tokens (bytes / {CHARS_PER_TOKEN}), at most the last {sent.MOST_ANSWERS:,} answers"
    ]
    lines.append(f"{'tool':<26} {'calls':>7} {'sent':>11} {'plain log':>11}")
    for name, row in value["tools"].items():
        log = f"{_tokens(row['logBytes']):,}" if row["logBytes"] else "-"
        lines.append(f"{name:<26} {row['calls']:>7,} {_tokens(row['sentBytes']):>11,} {log:>11}")
    runs, about = value["runs"], _tokens(value["sentAboutRunsBytes"])
    if runs:
        whole, cut = _tokens(value["logBytes"]), _tokens(value["cutLogBytes"])
        of_runs = f"{runs:,} run{'s' * (runs != 1)} with plain logs of {whole:,} in all"
        lines.append(f"{of_runs}: {about:,} sent about them, follow-up calls included; {_difference(whole, about)}")
        lines.append(f"Had a host cut each log at {HOST_CUT:,} bytes: {cut:,} instead; {_difference(cut, about)}")
        if longer := value["longerThanLog"]:
            lines.append(f"For {longer:,} of these runs more was sent than the plain log holds.")
    otherwise = _tokens(value["sentOtherwiseBytes"])
    lines.append(
        f"Sent besides, with no plain log to stand against (checks by engines, tool descriptions ...): {otherwise:,}"
    )
    return "\n".join(lines)


def _tokens(size: int) -> int:
    return round(size / CHARS_PER_TOKEN)


def _difference(log: int, about: int) -> str:
    share = f" ({abs(log - about) / log:.0%})" if log else ""
    return f"{log - about:,} saved{share}" if log >= about else f"{about - log:,} lost{share}"
