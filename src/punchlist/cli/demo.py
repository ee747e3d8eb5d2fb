"""Run the main job on a small bundled project and print its punch list."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from punchlist.cli import common
from punchlist.service import plan
from punchlist.service.answers import punch_list
from punchlist.service.project import open_project
from punchlist.service.session import Session

BUNDLED = Path(__file__).parent.parent / "demo_project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--keep", metavar="DIR", help="work in this new folder and keep it")


def run(options: argparse.Namespace) -> int:
    """Copy the project, run its tests as they are, and show the log's size against the answer's."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch) / "shop"
        shutil.copytree(BUNDLED, folder)
        session = Session(open_project(explicit=str(folder)))
        command = (sys.executable, "-m", "unittest", "-v")
        done = session.wait(session.start(plan.of_command(session.project, command, name="test")).id)
        answer = punch_list(session.project, done)
        common.out(f"$ punchlist run -- python -m unittest -v\n{answer}\n")
        common.out(f"the log has {done.bytes:,} bytes, this answer {len(answer.encode()):,}")
    return 0
