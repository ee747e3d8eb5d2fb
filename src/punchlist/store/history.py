"""What the checks of a project leave behind: files that had findings, the state of recurrence, figures for `stats`."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from punchlist.records import dataclass
from punchlist.store.runs import Store

MOST_FIGURES = 5_000
MOST_FILES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one check cost. `hits` and `misses` count (engine, file) pairs, bytes are those of the findings as JSON
    (`raw_bytes`), of the tools' own output (`native_bytes`) and of the answer; 0 where it is not known."""

    run_id: str
    at: float
    source: str
    latency_ms: int
    hits: int = 0
    misses: int = 0
    raw_bytes: int = 0
    native_bytes: int = 0
    answer_bytes: int = 0
    loops: tuple[str, ...] = ()


def issue_files(store: Store) -> set[str]:
    """Return every file that ever had a finding."""
    return {row[0] for row in store.rows("SELECT file FROM issue_files")}


def add_issue_files(store: Store, files: Iterable[str]) -> None:
    """Remember files that have findings."""
    rows = [(file,) for file in files]
    if not rows or store.frozen:
        return
    with store.writing() as db:
        db.executemany("INSERT OR IGNORE INTO issue_files VALUES (?)", rows)
        over = db.execute("SELECT count(*) FROM issue_files").fetchone()[0] - MOST_FILES
        if over > 0:
            db.execute(
                "DELETE FROM issue_files WHERE rowid IN (SELECT rowid FROM issue_files ORDER BY rowid LIMIT ?)", (over,)
            )


def recurrence_state(store: Store) -> Any:
    """Return the state of recurrence as it was kept, None before the first check."""
    row = next(iter(store.rows("SELECT state FROM recurrence WHERE id = 1")), None)
    return _unpacked(row[0]) if row else None


def update_recurrence(store: Store, change: Callable[[Any], Any]) -> Any:
    """Replace the state of recurrence by what `change` makes of it, alone among all processes; return the new one."""
    if store.frozen:
        return change(recurrence_state(store))
    with store.writing() as db:
        row = db.execute("SELECT state FROM recurrence WHERE id = 1").fetchone()
        state = change(_unpacked(row[0]) if row else None)
        packed = zlib.compress(
            json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1
        )
        if row is None or packed != row[0]:
            db.execute("INSERT OR REPLACE INTO recurrence VALUES (1, ?)", (packed,))
    return state


def _unpacked(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))


def record(store: Store, figures: Figures) -> None:
    """Keep what a check cost; the newest 5,000 are kept."""
    if store.frozen:
        return
    f = figures
    row = (f.run_id, f.at, f.source, f.latency_ms, f.hits, f.misses, f.raw_bytes, f.native_bytes, f.answer_bytes)
    with store.writing() as db:
        db.execute("INSERT OR REPLACE INTO figures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, json.dumps(f.loops)))
        db.execute(
            "DELETE FROM figures WHERE rowid <= (SELECT rowid FROM figures ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
            (MOST_FIGURES,),
        )


def answered(store: Store, run_id: str, size: int) -> None:
    """Note how long the first answer about a check was, in bytes."""
    if not store.frozen:
        with store.writing() as db:
            db.execute("UPDATE figures SET answer_bytes = ? WHERE run_id = ? AND answer_bytes = 0", (size, run_id))


def all_figures(store: Store) -> list[Figures]:
    """Return what is kept of the checks, oldest first."""
    rows = store.rows("SELECT * FROM figures ORDER BY rowid")
    return [_figures(row) for row in rows]


def _figures(row: sqlite3.Row) -> Figures:
    names = ("run_id", "at", "source", "latency_ms", "hits", "misses", "raw_bytes", "native_bytes", "answer_bytes")
    return Figures(**{name: row[name] for name in names}, loops=tuple(json.loads(row["loops"])))
