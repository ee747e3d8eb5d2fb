"""Which files a check looks at: the project's own ones or those asked for, without what is ignored."""

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from punchlist.model import Trouble
from punchlist.project.globs import SKIPPED, compiled
from punchlist.project.paths import checked

NEVER = SKIPPED | {".punchlist", ".signalint", ".venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
# A folder that holds one of these was made by a tool: a virtual environment, a cache (bford.info/cachedir).
MADE = frozenset({"pyvenv.cfg", "CACHEDIR.TAG"})
_GIT_S = 20.0
_FOLDER = re.compile(r"(?:\*\*/)?[\w.@*/-]*[\w.@*-]/\*\*")
ARG_BYTES = 384 << 10  # of one command line: far under the limits of all systems but Windows, which has 32 KB
_WINDOWS_ARG_BYTES = 24 << 10


class Scope:
    """What is asked for: `files` exist (root-relative, sorted), `gone` were named but do not exist any more.

    `everything` may know the list of all files without asking for it. `whole` is a check of the whole project.
    `ignored` counts files that were named or found but are ignored, `skipped` names folders that could not be read,
    each with the reason.
    """

    def __init__(
        self,
        root: Path,
        ignore: Sequence[str],
        paths: Sequence[str] | None = None,
        everything: Callable[[Callable[[], list[str]]], list[str]] = lambda ask: ask(),
    ) -> None:
        self.root = root
        self._everything = everything
        self.ignore = Ignore(ignore)
        self.paths = None if paths is None or "." in paths or "" in paths else tuple(dict.fromkeys(paths))
        self.skipped: list[tuple[str, str]] = []
        self.ignored = 0

    @property
    def whole(self) -> bool:
        """Whether the whole project is asked for."""
        return self.paths is None

    @property
    def files(self) -> tuple[str, ...]:
        """The files to look at."""
        return self._looked[0]

    @cached_property
    def _looked(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self.paths is None:
            return self._kept(self._everything(lambda: listing(self.root, "", self.skipped))), ()
        found: dict[str, None] = {}
        gone = []
        for path in self.paths:
            where = self.root / path
            if where.is_dir():
                found.update(dict.fromkeys(listing(self.root, path, self.skipped)))
            elif where.exists():
                found[path] = None
            else:
                gone.append(path)
        return self._kept(found), tuple(gone)

    def _kept(self, files: Iterable[str]) -> tuple[str, ...]:
        everything = list(files)
        kept = sorted(file for file in everything if not self.ignore(file))
        self.ignored = len(everything) - len(kept)
        return tuple(kept)

    @property
    def gone(self) -> tuple[str, ...]:
        """What was named but is not there any more."""
        return self._looked[1]

    @cached_property
    def listed(self) -> frozenset[str]:
        """The same files to ask about single ones."""
        return frozenset(self.files)

    def holds(self, file: str) -> bool:
        """Whether a finding in this file was asked for."""
        if self.paths is None:
            return not self.ignore(file)
        return file in self.listed

    def of(self, endings: tuple[str, ...], names: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the files with one of these endings or names."""
        wanted = frozenset(names)
        return tuple(f for f in self.files if f.endswith(endings) or (wanted and f.rpartition("/")[2] in wanted))


class Ignore:
    """The patterns of files to pass over: the last that matches decides, `!` takes back; node_modules always is."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(patterns)
        self._negative = any(pattern.startswith("!") for pattern in patterns)
        self._folders: dict[str, bool] = {}
        # `name/**` alone is by far the most usual form, and needs no regular expression.
        simple = (
            []
            if self._negative
            else [p[:-3] for p in patterns if p.endswith("/**") and not set("*?[{(!\\") & set(p[:-3])]
        )
        self._plain = tuple(f"{name.removeprefix('./')}/" for name in simple)
        self._others = [
            (pattern.startswith("!"), compiled(pattern.removeprefix("!"), True))
            for pattern in patterns
            if self._negative or pattern[:-3] not in simple or not pattern.endswith("/**")
        ]

    def __call__(self, file: str) -> bool:
        """Whether a root-relative file is ignored."""
        if "node_modules/" in file and "node_modules" in file.split("/"):
            return True
        if self._plain and f"{file}/".startswith(self._plain):
            return True
        ignored = False
        for negative, pattern in self._others:
            if negative == ignored and pattern.match(file):
                ignored = not negative
        return ignored

    def for_tools(self) -> tuple[str, ...]:
        """Return the patterns that the tools' own ignore options, which are git's, take in the very same sense.

        They only spare a tool work: what is ignored is taken out of its answer in any case.
        """
        return () if self._negative else tuple(pattern for pattern in self.patterns if _FOLDER.fullmatch(pattern))


def resolve(texts: Iterable[str], root: Path, *, absolute: bool = True) -> tuple[str, ...]:
    """Check path arguments and write them root-relative; a file that is gone is taken, one outside is a `Trouble`."""
    found = []
    for text in texts:
        path = checked(text, root, absolute=absolute, missing=True)
        if not os.path.lexists(root / path) and path.rpartition("/")[2] == "":
            raise Trouble(f"Requested path does not exist. There is no {text} in {root}.", "path_not_found")
        found.append(path)
    return tuple(dict.fromkeys(found))


def listing(root: Path, folder: str = "", skipped: list[tuple[str, str]] | None = None) -> list[str]:
    """Return the project's own files below a folder, root-relative: what git tracks or would offer to, else a walk.

    Files that were deleted but are still tracked are left out.
    """
    listed = _from_git(root, folder)
    if listed is None:
        return list(walk(root, folder, skipped))
    return listed


def _from_git(root: Path, folder: str) -> list[str] | None:
    if not any((place / ".git").exists() for place in (root, *root.parents)):
        return None
    safe = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "ls-files", "-z"]
    asked = [*safe, "--cached", "--others", "--exclude-standard", "--deduplicate", "--", folder or "."]
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        env.pop(name, None)
    try:
        done = subprocess.run(
            asked, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_GIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    names = os.fsdecode(done.stdout).split("\0")[:-1]
    if not names and _is_ignored(root, folder, env):
        return None
    return [name for name in names if not _never(name) and not name.endswith("/")]


def _is_ignored(root: Path, folder: str, env: dict[str, str]) -> bool:
    """Whether git ignores the folder itself, so that its list tells nothing."""
    asked = ["git", "check-ignore", "-q", "--", folder or "."]
    try:
        done = subprocess.run(
            asked, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_GIT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode == 0


def _never(name: str) -> bool:
    return "/" in name and any(part in NEVER for part in name.split("/")[:-1])


def walk(root: Path, folder: str = "", skipped: list[tuple[str, str]] | None = None) -> Iterator[str]:
    """Yield all files below a folder, root-relative, without dependencies, caches, environments; links not followed."""
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(f"{root}/{place}" if place else root) as entries:
                found = list(entries)
        except OSError as error:
            if skipped is not None:
                skipped.append((place, error.strerror or "cannot be read"))
            continue
        if any(entry.name in MADE for entry in found):
            continue
        for entry in found:
            path = f"{place}/{entry.name}" if place else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER:
                    waiting.append(path)
            elif entry.is_file():
                yield path


def split(files: Sequence[str], used: int = 0) -> list[tuple[str, ...]]:
    """Cut a list of files so that each part fits on a command line that already has `used` bytes."""
    most = (_WINDOWS_ARG_BYTES if os.name == "nt" else ARG_BYTES) - used
    parts: list[tuple[str, ...]] = []
    part: list[str] = []
    size = 0
    for file in files:
        length = len(os.fsencode(file)) + 9  # its end, and its place in the list of arguments
        if part and size + length > most:
            parts.append(tuple(part))
            part, size = [], 0
        part.append(file)
        size += length
    return [*parts, tuple(part)] if part else parts
