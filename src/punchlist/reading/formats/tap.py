"""Read TAP 12 to 14 of any producer: subtests, YAML blocks, TODO and SKIP, plans that are not kept, Bail out!

Parsers of tools that write TAP of their own come first; `read_tap` serves those that want no more than this.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats.places import Place, place_in
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.records import dataclass, field

POINT = re.compile(
    r"(?P<indent> *)(?P<not>not )?ok\b(?: +(?P<number>\d+))?(?: +-)? *(?P<name>(?!# *(?:TODO|SKIP|todo|skip)).*?)"
    r"(?: +# *(?P<directive>TODO|SKIP|todo|skip|Todo|Skip)\S*(?: +(?P<reason>.*))?)?$"
)
PLAN = re.compile(r"(?P<indent> *)1\.\.(?P<last>\d+)(?: +# *(?P<skip>[Ss][Kk][Ii][Pp]\S*)?(?: (?P<reason>.*))?)?$")
BAIL = re.compile(r"\s*Bail out!(?: +(?P<reason>.*))?$")
COMMENT = re.compile(r"\s*#(?: (?P<text>.*)|$)")
SUBTEST = re.compile(r"\s*# Subtest: (?P<name>.*)")
KEY = re.compile(r"\s*(?P<key>[\w-]+): *(?P<value>.*)$")
PERL_PLACE = re.compile(
    r"\s*#\s+at (?P<file>\S.*?) line (?P<line>\d+)\.?$|\s*#\s+\(.*?(?:in test file"
    r"|in file) (?P<file2>.+?), line (?P<line2>\d+)[,)]|\s*# (?P<file3>[^\s:]+\.\w+):(?P<line3>\d+): error: "
)
LOCATION = re.compile(r"(?P<file>(?:[A-Za-z]:)?[^:]+):(?P<line>\d+)(?::(?P<column>\d+))?$")
# A linter's finding as the name of a test (luacheck).
NAMED = re.compile(r"(?P<file>[^\s:][^:]*\.\w+):(?P<line>\d+):(?P<column>\d+): (?P<message>\S.*)$")
ROUTINE = re.compile(r"(?:Failed test|Looks like you|at .* line \d+\.|\(in test file|\(from function)")
MOST = 60


@dataclass(slots=True)
class Point:
    """One failed test point with what was printed about it."""

    name: str
    first: int
    end: int
    indent: int
    yaml: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    failed_below: bool = False


@dataclass(slots=True)
class Level:
    """Counts of one nesting level."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    todo: int = 0
    seen: int = 0
    planned: int | None = None


def parse(log: Log, context: Context) -> Reading:
    """Read TAP where no tool's own parser did."""
    reading = Reading()
    read_tap(log, reading, context.words[0] if context.words else "", context.root)
    return reading


def read_tap(log: Log, reading: Reading, tool: str = "", root: str = "") -> None:
    """Add findings, counts and claims of the TAP in a log; counts are those of the outermost level."""
    level = Level()
    names: list[tuple[int, str]] = []
    below: dict[int, bool] = {}
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        head = line.lstrip()
        if head.startswith(("ok", "not ok")) and (match := POINT.match(line)):
            index = _point(log, index, match, level, names, below, reading, tool, root)
            continue
        if head.startswith("1..") and (match := PLAN.match(line)):
            _plan(index, match, level, reading)
        elif head.startswith("Bail out!") and (match := BAIL.match(line)):
            reason = match["reason"] or "Bail out!"
            reading.add(Diagnostic(message=reason, tool=tool, log=log.span(index)))
            reading.claim(index)
            reading.outcome = "error"
        elif head.startswith("# Subtest: ") and (sub := SUBTEST.match(line)):
            depth = len(line) - len(head)
            names = [(d, n) for d, n in names if d < depth] + [(depth, sub["name"])]
            reading.claim(index)
        elif head.startswith("TAP version ") or (head.startswith("#") and level.seen):
            reading.claim(index)
        index += 1
    _sum(level, reading)


def _point(
    log: Log,
    index: int,
    match: re.Match[str],
    level: Level,
    names: list[tuple[int, str]],
    below: dict[int, bool],
    reading: Reading,
    tool: str,
    root: str,
) -> int:
    depth = len(match["indent"])
    directive = (match["directive"] or "").upper()
    failed = bool(match["not"]) and not directive
    point = Point(match["name"].strip(), index, index + 1, depth)
    point.failed_below = any(deep > depth and bad for deep, bad in below.items())
    for deep in [deep for deep in below if deep > depth]:
        del below[deep]
    below[depth] = below.get(depth, False) or failed
    _more(log, point)
    if failed and not point.yaml and not point.comments:
        _prose(log, point)
    reading.claim(index, point.end)
    if depth == 0:
        level.seen += 1
        level.skipped += directive == "SKIP"
        level.todo += directive == "TODO"
        level.failed += failed
        level.passed += not failed and not directive
    if failed and not point.failed_below:
        parents = [name for deep, name in names if deep <= depth - 4 and name != point.name]
        reading.add(_diagnostic(log, point, parents, tool, root))
    return point.end


