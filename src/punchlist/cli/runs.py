"""List the kept runs, newest first."""

import argparse

from punchlist.cli import common
from punchlist.service.answers import run_lines
from punchlist.store.runs import slug


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("check", nargs="?", help="only runs of this check")
    parser.add_argument("--limit", type=common.positive, default=20)
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print one line a run."""
    session = common.session(options.root)
    runs = session.project.store.newest(slug=slug(options.check) if options.check else None, limit=options.limit)
    common.out(run_lines(runs) or "no runs yet: punchlist run NAME, or punchlist run -- COMMAND")
    return 0
