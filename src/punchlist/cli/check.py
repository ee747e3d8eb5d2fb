"""Check the project, or some of its files, with the linters and type checkers it uses."""

import argparse
import json
from typing import Any

from punchlist.cli import common
from punchlist.cli import run as running
from punchlist.model import Report, Trouble
from punchlist.service.session import Session
from punchlist.store.runs import Run
from punchlist.views.budget import Budget

FORMATS = ("brief", "json", "github", "sarif", "junit")
CLEAN, ISSUES, INCOMPLETE = 0, 1, 3


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.epilog = "exit status: 0 nothing found, 1 issues found, 3 the check is not complete"
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; without any, the whole project")
    parser.add_argument("--format", choices=FORMATS, default="brief")
    parser.add_argument("--compact", action="store_true", help="short keys and no blanks in JSON")
    parser.add_argument(
        "--fail-on-priority", type=common.positive, metavar="N", help="exit 1 only for issues of priority 1 to N"
    )
    parser.add_argument("--allow-partial", action="store_true", help="do not exit 3 where an engine failed")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--changed", action="store_true", help="files that differ from the last commit")
    which.add_argument("--staged", action="store_true", help="files that are staged")
    which.add_argument("--since", metavar="REV", help="files changed since this branch left REV")
    parser.add_argument("--dependents", action="store_true", help="also the packages that depend on them")
    parser.add_argument("--base", metavar="REV", help="tell what is new since this commit: it is checked too")
    parser.add_argument("--fresh", action="store_true", help="believe no cached result")
    parser.add_argument("--root", help="root of the project")
    common.budget_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Check, answer, and return how it went."""
    session = common.session(options.root)
    asked = _asked(session, options)
    if asked is None:
        common.out("nothing to check: no file changed")
        return CLEAN
    if options.base is not None:
        from punchlist.service.checking.selection import commit_of

        commit_of(session.project.folder, options.base)
    started = session.check(asked)
    with running.ending_on_signals(session):
        done = running.waited(session, started)
        base = None
        if options.base is not None:
            base = running.waited(session, session.base(options.base, asked.plan(session.project), asked))
    report = session.report(done.id)
    common.about(done.id)
    text = _answer(session, done, report, options, base)
    common.out(text)
    from punchlist.store.history import answered

    answered(session.project.store, done.id, len(text.encode("utf-8", "replace")))
    return status(done, report, options)


def _asked(session: Session, options: argparse.Namespace) -> Any:
    from punchlist.service.checking.asked import of_files, of_project, of_selected

    if options.changed or options.staged or options.since is not None:
        if options.paths:
            raise Trouble("give paths, or one of --changed, --staged and --since", "usage")
        return of_selected(
            session.project,
            staged=options.staged,
            since=options.since,
            fresh=options.fresh,
            dependents_too=options.dependents,
        )
    paths = [common.from_here(session.project.folder, path) for path in options.paths]
    if not paths:
        return of_project(session.project, fresh=options.fresh)
    return of_files(session.project, paths, fresh=options.fresh, dependents_too=options.dependents)


def _answer(session: Session, done: Run, report: Report, options: argparse.Namespace, base: Run | None) -> str:
    from punchlist.service.checking import answers, values
    from punchlist.service.checking.compare import asked_only

    project = session.project
    if options.format == "brief":
        budget = common.chosen_budget(options, Budget(project.settings()[0].budget.check))
        if base is None:
            return answers.check_text(project, done, budget=budget, report=report)
        from punchlist.service.base.answers import base_line, with_base

        return with_base(project, done, base, budget=budget) or "\n".join(
            [answers.check_text(project, done, budget=budget, report=report), base_line(base, None)]
        )
    if options.format == "json":
        compact = options.compact or project.settings()[0].compact
        value = values.response(project, done, compact=compact)
        if base is not None:
            from punchlist.service.base.answers import value_of

            value["base"] = value_of(project, done, base)
        return json.dumps(
            value,
            ensure_ascii=False,
            indent=None if options.compact else 2,
            separators=(",", ":") if options.compact else None,
        )
    from punchlist.service.exports import exported

    return exported(project, done, asked_only(report, done)[0], options.format).removesuffix("\n")


def status(run: Run, report: Report, options: argparse.Namespace) -> int:
    """Return the exit status: an incomplete check is never green unless that is asked for; all issues count."""
    from punchlist.service.checking import values
    from punchlist.service.checking.compare import asked_only

    if report.outcome == "error" and not options.allow_partial:
        return INCOMPLETE
    if run.facts.get("code"):
        return INCOMPLETE
    found = values.priorities(asked_only(report, run)[0])
    most = options.fail_on_priority
    return ISSUES if any(most is None or priority <= most for priority in found) else CLEAN
