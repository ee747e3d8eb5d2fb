"""Write ten files until killed: `python killed.py ROOT STATE [recover]`.

One transaction is applied and taken back, again and again; with `recover` what an earlier kill left is put back, once.
"""

import itertools
import sys
import time
from pathlib import Path

from punchlist.editing import journal
from punchlist.editing.alone import alone
from punchlist.editing.changes import Change
from punchlist.editing.transactions import Transactions

FILES = 10
SIZE = 20_000


def content(number: int, side: str) -> bytes | None:
    """Return a file's content on the side `old` or `new`; one is made, one is removed, the others change."""
    if (number, side) in ((0, "old"), (1, "new")):
        return None
    return f"{side} {number}\n".encode() * (SIZE // 8 if number < 8 else SIZE // 8 * number if side == "new" else 3)


def changes() -> list[Change]:
    """Return the changes from old to new."""
    return [
        Change(
            file=name(number),
            before=content(number, "old"),
            after=content(number, "new"),
            mode=0o640 if number == 1 else 0,
        )
        for number in range(FILES)
    ]


def name(number: int) -> str:
    """Return a file's name; the last two have a second name (hard link)."""
    return f"made/here/{number}.txt" if number == 0 else f"folder{number % 3}/{number}.txt"


def main() -> None:
    """Go on until killed; the seconds of the first round are printed."""
    root, kept = Path(sys.argv[1]), Transactions(Path(sys.argv[2]))
    if "recover" in sys.argv[3:]:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        with alone(kept.folder / "lock"):
            journal.recover(root, kept)
        return
    there = changes()
    back = [change.turned for change in there]
    one = kept.add(there)
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    for number in itertools.count():
        begin = time.monotonic()
        with alone(kept.folder / "lock"):
            one = journal.carry_out(root, kept, one, there, "applied")
            one = journal.carry_out(root, kept, one, back, "undone", one.made_folders)
        if number == 0:
            sys.stdout.write(f"{time.monotonic() - begin}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
