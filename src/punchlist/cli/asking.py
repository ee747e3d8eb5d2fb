"""Ask before another program's files are changed."""

import sys

from punchlist.cli import common
from punchlist.model import Trouble


def agreed(question: str, *, yes: bool) -> bool:
    """Return whether to go on: `yes` says so, else the terminal is asked; without one it is a Trouble."""
    if yes:
        return True
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise Trouble(f"{question} There is no terminal to ask; add --yes", "not_confirmed")
    common.out(f"{question} [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
