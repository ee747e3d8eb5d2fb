"""Write several files all or none: a journal on disk first, then new files beside the old ones, then renames.

The journal (`edits/journal`) names every file with the digests of its old and new content and lies on disk before
anything else is touched. It is removed when all is done: until then a start after a crash puts every file back.
Contents come from the transaction's folder. A file with several names (hard links) is written in place, so that all of
them go on being one file; what a crash leaves of it is told by its content, new at the beginning and old behind.
"""

import errno
import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from punchlist.editing.changes import Change, digest
from punchlist.editing.metadata import can_be_replaced, copy_metadata
from punchlist.editing.places import Folder, folder_of, read
from punchlist.editing.transactions import State, Transaction, Transactions, sync, write_synced
from punchlist.model import Trouble
from punchlist.records import dataclass, field

_NEW = 0o666


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of the journal: digests before and after (None: not there), the name of its new file, how it is written.

    `mode` is that of a file that is made or removed, `made` are the folders that are made for it, outermost first.
    """

    file: str
    before: str | None
    after: str | None
    temp: str
    in_place: bool = False
    mode: int = 0
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """What putting back came to: files put back, files left since somebody else changed them, and what failed."""

    files: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class Aborted(Trouble):
    """Nothing is changed: what had been written was put back (`restored` tells where it could not be)."""

    def __init__(self, message: str, code: str, restored: Restored) -> None:
        super().__init__(message, code)
        self.restored = restored


def carry_out(
    root: Path,
    kept: Transactions,
    one: Transaction,
    changes: Sequence[Change],
    state: State,
    emptied: Sequence[str] = (),
) -> Transaction:
    """Make changes, all or none, and mark their transaction; the caller holds the lock and has recovered.

    `emptied` are folders that are removed where nothing is left in them.
    A file that is not as its change expects is a Trouble (`file_drift_detected`), anything else that goes wrong
    `Aborted` (`transaction_aborted_and_rolled_back`); in both cases every file is as it was.
    """
    entries = [_entry(root, one.id, number, change) for number, change in enumerate(changes)]
    for entry in entries:
        _hold_against_disk(root, entry)
    journal = kept.folder / "journal"
    rows = [[e.file, e.before, e.after, e.temp, e.in_place, e.mode, list(e.made)] for e in entries]
    plain = json.dumps({"id": one.id, "state": one.state, "entries": rows}, ensure_ascii=False)
    write_synced(journal, plain.encode("utf-8", "surrogateescape"))
    try:
        for entry, change in zip(entries, changes, strict=True):
            _stage(root, entry, change.after)
        _sync_staged(root, entries)
        for entry, change in zip(entries, changes, strict=True):
            _put(root, entry, change.after)
        _settle(root, entries)
        remove_folders(root, emptied)
        done = kept.mark(one, state, [folder for entry in entries for folder in entry.made])
    except BaseException as error:
        restored = roll_back(root, kept)
        if not isinstance(error, (OSError, Trouble)):
            raise
        if isinstance(error, Trouble) and error.code == "file_drift_detected" and not restored.failed:
            raise
        raise Aborted(_why(error, restored), "transaction_aborted_and_rolled_back", restored) from error
    journal.unlink()
    sync(kept.folder)
    return done


def _why(error: BaseException, restored: Restored) -> str:
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
    if restored.failed:
        return f"{said}{where}; could not be put back yet: {', '.join(restored.failed)}; the next start tries again"
    return f"{said}{where}; every file is as it was"


def recover(root: Path, kept: Transactions) -> Restored | None:
    """Put back what a killed process had half written; None where there is nothing of that kind. Needs the lock."""
    with suppress(FileNotFoundError):
        (kept.folder / "journal.new").unlink()
    if not (kept.folder / "journal").exists():
        return None
    restored = roll_back(root, kept)
    if restored.failed:
        raise Trouble(
            f"a change of files was cut off, and these could not be put back: {', '.join(restored.failed)}; make them "
            f"writable, or take their contents from {kept.folder} and remove {kept.folder / 'journal'}",
            "recovery_failed",
        )
    return restored


def roll_back(root: Path, kept: Transactions) -> Restored:
    """Put every file of the journal back; the journal goes when that is done."""
    journal = kept.folder / "journal"
    plain, entries = _read(journal)
    restored = Restored()
    one = kept.get(plain["id"])
    content = kept.contents(one)
    for entry in reversed(entries):
        try:
            _restore(root, entry, content, restored)
        except (OSError, Trouble):
            restored.failed.append(entry.file)
    if restored.failed:
        return restored
    remove_folders(root, (folder for entry in entries for folder in entry.made))
    _settle(root, entries)
    if one.state != plain["state"]:
        kept.mark(one, plain["state"])
    journal.unlink()
    sync(kept.folder)
    return restored


def _read(journal: Path) -> tuple[dict[str, Any], list[Entry]]:
    """Return what a journal says; a damaged one is a Trouble (`recovery_failed`)."""
    keys = ("file", "before", "after", "temp", "in_place", "mode", "made")
    try:
        plain = json.loads(journal.read_bytes().decode("utf-8", "surrogateescape"))
        rows = [dict(zip(keys, row, strict=True)) for row in plain["entries"]]
        return {"id": plain["id"], "state": plain["state"]}, [
            Entry(**row | {"made": tuple(row["made"])}) for row in rows
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise Trouble(
            f"{journal} is damaged: look at the files that were changed last, then remove it", "recovery_failed"
        ) from error


def _entry(root: Path, name: str, number: int, change: Change) -> Entry:
    in_place, mode = False, 0
    if change.before is None:
        mode = change.mode or _NEW
    else:
        found = (root / change.file).lstat() if os.path.lexists(root / change.file) else None
        if found is not None:
            mode = found.st_mode & 0o7777
            in_place = change.after is not None and not can_be_replaced(root / change.file, found)
    above = list(PurePosixPath(change.file).parents)[:-1]
    missing = [folder.as_posix() for folder in above if not os.path.lexists(root / folder)]
    return Entry(
        file=change.file, before=digest(change.before), after=digest(change.after),
        temp=f".punchlist-{name[4:]}-{number}.tmp", in_place=in_place, mode=mode, made=tuple(reversed(missing)),
    )  # fmt: skip


def _hold_against_disk(root: Path, entry: Entry) -> None:
    now = digest(read(root, entry.file))
    if now != entry.before:
        what = "is gone" if now is None else "is there already" if entry.before is None else "changed"
        raise Trouble(
            f"{entry.file} {what} since the preview; nothing was written. Preview again, or ask with rebase: true",
            "file_drift_detected",
        )


def _stage(root: Path, entry: Entry, content: bytes | None) -> None:
    """Write the new file beside the old one, with its mode, owner and attributes."""
    if content is None or entry.in_place:
        return
    with folder_of(root, entry.file, make=bool(entry.made)) as (folder, name):
        _write_new(folder, entry.temp, content, like=name if entry.before is not None else None, mode=entry.mode)


def _write_new(folder: Folder, temp: str, content: bytes, *, like: str | None, mode: int) -> None:
    """Write a new file; `like` names one to take mode, owner and attributes from, else `mode` is asked for."""
    descriptor = folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if like else mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        if like is None and mode != _NEW and os.name != "nt":
            os.fchmod(descriptor, mode)
        if like is not None:
            source = folder.open(like, os.O_RDONLY)
            try:
                copy_metadata(source, descriptor)
            finally:
                os.close(source)


def _sync_staged(root: Path, entries: Iterable[Entry]) -> None:
    """Have all new files on disk: after all are written, so that the disk takes them together."""
    for entry in entries:
        if entry.after is not None and not entry.in_place:
            with folder_of(root, entry.file) as (folder, _):
                folder.sync_file(entry.temp)


def _put(root: Path, entry: Entry, content: bytes | None) -> None:
    """Let the new content take the old one's place, if that is still what it was."""
    _hold_against_disk(root, entry)
    with folder_of(root, entry.file) as (folder, name):
        if content is None:
            folder.replace(name, entry.temp)
        elif entry.before is None:
            try:
                folder.make(entry.temp, name)
            except FileExistsError as error:
                raise Trouble(f"{entry.file} was made meanwhile; nothing was written", "file_drift_detected") from error
        elif entry.in_place:
            _overwrite(folder, name, content)
        else:
            folder.replace(entry.temp, name)


