"""Find out which packages of a workspace need which: manifests, path dependencies, TypeScript project references."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from punchlist.project.manifests import json_of, table, text_of, toml_of
from punchlist.project.workspace_others import cargo_paths
from punchlist.project.workspaces import Package, Workspace, package_of
from punchlist.records import replace

NODE_SECTIONS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def with_needs(root: Path, workspace: Workspace) -> Workspace:
    """Return the workspace with its dependency graph filled in; a package is not said to need itself."""
    finder = {"uv": _uv, "cargo": _cargo, "go": _go}.get(workspace.kind, _node)
    needs: dict[str, set[str]] = {package.folder: set() for package in workspace.packages}
    for needing, needed in finder(root, workspace):
        if needing != needed:
            needs[needing].add(needed)
    return replace(workspace, needs={folder: frozenset(wanted) for folder, wanted in needs.items()})


def _by_name(workspace: Workspace) -> dict[str, Package]:
    return {package.name: package for package in workspace.packages}


def _target(folder: str, path: str) -> str:
    """Resolve a relative path of a manifest to a root-relative folder."""
    joined = os.path.normpath(f"{folder}/{path}" if folder else path).replace(os.sep, "/")
    return "" if joined == "." else joined


def _node(root: Path, workspace: Workspace) -> Iterator[tuple[str, str]]:
    names = _by_name(workspace)
    folders = {package.folder for package in workspace.packages}
    for package in workspace.packages:
        manifest = json_of(root / package.manifest) or {}
        for section in NODE_SECTIONS:
            for name, wanted in table(manifest, section).items():
                if (
                    isinstance(wanted, str)
                    and (needed := _node_target(names, folders, package.folder, name, wanted)) is not None
                ):
                    yield package.folder, needed
        for path in references(root / package.folder):
            owner = package_of(workspace, _target(package.folder, path))
            if owner is not None and owner.folder:
                yield package.folder, owner.folder


def _node_target(names: Mapping[str, Package], folders: set[str], folder: str, name: str, wanted: str) -> str | None:
    """Return the sibling's folder a dependency means, None where it comes from elsewhere."""
    protocol, _, rest = wanted.partition(":")
    if protocol in ("file", "link", "portal") and rest:
        target = _target(folder, rest)
        return target if target in folders else None
    if protocol == "workspace":
        if rest.startswith((".", "/")):
            target = _target(folder, rest)
            return target if target in folders else None
        alias, at, _ = rest.rpartition("@")
        sibling = names.get(alias if at and alias else name)
        return sibling.folder if sibling else None
    if protocol == "npm":
        alias, _, wanted = rest.rpartition("@")
        name, wanted = (alias, wanted) if alias else (rest, "*")
    sibling = names.get(name)
    if sibling is None or (protocol not in ("npm", "catalog") and ":" in wanted) or "/" in wanted:
        return None
    return sibling.folder if protocol == "catalog" or satisfies(sibling.version or "0.0.0", wanted) else None


def references(folder: Path) -> list[str]:
    """Return the paths of the TypeScript project references of a folder's tsconfig.json (comments allowed in it)."""
    listed = (json_of(folder / "tsconfig.json") or {}).get("references")
    if not isinstance(listed, list):
        return []
    return [item["path"] for item in listed if isinstance(item, dict) and isinstance(item.get("path"), str)]


def _uv(root: Path, workspace: Workspace) -> Iterator[tuple[str, str]]:
    names = {_python_name(package.name): package for package in workspace.packages}
    shared = table(toml_of(root / "pyproject.toml"), "tool", "uv", "sources")
    for package in workspace.packages:
        data = toml_of(root / package.manifest) or {}
        sources = {_python_name(n): s for n, s in {**shared, **table(data, "tool", "uv", "sources")}.items()}
        for requirement in _requirements(data):
            name = _python_name(re.split(r"[^A-Za-z0-9._-]", requirement.strip(), maxsplit=1)[0])
            source = sources.get(name)
            wants = source if isinstance(source, list) else [source]
            local = any(isinstance(s, dict) and (s.get("workspace") is True or "path" in s) for s in wants)
            if local and name in names:
                yield package.folder, names[name].folder


