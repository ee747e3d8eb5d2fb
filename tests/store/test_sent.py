"""What was sent, as the database keeps it."""

from pathlib import Path

from punchlist.store.runs import Store
from punchlist.store.sent import MOST_ANSWERS, Sent, all_sent, keep


def test_answers_are_kept_in_order_and_survive(tmp_path: Path) -> None:
    answers = [
        Sent(at=1.0, tool="run_check", bytes=90, run_id="test-1", log_bytes=4_000),
        Sent(at=2.0, tool="ping", bytes=4),
    ]
    store = Store(tmp_path)
    keep(store, answers)
    store.close()
    again = Store(tmp_path)
    assert all_sent(again) == answers
    again.close()


def test_the_newest_answers_are_kept(tmp_path: Path) -> None:
    store = Store(tmp_path)
    keep(store, [Sent(at=float(n), tool="t", bytes=n) for n in range(MOST_ANSWERS + 3)])
    kept = all_sent(store)
    assert (len(kept), kept[0].bytes, kept[-1].bytes) == (MOST_ANSWERS, 3, MOST_ANSWERS + 2)
    store.close()


def test_a_database_of_the_version_before_gets_the_table(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.db.execute("DROP TABLE sent")
    store.db.execute("PRAGMA user_version = 3")
    store.close()
    again = Store(tmp_path)
    assert all_sent(again) == []
    again.close()
