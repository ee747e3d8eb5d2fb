"""Put the server into a client's settings; everything else in the file stays as it is."""

import argparse
import difflib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from punchlist.agents.clients import entries
from punchlist.agents.clients.record import Client, own_command
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.cli import asking, common
from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.service.project import open_project


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--client", action="append", metavar="NAME", help=f"one of {', '.join(c.id for c in CLIENTS)}")
    parser.add_argument("--scope", choices=("project", "user"), help="whose settings (the project's, where there are)")
    parser.add_argument("--print", action="store_true", dest="show", help="show what would be written, write nothing")
    parser.add_argument("--config", metavar="FILE", help="configuration file that the server is to read")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="variable for the server")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Write or show the entry of each client named."""
    if not options.client:
        common.out("\n".join(_listed()))
        raise Trouble("name a client: punchlist install --client NAME", "usage")
    root = open_project(explicit=options.root).folder
    env = variables(options)
    for one in [client(name) for name in options.client]:
        scope = options.scope or one.scopes()[0]
        settings, text, _ = entries.planned(one, scope, root, os.environ, own_command(), env)
        if options.show:
            common.out(shown(settings.path, settings.text, text))
        elif settings.text == text or agreed(settings.path, settings.text, text, yes=options.yes):
            common.out(written(one, scope, root, env))
        else:
            common.out("nothing written")
    return 0


def agreed(path: Path, old: str, new: str, *, yes: bool) -> bool:
    """Ask on a terminal, the change shown first; without one, naming a client was asking for it."""
    if yes or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    common.out(shown(path, old, new))
    return asking.agreed(f"Write {path}?", yes=False)


def written(one: Client, scope: str, root: Path, env: Mapping[str, str]) -> str:
    """Write an entry and return what was done, with what its user has to know."""
    path, done = entries.install(one, scope, root, os.environ, own_command(), env)
    return f"{one.name}: {path} {done}" + (f"; {one.note}" if one.note and scope == "project" else "")


def variables(options: argparse.Namespace) -> dict[str, str]:
    """Return the variables that --env and --config name."""
    env = {}
    for text in options.env:
        name, mark, value = text.partition("=")
        if not mark or not name.strip():
            raise Trouble(f"--env {text!r} is not NAME=VALUE", "usage")
        env[name.strip()] = value
    if options.config:
        path = Path(options.config).expanduser().resolve()
        if not path.is_file():
            raise Trouble(f"--config {options.config}: there is no such file", "usage")
        # Signal's own format is read by its own variable.
        env["SIGNAL_CONFIG" if path.name == "signal.config.json" else "PUNCHLIST_CONFIG"] = str(path)
    return env


def shown(path: Path, old: str, new: str) -> str:
    """Return a change as a unified diff."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), str(path), str(path), lineterm="", n=2)
    return "\n".join(lines) or f"{path}: nothing to change"


def _listed() -> list[str]:
    home = home_folder(os.environ)

    def place(one: Client, scope: str) -> str:
        found = one.file(scope, Path(), os.environ)
        if found is None:
            return "-"
        return f"~/{found.relative_to(home).as_posix()}" if found.is_relative_to(home) else str(found)

    rows = [(one.id, place(one, "project"), place(one, "user")) for one in CLIENTS]
    return [f"{name:<12} {project:<40} {user}" for name, project, user in [("client", "project", "user"), *rows]]
