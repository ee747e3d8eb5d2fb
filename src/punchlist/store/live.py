"""Diagnostics that editors and language servers supplied: the newest set of each source, server and file."""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence

from punchlist.model import Diagnostic
from punchlist.records import dataclass
from punchlist.store.codec import from_plain, to_plain
from punchlist.store.runs import Store

MOST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What one source (and server, "" where it has no name) last said of one file.

    `at` is when that came, in seconds since the epoch, `run_id` the batch it came with. `servers` tell for each
    diagnostic which of several tools behind the source it is from.
    """

    source: str
    server: str
    file: str
    at: float
    run_id: str
    diagnostics: tuple[Diagnostic, ...]
    servers: tuple[str, ...] = ()


def publish(
    store: Store, sets: Sequence[Published], *, source: str, server: str, everything: bool = False
) -> tuple[int, int]:
    """Let sets take the place of what the source said of their files before; one without diagnostics clears.

    With `everything` the source has said all: what it said of other files is cleared too. Of all sources together
    10,000 diagnostics are kept, the newest sets. Return how many diagnostics were cleared or replaced, and how many
    of older sets had to go.
    """
    with store.writing() as db:
        before = _count(db)
        for one in sets:
            db.execute("DELETE FROM live WHERE source = ? AND server = ? AND file = ?", (source, server, one.file))
        if everything:
            db.execute("DELETE FROM live WHERE source = ? AND server = ?", (source, server))
        replaced = before - _count(db)
        db.executemany(
            "INSERT INTO live (source, server, file, at, run_id, count, diagnostics) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(source, server, s.file, s.at, s.run_id, len(s.diagnostics), _packed(s)) for s in sets if s.diagnostics],
        )
        return replaced, _evicted(db)


def _evicted(db: sqlite3.Connection) -> int:
    gone, over = 0, _count(db) - MOST
    while gone < over:
        rowid, count = db.execute("SELECT rowid, count FROM live ORDER BY rowid LIMIT 1").fetchone()
        db.execute("DELETE FROM live WHERE rowid = ?", (rowid,))
        gone += count
    return gone


def _count(db: sqlite3.Connection) -> int:
    found: int = db.execute("SELECT coalesce(sum(count), 0) FROM live").fetchone()[0]
    return found


def published(store: Store) -> list[Published]:
    """Return every set there is, oldest first."""
    return [_unpacked(row) for row in store.rows("SELECT * FROM live ORDER BY rowid")]


def _packed(one: Published) -> bytes:
    plain = {"diagnostics": [to_plain(d) for d in one.diagnostics], "servers": one.servers}
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _unpacked(row: sqlite3.Row) -> Published:
    plain = json.loads(zlib.decompress(row["diagnostics"]).decode("utf-8", "surrogatepass"))
    names = ("source", "server", "file", "at", "run_id")
    return Published(
        **{name: row[name] for name in names},
        diagnostics=tuple(from_plain(one) for one in plain["diagnostics"]),
        servers=tuple(plain["servers"]),
    )


def total(sets: Iterable[Published]) -> int:
    """Return how many diagnostics the sets hold."""
    return sum(len(one.diagnostics) for one in sets)
