"""Set a project up: show what is found, make the state folder, offer the entries of the clients used here."""

import argparse
import os
import sys

from punchlist.agents import initialise
from punchlist.agents.clients import entries
from punchlist.agents.clients.record import own_command
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.cli import asking, common
from punchlist.cli.install import shown
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
    for one, scope in missing:
        settings, text, _ = entries.planned(one, scope, project.folder, os.environ, own_command(), {})
        if not (options.yes or options.client or terminal):
            common.out(f"{one.name} is used here: punchlist install --client {one.id} --scope {scope} would write")
            common.out(shown(settings.path, settings.text, text))
        elif options.yes or options.client or asking.agreed(f"Write {settings.path} for {one.name}?", yes=False):
            path, done = entries.install(one, scope, project.folder, os.environ, own_command(), {})
            common.out(f"{one.name}: {path} {done}" + (f"; {one.note}" if one.note else ""))
    if not chosen:
        common.out("no agent was seen here: punchlist install --client NAME")
    return 0
