"""The cache of engines' results: it keeps, forgets the least used, and never stands in the way."""

import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from punchlist.store import cache as module
from punchlist.store.cache import Cache


def test_results_are_kept_for_the_next_process(tmp_path: Path) -> None:
    first = Cache(tmp_path)
    first.put("ruff", {b"a": b"one", b"b": b""})
    first.close()
    second = Cache(tmp_path)
    assert second.get([b"a", b"b", b"c"]) == {b"a": b"one", b"b": b""}
    assert second.knows("ruff")
    assert not second.knows("mypy")
    assert second.kept().results == {"ruff": 2}
    assert (tmp_path / "cache.db").stat().st_mode & 0o777 == 0o600


def test_more_keys_than_one_query_takes_are_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    rows = {str(number).encode(): b"x" for number in range(1700)}
    cache.put("ruff", rows)
    assert cache.get(list(rows)) == rows


def test_the_least_recently_used_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path, most=3)
    now = [1_000_000.0]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    for key in (b"a", b"b", b"c"):
        cache.put("ruff", {key: key})
        now[0] += 10_000
    cache.get([b"a"])
    cache.put("ruff", {b"d": b"d"})
    assert set(cache.get([b"a", b"b", b"c", b"d"])) == {b"a", b"c", b"d"}


def test_a_locked_database_is_done_without_and_said(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("ruff", {b"a": b"x"})
    other = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        begin = time.monotonic()
        cache.put("ruff", {b"b": b"y"})
        assert time.monotonic() - begin < 3
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert "locked" in cache.note
    cache.put("ruff", {b"c": b"z"})
    assert set(cache.get([b"a", b"b", b"c"])) == {b"a", b"c"}


@pytest.mark.parametrize("content", [b"this is no database, but it is long enough to be read as one" * 40, b""])
def test_a_damaged_or_empty_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "cache.db").write_bytes(content)
    cache = Cache(tmp_path)
    cache.put("ruff", {b"a": b"x"})
    assert cache.get([b"a"]) == {b"a": b"x"}
    assert cache.note == ""


def test_a_database_of_another_version_is_made_anew(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "cache.db")
    db.execute("PRAGMA user_version = 99")
    db.close()
    cache = Cache(tmp_path)
    cache.put("ruff", {b"a": b"x"})
    assert cache.get([b"a"]) == {b"a": b"x"}


def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    cache = Cache(tmp_path / "file" / "state")
    cache.put("ruff", {b"a": b"x"})
    assert cache.get([b"a"]) == {}
    assert cache.note.startswith("the cache was bypassed")
    with cache.alone("x") as waited:
        assert not waited


def test_one_engine_is_forgotten_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("ruff", {b"a": b"", b"b": b""})
    cache.put("mypy", {b"c": b""})
    cache.put_signatures({"/x": ((1, 2, 3, 4), b"digest")})
    assert cache.clear("ruff") == 2
    assert cache.kept().results == {"mypy": 1}
    assert cache.clear() == 1
    assert cache.kept().signatures == 0


def test_signatures_come_back_as_they_were(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put_signatures({f"/f{n}": ((n, 1 << 60, 3, 4), bytes([n % 256])) for n in range(600)})
    few = cache.signatures(["/f7", "/none"])
    assert few.files == {"/f7": ((7, 1 << 60, 3, 4), b"\x07")}
    assert not few.everything
    many = cache.signatures([f"/f{n}" for n in range(600)])
    assert many.everything
    assert len(many.files) == 600


def test_only_one_process_at_a_time_has_a_name(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys, time
        from pathlib import Path
        from punchlist.store.cache import Cache
        with Cache(Path(sys.argv[1])).alone("work") as waited:
            print("have", waited, flush=True)
            sys.stdin.readline()
        """
    )
    cache = Cache(tmp_path)
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdin is not None
    assert other.stdout.readline() == "have False\n"
    with cache.alone("other") as waited:
        assert not waited
    got: list[bool] = []

    def wait() -> None:
        with cache.alone("work") as waited:
            got.append(waited)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join(0.3)
    assert not got
    other.communicate("\n", timeout=20)
    thread.join(20)
    assert got == [True]


def test_waiting_ends_when_it_is_stopped(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with cache.alone("work"), cache.alone("work", lambda: True) as waited:
        assert waited
    assert os.listdir(tmp_path / "locks") == ["work"]
