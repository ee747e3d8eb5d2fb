"""Show the punch list of a run, page by page, or one of its groups."""

import argparse

from punchlist.cli import common
from punchlist.service.answers import punch_list, still_running


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument("--group", metavar="G", help="one group: its fingerprint, rule, test or file")
    parser.add_argument("--page", type=common.positive, default=1, metavar="N")
    parser.add_argument("--json", action="store_true", help="the whole report as JSON")
    parser.add_argument("--pin", action=argparse.BooleanOptionalAction, help="keep this run whatever its age")
    parser.add_argument("--root", help="root of the project")
    common.budget_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Print the answer about the run."""
    session = common.session(options.root)
    one = session.project.store.get(options.run)
    common.about(one.id)
    if options.pin is not None:
        session.project.store.pin(one.id, options.pin)
    if one.state == "running":
        common.out(still_running(session.lives, one, f"wait: punchlist show {one.id}"))
        return 0
    if options.json:
        from punchlist.views.as_json import read_json

        common.out_json({"run_id": one.id, **read_json(session.report(one.id))})
        return 0
    budget = common.chosen_budget(options)
    common.out(punch_list(session.project, one, budget=budget, page=options.page, group=options.group))
    return 0
