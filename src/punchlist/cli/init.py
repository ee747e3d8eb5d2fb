"""Set a project up: show what is found, make the state folder, offer the entries of the clients used here."""

import argparse
import os
import sys
from collections.abc import Sequence

from punchlist.agents import initialise
from punchlist.agents.clients import entries
from punchlist.agents.clients.record import SCOPES, Client, own_command
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.cli import common
from punchlist.cli.install import agreed, shown, written
from punchlist.model import Trouble
from punchlist.project.root import state_dir
from punchlist.service.project import Project, open_project


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    names = ", ".join(one.id for one in CLIENTS)
    parser.add_argument("--client", action="append", metavar="NAME", help=f"install for these clients: {names}")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask: install for every client used here")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Show, write what has to be written, install what is agreed to."""
    project = open_project(explicit=options.root)
    found = list(initialise.described(project))
    common.out("\n".join(one.line() for one in found))
    if any(one.level == "problem" for one in found):
        return 1
    text = initialise.wanted_configuration(project)
    if text is not None:
        path = project.folder / "punchlist.toml"
        path.write_text(text, encoding="utf-8")
        common.out(f"{path} written: nothing to check was found, so it shows how to say what there is")
    folder, note = state_dir(project.folder, project.environ)
    common.out(f"state: {folder}" + (" (ignores itself, nothing to add to .gitignore)" if not note else f"; {note}"))
    return _clients(project, options)


def _clients(project: Project, options: argparse.Namespace) -> int:
    if options.client:
        chosen = [(one, one.scopes()[0]) for one in map(client, options.client)]
    else:
        chosen = initialise.used(project, os.environ)
    missing = [(one, scope) for one, scope in chosen if not initialise.has_entry(project, one)]
    for one, _ in [pair for pair in chosen if pair not in missing]:
        common.out(f"{one.name} has its entry")
    terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    offered = False
    for one, scope in missing:
        settings, text, _ = entries.planned(one, scope, project.folder, os.environ, own_command(), {})
        yes = options.yes or bool(options.client)
        if not (yes or terminal):
            offered = True
            common.out(f"{one.name} is used here; `punchlist install --client {one.id} --scope {scope}` would write")
            common.out(shown(settings.path, settings.text, text))
        elif agreed(settings.path, settings.text, text, yes=yes):
            common.out(written(one, scope, project.folder, {}))
    common.out("\n".join(_next(project, chosen, offered)))
    return 0


def _next(project: Project, chosen: Sequence[tuple[Client, str]], offered: bool) -> list[str]:
    """Return what to do next."""
    lines = []
    if not chosen:
        lines.append("no agent was seen here; punchlist install --client NAME (punchlist install lists them)")
    if offered:
        lines.append("next: punchlist init --yes writes what is shown above")
    able = [one.id for one, _ in chosen if one.id in RUNTIMES and not _hooked(project, one.id)]
    if able:
        lines.append(f"next: punchlist hooks install --runtime {able[0]} lets it work without being asked")
    return [*lines, "next: punchlist doctor tries what is set up"]


def _hooked(project: Project, name: str) -> bool:
    """Whether a host has hooks of ours; what cannot be read is left to `doctor`."""
    try:
        return any(hooks.installed(host(name), scope, project.folder, os.environ) for scope in SCOPES)
    except Trouble:
        return True
