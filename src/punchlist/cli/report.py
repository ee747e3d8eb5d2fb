"""Write a run for people as one HTML page, or for other programs as SARIF, JUnit or GitHub annotations."""

import argparse
from pathlib import Path

from punchlist.cli import common
from punchlist.model import Trouble
from punchlist.service import report_page


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="id of a run; without it the newest one")
    parser.add_argument("--html", metavar="FILE", help="write one page that needs nothing else; - prints it")
    parser.add_argument("--format", choices=report_page.FORMATS, help="the format to write")
    parser.add_argument("--output", "-o", metavar="FILE", help="where --format goes (standard output)")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Write what is asked for; the findings do not change the exit status."""
    wanted = _wanted(options)
    project = common.session(options.root).project
    one = project.store.get(options.run) if options.run else report_page.newest_finished(project)
    for form, file in wanted:
        text = report_page.exported(project, one, form)
        if file == "-":
            common.out(text.removesuffix("\n"))
            continue
        report_page.write(Path(file), text)
        common.out(f"{one.id}: wrote {form} to {file}")
    return 0


def _wanted(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return (format, file) of what to write; "-" is standard output."""
    wanted = [("html", options.html)] if options.html else []
    if options.format:
        wanted.append((options.format, options.output or "-"))
    elif options.output:
        raise Trouble("--output needs --format: html, sarif, junit or github", "usage")
    if not wanted:
        raise Trouble("say what to write: --html FILE, or --format sarif|junit|github [--output FILE]", "usage")
    if [file for _, file in wanted].count("-") > 1:
        raise Trouble("only one report can go to standard output; name a file for the other", "usage")
    return wanted
