"""List the checks of this project: configured ones, else those its files show."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print one line a check."""
    from punchlist.service.listing import check_lines, check_values

    project = common.session(options.root).project
    common.out_json(check_values(project)) if options.json else common.out(check_lines(project))
    return 0
