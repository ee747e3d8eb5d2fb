"""Show lines of a run's kept log."""

import argparse
import re

from punchlist.cli import common
from punchlist.model import Trouble
from punchlist.service.answers import slice_text
from punchlist.service.logs import STREAMS, folder_of, take


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("run", metavar="RUN", help="id of a run")
    parser.add_argument("--stream", choices=STREAMS, default="merged")
    parser.add_argument("--step", type=int, metavar="N", help="a step of a pipeline, counted from 0")
    parser.add_argument("--from", dest="source", choices=["main", "on_failure"], default="main")
    parser.add_argument("--lines", metavar="A-B", help="these lines: 10-20, 10-, -20 (the last 20)")
    parser.add_argument("--grep", metavar="RE", help="only lines that match")
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Print the lines."""
    session = common.session(options.root)
    one = session.project.store.get(options.run)
    common.about(one.id)
    captured = options.source == "on_failure"
    folder = folder_of(session.project.runs_folder, one, step=options.step, whole=captured)
    first, last = lines_of(options.lines)
    if first < 0:
        total = take(folder, options.stream, last=0, captured_on_failure=captured).total
        first = max(1, total + first + 1)
    part = take(folder, options.stream, first=first, last=last, pattern=options.grep, captured_on_failure=captured)
    common.out(slice_text(part, f"more: punchlist log {one.id} --stream {options.stream} --lines {{line}}-"))
    return 0


def lines_of(text: str | None) -> tuple[int, int | None]:
    """Read `A-B`, `A-`, `-N` or `A`; a negative first number counts from the end."""
    if not text:
        return 1, None
    match = re.fullmatch(r"(\d*)-(\d*)|(\d+)", text)
    if not match or text == "-":
        raise Trouble(f"--lines {text!r}: write 10-20, 10-, -20 or 10", "invalid_range")
    if match[3]:
        return int(match[3]), int(match[3])
    if not match[1]:
        return -int(match[2]), None
    return max(1, int(match[1])), int(match[2]) if match[2] else None
