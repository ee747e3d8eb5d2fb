"""What went wrong in hooks, kept in the state folder for `doctor`: an agent is never stopped by it."""

import json
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from punchlist.model import Trouble

if TYPE_CHECKING:
    from punchlist.agents.hooks.event import Event
    from punchlist.service.project import Project

FILE = "hook-troubles.jsonl"
KEPT = 50
LONGEST = 2000


def record(project: "Project", event: "Event | None", text: str, runtime: str = "") -> None:
    """Add one trouble; the newest 50 are kept. A state folder that cannot be written loses it."""
    entry = {
        "time": round(time.time(), 3),
        "runtime": runtime,
        "event": event.name or event.phase if event else "",
        "text": text[:LONGEST],
    }
    try:
        path = project.store.folder / FILE
        lines = [*(json.dumps(one) for one in _lines(path)[-(KEPT - 1) :]), json.dumps(entry)]
        replace_private(path, ("\n".join(lines) + "\n").encode())
    except (OSError, Trouble):
        return


def troubles(folder: Path) -> list[dict[str, Any]]:
    """Return the troubles kept in a state folder, oldest first: time, runtime, event, text."""
    return _lines(folder / FILE)


def forget(folder: Path) -> None:
    """Forget what is kept."""
    (folder / FILE).unlink(missing_ok=True)


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def replace_private(path: Path, raw: bytes) -> None:
    """Replace a file of the state folder at once; only its owner may read it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(raw)
    Path(name).replace(path)
