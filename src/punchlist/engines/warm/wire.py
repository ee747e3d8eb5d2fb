"""A server process on two pipes: messages in frames of `Content-Length`, one thread that reads, one that writes.

Whatever goes wrong is `Lost`: the server died, was silent for too long, or said what nobody understands. The caller
then asks the command line.
"""

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import IO, Any

from punchlist import platforms

LARGEST = 256 << 20
_HEAD_LINES = 20
_END_S = 2.0


class Lost(Exception):  # noqa: N818  the caller's word for it
    """The server cannot be asked any more, or did not answer in time; the text says which."""


class Wire:
    """One server. `received` is called by the reading thread with each message, `lost` once when the pipe ends."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        received: Callable[[dict[str, Any]], None],
        lost: Callable[[str], None],
        *,
        lines: bool = False,
    ) -> None:
        self._received, self._lost, self._lines = received, lost, lines
        try:
            self._process = platforms.spawn(list(argv), cwd, env, subprocess.PIPE, subprocess.PIPE, subprocess.DEVNULL)
        except OSError as trouble:
            raise Lost(f"{argv[0]} cannot be started: {trouble.strerror}") from None
        self._guard = platforms.Guard(self._process.pid)
        self._tree = platforms.Tree(self._process.pid, child=self._process)
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        for work in (self._read, self._write):
            threading.Thread(target=work, name=f"{os.path.basename(argv[0])} {work.__name__}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; a server that does not read holds up nobody but the thread that writes."""
        raw = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        self._queue.put(raw + b"\n" if self._lines else b"Content-Length: %d\r\n\r\n%b" % (len(raw), raw))

    def _write(self) -> None:
        pipe = _pipe(self._process.stdin)
        while (raw := self._queue.get()) is not None:
            try:
                pipe.write(raw)
                pipe.flush()
            except (OSError, ValueError):
                return

    def _read(self) -> None:
        pipe = _pipe(self._process.stdout)
        why = "the server ended"
        try:
            while (message := _message(pipe)) is not None:
                self._received(message)
        except (ValueError, RecursionError):
            why = "the server said what nobody understands"
        except OSError:
            pass
        self._lost(why)

    def end(self) -> None:
        """End the server and all it started."""
        self._queue.put(None)
        with contextlib.suppress(OSError):
            self._tree.end(force=False)
        until = time.monotonic() + _END_S
        while self.alive and time.monotonic() < until:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
        if self.alive or self._tree.anybody():
            with contextlib.suppress(OSError):
                self._tree.end(force=True)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                _pipe(pipe).close()
        self._tree.close()
        self._guard.dismiss()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise Lost("the server has no pipe")
    return pipe


def _message(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Read one message, None at the end; raises ValueError where the frame or what is in it is none."""
    length: int | None = None
    for _ in range(_HEAD_LINES):
        line = pipe.readline(4096)
        if not line:
            return None
        line = line.strip()
        if not line and length is not None:
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length is None or not 0 <= length <= LARGEST:
        raise ValueError("no length")
    raw = pipe.read(length)
    if len(raw) < length:
        return None
    value = json.loads(raw)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value
