"""Remember git's list of the project's files while nothing can have changed it, so that git need not be started.

The list depends on git's index, on what is ignored, and on which names the folders hold. Folders and files are known by
what the system says of them; one written so recently that it might change unseen is not believed.
"""

import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from punchlist.engines.scope import MADE, NEVER
from punchlist.engines.signatures import SLACK_NS, digest, signature_of, written
from punchlist.store.cache import Cache

MOST_FOLDERS = 5000


def remembered(cache: Cache, root: Path) -> list[str] | None:
    """Return the list as it was, where all it depends on is as it was."""
    key = digest("listing", str(root))
    body = cache.get([key]).get(key)
    if body is None:
        return None
    try:
        plain = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    except (ValueError, zlib.error):
        return None
    for path, seen in plain["stamps"]:
        now = signature_of(path)
        if (list(now) if now else None) != seen:
            return None
    names: list[str] = plain["names"]
    return names


def remember(cache: Cache, root: Path, names: list[str], asked_ns: int) -> None:
    """Keep a list that git gave after `asked_ns` (Unix time), where it can be known that nothing changed since."""
    paths = _depends_on(root)
    if paths is None:
        return
    stamps = [(path, signature_of(path)) for path in paths]
    if any(seen and written(seen) >= asked_ns - SLACK_NS for _, seen in stamps):
        return
    text = json.dumps({"stamps": stamps, "names": names}, separators=(",", ":"))
    cache.put("versions", {digest("listing", str(root)): zlib.compress(text.encode("utf-8", "surrogatepass"), 1)})


def listing_with(cache: Cache, root: Path, ask: Callable[[], list[str]]) -> list[str]:
    """Return the remembered list, else ask for it and remember it."""
    known = remembered(cache, root)
    if known is not None:
        return known
    asked_ns = time.time_ns()
    names = ask()
    remember(cache, root, names, asked_ns)
    return names


def _depends_on(root: Path) -> list[str] | None:
    """Return all files and folders that git's list depends on; None where they are not all known."""
    top = next((place for place in (root, *root.parents) if (place / ".git").exists()), None)
    if top is None or not (top / ".git").is_dir():
        return None
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    settings = [os.path.join(home, ".gitconfig"), os.path.join(config, "git", "config"), str(top / ".git" / "config")]
    if any(_names_ignores(path) for path in settings):
        return None
    found = [*settings, os.path.join(config, "git", "ignore")]
    found += [str(top / ".git" / name) for name in ("index", "info/exclude")]
    found += [str(place / ".gitignore") for place in root.parents if place.is_relative_to(top)]
    for number, folder in enumerate(_folders(str(root))):
        if number >= MOST_FOLDERS:
            return None
        found += [folder, f"{folder}/.gitignore"] if os.path.isfile(f"{folder}/.gitignore") else [folder]
    return found


def _names_ignores(path: str) -> bool:
    """Whether a git configuration names a file of patterns, or includes others."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace").lower()
    except OSError:
        return False
    return "excludesfile" in text or "[include" in text or "worktree" in text


def _folders(root: str) -> Iterator[str]:
    waiting = [root]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                inner = [e for e in entries if e.name in MADE or e.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        yield place
        if place == root or not any(entry.name in MADE for entry in inner):
            waiting += [entry.path for entry in inner if entry.name not in NEVER and entry.name not in MADE]
