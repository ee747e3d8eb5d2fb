"""JavaScript stack frames as every runtime and runner prints them, and which of them is the project's own."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from punchlist.records import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: `file` without its URL scheme and query, places 1-based as printed, `own` for the project's code."""

    file: str
    line: int | None = None
    column: int | None = None
    name: str = ""
    own: bool = True


LOCATION = re.compile(r"(?P<file>.+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?$")
PLACE = re.compile(r":\d+(?::\d+)?\)?$")
# Firefox and WebKit: `name@url:line:column`, the name may be empty.
GECKO = re.compile(r"(?P<name>[^\s@()]*(?:/<)*)@(?P<place>(?:https?|file|webpack|webpack-internal)://\S+:\d+:\d+)$")
MARKS = ("at ", "❯ ", "› ")
WEBPACK = re.compile(r"^(?:.*/)?webpack(?:-internal)?:/{1,3}(?:\([^)]*\)/)?(?P<rest>.*)$")
HTTP = re.compile(r"^https?://(?P<host>localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])?(?::\d+)?(?P<path>/[^?#]*)?")
FOREIGN = re.compile(
    r"node_modules[\\/]|^(?:node|bun|ext|deno|internal|wasm|jsr|npm|data|evalmachine|checkin|asset):|^native$|^<"
    r"|^internal/(?:process|modules|main|streams|timers|util|fs|child_process|per_context|async_hooks|errors|bootstrap)\b"
    r"|^https?://|^eval at |[\\/]\.yarn[\\/]|^index \d+$|^evalmachine\.|webpack/(?:bootstrap|runtime)"
    r"|^(?:events|timers|module|net|fs|vm|domain|_\w+|dns|child_process)\.js$"
    r"|^\[(?:eval|native code)|__cypress/|cypress_runner|/\$bunfs/|\.pnp\.[cm]?js$|^/snapshot/"
)


def frame(line: str) -> Frame | None:
    """Return the frame that a line is: `at f (file:1:2)`, `at file:1:2`, `❯ f file:1:2`, `› file:1:2`, `f@url:1:2`."""
    text = line.strip()
    if text.startswith(MARKS):
        return _marked(text[2:].strip() if text[0] != "a" else text[3:].strip(), call=text[0] == "a")
    if "@" in text and (match := GECKO.match(text)):
        return _placed(match["place"], match["name"])
    return None


def _marked(body: str, *, call: bool) -> Frame | None:
    body = body.removeprefix("async ")
    if body.endswith(")") and " (" in body:
        name, _, place = body.partition(" (")
        return _placed(place[:-1], name)
    if call and body.startswith("(") and body.endswith(")"):
        return _placed(body[1:-1], "")
    if not PLACE.search(body):
        return Frame(body, own=False) if call and body.startswith("<") else None
    if call and " " not in body:
        return _placed(body, "")
    words = body.split(" ")
    at = next((i for i, word in enumerate(words) if "/" in word or "\\" in word), len(words) - 1)
    return _placed(" ".join(words[at:]), " ".join(words[:at]))


def _placed(place: str, name: str) -> Frame | None:
    match = LOCATION.match(place.strip())
    if not match:
        return None
    file = path(match["file"])
    line, column = match["line"], match["column"]
    return Frame(
        file,
        int(line) or None if line else None,
        int(column) or None if column else None,
        name,
        line is not None and is_own(file),
    )


def path(file: str) -> str:
    """Return the path that a frame's file or URL means: file:// and webpack:// taken off, a local server's path."""
    file = file.removeprefix("async ")
    if file.startswith("file://"):
        text = unquote(file[7:].split("?")[0])
        return text[1:] if re.match(r"/[A-Za-z]:[\\/]", text) else text
    if "webpack" in file and (match := WEBPACK.match(file)):
        return _of_bundle(match["rest"], named=file.count("//") == 1 and not file.startswith("webpack:///"))
    if "/__cypress/tests?p=" in file:
        return unquote(file.split("?p=", 1)[1].split("&")[0])
    if file.startswith("http") and (match := HTTP.match(file)) and match["host"]:
        return _of_server(match["path"] or "/")
    return re.sub(r"\?[\w=&.-]*$", "", file)


def _of_bundle(rest: str, *, named: bool) -> str:
    rest = rest.split("?")[0]
    if named and "/" in rest and not rest.startswith((".", "/")):
        # webpack://NAMESPACE/path: the namespace is the package's name, not a folder.
        rest = rest.split("/", 1)[1]
    return re.sub(r"^(?:\./)+", "", rest)


def _of_server(path_: str) -> str:
    """Karma serves the project below /base/ and the rest of the disk below /absolute/, vite below /@fs/."""
    text = unquote(path_)
    for prefix in ("/absolute", "/@fs"):
        if text.startswith(prefix + "/"):
            return text[len(prefix) :]
    return text.removeprefix("/base/").lstrip("/")


def is_own(file: str) -> bool:
    """Whether a path is the project's own code: no package, no runtime internals, no remote module."""
    return bool(file) and not FOREIGN.search(file)


def frames(lines: Iterable[str]) -> Iterator[Frame]:
    """Yield the frames among lines, in order."""
    for line in lines:
        if found := frame(line):
            yield found


def innermost(lines: Iterable[str]) -> Frame | None:
    """Return the first frame in the project's own code."""
    return next((found for found in frames(lines) if found.own), None)
