"""Runs in the database: ids, what is running, what a run meant, which ones are kept."""

import json
import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from punchlist.model import How, Outcome, Report, Trouble
from punchlist.records import dataclass, field
from punchlist.store import codec
from punchlist.store.database import connect, read_only

KEEP_PER_CHECK = 20
KEEP_ENGINE_RUNS = 50
MOST_BYTES = 2 << 30
ID = re.compile(r"[a-zA-Z0-9_.-]{1,120}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run as the database knows it. `key` is equal for runs of the same check (ad hoc: same command and folder).

    `state` is running, done, interrupted or pruned; times are seconds since the epoch; `facts` are small plain values
    (steps, parser, timeout ...) that answers show.
    """

    id: str
    slug: str
    number: int
    kind: str
    key: str
    title: str
    command: str
    cwd: str
    started: float
    ended: float | None = None
    state: str = "running"
    outcome: Outcome | None = None
    how: How = field(default_factory=How)
    owner: int | None = None
    owner_start: str = ""
    pinned: bool = False
    pruned: float | None = None
    bytes: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def duration_s(self) -> float:
        """Seconds from start to end, or to now while it runs."""
        return max(0.0, (self.ended or time.time()) - self.started)


def slug(name: str) -> str:
    """Return a name as the first part of a run id: letters, digits, dot and underscore, hyphens between."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "run"


class Store:
    """The runs of one project. Every method is one transaction; several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = connect(folder)
        self.frozen = read_only(self.db)
        self._alone = threading.RLock()
        self._closed = False

    def close(self) -> None:
        """Close the database, once no thread is in it; whoever comes later is refused."""
        with self._alone:
            self._closed = True
            self.db.close()

    def rows(self, query: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return what a query finds; threads read one after the other, and never from a closed database."""
        with self._alone:
            if self._closed:
                raise Trouble("the project's state was closed; start again", "closed_state")
            return self.db.execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Change the database in one transaction; one of a newer version is a Trouble."""
        if self.frozen:
            raise Trouble(
                f"{self.folder}/state.db was written by a newer Punchlist; upgrade, or set PUNCHLIST_STATE_DIR",
                "newer_state",
            )
        # Threads share the connection, and with it the transaction.
        with self._alone:
            try:
                self.db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                raise Trouble(f"{self.folder}/state.db cannot be written: {error}; try again", "busy_state") from error
            try:
                yield self.db
            except BaseException:
                self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    def begin(
        self, *, name: str, kind: str, key: str, title: str, command: str, cwd: str, owner: int, owner_start: str,
        facts: dict[str, Any] | None = None,
    ) -> Run:  # fmt: skip
        """Record a run that starts now and return it with its new id, unique for ever in this project."""
        short = slug(name)
        with self.writing() as db:
            row = db.execute(
                "INSERT INTO names VALUES (?, 1) ON CONFLICT (slug) DO UPDATE SET last = last + 1 RETURNING last",
                (short,),
            ).fetchone()
            number = row[0]
            db.execute(
                "INSERT INTO runs (id, slug, number, kind, key, title, command, cwd, started, state, owner,"
                " owner_start, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?)",
                (f"{short}-{number}", short, number, kind, key, title, command, cwd, time.time(), owner, owner_start,
                 json.dumps(facts or {})),
            )  # fmt: skip
        return self.get(f"{short}-{number}")

    def finish(
        self, run_id: str, report: Report, *, size: int, state: str = "done", facts: dict[str, Any] | None = None
    ) -> Run:
        """Record how a run ended and what it meant; `size` is the bytes of its logs."""
        how = report.how
        with self.writing() as db:
            db.execute(
                "UPDATE runs SET ended = ?, state = ?, outcome = ?, ending = ?, exit_code = ?, signal = ?, report = ?,"
                " bytes = ?, facts = json_patch(facts, ?) WHERE id = ?",
                (time.time(), state, report.outcome, how.ending, how.exit_code, how.signal, codec.pack(report), size,
                 json.dumps(facts or {}), run_id),
            )  # fmt: skip
        return self.get(run_id)

    def add_facts(self, run_id: str, facts: dict[str, Any]) -> Run:
        """Keep more facts with a run."""
        with self.writing() as db:
            db.execute("UPDATE runs SET facts = json_patch(facts, ?) WHERE id = ?", (json.dumps(facts), run_id))
        return self.get(run_id)

    def get(self, run_id: str) -> Run:
        """Return a run; an unknown or malformed id is a Trouble that names the newest ones."""
        rows = self.rows("SELECT * FROM runs WHERE id = ?", (run_id,)) if ID.fullmatch(run_id) else []
        if not rows:
            newest = ", ".join(run.id for run in self.newest(limit=5)) or "none yet"
            raise Trouble(f"no run {run_id[:80]!r}; the newest runs: {newest}", "unknown_run")
        return _run(rows[0])

    def report(self, run_id: str) -> Report:
        """Return what a finished run meant; a pruned one is a Trouble that says when it was pruned."""
        run = self.get(run_id)
        row = self.rows("SELECT report FROM runs WHERE id = ?", (run_id,))[0]
        if row[0] is None:
            if run.pruned:
                when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.pruned))
                raise Trouble(f"run {run_id} was pruned on {when}; run it again", "pruned_run")
            raise Trouble(f"run {run_id} is still running; ask again, or wait for it", "running")
        return codec.unpack(row[0])

    def newest(
        self, *, slug: str | None = None, key: str | None = None, limit: int = 20, kind: str | None = None
    ) -> list[Run]:
        """Return runs newest first, pruned ones left out."""
        where, values = ["pruned IS NULL"], []
        for column, value in (("slug", slug), ("key", key), ("kind", kind)):
            if value is not None:
                where.append(f"{column} = ?")
                values.append(value)
        query = f"SELECT * FROM runs WHERE {' AND '.join(where)} ORDER BY started DESC, rowid DESC LIMIT ?"  # noqa: S608  columns are ours
        return [_run(row) for row in self.rows(query, (*values, limit))]

    def running(self, key: str | None = None) -> list[Run]:
        """Return the runs recorded as running."""
        rows = self.rows("SELECT * FROM runs WHERE state = 'running' ORDER BY started")
        return [run for run in map(_run, rows) if key is None or run.key == key]

    def before(self, run: Run) -> Run | None:
        """Return the newest finished run of the same check before this one, if it is kept."""
        found = self.rows(
            "SELECT * FROM runs WHERE key = ? AND rowid < (SELECT rowid FROM runs WHERE id = ?) AND report IS NOT NULL"
            " ORDER BY rowid DESC LIMIT 1",
            (run.key, run.id),
        )
        return _run(found[0]) if found else None

    def pin(self, run_id: str, pinned: bool = True) -> None:
        """Keep a run whatever its age, or stop keeping it."""
        self.get(run_id)
        with self.writing() as db:
            db.execute("UPDATE runs SET pinned = ? WHERE id = ?", (int(pinned), run_id))

    def to_prune(
        self, *, keep: int = KEEP_PER_CHECK, keep_engines: int = KEEP_ENGINE_RUNS, most_bytes: int = MOST_BYTES
    ) -> list[Run]:
        """Return the runs that retention lets go, oldest first: all but the newest per check, and what is too much."""
        gone: list[Run] = []
        left: list[Run] = []
        seen: dict[str, int] = {}
        for run in self.newest(limit=100_000):
            group = run.kind if run.kind in ("engines", "base") else run.key
            seen[group] = seen.get(group, 0) + 1
            over = seen[group] > (keep_engines if run.kind == "engines" else keep)
            (gone if over and not run.pinned and run.state != "running" else left).append(run)
        total = sum(run.bytes for run in left)
        for run in reversed(left):
            if total <= most_bytes:
                break
            if not run.pinned and run.state != "running":
                gone.append(run)
                total -= run.bytes
        return sorted(gone, key=lambda run: run.started)

    def prune(self, runs: Sequence[Run]) -> None:
        """Forget the reports of these runs; their ids stay known with the time they were pruned."""
        if not runs:
            return
        with self.writing() as db:
            db.executemany(
                "UPDATE runs SET report = NULL, pruned = ?, state = 'pruned', bytes = 0 WHERE id = ?",
                [(time.time(), run.id) for run in runs],
            )


def _run(row: sqlite3.Row) -> Run:
    how = How(ending=row["ending"] or "none", exit_code=row["exit_code"], signal=row["signal"])
    names = ("id", "slug", "number", "kind", "key", "title", "command", "cwd", "started", "ended", "state", "outcome")
    return Run(
        **{name: row[name] for name in names},
        how=how,
        owner=row["owner"],
        owner_start=row["owner_start"] or "",
        pinned=bool(row["pinned"]),
        pruned=row["pruned"],
        bytes=row["bytes"],
        facts=json.loads(row["facts"]),
    )
