"""Show the safe fixes that the tools of a run offer, as a diff, and write them when that is agreed to."""

import argparse
import sys

from punchlist.cli import common
from punchlist.model import Trouble
from punchlist.service.fix_sources import Wanted
from punchlist.service.session import Session


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("what", nargs="*", metavar="RUN | PATH", help="a run (default: the newest with fixes), paths")
    parser.add_argument("--engine", metavar="E", help="only fixes of this tool")
    parser.add_argument("--rule", metavar="R", help="only fixes of this rule")
    parser.add_argument("--unsafe", action="store_true", help="also fixes that the tool does not call safe")
    parser.add_argument("--yes", action="store_true", help="write without a question")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Show, ask, write; exit status 0 where it is written or nothing is to be fixed, 1 where it was only shown."""
    from punchlist.service import fix_text, fixing
    from punchlist.service.fix_verify import checker_of

    session = common.session(options.root)
    kept = fixing.transactions(session.project)
    try:
        one = fixing.preview(session.project, wanted=_wanted(session, options))
    except Trouble as trouble:
        if trouble.code != "no_safe_fix":
            raise
        common.out(str(trouble))
        return 0
    common.out(fix_text.preview_text(kept, one, budget=None, calls=fix_text.CLI_CALLS))
    if not (options.yes or _agreed()):
        fixing.discard(session.project, one.id)
        common.out("nothing was written" + ("" if sys.stdin.isatty() else "; add --yes to write it"))
        return 1
    source = session.project.store.get(one.source)
    checked = source.kind == "engines"
    done = fixing.apply(
        session.project,
        one.id,
        confirm=True,
        baseline=source.id if checked else None,
        checker=checker_of(session) if checked else None,
    )
    common.out(fix_text.applied_text(session.project, done, calls=fix_text.CLI_CALLS))
    return 0


def _wanted(session: Session, options: argparse.Namespace) -> Wanted:
    words = list(options.what)
    run_id = None
    if words and not (session.project.folder / common.from_here(session.project.folder, words[0])).exists():
        run_id = session.project.store.get(words.pop(0)).id
    paths = tuple(common.from_here(session.project.folder, path) for path in words)
    for path in paths:
        if not (session.project.folder / path).exists():
            raise Trouble(f"there is no {path}; name a run first, then files and folders", "path_not_found")
    return Wanted(run_id=run_id, engine=options.engine, rule=options.rule, paths=paths, unsafe=options.unsafe)


def _agreed() -> bool:
    """Ask on a terminal; anything but yes is no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    sys.stdout.write("write this? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
