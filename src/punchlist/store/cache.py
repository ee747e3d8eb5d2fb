"""The cache of engines' results: `cache.db` in the state folder. It may fail or be locked at any time; no check does.

Keys are digests of everything a result depends on, so nothing is ever stale: what is not asked for any more goes when
there are more than `MOST` results, least recently used first.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from punchlist.records import dataclass
from punchlist.store.locks import try_lock

VERSION = 2
MOST = 10_000
MOST_SIGNATURES = 200_000
BUSY_S = 0.25
_USED_AGAIN_S = 3600  # a row's time of use is written anew no sooner than this
_BATCH = 500
_WAIT_S = 0.02
_REST_S = 2.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key BLOB PRIMARY KEY, engine TEXT NOT NULL, used INTEGER NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS results_by_use ON results (used);
CREATE INDEX IF NOT EXISTS results_by_engine ON results (engine);
CREATE TABLE IF NOT EXISTS signatures (
    path BLOB PRIMARY KEY, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER, digest BLOB
) WITHOUT ROWID;
"""

Signature = tuple[int, int, int, int]
"""Size, modification and change time in nanoseconds, inode."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How much the cache holds: results by engine, files whose content is known, bytes on disk."""

    results: Mapping[str, int]
    signatures: int
    bytes: int


class Known(NamedTuple):
    """Signatures and digests by path; `everything` says that these are all there are."""

    files: dict[str, tuple[Signature, bytes]]
    everything: bool


