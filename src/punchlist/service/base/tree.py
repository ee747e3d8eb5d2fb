"""A worktree of a commit, outside of the project, with the project's own installed dependencies linked into it."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.project.root import state_dir
from punchlist.records import dataclass
from punchlist.service.checking.selection import git
from punchlist.service.project import Project
from punchlist.store.cache import Cache

KEPT = 3
_CHECKOUT_S = 300.0
_READY = "ready"
VENVS = (".venv", "venv", "env")
LINKED = ("vendor", ".bundle", ".yarn", "bower_components")
LOCKS = (
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "uv.lock",
    "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt", "composer.lock", "Gemfile.lock",
)  # fmt: skip
_SECTIONS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "workspaces")


class Unknown(Exception):  # noqa: N818  no fault: it only cannot be told
    """Why nothing can be said of the base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A worktree: `top` of it, and the `root` in it that stands for the project's; `home` holds what belongs to it."""

    commit: str
    top: Path
    root: Path
    home: Path
    of: Path


def prepare(project: Project, commit: str) -> Tree:
    """Make the worktree of a commit, or take the one there is; raises `Unknown` where the commit alone is not enough.

    The user's index, stash and files are not touched: the worktree has its own index, and no hook runs.
    """
    folder = project.folder
    top, prefix = _repository(folder)
    home = home_of(project)
    tree = home / commit[:16]
    ready = home / f"{commit[:16]}.{_READY}"
    _no_submodules(top, commit)
    if ready.exists() and tree.is_dir():
        _as_committed(tree)
    else:
        _check_out(top, tree, commit)
        _let_go(top, home, keep=tree)
    ready.touch()
    _link_dependencies(top, tree)
    root = tree / prefix if prefix else tree
    if not root.is_dir():
        raise Unknown(f"that commit has no folder {prefix}")
    return Tree(commit=commit, top=tree, root=root, home=home, of=top)


@contextmanager
def alone(project: Project, commit: str, stopped: Callable[[], bool]) -> Iterator[None]:
    """Hold a commit's worktree against other checks, of this process and of others, for as long as one works in it."""
    cache = Cache(home_of(project))
    with cache.alone(f"tree-{commit[:16]}", stopped):
        yield


def home_of(project: Project) -> Path:
    """Return the folder for worktrees: the state folder where that lies outside of the project, else the user's own.

    Tools look for configuration and packages in all folders above, so a worktree below the root would find today's.
    """
    state = project.store.folder
    top = _repository(project.folder)[0]
    real = Path(os.path.realpath(state))
    if not real.is_relative_to(os.path.realpath(top)):
        found = state / "base"
    else:
        environ = {k: v for k, v in project.environ.items() if k not in ("PUNCHLIST_STATE_DIR", "SIGNALINT_STATE_DIR")}
        own = environ.get("XDG_STATE_HOME") or str(home_folder(environ) / ".local" / "state")
        place, _ = state_dir(project.folder, {**environ, "PUNCHLIST_STATE_DIR": str(Path(own) / "punchlist")})
        found = place / "base"
    found.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(os.path.realpath(found))


def _repository(folder: Path) -> tuple[Path, str]:
    out = git(folder, ["rev-parse", "--show-toplevel", "--show-prefix"])
    if out is None:
        raise Trouble(f"{folder} is in no git repository, so it has no base", "no_repository")
    top, _, prefix = os.fsdecode(out).rstrip("\n").partition("\n")
    return Path(top), prefix.rstrip("/")


def _no_submodules(top: Path, commit: str) -> None:
    out = git(top, ["ls-tree", "-r", "-z", commit]) or b""
    found = [entry.partition(b"\t")[2] for entry in out.split(b"\0") if entry.startswith(b"160000")]
    if found:
        raise Unknown(f"it needs submodules ({', '.join(os.fsdecode(name) for name in found[:3])})")


def _check_out(top: Path, tree: Path, commit: str) -> None:
    if tree.exists():
        shutil.rmtree(tree, ignore_errors=True)
    git(top, ["worktree", "prune"])
    words = ["worktree", "add", "--detach", "--force", "--quiet", str(tree), commit]
    if git(top, words, timeout_s=_CHECKOUT_S) is None:
        shutil.rmtree(tree, ignore_errors=True)
        raise Unknown("git could not check it out into a worktree")


def _as_committed(tree: Path) -> None:
    """Undo what the tools of an earlier check wrote into files of the commit; the worktree is ours alone."""
    out = git(tree, ["status", "--porcelain", "-z", "--untracked-files=no"])
    if out is None or (out and git(tree, ["checkout", "--force", "--quiet", "HEAD", "--", "."]) is None):
        raise Unknown("its worktree is damaged; remove it by `git worktree remove`")


