"""What was sent to whom asked: the size of every answer, and of the plain logs that stand against it."""

from collections.abc import Sequence

from punchlist.records import dataclass
from punchlist.store.runs import Store

MOST_ANSWERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One answer: the tool that gave it, its bytes, the run it is about, and the bytes of that run's plain log.

    `log_bytes` is None where no plain log stands against it: it is about no run, or about a check by engines, whose
    output is made for machines. It is 0 while the run goes on. An answer about several runs is one of these for each,
    with its bytes at the first.
    """

    at: float
    tool: str
    bytes: int
    run_id: str | None = None
    log_bytes: int | None = None


def keep(store: Store, answers: Sequence[Sent]) -> None:
    """Keep what was sent; the newest 20,000 are kept."""
    if store.frozen or not answers:
        return
    rows = [(one.at, one.tool, one.bytes, one.run_id, one.log_bytes) for one in answers]
    with store.writing() as db:
        db.executemany("INSERT INTO sent (at, tool, bytes, run_id, log_bytes) VALUES (?, ?, ?, ?, ?)", rows)
        db.execute("DELETE FROM sent WHERE id <= (SELECT max(id) FROM sent) - ?", (MOST_ANSWERS,))


def all_sent(store: Store) -> list[Sent]:
    """Return what is kept, oldest first."""
    return [Sent(**dict(row)) for row in store.rows("SELECT at, tool, bytes, run_id, log_bytes FROM sent ORDER BY id")]
