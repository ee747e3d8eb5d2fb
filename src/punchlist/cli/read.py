"""Read a log from a file or a pipe into a punch list."""

import argparse
import json
import sys
from pathlib import Path

from punchlist.model import Diagnostic, How
from punchlist.reading.reader import read


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("file", nargs="?", default="-")
    parser.add_argument("--command", default="")
    parser.add_argument("--exit-code", type=int)
    parser.add_argument("--root", default="")
    parser.add_argument("--stderr")
    parser.add_argument("--format", choices=["brief", "json"], default="brief")


def run(options: argparse.Namespace) -> int:
    """Read the log and print the answer."""
    stdout = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    stderr = Path(options.stderr).read_bytes() if options.stderr else b""
    how = How() if options.exit_code is None else How(ending="exit", exit_code=options.exit_code)
    report = read(stdout, stderr, command=options.command, how=how, root=options.root)
    import dataclasses

    def plain(d: Diagnostic) -> dict[str, object]:
        return {k: v for k, v in dataclasses.asdict(d).items() if v}

    out = {"outcome": report.outcome, "counts": report.counts, "diagnostics": [plain(d) for d in report.diagnostics]}
    if options.format == "json":
        sys.stdout.write(json.dumps(out) + "\n")
    else:
        sys.stdout.write(
            "\n".join(f"{d.file}:{d.line} {d.rule or d.test}: {d.message}" for d in report.diagnostics) + "\n"
        )
    return 0
