"""How a client starts an entry: which variables it puts in, in which folder, with which environment.

The forms of variables and the treatment of `cwd` were seen in the clients' documents and sources, some by running them
(November 2026). A client that is not named here is taken to put nothing in.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from punchlist.agents.clients.entries import Entry
from punchlist.project.paths import home_folder
from punchlist.project.root import ROOT_VARIABLES
from punchlist.records import dataclass

_BRACES = re.compile(r"\$\{([^{}]*)\}")
_SHELL = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_OPENCODE = re.compile(r"\{env:([^{}]*)\}")
EDITORS = frozenset({"vscode", "cursor", "roo", "windsurf"})
BRACED = frozenset({"claude", "copilot", "kiro", "amp"})
SHELL = frozenset({"gemini", "qwen", "crush"})
NAMED = frozenset({"opencode", "kilo"})
NO_CWD = frozenset({"claude", "crush"})
# In this form an answer tells the root by itself, whatever the project's settings say.
ASKING = {"PUNCHLIST_PAYLOAD": "both"}
CODEX_PASSES = frozenset({"HOME", "LANG", "PATH", "SHELL", "TERM", "USER", "LOGNAME", "TMPDIR", "LC_ALL"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A program with its arguments, environment and folder; `unset` names what stands in the entry and is not set."""

    command: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    unset: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


def start_of(entry: Entry, folder: Path, environ: Mapping[str, str]) -> Start:
    """Return how the entry's client starts it in a project; the entry names a command."""
    unset: list[str] = []

    def filled(text: str) -> str:
        return expanded(entry.client.id, text, folder, environ, unset)

    env = {name: filled(value) for name, value in entry.env.items()}
    command = tuple(filled(word) for word in entry.command)
    cwd = folder / Path(filled(cwd_of(entry))).expanduser() if cwd_of(entry) and obeys_cwd(entry) else folder
    missing = tuple(dict.fromkeys(name for name in unset if not name.startswith("input:")))
    asks = tuple(dict.fromkeys(name for name in unset if name.startswith("input:")))
    passed = {**_passed(entry, folder, environ), **ASKING}
    return Start(command=command, env={**passed, **env}, cwd=cwd, unset=missing, asks=asks)


def expanded(client: str, text: str, folder: Path, environ: Mapping[str, str], unset: list[str]) -> str:
    """Return a text of an entry with its client's variables put in; those that are not set are added to `unset`."""

    def of(name: str, default: str | None, written: str) -> str:
        value = environ.get(name, default)
        if value is None:
            unset.append(name)
        return written if value is None else value

    def editor(found: re.Match[str]) -> str:
        name = found[1]
        if name.startswith("env:"):
            return environ.get(name[4:], "")  # these editors put nothing where a variable is not set
        known = {
            "workspaceFolder": str(folder),
            "workspaceRoot": str(folder),
            "workspaceFolderBasename": folder.name,
            "userHome": str(home_folder(environ)),
            "pathSeparator": os.sep,
            "/": os.sep,
        }
        if name not in known:
            unset.append(name)
        return known.get(name, found[0])

    def braced(found: re.Match[str]) -> str:
        name, mark, default = found[1].partition(":-")
        return of(name, default if mark else None, found[0])

    table: tuple[tuple[frozenset[str], re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        (EDITORS, _BRACES, editor),
        (BRACED, _BRACES, braced),
        (SHELL, _SHELL, lambda found: of(found[1] or found[2], None, found[0])),
        (NAMED, _OPENCODE, lambda found: environ.get(found[1], "")),
    )
    for clients, pattern, put in table:
        if client in clients:
            return pattern.sub(put, text)
    return text


def cwd_of(entry: Entry) -> str:
    """Return the folder that an entry says its server is to be started in, "" where it says none."""
    found = _inner(entry).get("cwd") or _inner(entry).get("working_directory")
    return found if isinstance(found, str) else ""


def obeys_cwd(entry: Entry) -> bool:
    """Whether the client starts its servers where an entry says."""
    return entry.client.id not in NO_CWD


def address_of(entry: Entry) -> str:
    """Return the address of an entry that is reached over the network, "" for one that is started."""
    found = next((_inner(entry)[key] for key in ("url", "httpUrl", "serverUrl", "uri") if key in _inner(entry)), "")
    return str(found)


def switched_off(entry: Entry) -> bool:
    """Whether its client does not start an entry."""
    return entry.value.get("enabled") is False or entry.value.get("disabled") is True


def pin_of(entry: Entry) -> str:
    """Return what in an entry nails its server to one folder, "" where it is found from where it is started."""
    if any(word.partition("=")[0] == "--root" for word in entry.command):
        return "--root"
    named = next((name for name in ROOT_VARIABLES if entry.env.get(name, "").strip()), "")
    return named or ("cwd" if cwd_of(entry) and obeys_cwd(entry) else "")


def _passed(entry: Entry, folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return what reaches the server of the client's own environment; what leads to a root by itself is taken out."""
    env = {name: value for name, value in environ.items() if name not in ROOT_VARIABLES}
    if entry.client.id == "codex":
        more = entry.value.get("env_vars")
        wanted = CODEX_PASSES.union(map(str, more) if isinstance(more, list) else ())
        env = {name: value for name, value in env.items() if name in wanted}
    if entry.client.id == "claude":
        env["CLAUDE_PROJECT_DIR"] = str(folder)
    return env


def _inner(entry: Entry) -> Mapping[str, Any]:
    found = entry.value.get("transport")
    return found if isinstance(found, Mapping) else entry.value
