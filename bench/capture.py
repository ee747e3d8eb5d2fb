"""Measure what capturing costs against a plain redirection, and what `capture` adds to a command that does nothing.

Run: python bench/capture.py [BYTES]. Both sides alternate in one process; the ratio of the best times is printed.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from punchlist.running.capture import Command, capture


def redirected(command: str, folder: Path) -> float:
    """Return the seconds `command` takes with its output in a file."""
    begin = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", f"{{ {command}; }} > out 2> err"], cwd=folder, check=True)
    return time.perf_counter() - begin


def captured(command: str, folder: Path) -> float:
    """Return the seconds `command` takes when it is captured."""
    begin = time.perf_counter()
    finished = capture(Command(run=command, cwd=str(folder), ceiling=1 << 34), str(folder / "run"))
    assert finished.how.exit_code == 0, finished
    return time.perf_counter() - begin


def timed(measure: Callable[[str, Path], float], command: str) -> float:
    """Return one measured time in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        return measure(command, Path(name))


def main() -> None:
    """Print the ratios."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000_000
    for label, command, rounds in (
        (f"{size:,} bytes of short lines", f"yes LINE | head -c {size}", 3),
        ("true", "true", 30),
    ):
        plain, kept = [], []
        for _ in range(rounds):
            plain.append(timed(redirected, command))
            kept.append(timed(captured, command))
        print(f"{label}: > file {min(plain):.4f} s, captured {min(kept):.4f} s, ratio {min(kept) / min(plain):.2f}")


if __name__ == "__main__":
    main()
