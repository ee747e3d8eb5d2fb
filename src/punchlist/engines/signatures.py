"""Know whether files are the same as before: by what the system says of them, by their content where that is in doubt.

As git's index does, a file is believed unchanged only where size, both times and inode are the same, and where it had
not been written so shortly before it was looked at that a second write could hide behind the same time.
"""

import os
import threading
import time
from collections.abc import Iterable
from hashlib import blake2b

from punchlist.engines.scope import MADE, NEVER
from punchlist.store.cache import Cache, Signature

SLACK_NS = 30_000_000  # file systems stamp with a clock that lags by up to one timer tick
GONE = b""


class Signatures:
    """Content digests of files during one check; each file is looked at once, unless `forget` says otherwise."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._now: dict[str, tuple[Signature, bytes]] = {}
        self._known: dict[str, tuple[Signature, bytes]] = {}
        self._asked: set[str] = set()
        self._all_asked = False
        self._new: dict[str, tuple[Signature, bytes]] = {}
        self._lock = threading.RLock()

    def digests(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return a digest of each file's content; `GONE` for one that is not there or cannot be read."""
        wanted = list(paths)
        with self._lock:
            missing = [path for path in wanted if path not in self._now]
            if missing:
                self._ask(missing)
                for path in missing:
                    self._now[path] = self._look(path)
            now = self._now
            return {path: now[path][1] for path in wanted}

    def _ask(self, paths: list[str]) -> None:
        """Learn what was last known of files: of many, of all there are at once."""
        unasked = [path for path in paths if path not in self._asked]
        if not unasked or self._all_asked:
            return
        known = self._cache.signatures(unasked)
        self._all_asked = known.everything
        self._known.update(known.files)
        self._asked.update(unasked)

    def _look(self, path: str) -> tuple[Signature, bytes]:
        signature = signature_of(path)
        if signature is None:
            return (0, 0, 0, 0), GONE
        known = self._known.get(path)
        if known is not None and known[0] == signature:
            return known
        before = time.time_ns()
        digest = content_of(path)
        if digest != GONE and written(signature) < before - SLACK_NS:
            self._new[path] = (signature, digest)
        return signature, digest

    def unchanged_since(self, paths: Iterable[str], when_ns: int) -> list[str]:
        """Return those files whose digest is that of the content they have had since `when_ns` (Unix time)."""
        kept = []
        for path in paths:
            seen = self._now.get(path)
            if seen is None:
                continue
            now = signature_of(path)
            if now is None:
                if seen[1] == GONE:
                    kept.append(path)
            elif now == seen[0] and written(now) < when_ns - SLACK_NS:
                kept.append(path)
        return kept

    def missing(self, paths: Iterable[str]) -> set[str]:
        """Return those files that are not there; what was looked at is not looked at again."""
        now = self._now
        return {p for p in paths if (now[p][1] == GONE if p in now else not os.path.lexists(p))}

    def save(self) -> None:
        """Remember what was newly looked at for the next check."""
        with self._lock:
            new, self._new = self._new, {}
        self._cache.put_signatures(new)


def digest(*parts: str | bytes) -> bytes:
    """Return one digest of several parts."""
    whole = blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        whole.update(len(raw).to_bytes(8, "little"))
        whole.update(raw)
    return whole.digest()


def signature_of(path: str) -> Signature | None:
    """Return what the system says of a file or folder, None where there is none."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino


def written(signature: Signature) -> int:
    """Return when a file was last written, in nanoseconds: the time that nobody but the system can set."""
    return signature[1] if os.name == "nt" else signature[2]


def content_of(path: str) -> bytes:
    """Return a digest of a file's content, `GONE` where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return blake2b(file.read(), digest_size=16).digest()
    except (OSError, ValueError):
        return GONE


def tree(folder: str, endings: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the files with one of these endings below a folder, and all folders on the way; both absolute, sorted.

    Dependencies, caches and virtual environments are passed over; links to folders are not followed.
    """
    files: list[str] = []
    folders: list[str] = []
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                found = list(entries)
        except OSError:
            continue
        if any(entry.name in MADE for entry in found):
            continue
        folders.append(place)
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER:
                    waiting.append(entry.path)
            elif entry.name.endswith(endings):
                files.append(entry.path)
    return sorted(files), sorted(folders)
