"""One writer at a time: a lock between processes that ends with its owner."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from punchlist.model import Trouble
from punchlist.store.locks import try_lock

_POLL_S = 0.02


@contextmanager
def alone(path: Path, wait_s: float = 10.0) -> Iterator[None]:
    """Hold a lock file alone among all processes; a Trouble (`busy`) where another one keeps it for `wait_s`."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        until = time.monotonic() + wait_s
        while not try_lock(descriptor):
            if time.monotonic() >= until:
                raise Trouble("another process is writing files of this project; try again", "busy")
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)
