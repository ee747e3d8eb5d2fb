"""What checks leave behind in the database."""

from pathlib import Path

from punchlist.store import history
from punchlist.store.history import Figures
from punchlist.store.runs import Store


def test_a_database_of_the_version_before_gets_the_new_tables(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for table in ("issue_files", "recurrence", "figures"):
        store.db.execute(f"DROP TABLE {table}")
    store.db.execute("PRAGMA user_version = 1")
    store.close()
    again = Store(tmp_path)
    assert history.issue_files(again) == set()
    assert history.all_figures(again) == []
    again.close()


def test_the_state_of_recurrence_survives(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert history.recurrence_state(store) is None
    history.update_recurrence(store, lambda state: {"seen": 1, "before": state})
    store.close()
    again = Store(tmp_path)
    assert history.update_recurrence(again, lambda state: {**state, "seen": 2}) == {"seen": 2, "before": None}
    assert history.recurrence_state(again) == {"seen": 2, "before": None}
    again.close()


def test_files_with_findings_are_remembered_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    history.add_issue_files(store, ["a.py", "b.py"])
    history.add_issue_files(store, ["b.py"])
    assert history.issue_files(store) == {"a.py", "b.py"}
    store.close()


def test_only_the_first_answer_counts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    history.record(store, Figures(run_id="check-1", at=1.0, source="files", latency_ms=5, hits=1, loops=("x",)))
    history.answered(store, "check-1", 120)
    history.answered(store, "check-1", 9_000)
    (one,) = history.all_figures(store)
    assert (one.answer_bytes, one.loops, one.hits) == (120, ("x",), 1)
    store.close()


def test_figures_are_kept_up_to_a_limit(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing() as db:
        rows = [(f"check-{n}", 1.0, "files", 1, 0, 0, 0, 0, 0, "[]") for n in range(history.MOST_FIGURES)]
        db.executemany("INSERT INTO figures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    history.record(store, Figures(run_id="newest", at=2.0, source="files", latency_ms=1))
    kept = history.all_figures(store)
    assert (len(kept), kept[0].run_id, kept[-1].run_id) == (history.MOST_FIGURES, "check-1", "newest")
    store.close()
