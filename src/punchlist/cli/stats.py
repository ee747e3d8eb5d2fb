"""Tell what the checks cost so far: time, cache, how much shorter the answers were than what the tools print."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print the figures."""
    from punchlist.service.checking import figures

    value = figures.summary(common.session(options.root).project)
    common.out_json(value) if options.json else common.out(figures.text(value))
    return 0
