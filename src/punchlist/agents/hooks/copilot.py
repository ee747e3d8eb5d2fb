"""Copilot CLI and Visual Studio Code: one file in `.github/hooks`, which both read (Copilot CLI 1.0.102 was run).

Event names in Pascal case get Claude's field names in Copilot CLI; camel case ones have top-level fields.
"""

from typing import Any

from punchlist.agents.hooks import copilot_rules
from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import POST_S, PRE_S, STOP_S, Answer, Host, changed, specific, warned

FILE = "hooks/punchlist.json"


def entries(command: str) -> dict[str, Any]:
    """Return the entry of each event; each program reads the time limit that it knows."""
    return {
        name: {"type": "command", "command": command, "timeout": limit, "timeoutSec": limit}
        for name, limit in (("PreToolUse", PRE_S), ("PostToolUse", POST_S), ("Stop", STOP_S))
    }


def rewrite(event: Event, command: str) -> Answer:
    """Give another command; it is allowed only where the command line that started the host allows the one before."""
    if event.camel and event.name:  # Visual Studio Code
        return specific(event, "PreToolUse", updatedInput=changed(event, command))
    standing = copilot_rules.standing(event.command)
    if standing == "deny" or copilot_rules.refuses(command):
        return None
    allow: dict[str, Any] = {"permissionDecision": "allow"} if standing == "allow" else {}
    if event.camel:
        return {**allow, "modifiedArgs": changed(event, command)}
    return specific(event, "PreToolUse", **allow, updatedInput=changed(event, command))


def tell(event: Event, text: str) -> Answer:
    """Put text beside the result of an edit; Copilot CLI takes it at the top alone, whatever the event's name."""
    documented = specific(event, "PostToolUse", additionalContext=text) if event.name else {}
    return documented if event.camel and event.name else {"additionalContext": text, **documented}


def block(event: Event, reason: str) -> Answer:
    """Let the turn go on; Visual Studio Code wants the decision with the event's name."""
    decision = {"decision": "block", "reason": reason}
    return {**decision, **specific(event, "Stop", **decision)} if event.camel and event.name else decision


HOST = Host(
    id="copilot",
    name="Copilot CLI",
    project=f".github/{FILE}",
    user=f"~/.copilot/{FILE}",
    entries=entries,
    head={"version": 1},
    rewrite=rewrite,
    tell=tell,
    block=block,
    warn=warned,
    quiet={},
    note="Copilot CLI runs a project's hooks in a trusted folder; VS Code reads the same file",
)
