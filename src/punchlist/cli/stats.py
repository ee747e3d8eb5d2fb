"""Tell what was sent against the plain logs of the same runs, and what the checks cost: time, cache, bytes."""

import argparse

from punchlist.cli import common


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print the figures."""
    from punchlist.service import savings
    from punchlist.service.checking import figures
    from punchlist.store.sent import all_sent

    project = common.session(options.root).project
    checks, answers = figures.summary(project), savings.summary(all_sent(project.store))
    if options.json:
        common.out_json({**checks, "sent": answers})
    else:
        common.out(f"{savings.text(answers)}\n\n{figures.text(checks)}")
    return 0