def _let_go(top: Path, home: Path, keep: Path) -> None:
    """Remove all but the newest worktrees."""
    ready = sorted(home.glob(f"*.{_READY}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for mark in ready[KEPT:]:
        old = home / mark.name.removesuffix(f".{_READY}")
        if old != keep:
            mark.unlink(missing_ok=True)
            if git(top, ["worktree", "remove", "--force", str(old)]) is None:
                shutil.rmtree(old, ignore_errors=True)


# -- Dependencies


def _link_dependencies(top: Path, tree: Path) -> None:
    """Link what is installed in the project into the worktree; it has to be what the commit asks for."""
    for folder in sorted(_project_folders(top)):
        here, there = top / folder, tree / folder
        if not there.is_dir():
            continue
        if (here / ".pnp.cjs").exists() and not (there / ".pnp.cjs").exists():
            raise Unknown("Plug'n'Play resolves packages in today's tree")
        modules = (here / "node_modules").is_dir()
        venv = next((name for name in VENVS if (here / name / "pyvenv.cfg").is_file()), None)
        settings = [path.name for path in here.glob(".env*") if path.is_file() and not (there / path.name).exists()]
        others = [name for name in LINKED if (here / name).exists() and not (there / name).exists()]
        if modules or venv or others:
            _same_dependencies(here, there, folder)
        if modules:
            link_modules(here / "node_modules", there / "node_modules", top, tree)
        for name in [*([venv] if venv else []), *others, *settings]:
            _link(here / name, there / name)


def _project_folders(top: Path) -> set[str]:
    out = git(
        top, ["ls-files", "-z", "--", "*package.json", "*pyproject.toml", "*composer.json", "*Gemfile", "*setup.py"]
    )
    names = os.fsdecode(out).split("\0")[:-1] if out else []
    return {"", *(name.rpartition("/")[0] for name in names if "node_modules/" not in name)}


def _same_dependencies(here: Path, there: Path, folder: str) -> None:
    """What is installed fits the commit only where both ask for the same."""
    names = [*LOCKS, *(path.name for path in here.glob("requirements*.txt"))]
    locks = [name for name in dict.fromkeys(names) if (here / name).is_file() or (there / name).is_file()]
    for name in locks:
        if _lock(here / name) != _lock(there / name):
            raise Unknown(
                f"its dependencies are not those installed now ({folder + '/' if folder else ''}{name} differs)"
            )
    if not locks:
        for name in ("package.json", "pyproject.toml"):
            if _wanted(here / name) != _wanted(there / name):
                raise Unknown(f"its dependencies are not those installed now ({name} differs)")


def _lock(path: Path) -> object:
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    if path.name in ("package-lock.json", "npm-shrinkwrap.json"):
        with suppress(ValueError, AttributeError):
            found: dict[str, Any] = json.loads(raw)
            found.pop("version", None)
            found.get("packages", {}).get("", {}).pop("version", None)
            return found
    return raw


def _wanted(path: Path) -> object:
    from punchlist.project.manifests import json_of, table, toml_of

    if path.name == "package.json":
        data = json_of(path) or {}
        return {name: data.get(name) for name in _SECTIONS}
    data = toml_of(path) or {}
    project = table(data, "project")
    return [project.get("dependencies"), project.get("optional-dependencies"), data.get("dependency-groups"),
            table(data, "tool", "poetry").get("dependencies")]  # fmt: skip


def link_modules(here: Path, there: Path, top: Path, tree: Path) -> None:
    """Link each installed package; a link to one of the workspace's own packages leads to the worktree's."""
    if there.is_symlink():
        there.unlink()
    there.mkdir(exist_ok=True)
    installed = dict(_entries(here))
    for stale in set(dict(_entries(there))) - set(installed):
        _remove(there / stale)
    for name, path in installed.items():
        (there / name).parent.mkdir(exist_ok=True)
        own = _own_package(path, top)
        _link(tree / own if own else path, there / name)


def _entries(modules: Path) -> Iterator[tuple[str, Path]]:
    with os.scandir(modules) as found:
        entries = list(found)
    for entry in entries:
        if entry.name.startswith("@") and entry.is_dir(follow_symlinks=False):
            with os.scandir(entry.path) as scoped:
                yield from ((f"{entry.name}/{one.name}", Path(one.path)) for one in scoped)
        else:
            yield entry.name, Path(entry.path)


def _own_package(path: Path, top: Path) -> str:
    """Return the folder of the workspace's own package that an installed one is a link to, relative; else ""."""
    if not path.is_symlink():
        return ""
    real = Path(os.path.realpath(path))
    base = Path(os.path.realpath(top))
    if not real.is_relative_to(base) or "node_modules" in real.relative_to(base).parts:
        return ""
    return real.relative_to(base).as_posix()


def _link(target: Path, link: Path) -> None:
    if link.is_symlink() and link.readlink() == target:
        return
    _remove(link)
    link.symlink_to(target)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path, ignore_errors=True)


def linked(tree: Tree, folders: Sequence[str] = VENVS) -> list[Path]:
    """Return the environments linked into the root of a worktree."""
    return [tree.root / name for name in folders if (tree.root / name / "pyvenv.cfg").is_file()]
