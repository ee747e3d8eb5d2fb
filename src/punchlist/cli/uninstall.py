"""Take back every entry and hook of Punchlist, and this project's state."""

import argparse
import os
import shutil
from pathlib import Path

from punchlist.agents.clients import entries
from punchlist.agents.clients.record import SCOPES
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.cli import asking, common
from punchlist.model import Trouble
from punchlist.service.project import Project, open_project


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--client", action="append", metavar="NAME", help="only the entry of this client")
    parser.add_argument("--scope", choices=SCOPES, help="only the project's settings, or only the user's")
    parser.add_argument("--keep-state", action="store_true", help="leave the runs of this project where they are")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Take away; what could not be is said, and makes the exit status 1."""
    project = open_project(explicit=options.root)
    scopes = (options.scope,) if options.scope else SCOPES
    clients = [client(name) for name in options.client] if options.client else list(CLIENTS)
    if not asking.agreed("Take Punchlist's entries, hooks and state away?", yes=options.yes):
        return 0
    done, failed = [], []
    for scope in scopes:
        for one in clients:
            try:
                gone = entries.uninstall(one, scope, project.folder, os.environ)
            except Trouble as trouble:
                failed.append(f"{one.name}: {trouble}")
                continue
            done += [f"{one.name}: {gone[0]} {gone[1]}"] if gone else []
        for name in () if options.client else RUNTIMES:
            try:
                gone = hooks.uninstall(host(name), scope, project.folder, os.environ)
            except Trouble as trouble:
                failed.append(f"{host(name).name}: {trouble}")
                continue
            done += [f"{host(name).name} hooks: {gone[0]} {gone[1]}"] if gone else []
    if not (options.client or options.keep_state or options.scope == "user"):
        done += _without_state(project)
    common.out("\n".join([*done, *failed]) or "nothing of Punchlist was found")
    return int(bool(failed))


def _without_state(project: Project) -> list[str]:
    """Remove the state folder of this project; one that a run is writing into is a Trouble."""
    folder = existing_state(project)
    if folder is None:
        return []
    busy = project.store.running()
    if busy:
        raise Trouble(f"{busy[0].id} is running; `punchlist stop {busy[0].id}` first, or use --keep-state", "running")
    project.store.close()
    shutil.rmtree(folder)
    return [f"{folder} removed"]


def existing_state(project: Project) -> Path | None:
    """Return the project's state folder where there is one; none is made."""
    if not any(os.environ.get(name) for name in ("PUNCHLIST_STATE_DIR", "SIGNALINT_STATE_DIR")):
        folder = project.folder / ".punchlist"
        return folder if folder.is_dir() and not folder.is_symlink() else None
    folder = project.store.folder
    return folder if folder.is_dir() else None
