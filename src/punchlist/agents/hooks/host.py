"""The record of a host: where its hooks are written, and how it wants to be answered."""

from collections.abc import Callable, Mapping
from typing import Any

from punchlist.agents.hooks.event import Event
from punchlist.records import dataclass

Answer = Mapping[str, Any] | str | None
"""What is printed: JSON, plain text for hosts that show what a hook prints, or nothing."""

PRE_S, POST_S, STOP_S = 10, 28, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host of hooks.

    `project` and `user` are its files (relative to the root, and with `~`). `entries` maps each event to the entry
    that is put into the list under `hooks`, made for a command. `whole` is the text of a file that is wholly ours.
    `rewrite`, `tell` and `block` make the answers: another command, something for the agent to know, a turn that has
    to go on; `warn` is shown to the user. What a host cannot do is None. `fresh_shell` says that its commands run in a
    login shell or in a terminal, where PATH is another one than the hook's.
    """

    id: str
    name: str
    project: str
    user: str
    entries: Callable[[str], Mapping[str, Any]]
    head: Mapping[str, Any]
    whole: Callable[[list[str]], str] | None = None
    rewrite: Callable[[Event, str], Answer] | None = None
    tell: Callable[[Event, str], Answer] | None = None
    block: Callable[[Event, str], Answer] | None = None
    warn: Callable[[Event, str], Answer] | None = None
    quiet: Answer = None
    fresh_shell: bool = False
    note: str = ""


def nested(matcher: str | None, command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """Return an entry of the shape that Claude Code began: a matcher and a list of handlers."""
    inner = {**more, "type": "command", "command": command, "timeout": timeout}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [inner]}


def specific(event: Event, fallback: str, **fields: Any) -> dict[str, Any]:
    """Return an answer in `hookSpecificOutput`, under the event's own name."""
    return {"hookSpecificOutput": {"hookEventName": event.name or fallback, **fields}}


def told(event: Event, text: str) -> dict[str, Any]:
    """Return the answer that puts text beside the result of an edit."""
    return specific(event, "PostToolUse", additionalContext=text)


def blocked(_: Event, reason: str) -> dict[str, Any]:
    """Return the answer that lets a turn go on."""
    return {"decision": "block", "reason": reason}


def warned(_: Event, text: str) -> dict[str, Any]:
    """Return the answer that the user sees."""
    return {"systemMessage": text}


def changed(event: Event, command: str) -> dict[str, Any]:
    """Return the tool's whole input with another command: fields that are left out would be lost."""
    return {**event.arguments, "command": command}
