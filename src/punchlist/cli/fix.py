"""Show the safe fixes that the tools of a run offer, as a diff, and write them when that is agreed to."""

import argparse
import sys

from punchlist.cli import common
from punchlist.editing.transactions import Transaction
from punchlist.model import Trouble
from punchlist.service.fix_sources import Wanted
from punchlist.service.session import Session
from punchlist.views.budget import RUN


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    told = "a run (default: the newest with fixes), or a preview by its id; paths"
    parser.add_argument("what", nargs="*", metavar="RUN | PATH", help=told)
    parser.add_argument("--engine", metavar="E", help="only fixes of this tool")
    parser.add_argument("--rule", metavar="R", help="only fixes of this rule")
    parser.add_argument("--unsafe", action="store_true", help="also fixes that the tool does not call safe")
    parser.add_argument("--yes", action="store_true", help="write without a question")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Show, ask, write; exit status 0 where it is written or nothing is to be fixed, 1 where it was only shown."""
    from punchlist.service import fix_text, fixing

    session = common.session(options.root)
    kept = fixing.transactions(session.project)
    if options.yes:
        fixing.permitted(session.project, True)
    try:
        one = _proposed(session, options)
    except Trouble as trouble:
        if trouble.code != "no_safe_fix":
            raise
        common.out(str(trouble))
        return 0
    # What is written without a question is looked at in short; the whole is one command away.
    common.out(fix_text.preview_text(kept, one, budget=RUN if options.yes else None, calls=fix_text.CLI_CALLS))
    if one.state != "previewed":
        return 0
    if options.yes or _agreed(session):
        return _write(session, one)
    if sys.stdin.isatty():
        fixing.discard(session.project, one.id)
        common.out("nothing was written")
    elif session.project.config.writes == "off":
        common.out("nothing was written (writes = off in the configuration)")
    else:
        common.out(f"nothing was written; to write it: punchlist fix {one.id} --yes")
    return 1


def _proposed(session: Session, options: argparse.Namespace) -> Transaction:
    """Return the preview that is named, or make one of the fixes that are meant."""
    from punchlist.service import fixing

    kept = fixing.transactions(session.project)
    named = [word for word in options.what if kept.find(word) is not None or word.startswith("fix-")]
    named = [word for word in named if not (session.project.folder / word).exists()]
    if not named:
        return fixing.preview(session.project, wanted=_wanted(session, options))
    if len(options.what) > 1 or options.engine or options.rule or options.unsafe:
        raise Trouble(f"{named[0]} is a preview of its own: it takes no more words than --yes", "invalid_arguments")
    return kept.get(named[0])


def _write(session: Session, one: Transaction) -> int:
    from punchlist.service import fix_text, fixing
    from punchlist.service.fix_verify import checker_of

    source = session.project.store.get(one.source) if one.source else None
    checked = source is None or source.kind == "engines"
    try:
        done = fixing.apply(
            session.project,
            one.id,
            confirm=True,
            baseline=source.id if source and checked and not source.pruned else None,
            checker=checker_of(session) if checked else None,
        )
    except KeyboardInterrupt:
        now = fixing.transactions(session.project).find(one.id)
        written = now is not None and now.state == "applied"
        common.out(f"written, not checked; undo: punchlist undo {one.id}" if written else "nothing was written")
        raise
    common.out(fix_text.applied_text(session.project, done, calls=fix_text.CLI_CALLS))
    return 0


def _wanted(session: Session, options: argparse.Namespace) -> Wanted:
    words = list(options.what)
    run_id = None
    if words and not (session.project.folder / common.from_here(session.project.folder, words[0])).exists():
        try:
            run_id = session.project.store.get(words.pop(0)).id
        except Trouble as trouble:
            raise Trouble(f"there is no such file; {trouble}", trouble.code) from trouble
    paths = tuple(common.from_here(session.project.folder, path) for path in words)
    for path in paths:
        if not (session.project.folder / path).exists():
            raise Trouble(f"there is no {path}; name a run first, then files and folders", "path_not_found")
    return Wanted(run_id=run_id, engine=options.engine, rule=options.rule, paths=paths, unsafe=options.unsafe)


def _agreed(session: Session) -> bool:
    """Ask on a terminal, where writing is allowed at all; anything but yes is no."""
    from punchlist.service import fixing

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    fixing.permitted(session.project, True)
    sys.stdout.write("write this? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
