"""A change under way: how far it is, and whether it can still be called off."""

import threading

from punchlist.model import Trouble


class Watch:
    """What the one who asked for a change and the thread that makes it know of each other.

    `run_id` is the check that is waited for, `committed` tells that the writing has begun, `stage` says how far it is.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.called_off = False
        self.committed = False
        self.run_id = ""
        self.stage = "nothing is written yet"

    def call_off(self) -> bool:
        """Ask for nothing to be written; False where that comes too late: then the change is made to its end."""
        with self._lock:
            self.called_off = not self.committed
            return self.called_off

    def commit(self) -> None:
        """Begin to write; a Trouble (`cancelled`) where the change was called off before."""
        with self._lock:
            if self.called_off:
                raise Trouble("called off before anything was written", "cancelled")
            self.committed = True
            self.stage = "checking what was written"
