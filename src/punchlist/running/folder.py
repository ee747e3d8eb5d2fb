"""The folder of a run: `meta.json`, who owns the run, and what is done about a run whose owner was killed."""

import json
import os
import time
from collections.abc import Mapping
from typing import Any

from punchlist import platforms
from punchlist.running.daemons import left, spared
from punchlist.running.records import Left, Started

META = "meta.json"
_MOST_BYTES = 1 << 20
_FOREIGN_S = 24 * 3600.0  # a run of another machine or container is taken for alive this long


def owner() -> dict[str, Any]:
    """Return what tells this process from every other: number, start time, run of the machine or container."""
    me = platforms.process(os.getpid())
    return {"pid": os.getpid(), "start": me.start if me else "", "boot": platforms.boot()}


def meta_of(command: str | tuple[str, ...], cwd: str, started: Started | None = None, **more: Any) -> dict[str, Any]:
    """Return the contents of `meta.json` for a run of this process; `more` are further JSON values of the caller's."""
    meta: dict[str, Any] = {
        "command": command if isinstance(command, str) else list(command),
        "cwd": cwd,
        "started_at": time.time(),
        "owner": owner(),
    }
    if started is not None:
        meta["child"] = {"pid": started.pid, "group": started.group, "start": started.start, "mark": started.mark}
    return {**meta, **more}


def write_meta(folder: str | os.PathLike[str], meta: Mapping[str, Any]) -> None:
    """Write `meta.json` at once or not at all; a reader sees the old or the new one. Raises OSError."""
    path = os.path.join(folder, META)
    new = f"{path}.{os.getpid()}-{os.urandom(4).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    file = os.open(new, flags, 0o600)
    try:
        with os.fdopen(file, "w", encoding="utf-8") as out:
            json.dump(meta, out, ensure_ascii=False)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def read_meta(folder: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return `meta.json`, or None where it is missing, cut, too large or no object."""
    try:
        file = os.open(os.path.join(folder, META), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(file, "rb") as stream:
        text = stream.read(_MOST_BYTES)
    try:
        meta = json.loads(text)
    except ValueError:
        return None
    return meta if isinstance(meta, dict) else None


def owner_alive(meta: Mapping[str, Any]) -> bool:
    """Tell whether the process that made a run is still there.

    Of another machine or container nothing can be told; its runs count as alive for a day.
    """
    one = meta.get("owner")
    if not isinstance(one, dict) or not isinstance(one.get("pid"), int):
        return False
    if one.get("boot") != platforms.boot():
        begun = meta.get("started_at")
        return isinstance(begun, int | float) and not _rebooted(one) and time.time() - begun < _FOREIGN_S
    found = platforms.process(one["pid"])
    return found is not None and found.start == one.get("start")


def _rebooted(one: Mapping[str, Any]) -> bool:
    """Tell whether an owner lived in the same namespace before this start of the machine."""
    boot, _, space = str(one.get("boot")).partition("/")
    own_boot, _, own_space = platforms.boot().partition("/")
    return bool(space) and space == own_space and boot != own_boot


def reap(meta: Mapping[str, Any], grace_s: float = 2.0, *, owned: bool = False) -> tuple[Left, ...]:
    """End what a killed owner's run left running; return what was found (an empty tuple: nothing, or no longer ours).

    A run whose owner lives is only touched with `owned`: its owner will see it end. Only processes that carry the run's
    mark, or whose group leader still has the start time that was written down, are touched; known helpers outside of
    the group are left alone.
    """
    child = meta.get("child")
    if not isinstance(child, dict) or not isinstance(child.get("pid"), int):
        return ()
    if not owned and owner_alive(meta):
        return ()
    one = meta.get("owner")
    if not isinstance(one, dict) or one.get("boot") != platforms.boot():
        return ()
    leader = platforms.process(child["pid"])
    if leader is not None and leader.start != child.get("start"):
        return ()
    tree = platforms.Tree(child["pid"], str(child.get("mark") or ""), spare=spared)
    found = tuple(left(process) for process in tree.end(force=False))
    until = time.monotonic() + grace_s
    while tree.alive() and time.monotonic() < until:
        time.sleep(0.02)
    until = time.monotonic() + grace_s
    while tree.end(force=True) and time.monotonic() < until:
        time.sleep(0.02)
    return found
