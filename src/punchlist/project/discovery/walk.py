"""Choose the folders of a project that may hold checks of their own."""

import os
from pathlib import Path

from punchlist.project.discovery.names import words

MANIFESTS = frozenset({
    "package.json", "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "build.gradle.kts", "composer.json", "Gemfile", "mix.exs", "deno.json", "deno.jsonc", "pubspec.yaml",
    "Package.swift", "CMakeLists.txt", "meson.build", "build.sbt",
})  # fmt: skip
# Folders that hold other people's projects, made files, or projects that are only there to be looked at.
PASSED_OVER = words(
    """
    node_modules vendor third_party thirdparty external deps dist build out target bin obj coverage htmlcov
    site-packages venv env virtualenv fixtures fixture testdata test_data __fixtures__ __pycache__ examples
    example samples sample demo demos docs doc templates template benchmarks bench tests test spec e2e-fixtures
    tmp temp log logs Pods Carthage
    """
)
# Their root check already covers every member.
WHOLE = (
    "Cargo.toml",
    "pom.xml",
    "settings.gradle",
    "settings.gradle.kts",
    "CMakeLists.txt",
    "meson.build",
    "build.sbt",
)
COVERED = frozenset({*WHOLE, "build.gradle", "build.gradle.kts"})
DEEPEST = 2
MAX_FOLDERS = 300


def folders(root: Path) -> list[str]:
    """Return the root, its workspace packages, and folders with a manifest of their own at most two levels down."""
    from punchlist.project.workspaces import find_workspaces

    chosen: dict[str, None] = {"": None}
    whole: set[str] = set()
    for workspace in find_workspaces(root):
        members = [package.folder for package in workspace.packages if package.folder]
        if workspace.kind == "cargo":
            whole.update(members)
        else:
            chosen.update(dict.fromkeys(members))
    waiting: list[tuple[str, int, bool]] = [("", 0, False)]
    while waiting and len(chosen) < MAX_FOLDERS:
        relative, depth, covered = waiting.pop(0)
        covered = covered or any((root / relative / name).is_file() for name in WHOLE)
        for name in _subfolders(root / relative):
            below = f"{relative}/{name}" if relative else name
            manifests = MANIFESTS & _names(root / below)
            if manifests and below not in whole and not (covered and manifests <= COVERED):
                chosen.setdefault(below)
            if depth + 1 < DEEPEST:
                waiting.append((below, depth + 1, covered))
    return sorted(chosen)


def _names(folder: Path) -> frozenset[str]:
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries)
    except OSError:
        return frozenset()


def _subfolders(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                e.name
                for e in entries
                if e.name not in PASSED_OVER and not e.name.startswith((".", "_")) and e.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []
