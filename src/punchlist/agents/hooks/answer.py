"""Answer a host's event: another command, what an edit broke, whether a turn may end. Nothing here stops an agent."""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH113, PTH118, PTH120

import os
import sys
from collections.abc import Mapping

from punchlist.agents.hooks.event import Event, read
from punchlist.agents.hooks.host import Answer
from punchlist.agents.hooks.registry import host

DEFAULT_PRIORITY = 1
NAME = "punchlist"
EVERYWHERE = "/usr/local/bin:/usr/bin:/bin"  # what a login shell has on PATH in any case


def answer(runtime: str, payload: str, environ: Mapping[str, str], priority: int = DEFAULT_PRIORITY) -> Answer:
    """Return what a host is to be told about an event; None or its quiet answer where there is nothing to say.

    A turn is kept going by issues of priority 1 to `priority`. Raises `Trouble` for a payload that cannot be read, for
    a bad configuration and the like.
    """
    one = host(runtime)
    event = read(payload)
    if event.phase == "pre" and one.rewrite is not None:
        terminal = event.camel and bool(event.name)  # Visual Studio Code's, which reads the hooks of others too
        command = taken_over(event, environ, fresh=one.fresh_shell or terminal)
        return one.quiet if command is None else one.rewrite(event, command) or one.quiet
    if event.phase == "post" and event.files:
        from punchlist.agents.hooks.checks import after_edit

        text = after_edit(event, environ)
        return one.quiet if text is None or one.tell is None else one.tell(event, text)
    if event.phase == "stop":
        from punchlist.agents.hooks.checks import at_stop

        verdict = at_stop(event, environ, priority)
        if verdict.action == "block" and one.block is not None:
            return one.block(event, verdict.text)
        if verdict.action != "approve" and one.warn is not None:
            return one.warn(event, verdict.text)
    return one.quiet


def taken_over(event: Event, environ: Mapping[str, str], *, fresh: bool = False) -> str | None:
    """Return the command to run instead; None where it is left alone, as everything in the background is.

    `fresh` says that the command's shell makes its own PATH, so that ours tells nothing of it.
    """
    if event.background or not event.command:
        return None
    from punchlist.agents.transparent import decide

    return decide(
        event.command,
        event.cwd or None,
        environ,
        program=program({"PATH": EVERYWHERE} if fresh else environ),
        limit_s=event.limit_s,
        declared=lambda text: _declared(text, event.cwd, environ),
    )


def program(environ: Mapping[str, str]) -> str:
    """Return how the agent's shell can call this program: by name where that is on PATH, else by its place."""
    for folder in environ.get("PATH", "").split(os.pathsep):
        found = os.path.join(folder, "punchlist")
        if folder and os.path.isfile(found) and os.access(found, os.X_OK):
            return NAME
    script = os.path.join(os.path.dirname(sys.executable), "punchlist")
    import shlex

    return shlex.quote(script) if os.path.isfile(script) else f"{shlex.quote(sys.executable)} -m punchlist.cli"


def _declared(text: str, cwd: str, environ: Mapping[str, str]) -> bool:
    """Whether a command is that of a check which the project's configuration declares."""
    from pathlib import Path

    from punchlist.model import Trouble
    from punchlist.service.project import open_project

    try:
        config = open_project(start=Path(cwd) if cwd else None, environ=environ).config
    except Trouble:
        return False
    wanted = text.split()
    return any(step.command.split() == wanted for check in config.checks.values() for step in check.steps)


def printed(said: Answer) -> str:
    """Return an answer as it is written to standard output, an empty text for none."""
    if said is None:
        return ""
    if isinstance(said, str):
        return said + "\n"
    import json

    return json.dumps(said, ensure_ascii=True, separators=(",", ":")) + "\n"
