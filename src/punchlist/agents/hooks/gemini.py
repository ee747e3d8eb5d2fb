"""Gemini CLI: `hooks` in `.gemini/settings.json`, limits in milliseconds (0.61.0 was run).

`tool_input` of a BeforeTool answer is merged over the arguments; then its rules are asked of the new command.
"""

from typing import Any

from punchlist.agents.hooks import gemini_rules
from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.host import POST_S, PRE_S, STOP_S, Answer, Host, nested, specific, warned


def entries(command: str) -> dict[str, Any]:
    """Return the entry of each event."""
    return {
        "BeforeTool": nested("run_shell_command", command, PRE_S * 1000, name="punchlist"),
        "AfterTool": nested("write_file|replace", command, POST_S * 1000, name="punchlist"),
        "AfterAgent": nested(None, command, STOP_S * 1000, name="punchlist"),
    }


def rewrite(event: Event, command: str) -> Answer:
    """Give another command, unless rules that name commands say something else of it."""
    if gemini_rules.differs(event.command, command, event.cwd):
        return None
    return specific(event, "BeforeTool", tool_input={"command": command})


def tell(event: Event, text: str) -> Answer:
    """Put text beside the result of an edit."""
    return specific(event, "AfterTool", additionalContext=text)


def block(_: Event, reason: str) -> Answer:
    """Let the agent go on with what is wrong."""
    return {"decision": "deny", "reason": reason}


HOST = Host(
    id="gemini",
    name="Gemini CLI",
    project=".gemini/settings.json",
    user="~/.gemini/settings.json",
    entries=entries,
    head={},
    rewrite=rewrite,
    tell=tell,
    block=block,
    warn=warned,
    quiet={},
    note="project hooks run in a trusted folder",
)
