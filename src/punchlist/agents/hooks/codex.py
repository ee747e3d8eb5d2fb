"""Codex CLI: `.codex/hooks.json`, whose root takes `hooks` and `description` alone (0.171.0 was run).

A new command needs `permissionDecision: allow` beside it; that is no approval there: the rewritten command goes through
the approval policy like any other. Unknown keys are refused, so nothing else is ever printed. After an edit a block
would replace the result.
"""

from typing import Any

from punchlist.agents.hooks import codex_rules
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
        "PostToolUse": nested("apply_patch|Edit|Write", command, POST_S),
        "Stop": nested(None, command, STOP_S),
    }


def rewrite(event: Event, command: str) -> Answer:
    """Give another command, unless a rule may forbid the one before or want it asked for."""
    if codex_rules.bounded(event.command, event.cwd):
        return None
    return specific(event, "PreToolUse", permissionDecision="allow", updatedInput=changed(event, command))


HOST = Host(
    id="codex",
    name="Codex CLI",
    project=".codex/hooks.json",
    user="~/.codex/hooks.json",
    entries=entries,
    head={},
    rewrite=rewrite,
    tell=told,
    block=blocked,
    warn=warned,
    fresh_shell=True,
    note="Codex runs a new or changed hook only after it was reviewed: start `codex` and look at /hooks",
)
