"""Put the entry of Punchlist into a client's settings, find it there, take it away again."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from punchlist.agents.clients.record import SERVER, Client, bounds, entry
from punchlist.agents.files import jsonc, tomltext, yamltext
from punchlist.agents.files.settings import Settings, first_state, read, restore, write
from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.records import dataclass

BLOCK_HEAD = "name: Punchlist\nversion: 1.0.0\nschema: v1\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it stands in a client's file: what to start with which variables."""

    client: Client
    scope: str
    file: Path
    value: Mapping[str, Any]

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return command_of(self.value)

    @property
    def env(self) -> Mapping[str, str]:
        """The variables that the entry sets."""
        return env_of(self.value)


def command_of(value: Mapping[str, Any]) -> list[str]:
    """Return program and arguments of an entry of any shape."""
    inner = value.get("transport") if isinstance(value.get("transport"), dict) else value
    assert isinstance(inner, Mapping)
    head = inner.get("command", inner.get("cmd", []))
    if isinstance(head, Mapping):  # an older shape of Zed's
        return [str(head.get("path", "")), *map(str, head.get("args", []))]
    args = inner.get("args") or []
    if not head:
        return []
    return [*map(str, head if isinstance(head, list) else [head]), *map(str, args)]


def env_of(value: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables that an entry of any shape sets."""
    inner = value.get("transport") if isinstance(value.get("transport"), dict) else value
    assert isinstance(inner, Mapping)
    found = inner.get("env", inner.get("environment", inner.get("envs", {})))
    return {str(key): str(item) for key, item in found.items()} if isinstance(found, dict) else {}


def place(client: Client, scope: str, root: Path, environ: Mapping[str, str]) -> Path:
    """Return the file for a scope; a scope the client does not have is a Trouble that names the ones it has."""
    path = client.file(scope, root, environ)
    if path is None:
        raise Trouble(f"{client.name} has no {scope} file; use --scope {' or '.join(client.scopes())}", "no_scope")
    # Where a client reads NAME.jsonc as well as NAME.json, the one that exists is the one to change.
    twin = path.with_suffix(".jsonc")
    return twin if path.suffix == ".json" and not path.exists() and twin.exists() else path


def found(client: Client, scope: str, root: Path, environ: Mapping[str, str]) -> Entry | None:
    """Return the entry in a client's file, None where there is none; a malformed file is a Trouble that names it."""
    if client.file(scope, root, environ) is None:
        return None
    path = place(client, scope, root, environ)
    if not path.is_file():
        return None
    settings = read(path, bounds(scope, root, path, environ))
    value = _value(client, settings)
    return Entry(client, scope, path, value) if isinstance(value, Mapping) else None


def planned(
    client: Client, scope: str, root: Path, environ: Mapping[str, str], command: list[str], env: Mapping[str, str]
) -> tuple[Settings, str, dict[str, Any]]:
    """Return the file as it is, its text with the entry, and the entry. What its user added to an entry stays."""
    path = place(client, scope, root, environ)
    settings = read(path, bounds(scope, root, path, environ))
    there = _value(client, settings)
    value = entry(client, [*command, "serve"], env)
    if isinstance(there, Mapping):
        value = merged(client, there, command, env)
    return settings, _in_file(settings, lambda: _put(client, scope, settings.text, value)), value


def install(
    client: Client, scope: str, root: Path, environ: Mapping[str, str], command: list[str], env: Mapping[str, str]
) -> tuple[Path, str]:
    """Write the entry; return the file and what was done ("written", "updated" or "as it was")."""
    settings, text, _ = planned(client, scope, root, environ, command, env)
    if text == settings.text and settings.raw is not None:
        return settings.path, "as it was"
    had = _value(client, settings) is not None
    write(settings, text, keep_first=not had, private=scope == "user")
    return settings.path, "updated" if had else "written"


def uninstall(client: Client, scope: str, root: Path, environ: Mapping[str, str]) -> tuple[Path, str] | None:
    """Take the entry away; return the file and what was done, None where there was no entry."""
    if found(client, scope, root, environ) is None:
        return None
    path = place(client, scope, root, environ)
    settings = read(path, bounds(scope, root, path, environ))
    value = _value(client, settings)
    first = known = first_state(settings)
    if first is not None:
        try:
            same = _put(client, scope, first, value) == settings.text
        except Trouble:
            same = False
        first = first if same else None
    text = _in_file(settings, lambda: _removed(client, scope, settings.text, known))
    return settings.path, restore(settings, text, first)


def merged(client: Client, there: Mapping[str, Any], command: list[str], env: Mapping[str, str]) -> dict[str, Any]:
    """Return an existing entry with a new program: keys, variables and arguments that its user added stay."""
    old = command_of(there)
    tail = old[old.index("serve") :] if "serve" in old else ["serve"]
    fresh = entry(client, [*command, *tail], {**env_of(there), **env})
    if isinstance(there.get("transport"), Mapping):
        inner = {**there["transport"], **{key: fresh[key] for key in ("command", "args", "env") if key in fresh}}
        return {**there, "transport": inner}
    # What decides how the server is started is ours; everything else is as its user left it.
    ours = ("command", "cmd", "args", "env", "environment", "envs")
    return {**fresh, **{key: value for key, value in there.items() if key not in ours or key not in fresh}}


def _value(client: Client, settings: Settings) -> Any:
    if settings.raw is None or not settings.text.strip():
        return None
    return _in_file(settings, lambda: _read(client, settings.text))


def _read(client: Client, text: str) -> Any:
    if client.format == "toml":
        return tomltext.get(text, (*client.key, SERVER))
    if client.format.startswith("yaml"):
        return yamltext.get(text, client.key[0], SERVER)
    return jsonc.get(text, (*client.key, SERVER))


def _put(client: Client, scope: str, text: str, value: Mapping[str, Any]) -> str:
    if client.format == "toml":
        return tomltext.put(text, (*client.key, SERVER), value)
    if client.format.startswith("yaml"):
        if client.id == "continue" and scope == "project" and not text.strip():
            text = BLOCK_HEAD
        return yamltext.put(text, client.key[0], SERVER, value, listed=client.format == "yaml-list")
    there = jsonc.get(text, (*client.key, SERVER))
    if isinstance(there, Mapping):  # key by key, so that comments inside of the entry stay
        for key, item in value.items():
            text = jsonc.put(text, (*client.key, SERVER, key), item)
        return text
    return jsonc.put(text, (*client.key, SERVER), value)


def _removed(client: Client, scope: str, text: str, first: str | None) -> str:
    """Return a text without the entry, and without what it leaves empty, unless that was there before it."""
    if client.format == "toml":
        return tomltext.remove(text, (*client.key, SERVER))
    if client.format.startswith("yaml"):
        new = yamltext.remove(text, client.key[0], SERVER)
        return "" if client.id == "continue" and scope == "project" and new == BLOCK_HEAD else new
    new = jsonc.remove(text, (*client.key, SERVER))
    if first is None or not jsonc.has(first, client.key):
        new = jsonc.remove_empty(new, client.key)
    return "" if jsonc.load(new) == {} and new.strip() == "{}" else new


def _in_file(settings: Settings, work: Callable[[], Any]) -> Any:
    """Do something with a text; trouble with it names the file."""
    try:
        return work()
    except Trouble as trouble:
        shown = str(settings.path)
        home = str(home_folder(os.environ))
        shown = f"~{shown[len(home) :]}" if shown.startswith(home + os.sep) else shown
        raise Trouble(f"{shown}: {trouble}", trouble.code) from None