def _requirements(data: Mapping[str, object]) -> Iterator[str]:
    lists = [table(data, "project").get("dependencies"), table(data, "tool", "uv").get("dev-dependencies")]
    lists += [*table(data, "project", "optional-dependencies").values(), *table(data, "dependency-groups").values()]
    for listed in lists:
        if isinstance(listed, list):
            yield from (item for item in listed if isinstance(item, str))


def _python_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _cargo(root: Path, workspace: Workspace) -> Iterator[tuple[str, str]]:
    folders = {package.folder for package in workspace.packages}
    shared = table(toml_of(root / "Cargo.toml"), "workspace", "dependencies")
    for package in workspace.packages:
        for target in cargo_paths(root, package.folder, shared).values():
            if target in folders:
                yield package.folder, target


def _go(root: Path, workspace: Workspace) -> Iterator[tuple[str, str]]:
    names = _by_name(workspace)
    for package in workspace.packages:
        text = re.sub(r"//[^\n]*", "", text_of(root / package.manifest) or "")
        for block, single in re.findall(r"^\s*require\s*(?:\(([^)]*)\)|(\S+))", text, re.M):
            for line in block.splitlines() or [single]:
                module = line.split()[0] if line.split() else ""
                if module in names:
                    yield package.folder, names[module].folder


_VERSION = re.compile(r"[v=\s]*(\d+)(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_COMPARATOR = re.compile(r"(\^|~>?|>=|<=|>|<|=)?\s*([v\d][^\s]*|[xX*])")
Version = tuple[int, int, int, tuple[tuple[int, int | str], ...]]


def satisfies(version: str, wanted: str) -> bool:
    """Tell whether a version lies in an npm range (`^1.2`, `~1`, `>=1 <3`, `1.x || 2`, `1 - 2`); a tag is no range."""
    found = _VERSION.fullmatch(version.strip())
    if found is None:
        return False
    have = _version(found)
    return any(_in_all(have, part.strip()) for part in wanted.split("||"))


def _version(found: re.Match[str]) -> Version:
    numbers = [int(part) if part and part.isdigit() else 0 for part in found.groups()[:3]]
    # A release sorts after its own pre-releases; among these, numbers sort before words (semver 2.0, section 11).
    rank: tuple[tuple[int, int | str], ...] = ((2, 0),)
    if found[4]:
        rank = tuple((0, int(p)) if p.isdigit() else (1, p) for p in found[4].split("."))
    return numbers[0], numbers[1], numbers[2], rank


def _in_all(have: Version, text: str) -> bool:
    if text in ("", "*", "x", "X"):
        return True
    hyphen = re.fullmatch(r"(\S+)\s+-\s+(\S+)", text)
    if hyphen:
        text = f">={hyphen[1]} <={hyphen[2]}"
    parts = _COMPARATOR.findall(text)
    if not parts or _COMPARATOR.sub("", text).strip(" ,"):
        return False
    return all(_in_one(have, operator, operand) for operator, operand in parts)


def _in_one(have: Version, operator: str, operand: str) -> bool:
    if operand in "*xX":
        return True
    found = _VERSION.fullmatch(operand)
    if found is None:
        return False
    low = _version(found)
    given = sum(1 for part in found.groups()[:3] if part and part.isdigit())
    numbers = low[:3]
    if operator == ">=":
        return have >= low
    if operator == "<":
        return have < low if given == 3 else have[:3] < low[:3]
    if operator == ">":
        return have > low if given == 3 else have >= _bump(low, given)
    if operator == "<=":
        return have <= low if given == 3 else have < _bump(low, given)
    if operator == "^":
        width = next((i + 1 for i in range(given) if numbers[i]), given)
        return have >= low and have[:3] < _bump(low, width)[:3]
    if operator in ("~", "~>"):
        return have >= low and have[:3] < _bump(low, min(given, 2))[:3]
    return have == low if given == 3 else have >= low and have[:3] < _bump(low, given)[:3]


def _bump(version: Version, width: int) -> Version:
    """Return the first version after all that share the first `width` numbers."""
    numbers: list[int] = [*version[:3]]
    numbers[width - 1 :] = [numbers[width - 1] + 1, *[0] * (3 - width)]
    return numbers[0], numbers[1], numbers[2], ((-1, 0),)
