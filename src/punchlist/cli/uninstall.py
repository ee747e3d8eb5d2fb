"""Take back every entry and hook of Punchlist, and this project's state."""

import argparse
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from punchlist.agents.clients import entries
from punchlist.agents.clients.record import SCOPES, Client
from punchlist.agents.clients.registry import CLIENTS, client
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.agents.initialise import EXAMPLE
from punchlist.cli import asking, common
from punchlist.model import Trouble
from punchlist.project.paths import home_folder
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
    runtimes = () if options.client else RUNTIMES
    states = [] if options.client or options.keep_state or options.scope == "user" else project.states()
    found, failed = _there(project, scopes, clients, runtimes)
    found += [f"state of this project: {folder}" for folder in states]
    if not found:
        common.out("\n".join([*failed, "nothing of Punchlist was found"]))
        return int(bool(failed))
    busy = project.store.running() if states else []
    if busy:
        stop = f"`punchlist stop {busy[0].id}` first, or use --keep-state"
        raise Trouble(f"nothing was taken away: {busy[0].id} is running; {stop}", "running")
    if not options.yes:
        common.out("\n".join(found))
    if not asking.agreed("Take all of this away?", yes=options.yes):
        common.out("nothing taken away")
        return 0
    common.out("\n".join([*_taken(project, scopes, clients, runtimes), *_without_state(project, states), *failed]))
    return int(bool(failed))


def _there(
    project: Project, scopes: Sequence[str], clients: Sequence[Client], runtimes: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return what there is to take away, and what cannot be read, in words."""
    found, failed = [], []
    for scope in scopes:
        for one in clients:
            try:
                entry = entries.found(one, scope, project.folder, os.environ)
            except Trouble as trouble:
                failed.append(f"{one.name}: {trouble}")
                continue
            found += [f"{one.name}: the entry in {entry.file}"] if entry else []
        for name in runtimes:
            there = host(name)
            try:
                events = hooks.installed(there, scope, project.folder, os.environ)
            except Trouble as trouble:
                failed.append(f"{there.name} hooks: {trouble}")
                continue
            place = hooks.place(there, scope, project.folder, os.environ)
            found += [f"{there.name}: the hooks in {place}"] if events else []
    return found, failed


def _taken(
    project: Project, scopes: Sequence[str], clients: Sequence[Client], runtimes: Sequence[str]
) -> Iterator[str]:
    """Take entries and hooks away and yield what was done; files that cannot be read are left alone."""
    for scope in scopes:
        for one in clients:
            with suppress(Trouble):
                if gone := entries.uninstall(one, scope, project.folder, os.environ):
                    without_empty_folders(gone[0], project.folder)
                    yield f"{one.name}: {gone[0]} {gone[1]}"
        for name in runtimes:
            with suppress(Trouble):
                if gone := hooks.uninstall(host(name), scope, project.folder, os.environ):
                    without_empty_folders(gone[0], project.folder)
                    yield f"{host(name).name} hooks: {gone[0]} {gone[1]}"


def without_empty_folders(file: Path, root: Path) -> None:
    """Remove the folders above a file that went away, as long as nothing is in them, up to the root or the home."""
    ends = (root, home_folder(os.environ))
    if file.exists():
        return
    for folder in file.parents:
        if folder in ends or not any(folder.is_relative_to(end) for end in ends):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def _without_state(project: Project, states: Sequence[Path]) -> Iterator[str]:
    """Remove the state folders of this project, and the configuration that `init` left as an example."""
    if states:
        project.store.close()
    for folder in states:
        shutil.rmtree(folder)
        yield f"{folder} removed"
    example = project.folder / "punchlist.toml"
    if states and example.is_file() and example.read_bytes() == EXAMPLE.encode():
        example.unlink()
        yield f"{example} removed: it held the example alone"
