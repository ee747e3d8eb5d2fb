"""The place of a failure, from a stack trace of any language: the innermost frame of the project's own code."""

import re
from collections.abc import Iterator

from punchlist.reading import frames as python_frames
from punchlist.reading import js_frames
from punchlist.reading.oneline import number
from punchlist.records import dataclass

# Code that is never the project's own, where the frame names a path: package folders and run times.
FOREIGN = re.compile(
    r"[/\\]lib[/\\](?:ruby|jvm)[/\\]|^<|[/\\]\.(?:cargo|rustup|gem|pub-cache|m2|gradle|nuget)[/\\]|^/rustc/"
    r"|(?:^|[/\\])(?:vendor|node_modules)[/\\]|[/\\]gems[/\\]|^/usr/(?:lib|local/lib|include|share)|^/_[_/]"
    r"|[/\\]go[/\\](?:pkg|src)[/\\]|[/\\](?:_pytest|unittest|googletest|gtest|catch2)[/\\]|[/\\]library[/\\](?:std|core)[/\\]"
)
FOREIGN_CLASS = re.compile(
    r"(?:app//)?(?:java|javax|jdk|sun|com\.sun|org\.(?:junit|assertj|hamcrest|mockito|opentest4j|gradle|apache"
    r"|springframework|testng|codehaus|eclipse|scalatest|spockframework)|junit|kotlin|kotlinx|scala|groovy|worker\.org"
    r"|io\.(?:kotest|mockk)|androidx?|clojure|reactor|java\.base)[./]"
)
PATH = r"(?:[A-Za-z]:[\\/]|\.{0,2}/)?[\w@.~+\-][\w@.~+\-/\\$=%&#!,]*?\.[A-Za-z][\w+]{0,6}"
JVM = re.compile(r"\s*at (?P<call>[\w.$/<>@ -]+)\((?P<file>[\w$-]+\.(?:java|kt|scala|groovy|kts)):(?P<line>\d+)\)")
DOTNET = re.compile(
    r"\s*(?:at|bei|à|en) (?P<call>.+?) (?:in|dans|en) (?P<file>.+?):(?:line|Zeile|ligne|línea) (?P<line>\d+)"
)
PYTHON = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
PYTEST = re.compile(r"(?P<file>[^\s:][^:]*\.py):(?P<line>\d+): ?(?:in .+|[\w.]+|)$")
SHELL = re.compile(r"[\s#]*(?P<file>[^\s:]+): line (?P<line>\d+): ")
GENERIC = re.compile(
    rf"(?:^|[\s(\[❯@#])(?P<file>{PATH})(?::(?P<line>\d+)(?::(?P<column>\d+))?|\((?P<line2>\d+)(?:,(?P<column2>\d+))?\)"
    r"|, line (?P<line3>\d+))(?![\w.])"
)
LOOK = 400
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; `line` and `column` as printed, absent where they are not."""

    file: str
    line: int | None = None
    column: int | None = None


def place_in(text: str, root: str = "") -> Place | None:
    """Return the innermost place of the text that is the project's own code, or None.

    Python prints the innermost frame last, all others first. Where `root` is known, a frame below it is preferred to
    one that is outside of it.
    """
    found = list(_frames(text, root))
    python = [place for kind, place in found if kind == "python"]
    # A path within a message is no frame: it only serves where the text has none.
    frames = [place for kind, place in found if kind not in ("generic", "shell")]
    ordered = python[::-1] or frames or [place for _, place in found]
    if root:
        ordered = [place for place in ordered if _below(place.file, root)] or ordered
    return ordered[0] if ordered else None


def _below(file: str, root: str) -> bool:
    return python_frames.within(re.sub(r"^file:(?://)?(?=/)", "", file), root) is not None


def _frames(text: str, root: str) -> Iterator[tuple[str, Place]]:
    for line in text.split("\n")[:LOOK]:
        if len(line) > LONGEST or not any(map(str.isdigit, line)):
            continue
        if match := JVM.match(line):
            if not FOREIGN_CLASS.match(match["call"].strip()):
                yield "jvm", Place(match["file"], number(match["line"]))
        elif match := PYTHON.match(line) or PYTEST.match(line):
            if not python_frames.is_foreign(match["file"], root):
                yield "python", Place(match["file"], number(match["line"]))
        elif match := SHELL.match(line):
            yield "shell", Place(match["file"], number(match["line"]))
        elif match := DOTNET.match(line):
            yield "dotnet", Place(match["file"], number(match["line"]))
        elif (frame := js_frames.frame(line)) and frame.line:
            if frame.own and not FOREIGN.search(frame.file):
                yield "js", Place(frame.file, frame.line, frame.column)
        elif (match := GENERIC.search(line)) and not FOREIGN.search(match["file"]):
            at = match["line"] or match["line2"] or match["line3"]
            yield "generic", Place(match["file"].strip(), number(at), number(match["column"] or match["column2"]))
