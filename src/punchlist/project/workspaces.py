"""Workspaces of pnpm, npm, yarn, bun, uv, cargo and go: their packages, who needs whom, cycles, dependents.

Members are found by each package manager's own rules. With pnpm and bun a `!` pattern holds for all others, with yarn
for those before it; with npm (10.8, map-workspaces) for all, unless a later pattern is itself matched by it. uv has
`exclude` globs, cargo `exclude` paths; go lists folders.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from punchlist.project import globs
from punchlist.project.manifests import json_of, table, text_of, toml_of

MAX_PACKAGES = 2000


@dataclass(frozen=True, slots=True)
class Package:
    """One package: its name, root-relative folder (`/`, "" for the root's own), manifest and version."""

    name: str
    folder: str
    manifest: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The packages of one package manager. `needs` maps a package's folder to the folders of those it depends on.

    `problems` say what could not be read (malformed file, a member without a manifest ...).
    """

    kind: str
    file: str
    packages: tuple[Package, ...]
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def find_workspaces(root: Path) -> tuple[Workspace, ...]:
    """Return the workspaces whose root is this folder, in a fixed order; empty where there is none."""
    from punchlist.project.workspace_graph import with_needs

    found = [workspace for finder in (_node, _uv, _cargo, _go) if (workspace := finder(root)) is not None]
    return tuple(with_needs(root, workspace) for workspace in found)


def package_of(workspace: Workspace, path: str) -> Package | None:
    """Return the package a root-relative path belongs to: the one with the deepest folder that holds it."""
    holding = [p for p in workspace.packages if p.folder == "" or path == p.folder or path.startswith(p.folder + "/")]
    return max(holding, key=lambda p: len(p.folder), default=None)


def dependents(workspace: Workspace, folders: Iterable[str]) -> tuple[str, ...]:
    """Return the folders of all packages that need one of these, directly or not, without these themselves; sorted."""
    given = set(folders)
    reached, waiting = set(given), list(given)
    while waiting:
        current = waiting.pop()
        for folder, needed in workspace.needs.items():
            if current in needed and folder not in reached:
                reached.add(folder)
                waiting.append(folder)
    return tuple(sorted(reached - given))


def layers(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Order the packages' folders, dependencies first; the packages of a cycle (strongly connected set) together."""
    needs = {p.folder: sorted(workspace.needs.get(p.folder, ())) for p in workspace.packages}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    out: list[tuple[str, ...]] = []
    for start in sorted(needs):
        if start in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(start, iter(needs[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            node, following = work[-1]
            for target in following:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    work.append((target, iter(needs[target])))
                    break
                if target in stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    out.append(tuple(sorted(stack[cut:])))
                    del stack[cut:]
    return tuple(out)


def cycles(workspace: Workspace) -> tuple[tuple[str, ...], ...]:
    """Return the sets of packages that need each other in a circle (a package that needs itself is one of them)."""
    return tuple(
        group for group in layers(workspace) if len(group) > 1 or group[0] in workspace.needs.get(group[0], frozenset())
    )


def _node(root: Path) -> Workspace | None:
    pnpm = text_of(root / "pnpm-workspace.yaml")
    if pnpm is not None:
        patterns, problem = _pnpm_patterns(pnpm)
        if patterns or problem or "packages" in pnpm:
            members = _members(root, patterns, "package.json", "pnpm")
            return _packages(root, "pnpm", "pnpm-workspace.yaml", members, _node_package, [problem] if problem else [])
    manifest = json_of(root / "package.json") or {}
    raw = manifest.get("workspaces")
    raw = raw.get("packages") if isinstance(raw, dict) else raw
    if isinstance(raw, list):
        patterns = [item for item in raw if isinstance(item, str)]
        manager = node_manager(root, root)
        members = _members(root, patterns, "package.json", manager)
        return _packages(root, manager, "package.json", members, _node_package, [])
    return None


def _pnpm_patterns(text: str) -> tuple[list[str], str]:
    import yaml

    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return [], f"pnpm-workspace.yaml{f':{mark.line + 1}' if mark else ''}: not valid YAML"
    raw = data.get("packages") if isinstance(data, dict) else None
    if raw is None:
        return [], "" if isinstance(data, dict | None) else "pnpm-workspace.yaml: must be a table with `packages`"
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        return [], "pnpm-workspace.yaml: `packages` must be a list of globs"
    return raw, ""


def node_manager(root: Path, folder: Path) -> str:
    """Return a package's manager: by its `packageManager` field, else by the nearest lock file up to the root."""
    for place in (folder, *folder.parents):
        declared = (json_of(place / "package.json") or {}).get("packageManager")
        if isinstance(declared, str) and (found := re.match(r"(npm|pnpm|yarn|bun)(?=@|$)", declared)):
            return found[1]
        for lock, manager in NODE_LOCKS.items():
            if (place / lock).is_file():
                return manager
        if place == root or not place.is_relative_to(root):
            break
    return "pnpm" if (root / "pnpm-workspace.yaml").is_file() else "npm"


NODE_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}


def _members(root: Path, patterns: list[str], manifest: str, manager: str) -> list[str]:
    """Return the folders with a manifest that the patterns select, by the rules of a package manager."""
    chosen: dict[str, None] = {}
    if manager == "npm":
        patterns = _without_lifted(patterns)
    if manager != "yarn":
        patterns = sorted(patterns, key=lambda pattern: pattern.startswith("!"))
    for pattern in patterns:
        if pattern.startswith("!"):
            match = globs.compiled(pattern[1:], dot=True)
            chosen = {folder: None for folder in chosen if not match.match(folder)}
            continue
        for folder in globs.folders(root, pattern):
            if (root / folder / manifest).is_file() and len(chosen) < MAX_PACKAGES:
                chosen.setdefault(folder)
    return list(chosen)


def _without_lifted(patterns: list[str]) -> list[str]:
    """Leave out the `!` patterns that match a later pattern as it is written: npm lifts those."""
    kept: list[str] = []
    for pattern in patterns:
        if not pattern.startswith("!"):
            text = globs.normal(pattern)
            kept = [k for k in kept if not (k.startswith("!") and globs.compiled(k[1:]).match(text))]
        kept.append(pattern)
    return kept


def _packages(
    root: Path,
    kind: str,
    file: str,
    folders: Iterable[str],
    read: Callable[[Path, str], Package | str],
    problems: list[str],
) -> Workspace:
    """Read the members' manifests (the root's own too, where it has a name); a folder under two names counts once."""
    packages: dict[str, Package] = {}
    for folder in ["", *folders]:
        real = os.path.realpath(root / folder)
        package = read(root, folder)
        if isinstance(package, Package):
            packages.setdefault(real, package)
        elif folder and package:
            problems.append(package)
    ordered = tuple(sorted(packages.values(), key=lambda p: p.folder))
    names = {package.name: package.folder for package in reversed(ordered)}
    problems += [
        f"{package.manifest}: {names[package.name] or 'the root'} has the name {package.name} too"
        for package in ordered
        if names[package.name] != package.folder
    ]
    return Workspace(kind, file, ordered, problems=tuple(problems))


def _node_package(root: Path, folder: str) -> Package | str:
    data = json_of(root / folder / "package.json")
    shown = f"{folder}/package.json" if folder else "package.json"
    if data is None:
        return f"{shown}: not valid JSON"
    name, version = data.get("name"), data.get("version")
    if not isinstance(name, str) or not name:
        return f"{shown}: has no name" if not folder else Package(folder, folder, shown, "")
    return Package(name, folder, shown, version if isinstance(version, str) else "")


def _uv(root: Path) -> Workspace | None:
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
    return _packages(root, "uv", "pyproject.toml", folders, _python_package, problems)


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


def _cargo(root: Path) -> Workspace | None:
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
    return _packages(root, "cargo", "Cargo.toml", kept, _cargo_package, problems)


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


def _go(root: Path) -> Workspace | None:
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
    return _packages(root, "go", "go.work", folders, _go_module, problems)


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