class Cache:
    """Results of engines by key. Every method does without a database that cannot be used; `note` says so then."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self.folder, self.most = folder, most
        self.note = ""
        self._db: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._not_before = 0.0

    def _open(self) -> sqlite3.Connection:
        """Return the database, made when missing and made anew when damaged or of another version."""
        if self._db is None:
            path = self.folder / "cache.db"
            try:
                self._db = _connected(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:  # not a database: only a cache, so it is thrown away
                _remove(path)
                self._db = _connected(path)
        return self._db

    def _do(self, work: "Callable[[sqlite3.Connection], object]", *, reads: bool = False) -> object:
        """Do something with the database; None, and a note, where that cannot be.

        Where even reading is not possible, nobody waits for it again for a while.
        """
        with self._lock:
            if time.monotonic() < self._not_before:
                return None
            try:
                return work(self._open())
            except (sqlite3.Error, OSError) as error:
                if reads:
                    self._not_before = time.monotonic() + _REST_S
                if not self.note:
                    self.note = f"the cache was bypassed: {error}"
                if self._db is not None and self._db.in_transaction:
                    with suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")
                return None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the bodies of those keys that are known, and note that they were used."""
        now = int(time.time())

        def work(db: sqlite3.Connection) -> dict[bytes, bytes]:
            found: dict[bytes, bytes] = {}
            aged: list[bytes] = []
            for part in _parts(keys):
                marks = ",".join("?" * len(part))
                for key, used, body in db.execute(f"SELECT key, used, body FROM results WHERE key IN ({marks})", part):  # noqa: S608
                    found[key] = body
                    if now - used > _USED_AGAIN_S:
                        aged.append(key)
            if aged:
                with suppress(sqlite3.OperationalError):  # only the order of use is lost
                    db.executemany("UPDATE results SET used = ? WHERE key = ?", [(now, key) for key in aged])
            return found

        result = self._do(work, reads=True)
        return result if isinstance(result, dict) else {}

    def knows(self, engine: str) -> bool:
        """Whether there is any result of an engine."""
        asked = "SELECT 1 FROM results WHERE engine = ? LIMIT 1"
        return self._do(lambda db: db.execute(asked, (engine,)).fetchone(), reads=True) is not None

    def put(self, engine: str, bodies: Mapping[bytes, bytes]) -> None:
        """Keep results, and let the least recently used go where there are too many."""
        now = int(time.time())

        def work(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)",
                [(key, engine, now, body) for key, body in bodies.items()],
            )
            over = db.execute("SELECT count(*) FROM results").fetchone()[0] - self.most
            if over > 0:
                db.execute("DELETE FROM results WHERE key IN (SELECT key FROM results ORDER BY used LIMIT ?)", (over,))
            db.execute("COMMIT")

        if bodies:
            self._do(work)

    def signatures(self, paths: Sequence[str]) -> Known:
        """Return what was last known of files; where many are asked for, of all there are."""
        everything = len(paths) > _BATCH

        def work(db: sqlite3.Connection) -> dict[str, tuple[Signature, bytes]]:
            if everything:
                rows = db.execute("SELECT * FROM signatures").fetchall()
            else:
                marks = ",".join("?" * len(paths))
                asked = [os.fsencode(path) for path in paths]
                rows = db.execute(f"SELECT * FROM signatures WHERE path IN ({marks})", asked).fetchall()  # noqa: S608
            return {os.fsdecode(row[0]): (row[1:5], row[5]) for row in rows}

        result = self._do(work, reads=True) if paths else {}
        return Known(result if isinstance(result, dict) else {}, everything)

    def put_signatures(self, known: Mapping[str, tuple[Signature, bytes]]) -> None:
        """Remember the signatures and digests of files."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT count(*) FROM signatures").fetchone()[0] > MOST_SIGNATURES:
                db.execute("DELETE FROM signatures")
            db.executemany(
                "INSERT OR REPLACE INTO signatures VALUES (?, ?, ?, ?, ?, ?)",
                [(os.fsencode(path), *signature, digest) for path, (signature, digest) in known.items()],
            )
            db.execute("COMMIT")

        if known:
            self._do(work)

    def clear(self, engine: str | None = None) -> int:
        """Forget all results (of one engine); return how many there were. Safe while others use it."""

        def work(db: sqlite3.Connection) -> int:
            if engine is not None:
                return db.execute("DELETE FROM results WHERE engine = ?", (engine,)).rowcount
            count: int = db.execute("DELETE FROM results").rowcount
            db.execute("DELETE FROM signatures")
            return count

        result = self._do(work)
        return result if isinstance(result, int) else 0

    def kept(self) -> Kept:
        """Tell how much there is."""

        def work(db: sqlite3.Connection) -> Kept:
            results = dict(
                db.execute(
                    "SELECT engine, count(*) FROM results WHERE engine != 'versions' GROUP BY engine ORDER BY 1"
                ).fetchall()
            )
            signatures = db.execute("SELECT count(*) FROM signatures").fetchone()[0]
            return Kept(results, signatures, (self.folder / "cache.db").stat().st_size)

        result = self._do(work)
        return result if isinstance(result, Kept) else Kept({}, 0, 0)

    @contextmanager
    def alone(self, name: str, stopped: "Callable[[], bool]" = lambda: False) -> Iterator[bool]:
        """Hold what `name` stands for alone among all processes; yields whether another one had it first.

        One that waited should look again whether the work is done. Where locks cannot be had, nobody waits.
        """
        file, waited = self._locked(name, stopped)
        try:
            yield waited
        finally:
            if file is not None:
                os.close(file)

    def _locked(self, name: str, stopped: "Callable[[], bool]") -> tuple[int | None, bool]:
        folder = self.folder / "locks"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None, False
        waited = False
        while not try_lock(file):
            waited = True
            if stopped():
                os.close(file)
                return None, True
            time.sleep(_WAIT_S)
        return file, waited

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None


def _connected(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION:
            db.execute("PRAGMA synchronous = OFF")
            return db
        if version:
            raise sqlite3.DatabaseError(f"its version is {version}")
        with suppress(sqlite3.OperationalError):  # a file system without shared memory refuses WAL
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            Path(f"{path}{ending}").unlink()


def _parts(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for at in range(0, len(keys), _BATCH):
        yield keys[at : at + _BATCH]
