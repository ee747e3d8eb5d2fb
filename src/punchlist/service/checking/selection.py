"""Which files changed, as git tells: against the index, a revision, or what is staged. Git's own state is only read."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from punchlist.model import Trouble

_GIT_S = 30.0
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "core.hooksPath=/dev/null")


def git(folder: Path, words: Sequence[str], *, timeout_s: float = _GIT_S) -> bytes | None:
    """Return what a git command prints, None where it fails or there is no git; no hook runs, no lock is taken."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *_SAFE, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=timeout_s,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def commit_of(folder: Path, revision: str) -> str:
    """Return the full name of the commit a revision means; what is none is a Trouble."""
    if not revision or revision.startswith("-") or "\0" in revision:
        raise Trouble(f"{revision!r} is no revision; name a commit, a branch or a tag", "invalid_revision")
    out = git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
    if out is None:
        inside = git(folder, ["rev-parse", "--is-inside-work-tree"]) is not None
        why = f"git knows no commit {revision!r}" if inside else f"{folder} is in no git repository"
        raise Trouble(f"{why}; name a commit, a branch or a tag that is here", "invalid_revision")
    return out.decode("ascii", "replace").strip()


def changed_files(folder: Path, *, staged: bool = False, since: str | None = None) -> tuple[str, ...]:
    """Return the changed files below a folder, relative to it, deleted ones too.

    With `since` all that differs from where this branch left that revision; with `staged` what is in the index; else
    what differs from the last commit. Untracked files count, but for `staged`.
    """
    if git(folder, ["rev-parse", "--is-inside-work-tree"]) is None:
        raise Trouble(f"{folder} is in no git repository; name the paths instead", "no_repository")
    head = git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"])
    against = "HEAD" if head is not None else _EMPTY_TREE
    if since is not None:
        commit = commit_of(folder, since)
        left = git(folder, ["merge-base", commit, "HEAD"])
        against = left.decode("ascii").strip() if left else commit
    words = ["diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff"]
    out = git(folder, [*words, *(["--cached"] if staged else []), against, "--", "."])
    names = _names(out)
    if not staged:
        names += _names(git(folder, ["ls-files", "--others", "--exclude-standard", "-z", "--", "."]))
    return tuple(sorted(dict.fromkeys(names)))


# The name git gives to a tree without files: what everything differs from before the first commit.
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def known_before(folder: Path, paths: Sequence[str]) -> set[str]:
    """Return those of these files that the last commit or the index holds, or that lie below a path of them."""
    literal = [f":(literal){path}" for path in paths]
    found = set(_names(git(folder, ["ls-files", "-z", "--", *literal]))) if paths else set()
    if paths and len(found) < len(paths):
        found |= set(_names(git(folder, ["ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *paths])))
    return found


def blob(folder: Path, commit: str, file: str) -> bytes | None:
    """Return a file of a commit, None where it has none; `file` is relative to the folder."""
    return git(folder, ["cat-file", "blob", f"{commit}:./{file}"])


def _names(out: bytes | None) -> list[str]:
    return os.fsdecode(out).split("\0")[:-1] if out else []
