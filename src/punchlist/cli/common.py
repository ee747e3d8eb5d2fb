"""What the verbs share: the session of the working directory, and printing."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from punchlist.project.paths import is_absolute
from punchlist.service.project import open_project
from punchlist.service.session import Session
from punchlist.views.budget import RUN, Budget, budget

if TYPE_CHECKING:
    import argparse


_opened: list[Session] = []
_about: list[str] = []
_printed = 0


def session(root: str | None = None) -> Session:
    """Return a session in the project of the working directory, runs of dead owners recovered."""
    found = Session(open_project(explicit=root))
    _opened.append(found)
    found.recover()
    for note in found.notes:
        print(f"punchlist: {note}", file=sys.stderr)  # noqa: T201
    return found


def about(*run_ids: str) -> None:
    """Tell which runs the answer is about, so that `stats` can hold it against their logs."""
    _about.extend(run_ids)


def close_all(verb: str = "") -> None:
    """Keep how much the verb printed where a program reads it, and close the state of every session."""
    stream = sys.stdout
    read_by_a_program = stream is not None and not stream.closed and not stream.isatty()
    if _about and _printed and _opened and read_by_a_program:
        from punchlist.service import savings

        savings.note(_opened[-1].project, f"punchlist {verb}", _printed, _about)
    for one in _opened:
        if one.project.state_note:
            print(f"punchlist: {one.project.state_note}", file=sys.stderr)  # noqa: T201
        one.project.close()


def out(text: str) -> None:
    """Print an answer to standard output, whatever its encoding can hold."""
    stream = sys.stdout
    data = (text + "\n").encode(stream.encoding or "utf-8", "backslashreplace")
    global _printed
    _printed += len(data)
    stream.flush()
    stream.buffer.write(data)
    stream.flush()


def out_json(value: Any) -> None:
    """Print a value as one JSON text."""
    import json

    out(json.dumps(value, ensure_ascii=False, indent=1))


def budget_argument(parser: "argparse.ArgumentParser") -> None:
    """Declare --max-tokens."""
    parser.add_argument("--max-tokens", type=positive, metavar="N", help="how long the answer may be (characters / 3)")


def positive(text: str) -> int:
    """Read a whole number above 0."""
    import argparse

    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def chosen_budget(options: "argparse.Namespace", usual: Budget = RUN) -> Budget:
    """Return the budget that --max-tokens asks for."""
    return budget(options.max_tokens, usual)


def from_here(root: Path, path: str) -> str:
    """Return a path as the working directory sees it relative to the root; one that leads out stays as it is."""
    here = Path.cwd()
    if not path or is_absolute(path) or here == root or not here.is_relative_to(root):
        return path
    return os.path.relpath(here / path, root)
