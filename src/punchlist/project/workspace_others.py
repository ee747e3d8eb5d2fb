"""Find the packages of uv, cargo and go workspaces.

uv takes out what `exclude` globs match, cargo what lies below `exclude` paths (and adds what members name by path); go
lists folders.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from punchlist.project import globs
from punchlist.project.manifests import table, text_of, toml_of
from punchlist.project.workspaces import MAX_PACKAGES, Package, Workspace, collected


def uv(root: Path) -> Workspace | None:
    """Return the uv workspace of a root, None without `[tool.uv.workspace]`."""
    if "workspace" not in (text_of(root / "pyproject.toml") or ""):
        return None
    settings = table(toml_of(root / "pyproject.toml"), "tool", "uv").get("workspace")
    if not isinstance(settings, dict):
        return None
    excluded = [globs.compiled(pattern, dot=True) for pattern in _texts(settings.get("exclude"))]
    folders: dict[str, None] = {}
    problems = []
    for pattern in _texts(settings.get("members")):
        for folder in globs.folders(root, pattern):
            if any(match.match(folder) for match in excluded):
                continue
            if (root / folder / "pyproject.toml").is_file():
                folders.setdefault(folder)
            elif not _empty(root / folder):
                problems.append(f"{folder}: is a workspace member without pyproject.toml")
    return collected(root, "uv", "pyproject.toml", folders, _python_package, problems)


def _python_package(root: Path, folder: str) -> Package | str:
    shown = f"{folder}/pyproject.toml" if folder else "pyproject.toml"
    data = toml_of(root / folder / "pyproject.toml")
    if data is None:
        return f"{shown}: not valid TOML"
    project = table(data, "project")
    name, version = project.get("name"), project.get("version")
    if not isinstance(name, str):
        return f"{shown}: has no project name"
    return Package(name, folder, shown, version if isinstance(version, str) else "")


def cargo(root: Path) -> Workspace | None:
    """Return the cargo workspace of a root, None without `[workspace]`."""
    data = toml_of(root / "Cargo.toml")
    settings = table(data).get("workspace") if data else None
    if not isinstance(settings, dict):
        return None
    excluded = [globs.normal(path) for path in _texts(settings.get("exclude"))]
    problems: list[str] = []
    members: dict[str, None] = {}
    for pattern in _texts(settings.get("members")):
        for folder in globs.folders(root, pattern):
            if (root / folder / "Cargo.toml").is_file():
                members.setdefault(folder)
            elif not any(c in pattern for c in "*?["):
                problems.append(f"{folder}: is a workspace member without Cargo.toml")
    _add_path_dependencies(root, members, table(settings, "dependencies"))
    kept = [f for f in members if not any(f == e or f.startswith(e + "/") for e in excluded)]
    return collected(root, "cargo", "Cargo.toml", kept, _cargo_package, problems)


def _add_path_dependencies(root: Path, members: dict[str, None], shared: Mapping[str, Any]) -> None:
    """Add what members name by path inside the workspace: cargo counts them as members too."""
    waiting = ["", *members]
    while waiting and len(members) < MAX_PACKAGES:
        folder = waiting.pop()
        for target in cargo_paths(root, folder, shared).values():
            inside = target and not target.startswith("..")
            if inside and target not in members and (root / target / "Cargo.toml").is_file():
                members[target] = None
                waiting.append(target)


def cargo_paths(root: Path, folder: str, shared: Mapping[str, Any]) -> dict[str, str]:
    """Return the path dependencies of a crate: name to root-relative folder ("" the root, "../x" outside)."""
    data = toml_of(root / folder / "Cargo.toml") or {}
    tables = [data, *(t for t in table(data, "target").values() if isinstance(t, dict))]
    out: dict[str, str] = {}
    for holder in tables:
        for section in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, wanted in table(holder, section).items():
                entry, base = wanted, folder
                if isinstance(wanted, dict) and wanted.get("workspace") is True:
                    entry, base = shared.get(name), ""
                path = entry.get("path") if isinstance(entry, dict) else None
                if isinstance(path, str):
                    target = os.path.normpath(f"{base}/{path}" if base else path).replace(os.sep, "/")
                    out[name] = "" if target == "." else target
    return out


def _cargo_package(root: Path, folder: str) -> Package | str:
    shown = f"{folder}/Cargo.toml" if folder else "Cargo.toml"
    data = toml_of(root / folder / "Cargo.toml")
    if data is None:
        return f"{shown}: not valid TOML"
    package = table(data, "package")
    name, version = package.get("name"), package.get("version")
    if not isinstance(name, str):
        return f"{shown}: has no package name" if folder else ""
    return Package(name, folder, shown, version if isinstance(version, str) else "")


_USE = re.compile(r"^\s*use\s*(?:\(([^)]*)\)|(\S+))", re.M)


def go(root: Path) -> Workspace | None:
    """Return the go workspace of a root, None without go.work."""
    text = text_of(root / "go.work")
    if text is None:
        return None
    text = re.sub(r"//[^\n]*", "", text)
    folders, problems = [], []
    for block, single in _USE.findall(text):
        for entry in block.split() or [single]:
            folder = os.path.normpath(entry.strip('"`')).replace(os.sep, "/")
            folder = "" if folder == "." else folder
            if (root / folder / "go.mod").is_file():
                folders.append(folder)
            else:
                problems.append(f"go.work: {entry} has no go.mod")
    return collected(root, "go", "go.work", folders, _go_module, problems)


def _go_module(root: Path, folder: str) -> Package | str:
    text = text_of(root / folder / "go.mod")
    found = re.search(r"^\s*module\s+(\S+)", text or "", re.M)
    shown = f"{folder}/go.mod" if folder else "go.mod"
    return Package(found[1].strip('"'), folder, shown) if found else f"{shown}: names no module"


def _texts(raw: object) -> list[str]:
    return [item for item in raw if isinstance(item, str)] if isinstance(raw, list) else []


def _empty(folder: Path) -> bool:
    try:
        return not any(not path.name.startswith(".") for path in folder.iterdir())
    except OSError:
        return True
