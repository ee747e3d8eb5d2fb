"""Read a tsconfig.json with all it extends: comments allowed, packages resolved as node does, several at once."""

import os
from pathlib import Path
from typing import Any

from punchlist.engines import find
from punchlist.engines.site import Site
from punchlist.project.manifests import json_of
from punchlist.records import dataclass

MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A configuration: the files it consists of (absolute, its own first), what it refers to (root-relative).

    `is_solution` is one that only lists references. `options` are the compiler options in effect. `trouble` says why
    the chain is not known completely.
    """

    files: tuple[str, ...]
    references: tuple[str, ...]
    is_solution: bool
    options: dict[str, Any]
    trouble: str = ""


def chain(site: Site, config: str) -> Chain:
    """Read a configuration (root-relative), once a check."""
    found: Chain = site.once("tsconfig", config, lambda: _read(site, config))
    return found


def _read(site: Site, config: str) -> Chain:
    own = json_of(site.root / config)
    path = site.path(config)
    if own is None:
        return Chain(files=(path,), references=(), is_solution=False, options={}, trouble=f"{config} cannot be read")
    files, options, trouble, lists = _extended(site, path, own)
    folder = os.path.dirname(path)
    references = []
    for one in own.get("references") or ():
        target = one.get("path") if isinstance(one, dict) else None
        if isinstance(target, str):
            where = os.path.normpath(os.path.join(folder, target))
            where = where if where.endswith(".json") else f"{where}/tsconfig.json"
            if where.startswith(f"{site.root}/") and os.path.isfile(where):
                references.append(where[len(str(site.root)) + 1 :].replace(os.sep, "/"))
    is_solution = bool(references) and lists
    return Chain(
        files=tuple(files), references=tuple(references), is_solution=is_solution, options=options, trouble=trouble
    )


def _extended(site: Site, path: str, own: dict[str, Any]) -> tuple[list[str], dict[str, Any], str, bool]:
    """Follow `extends`; the nearest value of an option counts. The last value: whether it lists no files at all."""
    files: list[str] = []
    trouble = ""
    waiting: list[tuple[str, dict[str, Any]]] = [(path, own)]
    layers: list[dict[str, Any]] = []
    while waiting:
        here, data = waiting.pop(0)
        if here in files:
            continue
        if len(files) >= MOST:
            trouble = f"it extends more than {MOST} files"
            break
        files.append(here)
        layers.append(data)
        given = data.get("extends")
        for name in [given] if isinstance(given, str) else given if isinstance(given, list) else []:
            target = resolve(site, here, str(name))
            more = json_of(Path(target)) if target else None
            if target is None or more is None:
                trouble = trouble or f"{name}, which {os.path.basename(here)} extends, cannot be found"
                continue
            waiting.append((target, more))
    options: dict[str, Any] = {}
    for layer in reversed(layers):
        if isinstance(layer.get("compilerOptions"), dict):
            options.update(layer["compilerOptions"])
    return files, options, trouble, own.get("files") == [] and not own.get("include")


def resolve(site: Site, config: str, name: str) -> str | None:
    """Return the file that a value of `extends` means: a path, or one in a package (by default its tsconfig.json)."""
    folder = os.path.dirname(config)
    if name.startswith((".", "/")):
        return _existing(os.path.normpath(os.path.join(folder, name)))
    last = find.top(site.root)
    for place in (Path(folder), *Path(folder).parents):
        base = place / "node_modules" / name
        exported = _exported(place / "node_modules", name)
        if found := exported or _existing(str(base)) or _existing(str(base / "tsconfig.json")):
            return found
        if place == last:
            break
    return None


def _existing(path: str) -> str | None:
    return next((p for p in (path, f"{path}.json") if os.path.isfile(p)), None)


def _exported(modules: Path, name: str) -> str | None:
    """Follow a package's `exports`, or the `tsconfig` field of its package.json."""
    parts = name.split("/")
    package, rest = ("/".join(parts[:2]), parts[2:]) if name.startswith("@") else (parts[0], parts[1:])
    manifest = json_of(modules / package / "package.json") or {}
    exports = manifest.get("exports")
    wanted = "./" + "/".join(rest) if rest else "."
    target = exports.get(wanted) if isinstance(exports, dict) else None
    if isinstance(target, dict):
        target = next(
            (target[key] for key in ("require", "node", "import", "default") if isinstance(target.get(key), str)), None
        )
    if target is None and not rest:
        target = manifest.get("tsconfig")
    return _existing(str(modules / package / target)) if isinstance(target, str) else None
