"""Workspaces of pnpm, npm, yarn, bun, uv, cargo and go: their packages, who needs whom, cycles, dependents."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from punchlist.records import dataclass, field

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
    from punchlist.project import workspace_node, workspace_others
    from punchlist.project.workspace_graph import with_needs

    finders = (workspace_node.find, workspace_others.uv, workspace_others.cargo, workspace_others.go)
    found = [workspace for finder in finders if (workspace := finder(root)) is not None]
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


def collected(
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
