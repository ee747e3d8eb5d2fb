"""Check a TypeScript project that refers to others without building them.

`tsc --build --noEmit` refuses such a project (TS6310), `--project` alone wants the others' output (TS6305, TS2307). So
it is checked by a configuration of ours that extends its own, has no references, and leads the names of the packages it
refers to from their output back to their sources.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from punchlist.engines import find
from punchlist.engines.site import Site, above, joined
from punchlist.engines.tsconfig import Chain, chain

_OUTPUT = (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx")
_SOURCE = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx")
_CONDITIONS = ("types", "import", "node", "require", "default")


def members(site: Site, config: str) -> list[str]:
    """Return all configurations that one refers to, directly or not."""
    found: dict[str, None] = {}
    waiting = list(chain(site, config).references)
    while waiting:
        one = waiting.pop(0)
        if one not in found and one != config:
            found[one] = None
            waiting += chain(site, one).references
    return list(found)


def manifests(site: Site, config: str) -> list[str]:
    """Return the package.json files of the packages that a configuration refers to."""
    found = (site.upward(member.rpartition("/")[0], ["package.json"]) for member in members(site, config))
    return [path for path in dict.fromkeys(found) if path]


def without_references(site: Site, config: str, folder: Path) -> Path:
    """Write the configuration into a folder of ours and return its path."""
    one = chain(site, config)
    home = site.path(config.rpartition("/")[0])
    off = dict.fromkeys(("composite", "declaration", "declarationMap", "emitDeclarationOnly"), False)
    options: dict[str, Any] = {**off, "noEmit": True, "rootDir": Path(site.root).anchor}
    paths = {**_paths(site, config), **(one.options.get("paths") or {})}
    if paths:
        options["paths"] = paths
    roots = [
        str(p)
        for place in find.places(site, config.rpartition("/")[0])
        if (p := place / "node_modules/@types").is_dir()
    ]
    if roots and "typeRoots" not in one.options:
        options["typeRoots"] = roots
    data: dict[str, Any] = {"extends": site.path(config), "compilerOptions": options, "references": []}
    if not one.names_files:
        outputs = [one.options[key] for key in ("outDir", "declarationDir") if isinstance(one.options.get(key), str)]
        data |= {"include": [f"{home}/**/*"], "exclude": [f"{home}/**/node_modules", *outputs]}
    path = folder / "tsconfig.json"
    text = json.dumps(data, indent=1, sort_keys=True)
    try:
        if path.read_text(encoding="utf-8") == text:
            return path
    except (OSError, ValueError):
        pass
    path.write_text(text, encoding="utf-8")
    return path


def _paths(site: Site, config: str) -> dict[str, list[str]]:
    """Return where the names of the packages referred to lead: to the sources of what they export."""
    found: dict[str, list[str]] = {}
    for member in members(site, config):
        manifest = next(
            (p for f in above(member.rpartition("/")[0]) if site.exists(p := joined(f, "package.json"))), ""
        )
        data = site.json(manifest) if manifest else {}
        name = data.get("name")
        if not isinstance(name, str):
            continue
        one = chain(site, member)
        folder = site.path(manifest.rpartition("/")[0])
        for key, target in _exported(data):
            if sources := _sources(one, site.path(member.rpartition("/")[0]), os.path.normpath(f"{folder}/{target}")):
                found.setdefault(name + key.removeprefix("."), sources)
    return found


def _exported(manifest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a package exports: the key ("." the package itself) and the file it stands for."""
    exports = manifest.get("exports")
    if isinstance(exports, str):
        yield ".", exports
    elif isinstance(exports, dict):
        entries = exports if any(str(key).startswith(".") for key in exports) else {".": exports}
        for key, value in entries.items():
            if target := _condition(value, 0):
                yield str(key), target
    for key in ("types", "typings", "main"):
        if isinstance(manifest.get(key), str):
            yield ".", manifest[key]
    yield ".", "index.js"


def _condition(value: object, depth: int) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or depth > 8:
        return ""
    return next((found for key in _CONDITIONS if (found := _condition(value.get(key), depth + 1))), "")


def _sources(one: Chain, home: str, target: str) -> list[str]:
    """Return the source that an output is made of; for a pattern (`*`) all forms it may have."""
    root = one.options.get("rootDir") or home
    outputs = [o for key in ("declarationDir", "outDir") if isinstance(o := one.options.get(key), str)] or [root]
    ending = next((e for e in _OUTPUT if target.endswith(e)), "")
    for out in outputs:
        if not target.startswith(f"{out}/"):
            continue
        stem = f"{root}/{target[len(out) + 1 :].removesuffix(ending)}"
        if "*" in stem:
            return [stem + e for e in _SOURCE[:2]]
        return next(([stem + e] for e in _SOURCE if os.path.isfile(stem + e)), [])
    return []
