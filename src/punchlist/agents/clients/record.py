"""The record of a client: its settings files, the key of its servers, the shape of an entry."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.records import dataclass

SERVER = "punchlist"
SCOPES = ("project", "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One row of the registry.

    `project` is relative to the root; `user` begins with `~`, and `windows` and `mac` name the place there where it is
    another one. `home` is a variable that moves the user's file, with the place under it (`CODEX_HOME/config.toml`); a
    name alone stands for the file itself. `key` is the path of the servers' container; `style` the entry's shape.
    `seen` says how place and shape are known: "run" (the program was run), "source" or "documents". `note` is what its
    user has to do or to know.
    """

    id: str
    name: str
    key: tuple[str, ...]
    project: str | None = None
    user: str | None = None
    windows: str | None = None
    mac: str | None = None
    home: str | None = None
    format: str = "json"  # json (comments are kept as well), toml, yaml-map, yaml-list
    style: str = "plain"
    markers: tuple[str, ...] = ()
    whole_file: bool = False
    seen: str = "documents"
    note: str = ""

    def scopes(self) -> tuple[str, ...]:
        """The scopes that this client has a file for."""
        return tuple(scope for scope, place in zip(SCOPES, (self.project, self.user), strict=True) if place)

    def file(self, scope: str, root: Path, environ: Mapping[str, str]) -> Path | None:
        """Return the settings file of a scope, None where the client has none."""
        if scope == "project":
            return root / self.project if self.project else None
        place = {"win32": self.windows, "darwin": self.mac}.get(sys.platform) or self.user
        if place is None:
            return None
        variable, _, under = (self.home or "").partition("/")
        if variable and (moved := environ.get(variable, "").strip()):
            return Path(moved, under)
        if place.startswith("%APPDATA%"):
            base = Path(environ.get("APPDATA") or home_folder(environ) / "AppData" / "Roaming")
            return base.joinpath(*place.split("/")[1:])
        return home_folder(environ).joinpath(*place.removeprefix("~/").split("/"))


def bounds(scope: str, root: Path, path: Path, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where a settings file may be beside the home folder: in the project, or where its user has moved it to."""
    moved = scope == "user" and not path.is_relative_to(home_folder(environ))
    return (root, path.parent) if moved else (root,)


def entry(client: Client, command: list[str], env: Mapping[str, str]) -> dict[str, Any]:
    """Return the entry of a client for a command with its arguments; `env` is left out where it is empty."""
    head, *args = command
    if client.style == "opencode":
        made: dict[str, Any] = {"type": "local", "command": command, "enabled": True}
        return made | ({"environment": dict(env)} if env else {})
    if client.style == "goose":
        made = {"name": SERVER, "type": "stdio", "cmd": head, "args": args, "enabled": True, "timeout": 300}
        return made | ({"envs": dict(env)} if env else {})
    before, after = STYLES[client.style]
    return {**before, "command": head, "args": args, **after, **({"env": dict(env)} if env else {})}


# What stands before and after command and arguments.
STYLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "typed": ({"type": "stdio"}, {}),
    "claude": ({"type": "stdio"}, {"alwaysLoad": True}),  # else the model sees the tools' names alone
    "codex": ({}, {"startup_timeout_sec": 20}),
    "copilot": ({"type": "local"}, {"tools": ["*"]}),
    "named": ({"name": SERVER, "type": "stdio"}, {}),
    "block": ({"name": SERVER, "type": "stdio"}, {}),
}


def own_command(environ: Mapping[str, str] | None = None) -> list[str]:
    """Return what starts this very installation: the console script, else the interpreter and the module."""
    environ = os.environ if environ is None else environ
    name = "punchlist.exe" if sys.platform == "win32" else "punchlist"
    script = Path(sys.executable).parent / name
    if script.is_file():
        return [str(script)]
    return [sys.executable, "-m", "punchlist.cli"]


def own_shell() -> str:
    """Return the program that runs a command with its checks taken over; a Trouble where it was not installed.

    A host that starts its servers by it takes it for the name of a file, so that it can have no arguments.
    """
    script = Path(sys.executable).parent / ("punchlist-shell.exe" if sys.platform == "win32" else "punchlist-shell")
    if not script.is_file():
        raise Trouble(f"{script} is not there; install Punchlist again, with its programs", "no_shell")
    return str(script)
