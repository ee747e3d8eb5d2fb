"""Find out what does not work: configuration, engines, client entries, hooks, disk use; each with its remedy."""

import argparse
import json

from punchlist.cli import common
from punchlist.cli.uninstall import existing_state
from punchlist.service.project import open_project


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.epilog = "exit status: 0 everything works, 1 there is a problem"
    parser.add_argument("--run", action="store_true", help="run every engine of the project as well")
    parser.add_argument("--forget", action="store_true", help="forget the troubles of hooks after showing them")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Look, tell, and return whether there is a problem."""
    from punchlist.agents.doctor import examined
    from punchlist.agents.hooks.troubles import forget

    project = open_project(explicit=options.root)
    folder = existing_state(project)
    found = list(examined(project, run=options.run, folder=folder))
    bad = any(one.level == "problem" for one in found)
    if options.json:
        shown = [{"level": f.level, "subject": f.subject, "text": f.text, "remedy": f.remedy} for f in found]
        common.out(json.dumps(shown, ensure_ascii=False, indent=1))
    else:
        problems = sum(one.level == "problem" for one in found)
        last = f"FAILED: {problems} problem{'s' * (problems != 1)}" if bad else "PASSED"
        common.out("\n".join([*(one.line() for one in found), last]))
    if options.forget and folder is not None:
        forget(folder)
    return int(bad)
