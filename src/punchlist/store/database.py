"""The SQLite file `state.db`: opened for several processes at once, never overwritten by an older version."""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

VERSION = 4
BUSY_S = 5.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS names (slug TEXT PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, slug TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL,
    title TEXT NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL, started REAL NOT NULL, ended REAL,
    state TEXT NOT NULL, outcome TEXT, ending TEXT, exit_code INTEGER, signal INTEGER,
    owner INTEGER, owner_start TEXT, pinned INTEGER NOT NULL DEFAULT 0, pruned REAL,
    bytes INTEGER NOT NULL DEFAULT 0, report BLOB, facts TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS runs_by_key ON runs (key, started);
CREATE INDEX IF NOT EXISTS runs_by_slug ON runs (slug, number);
CREATE INDEX IF NOT EXISTS runs_running ON runs (state) WHERE state = 'running';
CREATE TABLE IF NOT EXISTS issue_files (file TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS recurrence (id INTEGER PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS figures (
    run_id TEXT PRIMARY KEY, at REAL NOT NULL, source TEXT NOT NULL, latency_ms INTEGER NOT NULL,
    hits INTEGER NOT NULL, misses INTEGER NOT NULL, raw_bytes INTEGER NOT NULL, native_bytes INTEGER NOT NULL,
    answer_bytes INTEGER NOT NULL, loops TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS sent (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, tool TEXT NOT NULL, bytes INTEGER NOT NULL, run_id TEXT, log_bytes INTEGER
);
CREATE TABLE IF NOT EXISTS live (
    source TEXT NOT NULL, server TEXT NOT NULL, file TEXT NOT NULL, at REAL NOT NULL, run_id TEXT NOT NULL,
    count INTEGER NOT NULL, diagnostics BLOB NOT NULL, UNIQUE (source, server, file)
);
"""


def connect(folder: Path) -> sqlite3.Connection:
    """Open the database in `folder`, made when missing (0600); one of a newer version is opened to be read only."""
    path = folder / "state.db"
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        db.execute("PRAGMA query_only = 1")
        return db
    # A file system without shared memory refuses WAL: the default journal serves there.
    with suppress(sqlite3.OperationalError):
        db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    if version < VERSION:
        db.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    return db


def read_only(db: sqlite3.Connection) -> bool:
    """Whether the database belongs to a newer version and is only read."""
    return bool(db.execute("PRAGMA query_only").fetchone()[0])
