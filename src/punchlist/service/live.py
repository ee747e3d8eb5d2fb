"""Runs that this process is making right now: who waits, how far they are, how to end them."""

import re
import threading
import time

from punchlist.records import dataclass, field
from punchlist.running.capture import Handle
from punchlist.running.records import Progress
from punchlist.store.runs import Run

PASSED = re.compile(rb"(?:\bPASS(?:ED)?\b|\bok\b|\xe2\x9c\x93|\xe2\x9c\x94)")
FAILED = re.compile(rb"(?:\bFAIL(?:ED)?\b|\bnot ok\b|\xe2\x9c\x97|\xe2\x9c\x96|\xc3\x97)")


@dataclass(slots=True)
class Live:
    """One run in progress. `seen` counts lines that look like passed and failed tests so far: a hint, not a count.

    `said` is what a run that is not one command tells of itself.
    """

    run: Run
    handle: Handle
    done: threading.Event = field(default_factory=threading.Event)
    progress: Progress | None = None
    seen: list[int] = field(default_factory=lambda: [0, 0])
    said: str = ""

    def tick(self, progress: Progress) -> None:
        """Take note of how far the command is."""
        self.progress = progress
        for new in progress.new:
            self.seen[0] += len(PASSED.findall(new))
            self.seen[1] += len(FAILED.findall(new))

    def so_far(self) -> str:
        """Return one line: time, lines, tests so far, the last line printed."""
        if self.progress is None:
            return self.said or "started"
        p = self.progress
        parts = [f"{p.elapsed_s:.0f} s", f"{sum(p.lines):,} lines"]
        passed, failed = self.seen
        if passed or failed:
            parts.append(f"about {passed} passed, {failed} failed so far")
        if p.last_line.strip():
            parts.append(f"last line: {p.last_line.strip()[:120]}")
        return " · ".join(parts)


class Lives:
    """The live runs of one process by id and by key; the same check asked for twice at once is joined."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_id: dict[str, Live] = {}

    def with_key(self, key: str) -> Live | None:
        """Return the live run of a check, if there is one."""
        return next((live for live in self.by_id.values() if live.run.key == key and not live.done.is_set()), None)

    def add(self, live: Live) -> None:
        """Take a run in."""
        self.by_id[live.run.id] = live

    def drop(self, live: Live) -> None:
        """Let a finished run go and wake who waits for it."""
        self.by_id.pop(live.run.id, None)
        live.done.set()

    def end_all(self, wait_s: float = 5.0) -> None:
        """End every live run and wait for their records to be written."""
        lives = list(self.by_id.values())
        for live in lives:
            live.handle.cancel()
        until = time.monotonic() + wait_s
        for live in lives:
            live.done.wait(max(0.0, until - time.monotonic()))
