"""Previews and what became of them, kept in the state folder: `edits/ID/transaction.json` and the contents beside it.

All contents of a transaction are one file, in which they are found by their SHA-256. Everything is on disk before
anybody is told the id.
"""

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from punchlist.editing.changes import Change, digest
from punchlist.model import Trouble
from punchlist.records import dataclass, field, replace

KEEP = 50
_UNFINISHED_S = 3600
_ID = re.compile(r"fix-[0-9a-f]{8}")
_RECORD = "transaction.json"

State = Literal["previewed", "applied", "undone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One file of a transaction: digests of its content before and after, None for a file that is not there."""

    file: str
    before: str | None
    after: str | None
    description: str = ""
    mode: int = 0
    drifted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """A set of changes made all or none.

    `title` says what it is for, `notes` what a reader should know of it, `source` is the run whose fixes it holds.
    `contents` is the file that has all contents, `index` where each is in it: first byte and length by SHA-256.
    """

    id: str
    made: float
    state: State
    files: tuple[FileRecord, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    source: str = ""
    made_folders: tuple[str, ...] = ()
    contents: str = ""
    index: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class Transactions:
    """The transactions of one project, newest 50 kept."""

    def __init__(self, state_folder: Path) -> None:
        self.folder = state_folder / "edits"

    def add(
        self, changes: Sequence[Change], *, title: str = "", notes: Sequence[str] = (), source: str = ""
    ) -> Transaction:
        """Keep changes as a preview and return it."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self._prune()
        while True:
            name = f"fix-{secrets.token_hex(4)}"
            with suppress(FileExistsError):
                (self.folder / name).mkdir(mode=0o700)
                break
        made = Transaction(
            id=name, made=time.time(), state="previewed", files=(), title=title, notes=tuple(notes), source=source
        )
        return self.revise(made, changes)

    def revise(self, one: Transaction, changes: Sequence[Change]) -> Transaction:
        """Put other changes into a transaction."""
        index: dict[str, tuple[int, int]] = {}
        parts: list[bytes] = []
        at = 0
        for raw in (raw for change in changes for raw in (change.before, change.after) if raw is not None):
            key = str(digest(raw))
            if key not in index:
                index[key] = (at, len(raw))
                parts.append(raw)
                at += len(raw)
        name = f"contents-{secrets.token_hex(4)}"
        write_synced(self.folder / one.id / name, b"".join(parts))
        files = tuple(
            FileRecord(
                file=c.file, before=digest(c.before), after=digest(c.after), description=c.description,
                mode=c.mode, drifted=c.drifted,
            )
            for c in changes
        )  # fmt: skip
        done = self._write(replace(one, files=files, contents=name, index=index))
        sync(self.folder)
        return done

    def mark(self, one: Transaction, state: State, made: Sequence[str] = ()) -> Transaction:
        """Record what became of a transaction; `made` are folders that were made for its files."""
        return self._write(replace(one, state=state, made_folders=tuple(dict.fromkeys([*one.made_folders, *made]))))

    def note(self, one: Transaction, text: str) -> Transaction:
        """Keep one more thing that a reader should know of a transaction."""
        return one if text in one.notes else self._write(replace(one, notes=(*one.notes, text)))

    def _write(self, one: Transaction) -> Transaction:
        plain: dict[str, Any] = {
            name: getattr(one, name)
            for name in ("id", "made", "state", "title", "notes", "source", "made_folders", "contents", "index")
        }
        plain["files"] = [[f.file, f.before, f.after, f.description, f.mode, f.drifted] for f in one.files]
        text = json.dumps(plain, ensure_ascii=False)
        write_synced(self.folder / one.id / _RECORD, text.encode("utf-8", "surrogateescape"))
        return one

    def find(self, name: str) -> Transaction | None:
        """Return a transaction, None where there is none of that id."""
        if not _ID.fullmatch(name):
            return None
        try:
            text = (self.folder / name / _RECORD).read_bytes().decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return None
        plain = json.loads(text)
        keys = ("file", "before", "after", "description", "mode", "drifted")
        files = tuple(FileRecord(**dict(zip(keys, values, strict=False))) for values in plain["files"])
        return Transaction(
            id=name, made=plain["made"], state=plain["state"], files=files, title=plain["title"],
            notes=tuple(plain["notes"]), source=plain["source"], made_folders=tuple(plain["made_folders"]),
            contents=plain["contents"], index={key: (at, size) for key, (at, size) in plain["index"].items()},
        )  # fmt: skip

    def get(self, name: str) -> Transaction:
        """Return a transaction; an unknown id is a Trouble that names the newest ones."""
        found = self.find(name)
        if found is None:
            newest = ", ".join(f"{one.id} ({one.state})" for one in self.newest(3)) or "none"
            raise Trouble(f"no transaction {name[:40]!r}; the newest: {newest}", "transaction_unknown")
        return found

    def newest(self, limit: int = KEEP, state: State | None = None) -> list[Transaction]:
        """Return transactions, the last changed first."""
        found: list[Transaction] = []
        for path in self._by_age():
            one = self.find(path.name)
            if one is not None and state in (None, one.state):
                found.append(one)
                if len(found) == limit:
                    break
        return found

    def changes(self, one: Transaction) -> list[Change]:
        """Return the changes of a transaction with their contents."""
        content = self.contents(one)
        return [
            Change(
                file=f.file, before=content(f.before), after=content(f.after), description=f.description, mode=f.mode,
                drifted=f.drifted,
            )
            for f in one.files
        ]  # fmt: skip

    def contents(self, one: Transaction) -> Callable[[str | None], bytes | None]:
        """Return what gives a kept content by its digest; one that was damaged is a Trouble."""
        path = self.folder / one.id / one.contents
        whole = path.read_bytes() if path.exists() else b""

        def content(key: str | None) -> bytes | None:
            if key is None:
                return None
            at, length = one.index.get(key, (0, 0))
            raw = whole[at : at + length]
            if digest(raw) != key:
                raise Trouble(f"{path} is damaged or gone; preview the change again", "transaction_unknown")
            return raw

        return content

    def drop(self, name: str) -> bool:
        """Forget a transaction; return whether there was one."""
        if self.find(name) is None:
            return False
        (self.folder / name / _RECORD).unlink()
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return True

    def _by_age(self) -> list[Path]:
        """Return the folders of transactions, the last changed first; unfinished ones last."""
        aged: list[tuple[float, Path]] = []
        with suppress(FileNotFoundError):
            names = [path for path in self.folder.iterdir() if _ID.fullmatch(path.name)]
            aged = [(_time(path / _RECORD) or 0.0, path) for path in names]
        return [path for _, path in sorted(aged, reverse=True)]

    def _prune(self) -> None:
        """Let go what is over 50, and what a killed process left unfinished; nothing while a journal is there."""
        if (self.folder / "journal").exists():
            return
        for path in _over(self._by_age()):
            shutil.rmtree(path, ignore_errors=True)


def _over(paths: Sequence[Path]) -> Iterable[Path]:
    now = time.time()
    for number, path in enumerate(paths, 1):
        at = _time(path / _RECORD)
        unfinished = at is None and now - (_time(path) or now) > _UNFINISHED_S
        if unfinished or (at is not None and number >= KEEP):
            yield path


def _time(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def write_synced(path: Path, raw: bytes) -> None:
    """Write a file for its owner alone, whole or not at all: a new file, on disk, then renamed."""
    new = path.with_name(f"{path.name}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(new, flags, 0o600), "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync(path.parent)


def sync(folder: Path) -> None:
    """Have a folder's names written to disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
