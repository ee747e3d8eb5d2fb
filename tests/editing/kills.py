"""Kill a process that applies transactions and takes them back, and one that recovers, and look at what is left."""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from punchlist.editing import journal
from punchlist.editing.alone import alone
from punchlist.editing.transactions import Transactions

sys.path.insert(0, str(Path(__file__).resolve().parent))

import killed  # found beside this file, whoever imports it

HERE = Path(__file__).resolve().parent


def prepare(folder: Path) -> tuple[Path, Path]:
    """Make a project in its old state, and its state folder."""
    root, state = folder / "root", folder / "state"
    state.mkdir(parents=True, mode=0o700)
    for number in range(killed.FILES):
        path = root / killed.name(number)
        raw = killed.content(number, "old")
        if raw is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
            path.chmod(0o640)
        if number >= killed.FILES - 2:
            os.link(path, root / f"{number}.second")
    return root, state


def rounds(folder: Path, count: int, seed: int, *, recoveries: bool = False) -> tuple[list[str], int]:
    """Kill `count` times; return what was wrong afterwards, and how often a change was cut off in the middle.

    With `recoveries` some recoveries are killed too, before the last one comes to its end.
    """
    root, state = prepare(folder)
    chance = random.Random(seed)
    wrong: list[str] = []
    cut, took = 0, 0.0
    for number in range(count):
        with _child(root, state) as child:
            took = took or float(child.stdout.readline())  # type: ignore[union-attr]
            time.sleep(chance.random() * took * 1.5)
            child.kill()
        kept = Transactions(state)
        cut += (kept.folder / "journal").exists()
        while recoveries and (kept.folder / "journal").exists() and chance.random() < 0.8:
            with _child(root, state, "recover") as child:
                time.sleep(chance.random() * took * 0.3)
                child.kill()
        with alone(kept.folder / "lock"):
            journal.recover(root, kept)
        wrong += [f"kill {number}: {fault}" for fault in faults(root, state)]
        _old_again(root)
    return wrong, cut


@contextmanager
def _child(root: Path, state: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that writes, and yield it once it has begun."""
    argv = [sys.executable, str(HERE / "killed.py"), str(root), str(state), *words]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"begun\n"
        yield child


def faults(root: Path, state: Path) -> list[str]:
    """Return what is neither all old nor all new, and what was left lying about."""
    found = []
    sides = {
        side: all(_read(root / killed.name(n)) == killed.content(n, side) for n in range(killed.FILES))
        for side in ("old", "new")
    }
    if not any(sides.values()):
        found.append("files are neither all old nor all new")
    newest = Transactions(state).newest(1)
    if newest and sides["new"] != (newest[0].state == "applied"):
        found.append(f"the files are {'new' if sides['new'] else 'old'}, and the transaction is {newest[0].state}")
    if sides["old"] and (root / "made").exists():
        found.append("a folder that was made is still there")
    known = {root / killed.name(n) for n in range(killed.FILES)} | {root / f"{n}.second" for n in (8, 9)}
    found += [f"left behind: {path}" for path in root.rglob("*") if path.is_file() and path not in known]
    found += [f"journal left: {path.name}" for path in (state / "edits").glob("journal*")]
    for n in (8, 9):
        if not os.path.samefile(root / killed.name(n), root / f"{n}.second"):
            found.append(f"the second name of {n} is another file now")
    for n in range(1, killed.FILES):
        path = root / killed.name(n)
        if path.exists() and path.stat().st_mode & 0o777 != 0o640:
            found.append(f"the mode of {n} is {path.stat().st_mode:o}")
    return found


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _old_again(root: Path) -> None:
    for number in range(killed.FILES):
        path, raw = root / killed.name(number), killed.content(number, "old")
        if raw is None:
            path.unlink(missing_ok=True)
            if number == 0:
                shutil.rmtree(root / "made", ignore_errors=True)
        elif _read(path) != raw:
            path.write_bytes(raw)
            path.chmod(0o640)
