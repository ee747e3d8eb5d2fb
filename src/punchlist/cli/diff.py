"""Compare two runs: what is new, changed, fixed, the same, and not looked at again."""

import argparse

from punchlist.cli import common
from punchlist.model import Trouble
from punchlist.service.answers import comparison, comparison_text
from punchlist.store.runs import slug


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("what", nargs="*", metavar="CHECK | A B", help="a check (its newest two runs), or two run ids")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print the comparison."""
    if len(options.what) > 2:
        raise Trouble("give a check, two run ids, or nothing", "usage")
    session = common.session(options.root)
    first, second = options.what if len(options.what) == 2 else (None, None)
    check = slug(options.what[0]) if len(options.what) == 1 else None
    common.out(comparison_text(comparison(session.project, first, second, check)))
    return 0
