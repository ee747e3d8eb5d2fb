"""Which files of a project changed while a command ran: told by git's list of files and the times the system keeps."""

import os
import subprocess
import time
from collections.abc import Iterable

from punchlist.records import dataclass
from punchlist.running.gitindex import tracked

MOST_FILES = 20_000
MOST_NEW = 200
MOST_S = 0.05
_GIT_S = 1.0
_SLACK_S = 0.012  # file systems stamp with a clock that lags by up to one timer tick
_OURS = frozenset({".git", ".punchlist"})


@dataclass(frozen=True, slots=True)
class Changed:
    """Root-relative paths in order, with `/`; `complete` is False where the search was cut short."""

    files: tuple[str, ...]
    complete: bool = True


def changed_since(root: str, started_at: float, most_s: float = MOST_S) -> Changed | None:
    """Return the files below `root` that were written or made since `started_at` (Unix time).

    Looks only at what git tracks or would offer to track, so build output and caches that are ignored do not count. A
    file that was removed is not seen.
    None where there is no git or `root` is in no repository. Stops after `most_s` seconds of looking.
    """
    if not _in_repository(root):
        return None
    listed = tracked(root)
    if listed is None:
        listed = _git(root, ["--cached"])
    if listed is None:
        return None
    since, until = started_at - _SLACK_S, time.monotonic() + most_s
    found, folders, complete = _written(root, listed, since, until)
    fresh = _fresh_folders(root, folders, since)
    if fresh and complete:
        found |= _made(root, listed, fresh, since)
    return Changed(tuple(sorted(name.replace(os.sep, "/") for name in found)), complete)


def _in_repository(root: str) -> bool:
    """Look for a repository without starting git, which costs a quick run more than the run."""
    folder = os.path.abspath(root)
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return "GIT_DIR" in os.environ
        folder = above
    return True


def _git(root: str, options: list[str]) -> list[str] | None:
    safe = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "ls-files", "-z", *options]
    try:
        done = subprocess.run(
            safe,
            cwd=root,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_GIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(done.stdout).split("\0")[:-1] if done.returncode == 0 else None


def _written(root: str, listed: list[str], since: float, until: float) -> tuple[set[str], set[str], bool]:
    found: set[str] = set()
    folders = {""}
    for number, name in enumerate(listed[:MOST_FILES]):
        if number % 256 == 255 and time.monotonic() > until:
            return found, folders, False
        folders.add(name.rpartition("/")[0])
        if _ctime(f"{root}/{name}") >= since:
            found.add(name)
    return found, folders, len(listed) <= MOST_FILES


def _fresh_folders(root: str, folders: Iterable[str], since: float) -> list[str]:
    """Return the folders in which something was made or removed."""
    fresh = []
    for folder in folders:
        try:
            if os.stat(os.path.join(root, folder)).st_mtime >= since:
                fresh.append(folder)
        except OSError:
            continue
    return fresh


def _made(root: str, listed: list[str], fresh: list[str], since: float) -> set[str]:
    tracked, made = set(listed), []
    for folder in fresh:
        for entry in os.scandir(os.path.join(root, folder)):
            name = os.path.join(folder, entry.name)
            if entry.name not in _OURS and name not in tracked and entry.stat(follow_symlinks=False).st_ctime >= since:
                made.append(name)
    if not made:
        return set()
    literal = [f":(literal){name}" for name in made[:MOST_NEW]]
    offered = _git(root, ["--others", "--exclude-standard", "--", *literal]) or []
    return {name for name in offered if _ctime(os.path.join(root, name)) >= since}


def _ctime(path: str) -> float:
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return 0.0
