"""End a run and its whole process tree."""

import argparse

from punchlist.cli import common
from punchlist.service.answers import run_lines


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """End the run and print how it stands."""
    session = common.session(options.root)
    common.out(run_lines([session.stop(options.run)]))
    return 0
