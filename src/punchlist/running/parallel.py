"""Run several things side by side with a limit."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def side_by_side(jobs: Sequence[Callable[[], T]], limit: int) -> list[T]:
    """Call every job in threads, at most `limit` at a time, and return their results in the order of the jobs.

    All jobs are run to their end; then the first exception, in the order of the jobs, is raised.
    """
    results: dict[int, T] = {}
    faults: dict[int, BaseException] = {}
    waiting = iter(enumerate(jobs))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number, job = next(waiting, (-1, None))
            if job is None:
                return
            try:
                results[number] = job()
            except BaseException as fault:  # noqa: BLE001 - raised again by the thread that asked
                faults[number] = fault

    threads = [threading.Thread(target=work, name=f"punchlist-{n}") for n in range(max(1, min(limit, len(jobs))))]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.5)  # with a limit, so that signals are heard on every system
    if faults:
        raise faults[min(faults)]
    return [results[number] for number in range(len(jobs))]


def highest(codes: Iterable[int]) -> int:
    """Return the highest exit code; 0 for none."""
    return max(codes, default=0)
