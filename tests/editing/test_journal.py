"""Writing all or none: what is kept of a file, what a failure in the middle leaves, what is put back."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from punchlist.editing import journal
from punchlist.editing.changes import Change
from punchlist.editing.places import Folder
from punchlist.editing.transactions import Transactions
from punchlist.model import Trouble


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    for name in ("a", "sub/b", "go"):
        (folder / name).write_bytes(f"old {name}\n".encode())
    return folder


@pytest.fixture
def kept(tmp_path: Path) -> Transactions:
    (tmp_path / "state").mkdir()
    return Transactions(tmp_path / "state")


CHANGES = (
    Change(file="a", before=b"old a\n", after=b"new a\n"),
    Change(file="go", before=b"old go\n", after=None, mode=0o640),
    Change(file="made/deep/c", before=None, after=b"new c\n"),
    Change(file="sub/b", before=b"old sub/b\n", after=b"new b\n"),
)
NEW = {"a": b"new a\n", "made/deep/c": b"new c\n", "sub/b": b"new b\n"}
OLD = {"a": b"old a\n", "go": b"old go\n", "sub/b": b"old sub/b\n"}


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    return {path.name for path in root.rglob("*") if path.is_dir()}


def test_files_are_changed_made_and_removed_together(root: Path, kept: Transactions) -> None:
    one = kept.add(CHANGES)
    done = journal.carry_out(root, kept, one, CHANGES, "applied")
    assert files(root) == NEW
    assert (done.state, kept.get(one.id).state) == ("applied", "applied")
    assert kept.get(one.id).made_folders == ("made", "made/deep")
    assert not list(kept.folder.glob("journal*"))


def breaking(monkeypatch: pytest.MonkeyPatch, method: str, at: int, error: BaseException) -> None:
    """Let a method of folders fail at its n-th call."""
    calls = 0
    real: Callable[..., object] = getattr(Folder, method)

    def failing(self: Folder, *arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == at:
            raise error
        return real(self, *arguments)

    monkeypatch.setattr(Folder, method, failing)


@pytest.mark.parametrize(
    ("method", "at"),
    [("open", 5), ("open", 9), ("replace", 1), ("replace", 2), ("replace", 3), ("make", 1), ("sync", 2)],
)
def test_a_failure_anywhere_puts_every_file_back(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch, method: str, at: int
) -> None:
    one = kept.add(CHANGES)
    breaking(monkeypatch, method, at, OSError(28, "No space left on device"))
    with pytest.raises(journal.Aborted, match="No space left") as caught:
        journal.carry_out(root, kept, one, CHANGES, "applied")
    assert caught.value.code == "transaction_aborted_and_rolled_back"
    assert files(root) == OLD
    assert folders(root) == {"sub"}
    assert kept.get(one.id).state == "previewed"
    assert not list(kept.folder.glob("journal*"))


def test_an_interrupt_puts_every_file_back_and_goes_on(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = kept.add(CHANGES)
    breaking(monkeypatch, "make", 1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        journal.carry_out(root, kept, one, CHANGES, "applied")
    assert files(root) == OLD


@pytest.mark.parametrize(
    ("name", "content"), [("a", b"theirs"), ("a", None), ("made/deep/c", b"theirs"), ("go", b"theirs")]
)
def test_what_drifted_is_refused_before_anything_is_written(
    root: Path, kept: Transactions, name: str, content: bytes | None
) -> None:
    one = kept.add(CHANGES)
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink() if content is None else path.write_bytes(content)
    before = files(root)
    with pytest.raises(Trouble) as caught:
        journal.carry_out(root, kept, one, CHANGES, "applied")
    assert caught.value.code == "file_drift_detected"
    assert files(root) == before


def test_a_change_between_look_and_rename_is_kept_and_the_rest_put_back(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = kept.add(CHANGES)
    real = journal._stage

    def stage(where: Path, entry: journal.Entry, content: bytes | None) -> None:
        real(where, entry, content)
        if entry.file == "sub/b":
            (root / "sub" / "b").write_bytes(b"theirs")

    monkeypatch.setattr(journal, "_stage", stage)
    with pytest.raises(Trouble) as caught:
        journal.carry_out(root, kept, one, CHANGES, "applied")
    assert caught.value.code == "file_drift_detected"
    assert files(root) == OLD | {"sub/b": b"theirs"}


def cut_off(root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch, method: str, at: int) -> str:
    """Leave the disk as a process killed at that call leaves it; returns the transaction's id."""
    one = kept.add(CHANGES)
    with monkeypatch.context() as patch:
        breaking(patch, method, at, KeyboardInterrupt())
        patch.setattr(journal, "roll_back", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            journal.carry_out(root, kept, one, CHANGES, "applied")
    assert (kept.folder / "journal").exists()
    return one.id


def test_the_next_start_leaves_alone_what_others_changed_since(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(root, kept, monkeypatch, "replace", 3)
    (root / "a").write_bytes(b"theirs")
    restored = journal.recover(root, kept)
    assert restored is not None
    assert (restored.foreign, sorted(restored.files)) == (["a"], ["go", "made/deep/c"])
    assert files(root) == OLD | {"a": b"theirs"}


def test_a_folder_that_somebody_removed_after_the_kill_does_not_hold_up_the_rest(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(root, kept, monkeypatch, "replace", 3)
    for path in sorted((root / "sub").rglob("*")):
        path.unlink()
    (root / "sub").rmdir()
    restored = journal.recover(root, kept)
    assert restored is not None
    assert restored.foreign == ["sub/b"]
    assert files(root) == {"a": OLD["a"], "go": OLD["go"]}
    assert not (kept.folder / "journal").exists()


def test_taking_back_removes_the_folders_that_were_made_with_it(root: Path, kept: Transactions) -> None:
    one = journal.carry_out(root, kept, kept.add(CHANGES), CHANGES, "applied")
    journal.carry_out(root, kept, one, [change.turned for change in CHANGES], "undone", one.made_folders)
    assert files(root) == OLD
    assert folders(root) == {"sub"}


def test_a_file_that_was_removed_with_its_folder_comes_back_after_a_kill(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = journal.carry_out(root, kept, kept.add(CHANGES), CHANGES, "applied")
    with monkeypatch.context() as patch:
        patch.setattr(kept, "mark", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
        patch.setattr(journal, "roll_back", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            journal.carry_out(root, kept, one, [change.turned for change in CHANGES], "undone", one.made_folders)
    assert not (root / "made").exists()
    journal.recover(root, kept)
    assert files(root) == NEW
    assert kept.get(one.id).state == "applied"


def test_a_recovery_that_is_cut_off_itself_is_finished_by_the_next(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = cut_off(root, kept, monkeypatch, "sync", 1)
    with monkeypatch.context() as patch:
        breaking(patch, "make", 1, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            journal.recover(root, kept)
    assert journal.recover(root, kept) is not None
    assert files(root) == OLD
    assert journal.recover(root, kept) is None
    assert kept.get(name).state == "previewed"


def test_a_file_that_cannot_be_put_back_keeps_the_journal_and_says_where_its_content_is(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(root, kept, monkeypatch, "sync", 1)
    with monkeypatch.context() as patch:
        breaking(patch, "replace", 1, PermissionError(13, "Permission denied"))
        with pytest.raises(Trouble, match="sub/b") as caught:
            journal.recover(root, kept)
    assert caught.value.code == "recovery_failed"
    assert journal.recover(root, kept) is not None
    assert files(root) == OLD


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"id": "x", "state": "previewed", "entries": [["a"]]}'])
def test_a_damaged_journal_is_told_and_nothing_is_touched(root: Path, kept: Transactions, text: str) -> None:
    kept.folder.mkdir()
    (kept.folder / "journal").write_text(text, encoding="utf-8")
    with pytest.raises(Trouble, match="damaged") as caught:
        journal.recover(root, kept)
    assert caught.value.code == "recovery_failed"
    assert files(root) == OLD


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_mode_and_attributes_stay_and_time_is_new(root: Path, kept: Transactions, mode: int) -> None:
    path = root / "a"
    path.chmod(mode)
    os.utime(path, (1, 1))
    attributes = hasattr(os, "setxattr")
    if attributes:
        try:
            os.setxattr(path, "user.note", b"mine")
        except OSError:
            attributes = False
    one = kept.add(CHANGES[:1])
    journal.carry_out(root, kept, one, CHANGES[:1], "applied")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.stat().st_mtime > 1
    assert not attributes or os.getxattr(path, "user.note") == b"mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(root: Path, kept: Transactions) -> None:
    os.chown(root / "a", 1234, 2345)
    journal.carry_out(root, kept, kept.add(CHANGES[:1]), CHANGES[:1], "applied")
    assert ((root / "a").stat().st_uid, (root / "a").stat().st_gid) == (1234, 2345)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_file_of_somebody_else_that_may_be_written_is_written_in_place(root: Path, kept: Transactions) -> None:
    (root / "a").chmod(0o666)
    for path in [parent for parent in root.parents if "pytest-of-" in str(parent)]:
        path.chmod(path.stat().st_mode | 0o011)
    for path in (root, kept.folder.parent):
        path.chmod(0o777)
    before = (root / "a").stat()
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        try:
            journal.carry_out(root, kept, kept.add(CHANGES[:1]), CHANGES[:1], "applied")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    after = (root / "a").stat()
    assert (root / "a").read_bytes() == b"new a\n"
    assert (after.st_uid, after.st_ino, after.st_mode) == (before.st_uid, before.st_ino, before.st_mode)


def test_a_removed_file_comes_back_with_its_mode(root: Path, kept: Transactions) -> None:
    (root / "go").chmod(0o640)
    one = journal.carry_out(root, kept, kept.add(CHANGES), CHANGES, "applied")
    journal.carry_out(root, kept, one, [change.turned for change in CHANGES], "undone")
    assert files(root) == OLD
    assert stat.S_IMODE((root / "go").stat().st_mode) == 0o640


def test_all_names_of_a_file_go_on_being_one(root: Path, kept: Transactions) -> None:
    os.link(root / "a", root / "second")
    journal.carry_out(root, kept, kept.add(CHANGES[:1]), CHANGES[:1], "applied")
    assert (root / "second").read_bytes() == b"new a\n"
    assert (root / "second").samefile(root / "a")


@pytest.mark.parametrize("written", [0, 3, 7, 12])
def test_a_file_half_written_in_place_is_put_back(
    root: Path, kept: Transactions, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    old, new = b"old content, long", b"new content!"
    (root / "a").write_bytes(old)
    os.link(root / "a", root / "second")
    changes = [Change(file="a", before=old, after=new)]

    def torn(folder: Folder, name: str, content: bytes) -> None:
        with os.fdopen(folder.open(name, os.O_WRONLY), "wb") as file:
            file.write(content[:written])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(journal, "_overwrite", torn)
        patch.setattr(journal, "roll_back", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            journal.carry_out(root, kept, kept.add(changes), changes, "applied")
    assert (root / "second").read_bytes() == new[:written] + old[written:]
    journal.recover(root, kept)
    assert (root / "second").read_bytes() == old
    assert (root / "second").samefile(root / "a")


def test_a_folder_that_became_a_link_out_is_not_followed(root: Path, kept: Transactions, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b").write_bytes(b"old sub/b\n")
    (root / "sub" / "b").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(outside)
    with pytest.raises(Trouble) as caught:
        journal.carry_out(root, kept, kept.add(CHANGES), CHANGES, "applied")
    assert caught.value.code == "path_outside_project"
    assert (outside / "b").read_bytes() == b"old sub/b\n"
    assert (root / "a").read_bytes() == OLD["a"]


def test_a_file_that_became_a_link_is_not_followed(root: Path, kept: Transactions, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"old a\n")
    (root / "a").unlink()
    (root / "a").symlink_to(tmp_path / "secret")
    with pytest.raises(Trouble):
        journal.carry_out(root, kept, kept.add(CHANGES), CHANGES, "applied")
    assert (tmp_path / "secret").read_bytes() == b"old a\n"
