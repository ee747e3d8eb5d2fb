"""Put the server into a client's settings; everything else in the file stays as it is."""

import argparse
import difflib
import os
from collections.abc import Mapping
from pathlib import Path

from punchlist.agents.clients import entries
from punchlist.agents.clients.record import Client, own_command
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.cli import asking, common
from punchlist.model import Trouble
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
            continue
        if settings.text != text and not asking.agreed(f"Write {settings.path}?", yes=options.yes or not _guarded()):
            common.out("nothing written")
            continue
        path, done = entries.install(one, scope, root, os.environ, own_command(), env)
        common.out(f"{one.name}: {path} {done}" + (f"; {one.note}" if one.note else ""))
    return 0


def _guarded() -> bool:
    """Naming a client is asking for it: only on a terminal there is somebody to show the file to first."""
    import sys

    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


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
    def place(one: Client, scope: str, environ: Mapping[str, str]) -> str:
        found = one.file(scope, Path(), environ)
        return str(found) if found else "-"

    return [f"{one.id:<12} {place(one, 'project', os.environ):<40} {place(one, 'user', os.environ)}" for one in CLIENTS]
