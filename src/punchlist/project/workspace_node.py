"""Find the packages of pnpm, npm, yarn and bun workspaces, each by its own rules.

With pnpm and bun a `!` pattern holds for all others, with yarn for those before it; with npm (10.8, map-workspaces) for
all, unless a later pattern is itself matched by it.
"""

import re
from pathlib import Path

from punchlist.project import globs
from punchlist.project.manifests import json_of, text_of
from punchlist.project.workspaces import MAX_PACKAGES, Package, Workspace, collected

NODE_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}


def find(root: Path) -> Workspace | None:
    """Return the workspace of a root with pnpm-workspace.yaml or `workspaces` in its package.json, None without."""
    pnpm = text_of(root / "pnpm-workspace.yaml")
    if pnpm is not None:
        patterns, problem = _pnpm_patterns(pnpm)
        if patterns or problem or "packages" in pnpm:
            members = _members(root, patterns, "package.json", "pnpm")
            return collected(root, "pnpm", "pnpm-workspace.yaml", members, _node_package, [problem] if problem else [])
    manifest = json_of(root / "package.json") or {}
    raw = manifest.get("workspaces")
    raw = raw.get("packages") if isinstance(raw, dict) else raw
    if isinstance(raw, list):
        patterns = [item for item in raw if isinstance(item, str)]
        manager = node_manager(root, root)
        members = _members(root, patterns, "package.json", manager)
        return collected(root, manager, "package.json", members, _node_package, [])
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


def _node_package(root: Path, folder: str) -> Package | str:
    data = json_of(root / folder / "package.json")
    shown = f"{folder}/package.json" if folder else "package.json"
    if data is None:
        return f"{shown}: not valid JSON"
    name, version = data.get("name"), data.get("version")
    if not isinstance(name, str) or not name:
        return f"{shown}: has no name" if not folder else Package(folder, folder, shown, "")
    return Package(name, folder, shown, version if isinstance(version, str) else "")
