import threading
import time

import pytest

from punchlist.running.parallel import highest, side_by_side


def test_results_come_in_the_order_of_the_jobs():
    assert side_by_side([lambda n=n: time.sleep(0.02 * (3 - n)) or n for n in range(3)], limit=3) == [0, 1, 2]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_no_more_run_at_a_time_than_the_limit_says(limit):
    lock, running, most = threading.Lock(), 0, 0

    def job() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1

    side_by_side([job] * 8, limit)
    assert most == limit


def test_all_jobs_are_done_before_a_fault_is_raised():
    done = []

    def bad() -> None:
        raise ValueError("first")

    with pytest.raises(ValueError, match="first"):
        side_by_side([bad, lambda: done.append(1), lambda: done.append(2)], limit=1)
    assert done == [1, 2]


def test_nothing_to_do_gives_nothing():
    assert side_by_side([], limit=4) == []


@pytest.mark.parametrize(("codes", "code"), [([], 0), ([0, 0], 0), ([1, 2, 0], 2), ([124, 137], 137)])
def test_the_highest_exit_code_counts(codes, code):
    assert highest(codes) == code
