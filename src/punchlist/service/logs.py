"""The kept logs of a run: where they lie, and slices of them."""

import mmap
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from punchlist.model import Trouble
from punchlist.records import dataclass
from punchlist.running.order import merged_lines
from punchlist.store.runs import Run

STREAMS = ("stdout", "stderr", "merged")
MOST_LINES = 400
MOST_CHARS = 24_000
LINE_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Lines of a log as (number, text); `total` are the lines of the whole log; `more_from` begins the rest."""

    stream: str
    lines: tuple[tuple[int, str], ...]
    total: int
    first: int
    more_from: int | None = None
    matched: int | None = None


def folder_of(runs: Path, run: Run, *, step: int | None = None, whole: bool = False) -> Path:
    """Return the folder that holds a run's logs, or those of one of its steps (0-based).

    Of a pipeline with no step named: the step that failed, else the last that ran; with `whole` the run's own.
    """
    folder = runs / run.id
    if step is None:
        steps = run.facts.get("steps", [])
        ran = [at for at, one in enumerate(steps) if one.get("status") not in ("skipped", "pending")]
        if whole or not ran:
            return folder
        step = next((at for at in ran if steps[at]["status"] != "completed"), ran[-1])
    found = sorted((folder / "steps").glob(f"{step + 1}-*")) if 0 <= step < 1000 else []
    if not found:
        count = len(run.facts.get("steps", []))
        raise Trouble(f"run {run.id} has {count} steps; step_index counts from 0", "invalid_step")
    return found[0]


def take(
    folder: Path,
    stream: str,
    *,
    first: int = 1,
    last: int | None = None,
    pattern: str | None = None,
    captured_on_failure: bool = False,
    most_lines: int = MOST_LINES,
) -> Slice:
    """Return lines `first` to `last` of a stream (1-based, inclusive), cleaned; with `pattern` only those that match.

    At most `most_lines` lines and MOST_CHARS characters come at once; `more_from` says where to go on.
    """
    if stream not in STREAMS:
        raise Trouble(f"no stream {stream!r}; choose stdout, stderr or merged", "invalid_stream")
    from punchlist.reading.text import clean, decode

    wanted = _matcher(pattern)
    prefix = "on_failure." if captured_on_failure else ""
    lines: list[tuple[int, str]] = []
    matched = room = 0
    more_from = None
    total = _total(folder, stream, prefix)
    for number, raw in _lines(folder, stream, prefix, first, last):
        text = clean(decode(raw)).rstrip("\r\n").split("\r")[-1]
        if wanted and not wanted(text):
            continue
        matched += 1
        if more_from is not None:
            continue
        if len(lines) >= most_lines or room > MOST_CHARS:
            more_from = number
            if not wanted:
                break
            continue
        shown = text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]} … ({len(text):,} characters)"
        lines.append((number, shown))
        room += len(shown) + 1
    return Slice(
        stream=stream,
        lines=tuple(lines),
        total=total,
        first=first,
        more_from=more_from,
        matched=matched if wanted else None,
    )


def _matcher(pattern: str | None) -> Callable[[str], bool] | None:
    """A bounded search for a caller's pattern: a hostile one is stopped, not waited for."""
    if pattern is None:
        return None
    import regex

    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise Trouble(f"pattern does not compile: {error}; it is a regular expression", "invalid_pattern") from error

    def search(text: str) -> bool:
        try:
            return compiled.search(text, timeout=0.2) is not None
        except TimeoutError as error:
            raise Trouble("pattern takes too long on this log; make it simpler", "invalid_pattern") from error

    return search


def _lines(folder: Path, stream: str, prefix: str, first: int, last: int | None) -> Iterator[tuple[int, bytes]]:
    if stream == "merged" and not prefix:
        for number, line in enumerate(merged_lines(str(folder), first, last), start=max(1, first)):
            yield number, line.text
        return
    names = ("stdout", "stderr") if stream == "merged" else (stream,)
    number = 0
    for name in names:
        with mapped(folder / f"{prefix}{name}.log") as raw:
            at = 0
            while at < len(raw) and (last is None or number < last):
                end = raw.find(b"\n", at)
                end = len(raw) if end < 0 else end
                number += 1
                if number >= first:
                    yield number, raw[at:end]
                at = end + 1


def _total(folder: Path, stream: str, prefix: str) -> int:
    names = ("stdout", "stderr") if stream == "merged" else (stream,)
    return sum(line_count(folder / f"{prefix}{name}.log") for name in names)


def line_count(path: Path) -> int:
    """Return the number of lines of a file, a last one without newline included; 0 where there is none."""
    with mapped(path) as raw:
        step = 1 << 22
        count = sum(raw[at : at + step].count(b"\n") for at in range(0, len(raw), step))
        return count + (len(raw) > 0 and raw[len(raw) - 1 : len(raw)] != b"\n")


class mapped:  # noqa: N801  used as a function
    """Map a file read-only for the time of a `with` block; None, a missing or an empty one is empty bytes."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.map: mmap.mmap | None = None

    def __enter__(self) -> "mmap.mmap | bytes":
        if self.path is None or not self.path.exists():
            return b""
        with self.path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
            if os.fstat(file.fileno()).st_size == 0:
                return b""
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self.map

    def __exit__(self, *_: object) -> None:
        if self.map is not None:
            self.map.close()


def plain_text(folder: Path, limit: int) -> str | None:
    """Return the whole log, cleaned and in order of arrival, or None where it is longer than `limit` bytes."""
    logs = [path for name in ("stdout", "stderr") if (path := folder / f"{name}.log").exists()]
    if not logs or sum(path.stat().st_size for path in logs) > limit:
        return None
    from punchlist.reading.text import clean, decode

    lines = [clean(decode(line.text)).rstrip().split("\r")[-1] for line in merged_lines(str(folder))]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
