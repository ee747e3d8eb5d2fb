"""Run checks by name, or any command after `--`; prints the punch list and keeps the exit code."""

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from punchlist.cli import common
from punchlist.model import Trouble, exit_status
from punchlist.running import handle
from punchlist.running.environment import nested
from punchlist.service import plan
from punchlist.service.answers import punch_list
from punchlist.service.session import Session
from punchlist.store.runs import Run
from punchlist.views.budget import Budget

if TYPE_CHECKING:
    import argparse

PLAIN: dict[str, object] = {
    "names": [],
    "name": None,
    "cwd": None,
    "timeout": None,
    "json": False,
    "strict": False,
    "base": None,
    "no_see_through": False,
    "root": None,
    "max_tokens": None,
}


def plain(command: list[str]) -> "argparse.Namespace":
    """Return what the parser would make of a command without options."""
    return SimpleNamespace(**PLAIN, command_words=command)  # type: ignore[return-value]


def arguments(parser: "argparse.ArgumentParser") -> None:
    """Declare the verb's arguments."""
    parser.usage = "punchlist run NAME ... | punchlist run [--name N] [--cwd DIR] -- COMMAND ..."
    parser.add_argument("names", nargs="*", metavar="NAME", help="names of checks; or a command after --")
    parser.add_argument("--name", help="what to call the run of a command")
    parser.add_argument("--cwd", help="folder to run the command in")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="deadline of a command (default 600)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 where the log shows failures although the command exits 0"
    )
    parser.add_argument("--base", metavar="REV", help="tell what is new since this commit: it is run there too")
    parser.add_argument("--no-see-through", action="store_true", help="run `check | tail` as it stands")
    parser.add_argument("--root", help="root of the project")
    common.budget_argument(parser)


def run(options: "argparse.Namespace") -> int:
    """Run, wait, answer."""
    command: list[str] | None = options.command_words
    if command and nested(os.environ):
        return passed_through(command)
    if not command and not options.names:
        raise Trouble("name a check, or put a command after `--`; `punchlist checks` lists the checks", "usage")
    session = common.session(options.root)
    if options.base is not None:
        plans = [_of_command(session, command, options)] if command else _plans(session, options.names)
        return _with_bases(session, plans, options)
    runs = [session.start(_of_command(session, command, options))] if command else session.start_checks(options.names)
    with ending_on_signals(session):
        done = [waited(session, one) for one in runs]
    return answered(session, done, options)


def _plans(session: Session, names: list[str]) -> list[plan.Plan]:
    return [plan.of_check(session.project, name) for name in names]


def _with_bases(session: Session, plans: list[plan.Plan], options: "argparse.Namespace") -> int:
    """Run each plan here and on the base commit; nothing starts where that commit is not known."""
    from punchlist.service.checking.selection import commit_of

    commit_of(session.project.folder, options.base)
    with ending_on_signals(session):
        done = [waited(session, session.start(one)) for one in plans]
        bases = [waited(session, session.base(options.base, one)) for one in plans]
    return answered(session, done, options, dict(zip((one.id for one in done), bases, strict=True)))


def _of_command(session: Session, command: list[str], options: "argparse.Namespace") -> plan.Plan:
    # One word with blanks is a text for the shell: `punchlist run -- 'make && ctest'`.
    return plan.of_command(
        session.project,
        command[0] if len(command) == 1 and " " in command[0] else tuple(command),
        name=options.name,
        cwd=options.cwd or str(Path.cwd()),
        timeout_s=options.timeout,
        stdin=sys.stdin is not None and not sys.stdin.isatty(),
        see_through=not options.no_see_through,
    )


def passed_through(words: list[str]) -> int:
    """Inside another run the command simply runs: the outer run reads its output."""
    try:
        text = len(words) == 1 and " " in words[0]
        os.execvp("/bin/sh" if text else words[0], ["sh", "-c", words[0]] if text else words)  # noqa: S606
    except OSError as error:
        raise Trouble(f"{words[0]}: {error.strerror}", "not_found") from error
    return 127


def waited(session: Session, run: Run) -> Run:
    """Wait for a run; on a terminal a line tells how far it is."""
    live = session.lives.by_id.get(run.id)
    if not sys.stderr.isatty() or live is None:
        return session.wait(run.id)
    while not live.done.wait(0.5):
        sys.stderr.write(f"\r\x1b[2K{run.title}: {live.so_far()}"[:110])
        sys.stderr.flush()
    sys.stderr.write("\r\x1b[2K")
    return session.wait(run.id)


def answered(
    session: Session, runs: list[Run], options: "argparse.Namespace", bases: Mapping[str, Run] | None = None
) -> int:
    """Print the answers, with what is new since their bases; return the highest exit status."""
    status = 0
    budget = common.chosen_budget(options)
    reports = [(one, session.report(one.id)) for one in runs]
    common.about(*(one.id for one in runs))
    if options.json:
        from punchlist.views.as_json import read_json

        values = [{"run_id": one.id, **read_json(report)} for one, report in reports]
        if bases:
            from punchlist.service.base.answers import value_of

            for (one, _), value in zip(reports, values, strict=True):
                value["base"] = value_of(session.project, one, bases[one.id])
        common.out_json(values[0] if len(values) == 1 else values)
    for one, report in reports:
        status = max(status, exit_status(report.how, report.outcome, strict=options.strict))
        if not options.json:
            text = punch_list(session.project, one, budget=budget, report=report)
            common.out(_marked(session, one, bases[one.id], budget, text) if bases else text)
    return status


def _marked(session: Session, one: Run, base: Run, budget: Budget, text: str) -> str:
    """Return the answer with what is new, old and gone; of an unknown base the plain one and why it is unknown."""
    from punchlist.service.base.answers import base_line, with_base

    return with_base(session.project, one, base, budget=budget) or f"{text}\n{base_line(base, None)}"


def ending_on_signals(session: Session) -> AbstractContextManager[None]:
    """End every run and its process tree when this process is asked to end; the runs are still recorded."""
    return handle.ending_on_signals(handles=lambda: [live.handle for live in list(session.lives.by_id.values())])
