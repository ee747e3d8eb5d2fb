"""Windsurf: `.windsurf/hooks.json`. A hook can speak to the user alone: what it prints is shown."""

from typing import Any

from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import Answer, Host


def entries(command: str) -> dict[str, Any]:
    """Return the entry of each event."""
    return {"post_write_code": {"command": command, "show_output": True}}


def show(_: Event, text: str) -> Answer:
    """Print for the user."""
    return text


HOST = Host(
    id="windsurf",
    name="Windsurf",
    project=".windsurf/hooks.json",
    user="~/.codeium/windsurf/hooks.json",
    entries=entries,
    head={},
    tell=show,
    block=show,
    warn=show,
    note="Windsurf's hooks neither change a command nor keep a turn going; its user sees what a check finds",
)
