"""Set a project up: what is found in it, what would have to be written, which agents work here."""

import os
from collections.abc import Iterator, Mapping

from punchlist.agents.clients import entries
from punchlist.agents.clients.record import SCOPES, Client
from punchlist.agents.clients.registry import CLIENTS
from punchlist.agents.findings import Finding
from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.service.project import Project

EXAMPLE = """\
# What this project can check. Each entry is run by its name: punchlist run test
# [checks]
# test = "./run-tests.sh"
"""
# How a home folder shows that its owner uses a client.
HOMES = {
    "claude": (".claude.json", ".claude"),
    "codex": (".codex",),
    "cursor": (".cursor",),
    "gemini": (".gemini/settings.json",),
    "qwen": (".qwen",),
    "copilot": (".copilot",),
    "opencode": (".config/opencode",),
    "amp": (".config/amp",),
    "zed": (".config/zed",),
    "windsurf": (".codeium/windsurf",),
    "goose": (".config/goose",),
    "continue": (".continue",),
    "kiro": (".kiro",),
    "cline": (".cline",),
    "junie": (".junie",),
}


def described(project: Project) -> Iterator[Finding]:
    """Yield what is found: root, configuration, checks, engines."""
    from punchlist.agents.doctor import at_hand, configuration

    yield Finding("ok", "root", f"{project.folder} ({project.root.how})")
    yield from configuration(project)
    yield from at_hand(project)


def used(project: Project, environ: Mapping[str, str]) -> list[tuple[Client, str]]:
    """Return the clients that are used here with the scope to install for: those of the project before the user's."""
    home = home_folder(environ)
    in_project = [
        (one, "project" if one.project else "user")
        for one in CLIENTS
        if any((project.folder / name).exists() for name in (*one.markers, *([one.project] if one.project else [])))
    ]
    known = {one.id for one, _ in in_project}
    of_user = [
        (one, one.scopes()[0])
        for one in CLIENTS
        if one.id not in known and any((home / name).exists() for name in HOMES.get(one.id, ()))
    ]
    return in_project + of_user


def has_entry(project: Project, one: Client) -> bool:
    """Whether a client knows the server already, by whichever file."""
    for scope in SCOPES:
        try:
            if entries.found(one, scope, project.folder, os.environ) is not None:
                return True
        except Trouble:
            continue
    return False


def wanted_configuration(project: Project) -> str | None:
    """Return a punchlist.toml where there is something to say: nothing to check was found, so an example is left."""
    if project.config.sources or project.checks():
        return None
    return EXAMPLE
