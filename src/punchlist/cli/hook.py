"""Answer one event of an agent: its payload comes on standard input, the decision goes to standard output."""

import os
import sys
from typing import NoReturn


def answered(words: list[str]) -> int:
    """Answer and return 0 whatever happens: an agent is never stopped by a fault of ours, `doctor` tells of it."""
    if not words or words[0].startswith("-"):
        print("usage: punchlist hook RUNTIME [--fail-on-priority N] < PAYLOAD", file=sys.stderr)  # noqa: T201
        return 0
    payload = sys.stdin.buffer.read().decode("utf-8", "replace")
    said = decision(words[0], payload, _priority(words))
    if said:
        sys.stdout.write(said)
        sys.stdout.flush()
    return 0


def as_shell(words: list[str]) -> NoReturn:
    """Run a command as a shell would, with its checks taken over; this process becomes that shell."""
    from punchlist.agents.transparent import become
    from punchlist.model import Trouble

    if not words:
        raise Trouble("punchlist -c wants a command", "usage")
    try:
        become(words[0], words[1:])
    except OSError as error:
        raise Trouble(f"the shell cannot be started: {error.strerror}", "not_found") from error


def decision(runtime: str, payload: str, priority: int | None = None) -> str:
    """Return what is printed for an event; a trouble is kept for `doctor` and answered by nothing."""
    try:
        from punchlist.agents.hooks.answer import DEFAULT_PRIORITY, answer, printed

        return printed(answer(runtime, payload, os.environ, priority or DEFAULT_PRIORITY))
    except Exception as error:  # noqa: BLE001  a host must not be stopped by a fault of ours; doctor shows it
        _keep(runtime, payload, error)
    return ""


def _keep(runtime: str, payload: str, error: Exception) -> None:
    import traceback
    from pathlib import Path

    from punchlist.agents.hooks.event import Event, read
    from punchlist.agents.hooks.troubles import record
    from punchlist.model import Trouble
    from punchlist.service.project import open_project

    text = str(error)
    if not isinstance(error, Trouble):
        text = f"{type(error).__name__}: {error}\n{''.join(traceback.format_exception(error, limit=-3))}"
    event: Event | None
    try:
        event = read(payload)
    except Trouble:
        event = None
    try:
        start = Path(event.cwd) if event and event.cwd and Path(event.cwd).is_dir() else None
        record(open_project(start=start), event, text, runtime)
    except (Trouble, OSError):
        return


def _priority(words: list[str]) -> int | None:
    if "--fail-on-priority" in words:
        at = words.index("--fail-on-priority") + 1
        if at < len(words) and words[at].isdigit() and int(words[at]) > 0:
            return int(words[at])
    return None
