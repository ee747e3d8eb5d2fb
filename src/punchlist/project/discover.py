"""Find a project's checks without any configuration, and the folders its own tools are in. Nothing is run."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from punchlist.project.discovery import compiled, node, python, scripting, targets
from punchlist.project.discovery.folder import Folder, Found
from punchlist.project.discovery.names import slug, words
from punchlist.project.records import Check, Config, Step

# The order decides who gets the plain name where two tools of a folder would have the same; declared ones go first.
FINDERS: tuple[Callable[[Folder], Iterator[Found]], ...] = (
    node.find,
    scripting.deno,
    python.find,
    compiled.cargo,
    compiled.go,
    compiled.maven,
    compiled.gradle,
    compiled.dotnet,
    scripting.ruby,
    scripting.php,
    scripting.elixir,
    scripting.dart,
    compiled.swift,
    compiled.cmake,
    compiled.meson,
    compiled.others,
    targets.find,
    scripting.pre_commit,
)
MANIFESTS = frozenset({
    "package.json", "pyproject.toml", "setup.py", "setup.cfg", "Cargo.toml", "go.mod", "pom.xml", "build.gradle",
    "build.gradle.kts", "composer.json", "Gemfile", "mix.exs", "deno.json", "deno.jsonc", "pubspec.yaml",
    "Package.swift",
    "CMakeLists.txt", "meson.build", "build.sbt",
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


def discover(root: Path) -> dict[str, Check]:
    """Return the checks that the project's own files declare or imply, by name, in a fixed order.

    A name that only one folder has stays plain (`test`); where several have it, the root's does, and the others get
    their folder in front (`web-test`).
    """
    found: list[tuple[str, Found]] = []
    for relative in _folders(root):
        found += [(relative, one) for one in _in_folder(Folder(root, relative))]
    owners: dict[str, set[str]] = {}
    for relative, one in found:
        owners.setdefault(one.name, set()).add(relative)
    labels = _labels({relative for relative, _ in found})
    checks: dict[str, Check] = {}
    for relative, one in found:
        alone = len(owners[one.name]) == 1 or not relative
        name = _unused(one.name if alone else f"{labels[relative]}-{one.name}", checks)
        checks[name] = _check(root, relative, name, one)
    return checks


def known_checks(root: Path, config: Config) -> dict[str, Check]:
    """Return all checks: the configured ones, then discovered ones whose names are free (unless `discover` is off)."""
    checks = dict(config.checks)
    if config.discover:
        for name, check in discover(root).items():
            checks.setdefault(name, check)
    return checks


def find_check(checks: Mapping[str, Check], name: str) -> Check | None:
    """Return a check by its name, or by a script's name that is written otherwise (`test:unit` finds `test-unit`)."""
    return checks.get(name) or next((check for known, check in checks.items() if slug(known) == slug(name)), None)


def tool_path(root: Path, folder: Path | None = None) -> list[Path]:
    """Return the folders of the project's own tools, nearest first, to be put in front of PATH.

    From `folder` (the root) upward to the root and on to the repository's top: node_modules/.bin, virtual environments,
    vendor/bin.
    """
    out: list[Path] = []
    scripts = "Scripts" if os.name == "nt" else "bin"
    inside = False
    for place in ((folder or root), *(folder or root).parents):
        for name in (".venv", "venv", "env"):
            if (place / name / "pyvenv.cfg").is_file() and (place / name / scripts).is_dir():
                out.append(place / name / scripts)
                break
        out += [place / name for name in ("node_modules/.bin", "vendor/bin") if (place / name).is_dir()]
        inside = inside or place == root
        if (place / ".git").exists() or (inside and not _in_repository(place)):
            break
    return out


def _in_repository(place: Path) -> bool:
    return any((parent / ".git").exists() for parent in place.parents)


def _in_folder(folder: Folder) -> Iterator[Found]:
    """Yield a folder's checks under names that differ; what is declared has the first claim to a plain name."""
    found = [one for finder in FINDERS for one in finder(folder)]
    taken: set[str] = set()
    for one in sorted(found, key=lambda f: not f.declared):
        name = one.name if one.name not in taken else one.other
        if name in taken:
            continue
        taken.add(name)
        yield Found(
            name, one.other, one.command, one.origin, one.file, one.line, one.declared, one.steps, one.env, one.says
        )


def _folders(root: Path) -> list[str]:
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
            manifests = {m for m in MANIFESTS if (root / below / m).is_file()}
            if manifests and below not in whole and not (covered and manifests <= COVERED):
                chosen.setdefault(below)
            if depth + 1 < DEEPEST:
                waiting.append((below, depth + 1, covered))
    return sorted(chosen)


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


def _labels(folders: set[str]) -> dict[str, str]:
    """Name each folder by its last part, by its whole path where two have the same last part."""
    last = [re.split("/", folder)[-1] for folder in folders]
    return {f: slug(f if last.count(f.rsplit("/", 1)[-1]) > 1 else f.rsplit("/", 1)[-1]) or "root" for f in folders}


def _unused(name: str, taken: Mapping[str, object]) -> str:
    if name not in taken:
        return name
    return next(f"{name}-{number}" for number in range(2, len(taken) + 3) if f"{name}-{number}" not in taken)


def _check(root: Path, relative: str, name: str, one: Found) -> Check:
    steps = tuple(Step(name=title, command=command) for title, command in one.steps)
    file = f"{relative}/{one.file}" if relative else one.file
    return Check(
        name=name,
        steps=steps or (Step(name=name, command=one.command),),
        pipeline=bool(steps),
        cwd=relative or None,
        base=root,
        env=one.env,
        description=one.says[:200],
        origin=one.origin,
        file=file,
        line=one.line,
        package=relative or None,
    )
