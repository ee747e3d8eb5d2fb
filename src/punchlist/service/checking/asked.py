"""What a check is asked to look at: paths held to the root, dependents added, one key for each scope."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import Literal

from punchlist.model import Trouble
from punchlist.project.paths import checked_all
from punchlist.project.records import Step
from punchlist.project.workspaces import Workspace, cycles, dependents, find_workspaces, package_of
from punchlist.records import dataclass
from punchlist.service.plan import Plan
from punchlist.service.project import Project

Source = Literal["project", "files"]
_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The scope of one check.

    `paths` are what was asked for, root-relative, () the whole project. `more` are folders looked at besides:
    packages that depend on what was asked for, and those of files that are gone. `fresh` believes no cached result.
    """

    source: Source
    paths: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    fresh: bool = False
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Is the whole project asked for?"""
        return not self.paths

    @property
    def key(self) -> str:
        """Equal for checks of the same scope."""
        if self.whole:
            return "engines:project"
        digest = hashlib.sha256("\0".join([*self.paths, "", *self.more]).encode("utf-8", "surrogateescape"))
        return f"engines:{self.source}:{digest.hexdigest()[:16]}"

    @property
    def title(self) -> str:
        """What an answer calls the check."""
        if self.whole:
            return "check"
        said = " ".join(f"check {' '.join(self.paths)}".split())
        return said if len(said) <= _SHOWN else f"check {len(self.paths)} paths"

    def plan(self, project: Project) -> Plan:
        """Return the check as a run to be made."""
        words = ["punchlist", "check", *self.paths[:20], *(["..."] if len(self.paths) > 20 else [])]
        return Plan(
            name="check",
            kind="engines",
            key=self.key,
            title=self.title,
            steps=(Step(name="engines", command=" ".join(words)),),
            cwd=project.folder,
            env={},
            timeout_s=None,
        )


def holds(paths: Sequence[str], file: str) -> bool:
    """Is a root-relative file one of these paths, or below one of them (() the whole project)?"""
    return not paths or any(path == "." or file == path or file.startswith(f"{path}/") for path in paths)


def of_project(project: Project, paths: Iterable[str] | None = None, *, fresh: bool = False) -> Asked:
    """Ask for the whole project, or for folders and files of it with the packages that depend on them."""
    project.config  # noqa: B018  a mistake in it is told before anything runs
    given = checked_all(paths or ["."], project.folder, absolute=True, missing=True)
    _held_to_strict(project)
    if "." in given:
        return Asked(source="project", fresh=fresh)
    return _asked(project, "project", given, fresh=fresh, dependents_too=True)


def of_files(project: Project, files: Iterable[str], *, fresh: bool = False, dependents_too: bool = False) -> Asked:
    """Ask for some files; one that was deleted or renamed is looked at as gone. A folder stands for what it holds."""
    given = checked_all(files, project.folder, absolute=True, missing=True)
    if not given:
        raise Trouble("files: name at least one file, or use check_project", "invalid_arguments")
    _held_to_strict(project)
    if "." in given:
        return Asked(source="project", fresh=fresh)
    return _asked(project, "files", given, fresh=fresh, dependents_too=dependents_too)


def of_selected(
    project: Project,
    *,
    staged: bool = False,
    since: str | None = None,
    fresh: bool = False,
    dependents_too: bool = False,
) -> Asked | None:
    """Ask for the files that git calls changed, deleted ones too; None where there are none."""
    from punchlist.service.checking.selection import changed_files

    files = changed_files(project.folder, staged=staged, since=since)
    return _asked(project, "files", files, fresh=fresh, dependents_too=dependents_too) if files else None


def _asked(project: Project, source: Source, paths: tuple[str, ...], *, fresh: bool, dependents_too: bool) -> Asked:
    config = project.config
    gone = [path for path in paths if not os.path.lexists(project.folder / path)]
    _refuse_typing_errors(project, gone)
    more: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if dependents_too and config.monorepo_mode != "off":
        more, notes = _dependents(project, paths)
    if gone:
        more = tuple(dict.fromkeys([*more, *(_home(project, path) for path in gone)]))
    return Asked(
        source=source,
        paths=tuple(sorted(paths)),
        more=tuple(folder for folder in more if not holds(paths, folder)),
        fresh=fresh,
        notes=notes,
    )


def _refuse_typing_errors(project: Project, gone: Sequence[str]) -> None:
    """A path that is not there was either deleted or never was: where nothing tells of it, it is a mistake."""
    if not gone:
        return
    from punchlist.service.checking.selection import known_before
    from punchlist.store.history import issue_files

    known = issue_files(project.store)
    known |= known_before(project.folder, [path for path in gone if path not in known])
    for path in gone:
        if path not in known and not any(file.startswith(f"{path}/") for file in known):
            raise Trouble(
                f"Requested path does not exist. There is no {path} in {project.folder}, and there was none before.",
                "path_not_found",
            )


_MARKS = ("package.json", "tsconfig.json", "pyproject.toml", "go.mod", "Cargo.toml", "composer.json", "Gemfile")


def _home(project: Project, path: str) -> str:
    """Return the nearest folder above a path that is a project of its own: what used the file is in there."""
    folder = path.rpartition("/")[0]
    while folder and not any((project.folder / folder / mark).is_file() for mark in _MARKS):
        folder = folder.rpartition("/")[0]
    return folder or "."


def _dependents(project: Project, paths: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders of packages that need what was asked for, and what has to be said about the workspaces."""
    found: list[str] = []
    notes: list[str] = []
    for workspace in find_workspaces(project.folder):
        notes += [f"{workspace.file}: {problem}" for problem in workspace.problems]
        found += dependents(workspace, _owners(workspace, paths))
    return tuple(dict.fromkeys(folder for folder in found if folder)), tuple(notes)


def _held_to_strict(project: Project) -> None:
    """In strict mode nothing about the workspaces may be wrong: there is no going on with less."""
    if project.config.monorepo_mode != "strict":
        return
    workspaces = find_workspaces(project.folder)
    if not workspaces:
        raise Trouble("monorepo_mode is strict, and this is no workspace. Set it to auto.", "workspace")
    for workspace in workspaces:
        wrong = [*workspace.problems, *(_circle(circle) for circle in cycles(workspace))]
        if wrong:
            raise Trouble(f"{workspace.file}: {'; '.join(wrong)}. Mend it, or set monorepo_mode to auto.", "workspace")


def _owners(workspace: Workspace, paths: Sequence[str]) -> list[str]:
    owners = [package.folder for path in paths if (package := package_of(workspace, path)) is not None]
    return owners + [p.folder for p in workspace.packages if p.folder and holds(paths, p.folder)]


def _circle(folders: Sequence[str]) -> str:
    return f"{' -> '.join(folders)} need each other in a circle"
