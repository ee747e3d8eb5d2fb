"""Remove kept runs: what retention lets go, named ones, or all."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.epilog = "`punchlist cache clear` forgets the engines' results, `punchlist uninstall` removes all state"
    parser.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs; without any, what retention lets go")
    parser.add_argument("--all", action="store_true", help="every run that is neither pinned nor running")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Remove and say how many."""
    session = common.session(options.root)
    gone = session.clean(everything=options.all, run_ids=options.runs)
    common.out(f"{len(gone)} run{'s' * (len(gone) != 1)} removed")
    return 0
