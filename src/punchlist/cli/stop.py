"""End a run and its whole process tree."""

import argparse

from punchlist.cli import common
from punchlist.model import Trouble
from punchlist.service.answers import run_lines


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """End the run and print how it stands; a Trouble where it goes on all the same."""
    session = common.session(options.root)
    run = session.stop(options.run)
    common.out(run_lines([run]))
    if run.state != "running":
        return 0
    raise Trouble(f"{run.id} belongs to process {run.owner} and goes on; end that process", "running")
