"""Put the hooks of a host into its file, find them there, take them away again."""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from punchlist.agents.clients.record import bounds, own_command
from punchlist.agents.files import jsonc
from punchlist.agents.files.settings import Settings, first_state, read, restore, write
from punchlist.agents.hooks.host import Host
from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.records import dataclass

OURS = re.compile(r"punchlist(?:\.exe|\.cli)?['\"]?\s+hook\s+\w+")
# The variable that moves a host's own folder, and how many parts of the usual place it stands for.
MOVED = {
    "claude": ("CLAUDE_CONFIG_DIR", 2),
    "codex": ("CODEX_HOME", 2),
    "copilot": ("COPILOT_HOME", 2),
    "gemini": ("GEMINI_CLI_HOME", 1),
    "opencode": ("XDG_CONFIG_HOME", 2),
    "qwen": ("QWEN_HOME", 2),
}
HARMLESS = " 2>/dev/null || :"


@dataclass(frozen=True, slots=True)
class Change:
    """A host's file as it is and as it is to be."""

    settings: Settings
    text: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.settings.path


def command(runtime: str, priority: int | None = None) -> list[str]:
    """Return the command that answers a host's events."""
    return [*own_command(), "hook", runtime, *(["--fail-on-priority", str(priority)] if priority else [])]


def shell_text(words: list[str]) -> str:
    """Return a command as the text that the system's shell reads."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def harmless(words: list[str]) -> str:
    """Return a hook's command as it stands in a file: where its program is gone, it does nothing.

    Copilot CLI refuses every tool, and Gemini CLI fails every turn, when a hook cannot be started (1.0.102, 0.61.0),
    and a project's file is shared with people who have no such program.
    """
    return shell_text(words) + ("" if sys.platform == "win32" else HARMLESS)


def place(host: Host, scope: str, root: Path, environ: Mapping[str, str]) -> Path:
    """Return a host's file of a scope."""
    if scope == "project":
        return root / host.project
    variable, skipped = MOVED.get(host.id, ("", 0))
    if value := environ.get(variable, "").strip():
        return Path(value, *host.user.split("/")[skipped:])
    return home_folder(environ).joinpath(*host.user.split("/")[1:])


def planned(host: Host, scope: str, root: Path, environ: Mapping[str, str], priority: int | None = None) -> Change:
    """Return the change that installs: our entry at the end of each event's list, an older one of ours replaced.

    Without a `priority` the one that is installed already stays.
    """
    path = place(host, scope, root, environ)
    settings = read(path, bounds(scope, root, path, environ))
    if host.whole is not None:
        if settings.text and not OURS_FILE.search(settings.text):
            raise Trouble(f"{settings.path} is not Punchlist's own file; move it away first", "foreign_file")
        return Change(settings, host.whole(command(host.id, priority)))
    try:
        return Change(settings, _with(host, settings.text, priority or _priority(settings.text)))
    except Trouble as trouble:
        raise Trouble(f"{settings.path}: {trouble}", trouble.code) from None


def fresh(host: Host) -> str:
    """Return the text of a file that holds our hooks alone."""
    return host.whole(command(host.id)) if host.whole is not None else _with(host, "")


OURS_FILE = re.compile(r"punchlist hooks install")


def install(change: Change, scope: str) -> str:
    """Write a planned change; return what was done."""
    if change.settings.raw is not None and change.text == change.settings.text:
        return "as it was"
    write(change.settings, change.text, keep_first=not is_ours(change.settings.text), private=scope == "user")
    return "written"


def is_ours(text: str) -> bool:
    """Whether hooks of ours stand in a file's text."""
    return bool(OURS.search(text.replace('\\"', '"')) or OURS_FILE.search(text))


def installed(host: Host, scope: str, root: Path, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return event and command of each hook of ours in a host's file; the command tells when it cannot be started."""
    path = place(host, scope, root, environ)
    if not path.is_file():
        return []
    settings = read(path, bounds(scope, root, path, environ))
    if host.whole is not None:
        return [("plugin", shell_text(command(host.id)))] if OURS_FILE.search(settings.text) else []
    found = []
    events = jsonc.get(settings.text, ("hooks",)) or {}
    for event, items in events.items() if isinstance(events, dict) else ():
        for item in items if isinstance(items, list) else ():
            found += [(event, one.removesuffix(HARMLESS)) for one in _commands(item) if OURS.search(one)]
    return found


def uninstall(host: Host, scope: str, root: Path, environ: Mapping[str, str]) -> tuple[Path, str] | None:
    """Take our hooks away; return the file and what was done, None where there were none."""
    path = place(host, scope, root, environ)
    if not path.is_file():
        return None
    settings = read(path, bounds(scope, root, path, environ))
    if not is_ours(settings.text):
        return None
    if host.whole is not None:
        return settings.path, restore(settings, "", None)
    first = first_state(settings)
    try:
        text = _without(host, settings.text, first)
    except Trouble as trouble:
        raise Trouble(f"{settings.path}: {trouble}", trouble.code) from None
    if first is not None:
        try:
            same = _with(host, first, _priority(settings.text)) == settings.text
        except Trouble:
            same = False
        first = first if same else None
    return settings.path, restore(settings, text, first)


def _priority(text: str) -> int | None:
    found = re.search(r"\bhook\s+\w+\s+--fail-on-priority\s+(\d+)", text)
    return int(found[1]) if found else None


def _with(host: Host, text: str, priority: int | None = None) -> str:
    for key, value in host.head.items():
        if jsonc.get(text, (key,)) is None:
            text = jsonc.put(text, (key,), value)
    for event, entry in host.entries(harmless(command(host.id, priority))).items():
        there = jsonc.get(text, ("hooks", event))
        items = there if isinstance(there, list) else []
        if entry in items:
            continue
        text = jsonc.remove_items(text, ("hooks", event), _is_our_item)
        text = jsonc.append(text, ("hooks", event), entry)
    return text


def _without(host: Host, text: str, first: str | None) -> str:
    """Return a text without our hooks, and without what they leave empty, unless that was there before them."""
    events = jsonc.get(text, ("hooks",)) or {}
    for event in events:
        new = jsonc.remove_items(text, ("hooks", event), _is_our_item)
        if new != text and not (first is not None and jsonc.has(first, ("hooks", event))):
            gone = ("hooks", event)
            bare = first is not None and jsonc.has(first, ("hooks",))
            new = jsonc.remove(new, gone) if bare and jsonc.get(new, gone) == [] else jsonc.remove_empty(new, gone)
        text = new
    left = jsonc.load(text)
    return "" if left in ({}, dict(host.head)) else text


def _is_our_item(item: Any) -> bool:
    """An item whose every command is ours; one that its user has added another handler to stays."""
    found = _commands(item)
    return bool(found) and all(OURS.search(one) for one in found)


def _commands(item: Any) -> list[str]:
    if not isinstance(item, dict):
        return []
    inner = item.get("hooks")
    if isinstance(inner, list):
        return [one["command"] for one in inner if isinstance(one, dict) and isinstance(one.get("command"), str)]
    return [item["command"]] if isinstance(item.get("command"), str) else []
