"""Files of the state folder: for their owner alone, never through a link."""

import os
from contextlib import suppress
from pathlib import Path


def private_folder(folder: Path) -> None:
    """Make the folder of a run, and the one that holds all of them, for its owner alone."""
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def write_private(path: Path, raw: bytes) -> None:
    """Write bytes to a new file that only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(raw)


def log_size(folder: Path) -> int:
    """Return the bytes of all logs of a run."""
    return sum(path.stat().st_size for path in folder.rglob("*.log")) if folder.is_dir() else 0


def remove_folder(folder: Path) -> None:
    """Remove a run's folder as far as it can be removed; links in it are removed, never followed."""
    # shutil.rmtree would do, but its import costs a short run more than the run itself.
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files:
            with suppress(OSError):
                Path(path, name).unlink()
        for name in folders:
            inner = Path(path, name)
            with suppress(OSError):
                inner.unlink() if inner.is_symlink() else inner.rmdir()
    with suppress(OSError):
        folder.rmdir()
