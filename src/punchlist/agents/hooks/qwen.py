"""Qwen Code: `hooks` in `.qwen/settings.json` in Claude's shape (0.24.4 was run).

`updatedInput` is used only where a PermissionRequest hook grants what its user would have been asked; a PreToolUse
hook's is not read: commands are left alone.
"""

from typing import Any

from punchlist.agents.hooks.host import POST_S, STOP_S, Host, blocked, nested, told, warned


def entries(command: str) -> dict[str, Any]:
    """Return the entry of each event."""
    return {"PostToolUse": nested("write_file|edit", command, POST_S), "Stop": nested(None, command, STOP_S)}


HOST = Host(
    id="qwen",
    name="Qwen Code",
    project=".qwen/settings.json",
    user="~/.qwen/settings.json",
    entries=entries,
    head={},
    tell=told,
    block=blocked,
    warn=warned,
    quiet={},
    note="Qwen Code changes a command only where a hook grants it, so commands are left alone",
)
