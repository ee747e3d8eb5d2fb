"""Cursor: `.cursor/hooks.json`. Its shell hook can allow, deny or ask, and not rewrite.

Its hook before every tool takes `updated_input` only together with `permission: allow` (reported in September 2026),
which may approve what its user would have been asked: commands are left alone. `afterFileEdit` cannot speak to the
agent: the check is made, so that the end of the turn finds it done.
"""

from typing import Any

from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import Answer, Host


def entries(command: str) -> dict[str, Any]:
    """Return the entry of each event."""
    return {"afterFileEdit": {"command": command}, "stop": {"command": command}}


def block(_: Event, reason: str) -> Answer:
    """Let the agent go on with what is wrong; Cursor does so five times at most."""
    return {"followup_message": reason}


HOST = Host(
    id="cursor",
    name="Cursor",
    project=".cursor/hooks.json",
    user="~/.cursor/hooks.json",
    entries=entries,
    head={"version": 1},
    block=block,
    quiet={},
    note="Cursor changes a command only where a hook approves it, so commands are left alone",
)
