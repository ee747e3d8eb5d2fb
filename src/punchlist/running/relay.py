"""Move bytes from a child's pipes to their reader as they come: one loop over descriptors, or else threads."""

import os
import select
import sys
import threading
import time
from typing import Protocol

from punchlist import platforms
from punchlist.running.handle import Handle

_BUFFER = 1 << 18
_LOOK_S = 0.1  # between two looks for a cancel, where nothing can wake the loop


class Watched(Protocol):
    """What a relay serves: open pipes, a place for their bytes, and what is due next."""

    open: dict[int, int]
    pid: int
    handle: Handle

    def accept(self, fd: int, data: bytearray, length: int) -> None:
        """Take the first `length` bytes of `data`."""

    def exited(self, now: float) -> None:
        """Note that the child itself has ended."""

    def due(self, now: float) -> float | None:
        """Do what is due; return the seconds until the next look, None when all is over."""


def by_poll(run: Watched) -> None:
    """Serve both pipes, the child's end and wake-up calls with one `poll` loop; by threads where there is none."""
    if sys.platform == "win32":
        by_threads(run)
        return
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    exit_fd = platforms.exit_descriptor(run.pid)
    exit_pipe = _exit_pipe(run.pid) if exit_fd is None else -1
    watched_exit = exit_pipe if exit_fd is None else exit_fd
    run.handle.attach(wake)
    poller = select.poll()
    for fd in (*run.open, woken, watched_exit):
        poller.register(fd, select.POLLIN)
    buffer = bytearray(_BUFFER)
    try:
        while (wait := run.due(time.monotonic())) is not None:
            for fd, _ in poller.poll(wait * 1000 + 0.5):
                if fd == watched_exit:
                    poller.unregister(fd)
                    run.exited(time.monotonic())
                elif fd == woken:
                    os.read(woken, 4096)
                elif length := os.readv(fd, [buffer]):
                    run.accept(fd, buffer, length)
                else:
                    poller.unregister(fd)
                    os.close(fd)
                    del run.open[fd]
    finally:
        run.handle.attach(None)
        for fd in (woken, wake, watched_exit):
            os.close(fd)


def _exit_pipe(pid: int) -> int:
    """Return a descriptor that reports end of file when `pid` exits, for systems that have none of their own."""
    ended, end = os.pipe()

    def wait() -> None:
        platforms.wait_for(pid)
        os.close(end)

    threading.Thread(target=wait, name="punchlist-exit", daemon=True).start()
    return ended


def by_threads(run: Watched) -> None:
    """Serve each pipe with a thread of its own, for systems whose pipes cannot be polled.

    A pipe that somebody holds open beyond the end stays with its thread, which reads on so that the holder can print.
    """
    changed = threading.Condition()

    def read(fd: int) -> None:
        while True:
            try:
                data = bytearray(os.read(fd, _BUFFER))
            except OSError:
                data = bytearray()
            with changed:
                if data and fd in run.open:
                    run.accept(fd, data, len(data))
                elif not data:
                    run.open.pop(fd, None)
                changed.notify()
            if not data:
                os.close(fd)
                return

    def wait_for_exit() -> None:
        platforms.wait_for(run.pid)
        with changed:
            run.exited(time.monotonic())
            changed.notify()

    for fd in tuple(run.open):
        threading.Thread(target=read, args=(fd,), name="punchlist-relay", daemon=True).start()
    threading.Thread(target=wait_for_exit, name="punchlist-exit", daemon=True).start()
    with changed:
        while (wait := run.due(time.monotonic())) is not None:
            changed.wait(min(wait, _LOOK_S))
        run.open.clear()
