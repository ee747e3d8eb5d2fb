"""Forget what the engines' cache holds, or tell how much it is."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "what", nargs="?", choices=["clear"], help="`clear` forgets the results; without it, how much there is"
    )
    parser.add_argument("--engine", metavar="NAME", help="only what this engine said")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Clear the cache, or tell of it."""
    from punchlist.service.checking.figures import cache_cleared, cache_text

    project = common.session(options.root).project
    if options.what == "clear":
        common.out(f"{cache_cleared(project, options.engine)} results forgotten")
    else:
        common.out(cache_text(project))
    return 0
