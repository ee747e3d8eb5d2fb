"""Ruby's stack frames: read them, and tell the project's own code from gems and the standard library."""

import re
from collections.abc import Iterable

from punchlist.reading.frames import within
from punchlist.records import dataclass

# `file:line:in 'method'`, as Ruby (1.9 to 3.4) and every test runner print it; 3.4 closes with a straight quote.
FRAME = re.compile(r"(?P<file><internal:[^>]*>|(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+)(?::in [`'\"].*)?$")
IN_FRAME = re.compile(r"(?P<file><internal:[^>]*>|(?:[A-Za-z]:)?[^\s:][^:]*):(?P<line>\d+):in [`'\"].*$")
FOREIGN = re.compile(
    r"^<internal:|^\(eval|[\\/]gems[\\/]|[\\/]lib[\\/]ruby[\\/]|[\\/]rubygems|^/usr/(?:local/)?(?:s?bin|share|lib)/"
    r"|[\\/]vendor[\\/]bundle[\\/]|(?:^|[\\/])bin[\\/](?:rspec|rake|rails|bundle|spring|cucumber)$|[\\/]\.bundle[\\/]"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as printed."""

    file: str
    line: int


def frame(text: str, *, bare: bool = True) -> Frame | None:
    """Return the frame that a line holds (`# ` and `from ` in front passed over); `bare` allows one without `:in`."""
    text = text.strip().removeprefix("#").strip().removeprefix("from ")
    if len(text) > 2_000:
        return None
    match = (FRAME if bare else IN_FRAME).match(text)
    return Frame(match["file"], int(match["line"])) if match else None


def is_foreign(file: str, root: str = "") -> bool:
    """Whether a file belongs to a gem, the standard library or Ruby itself."""
    inside = within(file, root)
    return bool(FOREIGN.search(file if inside is None else inside))


def innermost(frames: Iterable[Frame], root: str = "") -> Frame | None:
    """Return the innermost own frame (Ruby prints it first), below the root where any is."""
    own = [f for f in frames if not is_foreign(f.file, root)]
    inside = [f for f in own if within(f.file, root) is not None]
    return next(iter(inside or own), None)
