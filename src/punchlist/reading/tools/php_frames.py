"""PHP's stack frames: `file:line`, `#0 file(line): call()`; the project's own code told from packages."""

import re
from collections.abc import Iterable

from punchlist.reading.frames import within
from punchlist.records import dataclass

PLAIN = re.compile(
    r"(?P<file>(?:(?:phar://|/|[A-Za-z]:[\\/])[^:\n]*|[^\s:/][^\s:]*)\.(?:php|phpt|phtml|inc|feature"
    r"|module)):(?P<line>\d+)$"
)
NUMBERED = re.compile(
    r"#\d+ +(?P<file>(?:phar://)?(?:[A-Za-z]:)?[^\n:]*?)(?:\((?P<line>\d+)\)|:(?P<line2>\d+))(?:: |$)"
)
FOREIGN = re.compile(
    r"^phar://|(?:^|[\\/])vendor[\\/]|^/usr/(?:local/)?(?:share|bin|lib)/|[\\/]phpunit(?:\.phar)?$|[\\/]artisan$"
    r"|[\\/]pear[\\/]|eval\(\)'d code"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as printed."""

    file: str
    line: int


def frame(text: str) -> Frame | None:
    """Return the frame that a whole line is."""
    text = text.strip()
    if len(text) > 2_000:
        return None
    if match := PLAIN.match(text):
        return Frame(match["file"], int(match["line"]))
    if text.startswith("#") and (match := NUMBERED.match(text)):
        return Frame(match["file"], int(match["line"] or match["line2"]))
    return None


def innermost(frames: Iterable[Frame], root: str = "") -> Frame | None:
    """Return the innermost own frame (PHP prints it first), below the root where any is."""
    own = [f for f in frames if not is_foreign(f.file, root)]
    inside = [f for f in own if within(f.file, root) is not None]
    return next(iter(inside or own), None)


def is_foreign(file: str, root: str = "") -> bool:
    """Whether a file belongs to a package, PHP's own folders or an archive."""
    inside = within(file, root)
    return bool(FOREIGN.search(file if inside is None else inside))
