"""Run again what failed in a run: every failing test, or the files of one group."""

import argparse

from punchlist.cli import common
from punchlist.cli import run as running
from punchlist.service.rerun import plan_of


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument("group", nargs="?", metavar="GROUP", help="one group: its fingerprint, rule, test or file")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--root", help="root of the project")
    common.budget_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Run, wait, answer; the exit status is the command's."""
    session = common.session(options.root)
    started = session.start(plan_of(session.project, options.run, options.group))
    with running.ending_on_signals(session):
        done = running.waited(session, started)
    return running.answered(session, [done], options)
