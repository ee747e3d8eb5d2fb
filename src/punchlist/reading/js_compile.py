"""What a compiler says inside a JavaScript runner's failure: oxc, esbuild, swc, babel, vite plugins, node's parser."""

import re
from collections.abc import Sequence

from punchlist.reading.js_frames import Frame, path
from punchlist.records import dataclass

FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:*?\"<>|][^:*?\"<>|]*)"
OXC = re.compile(r"\s*\[(?P<rule>[A-Z][A-Z_]+)\] (?:Error: )?(?P<message>.+)")
BOX = re.compile(r"\s*[╭┌,][─-]+\[ ?(?P<file>.+?):(?P<line>\d+):(?P<column>\d+) ?\]")
ESBUILD = re.compile(
    rf"\s*(?:[✘X] )?{FILE}(?<!\.c)(?<!\.cc)(?<!\.cpp)(?<!\.h)(?<!\.hpp)(?<!\.py)(?<!\.rs)(?<!\.go)"
    r":(?P<line>\d+):(?P<column>\d+): (?:ERROR|error): (?P<message>.+)"
)
"""Another language's compiler speaks alike: a test that quotes it names a file that no JavaScript compiler reads."""
BABEL = re.compile(rf"\s*(?:\w*Error: )?(?:\[[^\]]*\] )?{FILE}: (?P<message>.+?) ?\((?P<line>\d+):(?P<column>\d+)\):?$")
PLUGIN_FILE = re.compile(r"\s*File: (?P<file>(?:[A-Za-z]:)?[^:?]+?)(?:\?[^:]*)?(?::(?P<line>\d+):(?P<column>\d+))?$")
AT_LINE = re.compile(r"\s*(?P<file>(?:[A-Za-z]:)?[/\\]\S.*\.\w+):(?P<line>\d+)$")
FAILED = re.compile(r"(?:Build|Transform) failed with \d+ errors?")
SWC = re.compile(r"\s*[×x] (?P<message>\S.*)")


@dataclass(frozen=True, slots=True)
class Refused:
    """A compiler's refusal: the line that says why (an index into the lines read, -1 for the head), its place."""

    at: int
    message: str
    rule: str | None
    place: Frame | None


def refused(head: str, lines: Sequence[str]) -> Refused | None:
    """Find what a compiler refused in an error with the first line `head` and the further `lines`.

    The place is the compiler's own, columns as printed; None where no compiler speaks.
    """
    rule: str | None = None
    said, at = head, -1
    for index, line in enumerate(lines):
        if match := OXC.match(line):
            rule, said, at = match["rule"], match["message"], index
        elif match := SWC.match(line):
            said, at = match["message"], index
        elif match := ESBUILD.match(line):
            return Refused(index, match["message"], rule, _frame(match))
        elif match := BOX.match(line) or PLUGIN_FILE.match(line):
            return Refused(at, said, rule, _frame(match))
        elif (
            "(" in line
            and line.endswith((")", "):"))
            and (match := BABEL.match(line))
            and "rror" in line.split(":", 1)[0]
        ):
            return Refused(index, line.strip(), rule, _frame(match))
        elif (match := AT_LINE.match(line)) and "node_modules" not in line:
            following = range(index + 1, min(index + 8, len(lines)))
            syntax = next((i for i in following if lines[i].lstrip().startswith("SyntaxError")), None)
            if syntax is not None:
                return Refused(syntax, lines[syntax].strip(), None, Frame(path(match["file"]), int(match["line"])))
    if match := ESBUILD.match(head) or BABEL.match(head):
        return Refused(-1, head, rule, _frame(match))
    if FAILED.search(head):
        said_at = next((i for i, line in enumerate(lines[:5]) if line.startswith("error: ")), None)
        if said_at is not None:
            return Refused(said_at, lines[said_at].removeprefix("error: "), None, None)
    return None


def _frame(match: re.Match[str]) -> Frame:
    parts = match.groupdict()
    return Frame(path(parts["file"].strip()), int(parts["line"] or 0) or None, int(parts["column"] or 0) or None)
