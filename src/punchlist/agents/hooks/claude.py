"""Claude Code: `.claude/settings.json`; answers as its hooks reference describes them (2.1.332 was run).

An answer with `updatedInput` and no `permissionDecision` goes through the usual permission rules with the new command.
"""

from typing import Any

from punchlist.agents.hooks import claude_rules
from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import (
    POST_S,
    PRE_S,
    STOP_S,
    Answer,
    Host,
    blocked,
    changed,
    nested,
    specific,
    told,
    warned,
)


def entries(command: str) -> dict[str, Any]:
    """Return the entry of each event."""
    return {
        "PreToolUse": nested("Bash", command, PRE_S),
        "PostToolUse": nested("Edit|Write|MultiEdit|NotebookEdit", command, POST_S),
        "Stop": nested(None, command, STOP_S),
    }


def rewrite(event: Event, command: str) -> Answer:
    """Give another command; it is allowed only where the user's own rules allow the one it stands for."""
    standing = claude_rules.standing(event.command, event.cwd)
    if standing in ("deny", "ask"):
        return None
    fields: dict[str, Any] = {"permissionDecision": "allow"} if standing == "allow" else {}
    if event.camel:  # Visual Studio Code runs these hooks as well
        fields = {}
    return specific(event, "PreToolUse", **fields, updatedInput=changed(event, command))


HOST = Host(
    id="claude",
    name="Claude Code",
    project=".claude/settings.json",
    user="~/.claude/settings.json",
    entries=entries,
    head={},
    rewrite=rewrite,
    tell=told,
    block=blocked,
    warn=warned,
    quiet={},
    note="settings are read when a session starts",
)
