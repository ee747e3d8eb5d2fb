"""What a check looked at, kept beside its report: coverage, the files there were, the lines of those with findings."""

import base64
import json
import os
import zlib
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path

from punchlist.model import Diagnostic
from punchlist.records import dataclass, field
from punchlist.service.checking.lines import Lines, numbered
from punchlist.service.files import write_private

FILE = "snapshot.z"
_LARGEST = 4 << 20

Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a check looked at.

    `covered` are (engine, file) pairs really looked at, `files` all files of its scope, `gone` those that were asked
    for, or had findings before, and are not there any more. `finished` are the engines that came to their end, `whole`
    tells that the whole project was asked for. `lines` are the lines of files with findings, one number each.
    """

    covered: Pairs = frozenset()
    files: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()
    whole: bool = False
    lines: Mapping[str, Lines] = field(default_factory=dict)

    def observed(self, files: Iterable[str]) -> Pairs:
        """Return the pairs of which this check can tell: what it looked at, and those of `files` not there then."""
        absent = [file for file in files if file in self.gone or (self.whole and file not in self.files)]
        return self.covered | {(engine, file) for engine in self.finished for file in absent}


def lines_of(root: Path, diagnostics: Iterable[Diagnostic]) -> dict[str, Lines]:
    """Return the lines of every file that has a finding; what cannot be read is left out."""
    found: dict[str, Lines] = {}
    for file in sorted({d.file for d in diagnostics if d.file}):
        try:
            with open(f"{root}/{file}", "rb") as opened:  # noqa: PTH123  many small files: pathlib would cost as much again
                if os.fstat(opened.fileno()).st_size <= _LARGEST:
                    found[file] = numbered(opened.read())
        except OSError:
            continue
    return found


def save(folder: Path, snapshot: Snapshot) -> None:
    """Write a snapshot into the folder of its run, for its owner alone."""
    names = sorted(snapshot.files | {file for _, file in snapshot.covered})
    at = {name: number for number, name in enumerate(names)}
    covered: dict[str, list[int]] = {}
    for engine, file in snapshot.covered:
        covered.setdefault(engine, []).append(at[file])
    plain = {
        "names": names,
        "files": len(names) if len(names) == len(snapshot.files) else sorted(at[name] for name in snapshot.files),
        "covered": {
            engine: len(names) if len(those) == len(names) else sorted(those) for engine, those in covered.items()
        },
        "gone": sorted(snapshot.gone),
        "finished": sorted(snapshot.finished),
        "whole": snapshot.whole,
        "lines": {
            file: base64.b64encode(array("I", lines).tobytes()).decode() for file, lines in snapshot.lines.items()
        },
    }
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    write_private(folder / FILE, zlib.compress(text.encode("utf-8", "surrogateescape"), 1))


def load(folder: Path) -> Snapshot | None:
    """Return the snapshot of a run, None for a run that kept none."""
    try:
        plain = json.loads(zlib.decompress((folder / FILE).read_bytes()).decode("utf-8", "surrogateescape"))
        lines = {file: array("I", base64.b64decode(text)) for file, text in plain["lines"].items()}
    except (OSError, ValueError, zlib.error):
        return None
    names: list[str] = plain["names"]

    def some(which: int | list[int]) -> Iterable[str]:
        return names if isinstance(which, int) else (names[number] for number in which)

    return Snapshot(
        covered=frozenset((engine, file) for engine, those in plain["covered"].items() for file in some(those)),
        files=frozenset(some(plain["files"])),
        gone=frozenset(plain["gone"]),
        finished=frozenset(plain["finished"]),
        whole=plain["whole"],
        lines=lines,
    )
