"""List the parsers, or hold the project's own ones against the examples kept beside them."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("action", nargs="?", choices=["list", "test"], default="list")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print one line a parser; `test` exits 1 where an example is not read as it should be."""
    from punchlist.service import own

    project = common.session(options.root).project
    if options.action == "test":
        lines, failed = own.tested(project)
        common.out("\n".join(lines) or "no parser of this project has examples")
        return int(failed)
    common.out("\n".join(own.listed(project)))
    return 0
