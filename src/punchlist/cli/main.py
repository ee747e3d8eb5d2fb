"""Entry point of the command line: arguments to verbs, expected trouble to one clear line."""

import argparse
import sys
from collections.abc import Sequence

from punchlist.model import Trouble

VERBS = ("read",)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; return its exit status (2 for wrong usage, 125 for expected trouble)."""
    parser = argparse.ArgumentParser(prog="punchlist", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    from punchlist.cli import read

    read.arguments(verbs.add_parser("read", help=read.__doc__))
    options = parser.parse_args(argv)
    try:
        return read.run(options)
    except Trouble as trouble:
        print(f"punchlist: {trouble}", file=sys.stderr)  # noqa: T201
        return 125