def _overwrite(folder: Folder, name: str, content: bytes) -> None:
    """Write a content into the file that is there, from its beginning, and have it on disk."""
    with os.fdopen(folder.open(name, os.O_WRONLY), "wb") as file:
        file.write(content)
        file.flush()
        file.truncate(len(content))
        os.fsync(file.fileno())


def _settle(root: Path, entries: Iterable[Entry]) -> None:
    """Remove what stands beside the files and have the names in their folders on disk."""
    by_folder: dict[str, list[Entry]] = {}
    for entry in entries:
        by_folder.setdefault(PurePosixPath(entry.file).parent.as_posix(), []).append(entry)
    for those in by_folder.values():
        with suppress(FileNotFoundError), folder_of(root, those[0].file) as (folder, _):
            for entry in those:
                folder.remove(entry.temp)
            folder.sync()


def _restore(root: Path, entry: Entry, content: Callable[[str | None], bytes | None], restored: Restored) -> None:
    """Put one file back; the folder of one that was being removed may have gone with it, others' folders have not."""
    removed = entry.before is not None and entry.after is None
    if not removed and not os.path.lexists((root / entry.file).parent):
        if entry.before is not None:
            restored.foreign.append(entry.file)
        return
    with folder_of(root, entry.file, make=removed) as (folder, name):
        now = folder.read(name)
        key = digest(now)
        if key == entry.before:
            folder.remove(entry.temp)
        elif key == entry.after or _half_written(entry, now, content):
            _write_back(folder, name, entry, content(entry.before))
            restored.files.append(entry.file)
        else:
            folder.remove(entry.temp)
            restored.foreign.append(entry.file)


def _half_written(entry: Entry, now: bytes | None, content: Callable[[str | None], bytes | None]) -> bool:
    """Whether a file written in place is new at its beginning and old behind."""
    if not entry.in_place or now is None:
        return False
    new, old = content(entry.after) or b"", content(entry.before) or b""
    same = next(
        (at for at, (one, other) in enumerate(zip(now, new, strict=False)) if one != other), min(len(now), len(new))
    )
    return now[same:] == old[same:]


def _write_back(folder: Folder, name: str, entry: Entry, old: bytes | None) -> None:
    if old is None:
        folder.remove(name)
        folder.remove(entry.temp)
    elif entry.after is None:
        if folder.stat(entry.temp) is None or folder.read(entry.temp) != old:
            folder.remove(entry.temp)
            _write_new(folder, entry.temp, old, like=None, mode=entry.mode)
            folder.sync_file(entry.temp)
        folder.make(entry.temp, name)
    elif entry.in_place:
        _overwrite(folder, name, old)
    else:
        folder.remove(entry.temp)
        _write_new(folder, entry.temp, old, like=name, mode=0)
        folder.sync_file(entry.temp)
        folder.replace(entry.temp, name)


def remove_folders(root: Path, folders: Iterable[str]) -> None:
    """Remove folders that were made for files, the innermost first; those that hold something stay."""
    for folder in sorted(set(folders), key=lambda name: -name.count("/")):
        try:
            (root / folder).rmdir()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
