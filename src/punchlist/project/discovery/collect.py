"""Gather what every ecosystem's module finds, and give each check its name."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from punchlist.project.discovery import compiled, node, python, scripting, targets
from punchlist.project.discovery.folder import Folder, Found
from punchlist.project.discovery.names import slug
from punchlist.project.discovery.walk import folders
from punchlist.project.records import Check, Step
from punchlist.records import replace

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


def checks_below(root: Path) -> dict[str, Check]:
    """Return the checks of a root, by name: see `punchlist.project.discover.discover`."""
    found: list[tuple[str, Found]] = []
    for relative in folders(root):
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


def _in_folder(folder: Folder) -> Iterator[Found]:
    """Yield a folder's checks under names that differ; what is declared has the first claim to a plain name."""
    found = [one for finder in FINDERS for one in finder(folder)]
    taken: set[str] = set()
    for one in sorted(found, key=lambda f: not f.declared):
        name = one.name if one.name not in taken else one.other
        if name in taken:
            continue
        taken.add(name)
        yield replace(one, name=name)


def _labels(found: set[str]) -> dict[str, str]:
    """Name each folder by its last part, by its whole path where two have the same last part."""
    last = [folder.rsplit("/", 1)[-1] for folder in found]
    return {f: slug(f if last.count(f.rsplit("/", 1)[-1]) > 1 else f.rsplit("/", 1)[-1]) or "root" for f in found}


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
