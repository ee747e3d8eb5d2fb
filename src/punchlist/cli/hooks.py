"""Preview, install, uninstall or try the hooks of an agent, and tell where they are."""

import argparse
import os
import sys
from collections.abc import Mapping
from typing import Any

from punchlist.agents.clients.record import SCOPES
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.cli import asking, common
from punchlist.cli.install import shown
from punchlist.cli.uninstall import without_empty_folders
from punchlist.model import Trouble
from punchlist.service.project import open_project

ACTIONS = ("preview", "install", "uninstall", "status", "run", "prefix")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("words", nargs="*", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--runtime", metavar="NAME", help=f"one of {', '.join(RUNTIMES)}")
    parser.add_argument("--scope", choices=SCOPES, help="whose file (the project's; uninstall: both)")
    parser.add_argument("--payload", metavar="JSON", help="run: the event; without it standard input is read")
    parser.add_argument(
        "--fail-on-priority", type=common.positive, metavar="N", help="issues up to N keep a turn going (1)"
    )
    parser.add_argument("--yes", "-y", "--confirm", action="store_true", dest="yes", help="do not ask")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Do what is asked."""
    if len(options.words) > 1:
        raise Trouble(f"one runtime at a time: {' '.join(options.words)}", "usage")
    options.runtime = options.runtime or next(iter(options.words), None)
    if options.action == "status":
        return _status(options)
    if options.action == "uninstall":
        return _uninstall(options)
    if not options.runtime:
        raise Trouble(f"name a runtime: --runtime {'|'.join(RUNTIMES)}", "usage")
    host(options.runtime)
    return {"run": _run, "prefix": _prefix, "preview": _preview, "install": _install}[options.action](options)


def _install(options: argparse.Namespace) -> int:
    one, scope = host(options.runtime), options.scope or "project"
    change = _planned(options)
    if change.settings.text == change.text:
        common.out(f"{one.name}: {change.path} as it was")
        return 0
    if not options.yes:
        common.out(shown(change.path, change.settings.text, change.text))
    if not asking.agreed(f"Write {change.path}?", yes=options.yes):
        common.out("nothing written")
        return 0
    common.out(f"{one.name}: {change.path} {hooks.install(change, scope)}" + (f"; {one.note}" if one.note else ""))
    return 0


def _planned(options: argparse.Namespace) -> hooks.Change:
    root = open_project(explicit=options.root).folder
    scope = options.scope or "project"
    return hooks.planned(host(options.runtime), scope, root, os.environ, options.fail_on_priority)


def _uninstall(options: argparse.Namespace) -> int:
    """Take our hooks away: of one runtime or of all, in both files unless a scope is named."""
    root = open_project(explicit=options.root).folder
    lines = []
    for name in [options.runtime] if options.runtime else RUNTIMES:
        one = host(name)
        for scope in (options.scope,) if options.scope else SCOPES:
            gone = hooks.uninstall(one, scope, root, os.environ)
            if gone:
                without_empty_folders(gone[0], root)
                lines.append(f"{one.name}: {gone[0]} {gone[1]}")
    common.out("\n".join(lines) or "no hooks of Punchlist were found")
    return 0


def _preview(options: argparse.Namespace) -> int:
    """Show the file after an installation; where it is malformed, a fresh one, and why."""
    try:
        change = _planned(options)
    except Trouble as trouble:
        common.out(hooks.fresh(host(options.runtime)).removesuffix("\n"))
        print(f"punchlist: {trouble}; above is what a new file would hold", file=sys.stderr)  # noqa: T201
        return 0
    common.out(change.text.removesuffix("\n"))
    print(f"punchlist: this is what {change.path} would be", file=sys.stderr)  # noqa: T201
    return 0


def _run(options: argparse.Namespace) -> int:
    from punchlist.agents.hooks.answer import DEFAULT_PRIORITY, answer, printed

    payload = options.payload if options.payload is not None else sys.stdin.read()
    said = printed(answer(options.runtime, payload, os.environ, options.fail_on_priority or DEFAULT_PRIORITY))
    common.out(said.removesuffix("\n") or "{}")
    return 0


def _prefix(options: argparse.Namespace) -> int:
    """Tell how a host is made to use a shell that takes its checks over, without a hook."""
    if options.runtime != "claude":
        raise Trouble("only claude has a shell prefix (CLAUDE_CODE_SHELL_PREFIX)", "no_prefix")
    from punchlist.agents.clients.record import own_shell

    common.out(f"export CLAUDE_CODE_SHELL_PREFIX={hooks.shell_text([own_shell()])}")
    return 0


def _status(options: argparse.Namespace) -> int:
    from punchlist.agents.hooks.troubles import troubles

    project = open_project(explicit=options.root)
    lines = []
    for name in [options.runtime] if options.runtime else RUNTIMES:
        there = host(name)
        for scope in SCOPES:
            try:
                found = hooks.installed(there, scope, project.folder, os.environ)
            except Trouble as trouble:
                lines.append(f"{name:<9} {trouble}")
                continue
            if found:
                place = hooks.place(there, scope, project.folder, os.environ)
                lines.append(f"{name:<9} {place}: {', '.join(event for event, _ in found)}")
    kept = [one for state in project.states() for one in troubles(state)]
    lines += [f"trouble   {one.get('event', '')}: {_first_line(one)}" for one in kept[-3:]]
    common.out("\n".join(lines) or "no hooks of Punchlist; punchlist hooks install --runtime NAME")
    return 0


def _first_line(trouble: Mapping[str, Any]) -> str:
    return str(trouble.get("text", "")).partition("\n")[0]