def _more(log: Log, point: Point) -> None:
    """Take the YAML block or the comments that follow a test point."""
    end = point.end
    lines = log.lines
    if end < len(lines) and lines[end].strip() == "---":
        close = end + 1
        while close < len(lines) and lines[close].strip() != "..." and close - end < 2000:
            if POINT.match(lines[close]) and len(lines[close]) - len(lines[close].lstrip()) <= point.indent:
                break
            close += 1
        point.yaml = lines[end + 1 : close]
        end = min(len(lines), close + 1)
    while end < len(lines) and lines[end].lstrip().startswith("#") and not SUBTEST.match(lines[end]):
        if len(lines[end]) - len(lines[end].lstrip()) < point.indent:
            break
        point.comments.append(lines[end])
        end += 1
    point.end = end


def _prose(log: Log, point: Point) -> None:
    """Take the indented text that some producers (testthat) print below a failed point, blank lines between."""
    lines = log.lines
    lead = " " * (point.indent + 2)
    end = point.end
    while end < len(lines) and (not lines[end] or lines[end].startswith(lead)):
        if POINT.match(lines[end]) or PLAN.match(lines[end]) or lines[end].lstrip().startswith(("#", "---")):
            break
        end += 1
        if lines[end - 1]:
            point.prose, point.end = [text.strip() for text in lines[point.first + 1 : end]], end


def _diagnostic(log: Log, point: Point, parents: list[str], tool: str, root: str) -> Diagnostic:
    fields = _fields(point.yaml)
    said = [m["text"] or "" for text in point.comments if (m := COMMENT.match(text))]
    if not point.prose and not point.yaml and (named := NAMED.match(point.name)):
        return Diagnostic(
            message=named["message"],
            detail="\n".join(said[:MOST]),
            file=named["file"],
            line=int(named["line"]),
            column=number(named["column"]),
            tool=tool,
            log=log.span(point.first, point.end - 1),
        )
    said = [*said, *point.prose]
    telling = [text.strip() for text in said if text.strip() and not ROUTINE.match(text.strip())]
    message = fields.get("message") or fields.get("error") or (telling[0] if telling else "") or point.name or "not ok"
    place = _place(point, fields, root)
    return Diagnostic(
        message=message.split("\n")[0].strip(),
        detail="\n".join([*point.yaml, *said][:MOST]),
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=" > ".join([*parents, point.name]) or None,
        tool=tool,
        log=log.span(point.first, point.end - 1),
    )


def _fields(yaml: list[str]) -> dict[str, str]:
    """The keys of a YAML block with their first line of text; nested keys count where no outer one has the name."""
    found: dict[str, str] = {}
    for at, line in enumerate(yaml):
        if match := KEY.match(line):
            value = match["value"].strip()
            if value in ("|", "|-", ">", ">-", "|+", "") and at + 1 < len(yaml):
                value = yaml[at + 1].strip() if value else value
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            if value:
                found.setdefault(match["key"], value)
    return found


def _place(point: Point, fields: dict[str, str], root: str) -> Place | None:
    for key in ("at", "location"):
        if match := LOCATION.match(fields.get(key, "").removeprefix("file://")):
            return Place(match["file"], number(match["line"]), number(match["column"]))
    file = fields.get("file") or fields.get("fileName")
    if file and (line := number(fields.get("line") or fields.get("lineNumber"))):
        return Place(file, line, number(fields.get("column")))
    for text in point.comments:
        if match := PERL_PLACE.match(text):
            return Place(
                match["file"] or match["file2"] or match["file3"],
                number(match["line"] or match["line2"] or match["line3"]),
            )
    return place_in("\n".join([*point.yaml, *(text.lstrip("# ") for text in point.comments)]), root)


def _plan(index: int, match: re.Match[str], level: Level, reading: Reading) -> None:
    reading.claim(index)
    if match["indent"]:
        return
    level.planned = (level.planned or 0) + int(match["last"])


def _sum(level: Level, reading: Reading) -> None:
    if not level.seen:
        return
    for name, count in (
        ("passed", level.passed),
        ("failed", level.failed),
        ("skipped", level.skipped),
        ("todo", level.todo),
    ):
        if count:
            reading.counts[name] = count
    missing = level.planned is not None and level.seen < level.planned
    if missing:
        reading.partial = True
        reading.notes.append(f"the plan names {level.planned} tests, {level.seen} were run")
    if reading.outcome is None:
        reading.outcome = "failed" if level.failed or missing else "passed"
