import contextlib
import json
import os
import subprocess
import sys
import time

import pytest

from punchlist import platforms
from punchlist.running import folder

OWNER = """
import os, sys, time
from punchlist.running import folder
from punchlist.running.capture import Command, capture
import punchlist.platforms
class NoGuard:
    def __init__(self, group): pass
    def dismiss(self): pass
punchlist.platforms.Guard = NoGuard  # as if the guard had been killed together with its owner
far = "setsid sh -c 'echo $$ > far; exec sleep 60' &"
run = f"{far} setsid ./watchman 60 & echo $! > daemon; echo $$ > near; sleep 60"
on_start = lambda started: folder.write_meta("run", folder.meta_of(run, ".", started))
capture(Command(run=run, cwd="."), "run", on_start=on_start)
"""


@pytest.fixture
def killed_owner(tmp_path):
    """The folder of a run whose owner was killed, with three processes left: near, far, and a known daemon."""
    (tmp_path / "watchman").symlink_to("/bin/sleep")
    owner = subprocess.Popen([sys.executable, "-c", OWNER], cwd=tmp_path)
    pids = {}
    until = time.monotonic() + 10
    for name in ("near", "far", "daemon"):
        while not ((tmp_path / name).exists() and (tmp_path / name).read_text().endswith("\n")):
            assert time.monotonic() < until
            time.sleep(0.01)
        pids[name] = int((tmp_path / name).read_text())
    owner.kill()
    owner.wait()
    yield tmp_path / "run", pids
    for pid in pids.values():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, 9)


@pytest.mark.skipif(not platforms.LINUX, reason="marks are read from /proc")
def test_what_a_killed_owner_left_is_ended_but_for_daemons(killed_owner):
    run, pids = killed_owner
    meta = folder.read_meta(run)
    assert meta is not None
    assert not folder.owner_alive(meta)
    found = folder.reap(meta)
    assert {one.pid for one in found} >= {pids["near"], pids["far"]}
    assert platforms.process(pids["near"]) is None
    assert platforms.process(pids["far"]) is None
    assert platforms.process(pids["daemon"]) is not None
    assert folder.reap(meta) == ()


@pytest.mark.skipif(not platforms.LINUX, reason="marks are read from /proc")
def test_a_number_that_belongs_to_somebody_else_by_now_is_not_touched(killed_owner):
    run, pids = killed_owner
    meta = folder.read_meta(run)
    assert meta is not None
    meta["child"]["start"] = "1"
    assert folder.reap(meta) == ()
    assert platforms.process(pids["near"]) is not None


def test_a_living_owner_is_known(tmp_path):
    meta = folder.meta_of("make", "/x", name="make")
    folder.write_meta(tmp_path, meta)
    read = folder.read_meta(tmp_path)
    assert read == meta
    assert folder.owner_alive(read)
    assert folder.reap({**read, "child": {"pid": os.getpid(), "start": "x"}}) == ()


@pytest.mark.parametrize(
    ("change", "alive"),
    [
        ({"start": "0"}, False),
        ({"pid": 2**30}, False),
        ({"boot": "another-machine/pid:[1]"}, True),
        ({"pid": "x"}, False),
    ],
)
def test_owners_are_told_apart_by_start_time_and_machine(change, alive):
    meta = folder.meta_of("make", "/x")
    assert folder.owner_alive({**meta, "owner": {**meta["owner"], **change}}) is alive


def test_a_foreign_owner_is_given_up_after_a_day():
    meta = folder.meta_of("make", "/x")
    meta["owner"]["boot"] = "another-machine/pid:[1]"
    assert not folder.owner_alive({**meta, "started_at": time.time() - 90_000})


@pytest.mark.skipif(not platforms.LINUX, reason="the kernel's boot number")
def test_an_owner_of_before_the_restart_is_dead():
    meta = folder.meta_of("make", "/x")
    space = meta["owner"]["boot"].partition("/")[2]
    meta["owner"]["boot"] = f"earlier-boot/{space}"
    assert not folder.owner_alive(meta)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "{}"])
def test_broken_metadata_hurts_nobody(tmp_path, text):
    (tmp_path / "meta.json").write_text(text)
    meta = folder.read_meta(tmp_path)
    assert meta in (None, {})
    assert not folder.owner_alive(meta or {})
    assert folder.reap(meta or {}) == ()


def test_metadata_is_replaced_whole_and_private(tmp_path):
    folder.write_meta(tmp_path, {"a": 1})
    folder.write_meta(tmp_path, {"b": "é"})
    assert json.loads((tmp_path / "meta.json").read_text(encoding="utf-8")) == {"b": "é"}
    assert (tmp_path / "meta.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["meta.json"]
    with pytest.raises(TypeError):
        folder.write_meta(tmp_path, {"c": object()})
    assert [path.name for path in tmp_path.iterdir()] == ["meta.json"]
