"""Ending what runs, from another thread or from a signal handler."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class Handle:
    """A way to end a command from any thread or signal handler."""

    def __init__(self) -> None:
        self.requests = 0
        self.signal: int | None = None
        self._wake: int | None = None

    @property
    def cancelled(self) -> bool:
        """Tell whether somebody asked for the end."""
        return self.requests > 0

    def cancel(self, signum: int | None = None) -> None:
        """Ask for the end of the whole tree; a second call does not wait for it to end by itself."""
        if self.signal is None:
            self.signal = signum
        self.requests += 1
        self.wake()

    def wake(self) -> None:
        """Make the thread that watches the command look now."""
        if self._wake is not None:
            with suppress(OSError):
                os.write(self._wake, b"\n")

    def attach(self, fd: int | None) -> None:
        """Name the descriptor that wakes the watching thread."""
        self._wake = fd


_live: set[Handle] = set()
_stopping: list[int | None] = []


@contextmanager
def live(handle: Handle) -> Iterator[None]:
    """Count a handle among those that `cancel_all` ends."""
    _live.add(handle)
    if _stopping:
        handle.cancel(_stopping[0])
    try:
        yield
    finally:
        _live.discard(handle)


def cancel_all(signum: int | None = None, wait_s: float = 5.0) -> bool:
    """End every command this process runs, in whatever thread; True when all were gone within `wait_s`."""
    for handle in list(_live):
        handle.cancel(signum)
    until = time.monotonic() + wait_s
    while _live and time.monotonic() < until:
        time.sleep(0.01)
    return not _live


@contextmanager
def ending_on_signals(
    handle: Handle | None = None, handles: Callable[[], Iterable[Handle]] | None = None
) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP end the command (None: all, also those not yet begun); for a main thread.

    `handles` says which are all, where something else than a command is ended by them too. The first signal asks the
    tree to end and lets `capture` return a proper result (`how.signal` names the signal); the next one makes it end.
    """
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in (getattr(signal, name) for name in names)}

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if handle is not None:
            handle.cancel(number)
            return
        _stopping.append(number)
        for one in list(_live if handles is None else handles()):
            one.cancel(number)

    for number, handler in before.items():
        if handler not in (signal.SIG_IGN, None):  # nohup stays nohup
            signal.signal(number, on_signal)
    try:
        yield
    finally:
        _stopping.clear()
        for number, handler in before.items():
            if handler is not None:  # one that was not set by Python cannot be set back by it
                signal.signal(number, handler)
