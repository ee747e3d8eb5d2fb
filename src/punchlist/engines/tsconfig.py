"""Read a tsconfig.json with all it extends: comments allowed, packages resolved as node does, several at once."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from punchlist.engines import find
from punchlist.engines.site import Site
from punchlist.project.manifests import json_of
from punchlist.records import dataclass

MOST = 200
_FOLDERS = ("rootDir", "outDir", "declarationDir", "baseUrl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A configuration: the files it consists of (absolute, its own first), what it refers to (root-relative).

    `is_solution` is one that only lists references, `names_files` one that says which files it means. `options` are the
    compiler options in effect, folders in them absolute. `trouble` says why the chain is not known completely.
    """

    files: tuple[str, ...]
    references: tuple[str, ...]
    is_solution: bool
    names_files: bool
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
        trouble = f"{config} cannot be read"
        return Chain(files=(path,), references=(), is_solution=False, names_files=False, options={}, trouble=trouble)
    layers, trouble = _extended(site, path, own)
    references = tuple(_references(site, path, own))
    return Chain(
        files=tuple(layers),
        references=references,
        is_solution=bool(references) and own.get("files") == [] and not own.get("include"),
        names_files=any(key in layer for layer in layers.values() for key in ("files", "include")),
        options=_options(layers, os.path.dirname(path)),
        trouble=trouble,
    )


def _references(site: Site, path: str, own: dict[str, Any]) -> Iterator[str]:
    """Yield what a configuration refers to, root-relative, as far as it is there."""
    listed = own.get("references")
    prefix = f"{site.root}/"
    for one in listed if isinstance(listed, list) else []:
        target = one.get("path") if isinstance(one, dict) else None
        if isinstance(target, str):
            where = os.path.normpath(os.path.join(os.path.dirname(path), target))
            where = where if where.endswith(".json") else f"{where}/tsconfig.json"
            if where.startswith(prefix) and os.path.isfile(where):
                yield where[len(prefix) :].replace(os.sep, "/")


def _extended(site: Site, path: str, own: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], str]:
    """Follow `extends`: the files by path, the nearest first, and what could not be followed."""
    trouble = ""
    waiting: list[tuple[str, dict[str, Any]]] = [(path, own)]
    layers: dict[str, dict[str, Any]] = {}
    while waiting:
        here, data = waiting.pop(0)
        if here in layers:
            continue
        if len(layers) >= MOST:
            return layers, f"it extends more than {MOST} files"
        layers[here] = data
        given = data.get("extends")
        for name in [given] if isinstance(given, str) else given if isinstance(given, list) else []:
            target = resolve(site, here, str(name))
            more = json_of(Path(target)) if target else None
            if target is None or more is None:
                trouble = trouble or f"{name}, which {os.path.basename(here)} extends, cannot be found"
                continue
            waiting.append((target, more))
    return layers, trouble


def _options(layers: dict[str, dict[str, Any]], home: str) -> dict[str, Any]:
    """Return the options in effect; a folder in them is relative to the file that names it."""
    options: dict[str, Any] = {}
    for path in reversed(layers):
        given = layers[path].get("compilerOptions")
        if not isinstance(given, dict):
            continue
        here = os.path.dirname(path)
        for key, value in given.items():
            if key in _FOLDERS and isinstance(value, str):
                value = _placed(value, here, home)
            elif key == "paths" and isinstance(value, dict):
                base = given.get("baseUrl") or options.get("baseUrl") or "."
                base = _placed(str(base), here, home)
                value = {
                    name: [_placed(one, base, home) for one in targets if isinstance(one, str)]
                    for name, targets in value.items()
                    if isinstance(targets, list)
                }
            options[key] = value
    return options


def _placed(value: str, here: str, home: str) -> str:
    return os.path.normpath(os.path.join(here, value.replace("${configDir}", home)))


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
