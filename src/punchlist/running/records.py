"""The records of running: what to run, how it stands, how it ended.

The small ones are named tuples: a data class costs the start of every command line several times as much.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from punchlist.model import How
from punchlist.records import dataclass

TIMEOUT_S = 600.0
CEILING = 1 << 30
GRACE_S = 2.0  # between the request to end (TERM) and the end (KILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to run: `run` is a text for the shell or a tuple of arguments; `env` is the whole environment (None: ours).

    `stdin` "none" is an empty input, "inherit" passes our own on, a number is a descriptor. `timeout_s` None means no
    deadline; `ceiling` counts bytes over both streams. `keep_background` leaves what still runs in the group after a
    normal end: `server &` was started to stay. Without it that is ended, all but known daemons.
    """

    run: str | tuple[str, ...]
    cwd: str
    env: Mapping[str, str] | None = None
    stdin: Literal["none", "inherit"] | int = "none"
    timeout_s: float | None = TIMEOUT_S
    ceiling: int = CEILING
    grace_s: float = GRACE_S
    keep_background: bool = True


class Started(NamedTuple):
    """What `meta.json` needs to find the command again: number, group, start time as the system tells it, tree mark."""

    pid: int
    group: int
    start: str
    mark: str = ""


class Progress(NamedTuple):
    """How a running command stands; pairs are (stdout, stderr), `sizes` in bytes.

    `new` are the bytes since the last tick, at most the last 64 KB of each stream.
    """

    elapsed_s: float
    sizes: tuple[int, int]
    lines: tuple[int, int]
    last_line: str
    new: tuple[bytes, bytes]


class Left(NamedTuple):
    """A process that went on after the command had ended."""

    pid: int
    name: str
    daemon: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a command ended and what it left. Pairs are (stdout, stderr); `sizes` (bytes) and `lines` count what is kept.

    `write_trouble` is the system's message once the logs could not be written (`disk_full` when there was no room);
    `dropped` counts the bytes lost by it. `prompt` and `never_ends` are the line that gives rise to that suspicion.
    """

    how: How
    started_at: float
    duration_s: float
    sizes: tuple[int, int] = (0, 0)
    lines: tuple[int, int] = (0, 0)
    disk_full: bool = False
    write_trouble: str = ""
    dropped: int = 0
    prompt: str = ""
    never_ends: str = ""
    left_behind: tuple[Left, ...] = ()
