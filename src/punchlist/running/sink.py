"""Where the bytes of a run go: two logs and the order index, written as they come, never held in memory."""

import os

from punchlist.running.order import OrderWriter

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Sink:
    """Two logs and their order index in `folder`; `prefix` names a second set there (`on_failure.`).

    `sizes` and `newlines` count what is kept; `trouble` is the system's message once nothing more can be
    written, `dropped` the bytes that came after it; `over` says that the ceiling (bytes over both logs) was reached.
    """

    def __init__(self, folder: str, ceiling: int, prefix: str = "") -> None:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        names = (f"{prefix}stdout.log", f"{prefix}stderr.log", f"{prefix}order")
        self._paths = tuple(os.path.join(folder, name) for name in names)
        self._files: list[int] = []
        try:
            self._files.extend(os.open(path, _NEW, 0o600) for path in self._paths)
        except OSError:
            for file in self._files:
                os.close(file)
            raise
        self._order = OrderWriter()
        self._room = ceiling
        self._looked = [0, 0]
        self._last = [b"", b""]
        self.sizes = [0, 0]
        self.newlines = [0, 0]
        self.dropped = 0
        self.trouble = ""
        self.full = False
        self.over = False

    def accept(self, stream: int, data: bytearray, length: int, ms: int) -> None:
        """Keep the first `length` bytes of `data`, which stream 0 or 1 printed `ms` milliseconds after the start."""
        kept = min(length, self._room)
        self.over = self.over or length > self._room
        self._room -= kept
        if not self.trouble and kept:
            written = self._write(self._files[stream], memoryview(data)[:kept])
            self.sizes[stream] += written
            self.newlines[stream] += data.count(10, 0, written)
            if written:
                self._last[stream] = bytes(data[written - 1 : written])
                self._order.add(stream, written, ms)
            kept -= written
        self.dropped += kept if self.trouble else 0

    def _write(self, file: int, data: memoryview) -> int:
        done = 0
        try:
            while done < len(data):
                done += os.write(file, data[done:])
        except OSError as error:
            self._give_up(error)
        return done

    def _give_up(self, error: OSError) -> None:
        import errno

        self.full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        self.trouble = os.strerror(error.errno or 0)

    def lines(self, stream: int) -> int:
        """Return how many lines stream 0 or 1 has so far; an unfinished last one counts."""
        return self.newlines[stream] + (self._last[stream] not in (b"", b"\n"))

    def flush(self, last: bool = False) -> None:
        """Append what the order index has gathered; losing it loses the order, not the bytes."""
        if records := self._order.take(last):
            try:
                os.write(self._files[2], records)
            except OSError as error:
                if not self.trouble:
                    self._give_up(error)

    def tail(self, stream: int, length: int) -> bytes:
        """Return the last bytes that are kept of stream 0 or 1, at most `length`."""
        return self._read(stream, max(0, self.sizes[stream] - length))

    def unseen(self, stream: int, length: int) -> bytes:
        """Return what stream 0 or 1 printed since the last call, at most its last `length` bytes."""
        first = max(self._looked[stream], self.sizes[stream] - length)
        self._looked[stream] = self.sizes[stream]
        return self._read(stream, first)

    def _read(self, stream: int, first: int) -> bytes:
        size = self.sizes[stream] - first
        if hasattr(os, "pread"):
            return os.pread(self._files[stream], size, first) if size else b""
        with open(self._paths[stream], "rb") as file:
            file.seek(first)
            return file.read(size)

    def close(self) -> None:
        """Write the rest of the index and close the files."""
        self.flush(last=True)
        for file in self._files:
            os.close(file)
        self._files = []
