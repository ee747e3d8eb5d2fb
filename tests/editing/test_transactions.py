"""Transactions on disk: private, kept newest 50, whole or not there."""

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from punchlist.editing.alone import alone
from punchlist.editing.changes import Change
from punchlist.editing.transactions import KEEP, Transactions
from punchlist.model import Trouble

CHANGE = Change(file="ä\udcff", before=b"a", after=None, description="why", mode=0o640, drifted=True)


def test_a_transaction_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    one = Transactions(tmp_path).add([CHANGE], title="t", notes=["n"], source="check-1")
    again = Transactions(tmp_path)
    assert again.get(one.id) == one
    assert again.changes(one) == [CHANGE]


def test_everything_is_for_its_owner_alone(tmp_path: Path) -> None:
    Transactions(tmp_path).add([CHANGE])
    modes = {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "edits").rglob("*") if p.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*") if p.is_dir()} == {0o700}


def test_the_newest_are_kept(tmp_path: Path) -> None:
    kept = Transactions(tmp_path)
    names = []
    for number in range(KEEP + 3):
        names.append(kept.add([CHANGE]).id)
        os.utime(kept.folder / names[-1] / "transaction.json", (number, number))
    assert {one.id for one in kept.newest()} == set(names[3:])
    assert len(list(kept.folder.iterdir())) == KEEP


def test_an_unknown_id_names_the_newest(tmp_path: Path) -> None:
    kept = Transactions(tmp_path)
    one = kept.add([CHANGE])
    for name in ("fix-00000000", "../../etc", ""):
        with pytest.raises(Trouble, match=one.id) as caught:
            kept.get(name)
        assert caught.value.code == "transaction_unknown"
        assert not kept.drop(name)


def test_a_damaged_content_is_not_believed(tmp_path: Path) -> None:
    kept = Transactions(tmp_path)
    one = kept.add([CHANGE])
    (kept.folder / one.id / one.contents).write_bytes(b"b")
    with pytest.raises(Trouble, match="damaged"):
        kept.changes(one)


def test_a_preview_that_was_never_finished_goes_after_a_while(tmp_path: Path) -> None:
    kept = Transactions(tmp_path)
    kept.add([CHANGE])
    for name, age in (("fix-0000000a", 10_000), ("fix-0000000b", 10)):
        (kept.folder / name).mkdir()
        os.utime(kept.folder / name, (time.time() - age,) * 2)
    kept.add([CHANGE])
    assert not (kept.folder / "fix-0000000a").exists()
    assert (kept.folder / "fix-0000000b").exists()


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        with alone(tmp_path / "lock"):
            inside += 1
            most = max(most, inside)
            time.sleep(0.005)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    with alone(tmp_path / "lock"), pytest.raises(Trouble) as caught, alone(tmp_path / "lock", wait_s=0.05):
        pass
    assert caught.value.code == "busy"
