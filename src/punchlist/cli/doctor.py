"""Find out what does not work: configuration, engines, client entries, hooks, disk use; each with its remedy."""

import argparse

from punchlist.cli import common
from punchlist.service.project import open_project


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.epilog = "exit status: 0 everything works, 1 there is a problem"
    parser.add_argument("--run", action="store_true", help="run every engine of the project as well")
    parser.add_argument("--forget", action="store_true", help="forget the troubles of hooks after showing them")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Look, tell each thing when it is known, and return whether there is a problem."""
    from punchlist.agents.doctor import examined
    from punchlist.agents.hooks.troubles import forget

    project = open_project(explicit=options.root)
    found = []
    for one in examined(project, run=options.run):
        found.append(one)
        if not options.json:
            common.out(one.line())
    problems = sum(one.level == "problem" for one in found)
    if options.json:
        common.out_json([{"level": f.level, "subject": f.subject, "text": f.text, "remedy": f.remedy} for f in found])
    else:
        common.out(f"FAILED: {problems} problem{'s' * (problems != 1)}" if problems else "PASSED")
    if options.forget:
        for folder in project.states():
            forget(folder)
    return int(problems > 0)
