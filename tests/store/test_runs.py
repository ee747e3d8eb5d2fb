"""Runs in the database."""

import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from punchlist.model import Diagnostic, How, Report, Span, Trouble
from punchlist.store import codec
from punchlist.store.runs import Run, Store, slug


def begun(store: Store, name: str = "test", key: str = "check:test", kind: str = "check") -> Run:
    return store.begin(
        name=name, kind=kind, key=key, title=name, command="true", cwd="/", owner=os.getpid(), owner_start="x"
    )


def ended(store: Store, run: Run, outcome: str = "passed", size: int = 10) -> Run:
    return store.finish(run.id, Report(outcome=outcome, how=How(ending="exit", exit_code=0)), size=size)  # type: ignore[arg-type]


def test_ids_count_up_and_are_never_given_twice(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first = begun(store)
    store.prune([ended(store, first)])
    assert [begun(store).id, begun(store, "other", "k").id] == ["test-2", "other-1"]


def test_names_become_ids_that_every_tool_takes() -> None:
    assert [slug("web:test"), slug("../etc"), slug("päck test"), slug("***")] == ["web-test", "etc", "p-ck-test", "run"]


def test_a_report_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    d = Diagnostic(message="bad \udcff", file="a.py", line=3, rule="E1", log=Span("stdout", 1, 2))
    report = Report(outcome="failed", tools=("ruff",), counts={"errors": 1}, diagnostics=(d,), notes=("n",))
    run = begun(store)
    store.finish(run.id, report, size=5)
    assert store.report(run.id) == report


def test_every_field_of_a_diagnostic_survives() -> None:
    from punchlist.model import Edit, Fix, Related

    d = Diagnostic(
        message="m", severity="hint", detail="d", file="f", line=1, column=2, end_line=3, end_column=4, rule="r",
        test="t", tool="x", package="p", derived=True, state="flaky", times=3, related=(Related("here", "g", 5, None),),
        fix=Fix((Edit("f", 1, 1, 1, 2, "z"),), safe=True, title="do"), log=Span("stderr", 7, 9),
    )  # fmt: skip
    assert codec.from_plain(codec.to_plain(d)) == d


def test_an_unknown_id_names_the_newest_runs(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ended(store, begun(store))
    with pytest.raises(Trouble, match="test-1"):
        store.get("nope-7")
    with pytest.raises(Trouble, match="no run"):
        store.get("../../etc/passwd")


def test_a_pruned_run_says_when(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = ended(store, begun(store))
    store.prune([run])
    with pytest.raises(Trouble, match="was pruned on"):
        store.report(run.id)


def test_retention_keeps_the_newest_of_each_check_and_everything_pinned(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [ended(store, begun(store)) for _ in range(5)]
    other = ended(store, begun(store, "lint", "check:lint"))
    store.pin(runs[0].id)
    gone = [run.id for run in store.to_prune(keep=2)]
    assert gone == ["test-2", "test-3"]
    assert other.id not in gone


def test_retention_lets_the_oldest_go_when_all_logs_are_too_large(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for _ in range(4):
        ended(store, begun(store), size=100)
    assert [run.id for run in store.to_prune(keep=20, most_bytes=250)] == ["test-1", "test-2"]


def test_a_running_run_is_never_pruned(tmp_path: Path) -> None:
    store = Store(tmp_path)
    begun(store)
    for _ in range(3):
        ended(store, begun(store))
    assert "test-1" not in [run.id for run in store.to_prune(keep=1, most_bytes=0)]


def test_the_run_before_is_the_last_finished_one_of_the_same_check(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first = ended(store, begun(store))
    ended(store, begun(store, "lint", "check:lint"))
    begun(store)
    third = ended(store, begun(store))
    assert store.before(third) is not None
    assert store.before(third).id == first.id  # type: ignore[union-attr]
    assert store.before(first) is None


def test_several_writers_lose_no_run(tmp_path: Path) -> None:
    def work() -> None:
        store = Store(tmp_path)
        for _ in range(10):
            ended(store, begun(store))
        store.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runs = Store(tmp_path).newest(limit=100)
    assert sorted(run.number for run in runs) == list(range(1, 41))


def test_a_newer_database_is_read_and_never_written(tmp_path: Path) -> None:
    store = Store(tmp_path)
    ended(store, begun(store))
    store.close()
    with sqlite3.connect(tmp_path / "state.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    later = Store(tmp_path)
    assert later.newest()[0].id == "test-1"
    with pytest.raises(Trouble, match="newer"):
        begun(later)


def test_only_the_owner_may_read_the_database(tmp_path: Path) -> None:
    Store(tmp_path)
    assert stat.S_IMODE((tmp_path / "state.db").stat().st_mode) == 0o600


def test_a_closed_database_refuses_instead_of_crashing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = ended(store, begun(store))
    troubles: list[Trouble] = []

    def look() -> None:
        try:
            while True:
                store.get(run.id)
        except Trouble as trouble:
            troubles.append(trouble)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    store.close()
    for thread in threads:
        thread.join(10)
    assert [trouble.code for trouble in troubles] == ["closed_state"] * 4
