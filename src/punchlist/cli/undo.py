"""Take back a fix that was applied, if its files have not changed since."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("id", nargs="?", metavar="ID", help="id of a transaction; without one, the newest applied")
    parser.add_argument("--rebase", action="store_true", help="keep what changed since, where the fix can be taken out")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Put the files back and name them."""
    from punchlist.service import fix_text, fixing

    session = common.session(options.root)
    done = fixing.take_back(session.project, options.id, rebase=options.rebase)
    common.out(fix_text.applied_text(session.project, done, calls=fix_text.CLI_CALLS))
    return 0
