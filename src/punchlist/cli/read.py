"""Read any log, from a file or a pipe, into a punch list."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from punchlist.cli import common
from punchlist.model import How, Report, Trouble
from punchlist.reading.reader import Parse, read
from punchlist.service.logs import mapped
from punchlist.views.brief import Calls, Facts, brief


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("file", nargs="?", default="-", help="the log; - or nothing for standard input")
    parser.add_argument("--command", default="", help="the command that printed it")
    parser.add_argument("--exit-code", type=int, metavar="N", help="its exit code, where it is known")
    parser.add_argument("--root", default="", metavar="DIR", help="folder that absolute paths in the log start with")
    parser.add_argument("--stderr", metavar="FILE", help="what it printed on standard error, where that is kept apart")
    parser.add_argument("--parser", metavar="NAME", help="the one parser to use")
    parser.add_argument("--format", choices=["brief", "json"], default="brief")
    parser.add_argument("--page", type=common.positive, default=1, metavar="N")
    common.budget_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Read the log and print the answer; from a pipe the log is kept as a run."""
    how = How() if options.exit_code is None else How(ending="exit", exit_code=options.exit_code)
    if options.file == "-":
        return _from_pipe(options, how)
    with mapped(_there(options.file)) as out, mapped(_there(options.stderr)) as err:
        own = _own(options)
        report = read(out, err, command=options.command, how=how, root=options.root, parser=options.parser, own=own)
        facts = Facts(title="", calls=_calls(options), log_chars=len(out) + len(err))
        _print(
            report, facts, options, bytes(out[:24_000]) + bytes(err[:24_000]) if len(out) + len(err) < 24_000 else None
        )
    return 0


def _own(options: argparse.Namespace) -> Mapping[str, Parse]:
    """A parser that the registry does not have may be one of the project's, or of another package."""
    from punchlist.reading.registry import BY_NAME

    if options.parser is None or options.parser in BY_NAME:
        return {}
    from punchlist.service.own import wanted
    from punchlist.service.project import open_project

    return wanted(open_project().config, options.command, options.parser)


def _from_pipe(options: argparse.Namespace, how: How) -> int:
    raw = sys.stdin.buffer.read()
    beside = _there(options.stderr)
    err = beside.read_bytes() if beside else b""
    session = common.session()
    one = session.store_reading(
        raw,
        err,
        command=options.command,
        how=how,
        root=options.root or str(session.project.folder),
        parser=options.parser,
    )
    from punchlist.service.answers import facts_of

    report = session.report(one.id)
    _print(report, facts_of(session.project, one, report), options, raw + err if len(raw) < 24_000 else None)
    return 0


def _print(report: Report, facts: Facts, options: argparse.Namespace, raw: bytes | None) -> None:
    if options.format == "json":
        from punchlist.views.as_json import read_json

        common.out_json(read_json(report))
        return
    from punchlist.reading.text import clean, decode

    plain = None if raw is None else clean(decode(raw)).strip("\n")
    common.out(
        brief(report, facts=facts, budget=common.chosen_budget(options), page=options.page, plain_log=lambda: plain)
    )


def _there(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if not path.exists() or path.is_dir():
        raise Trouble(f"{name}: no such file; give the log's path, or - for standard input", "not_found")
    return path


def _calls(options: argparse.Namespace) -> Calls:
    again = f"punchlist read {options.file}"
    return Calls(page=f"{again} --page {{page}}", group=f"{again} --page {{page}}", log=f"the log is {options.file}")
