"""TAP as JavaScript runners write it: node:test, vitest, tape, node-tap, ava, mocha, qunit (TAP 12 to 14)."""

import json
import re
from collections.abc import Iterator

from punchlist.model import Diagnostic
from punchlist.reading.js_compile import refused
from punchlist.reading.js_crash import crashes, own_detail
from punchlist.reading.js_frames import Frame, frame, innermost, path
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import tap_terse
from punchlist.records import dataclass, field, replace

POINT = re.compile(
    r"(?P<indent> *)(?P<not>not )?ok(?: (?P<number>\d+))?(?: ?- | |$)(?P<name>.*?)"
    r"(?: # (?P<directive>(?:TODO|SKIP|todo|skip|time=)\S*)(?P<reason>.*?))?(?P<open> \{)?$"
)
SUBTEST = re.compile(r"(?P<indent> *)# Subtest: (?P<name>.*)$")
TOTAL = re.compile(
    r"# (?P<what>tests|pass|fail|cancelled|skipped|todo|suites|ok|failed|passed)"
    r"(?:: *| +)?(?P<number>\d+)?(?: of \d+)?(?: (?:tests|total))?\b"
)
PLAN = re.compile(r" *1\.\.(?P<last>\d+)(?: *#.*)?$")
BAIL = re.compile(r"Bail out!(?P<reason>.*)")
VERSION = "TAP version "
KEY = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z_][\w $-]*):(?: (?P<value>.*))?$")
FILE_NAME = re.compile(r"[\w@./\\:~ +-]+\.[cm]?[jt]sx?$")
LOCATION = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?$")
PARENT = re.compile(r"['\"]?\d+ (?:subtests?|test steps?) failed\.?['\"]?$")
THRESHOLD = re.compile(
    r"(?:# |ℹ )(?:Error: )?(?P<message>\d[\d.]*% (?:line|branch|function) coverage"
    r" does not meet threshold of \d[\d.]*%.*)"
)
LONGEST = 4000


@dataclass(slots=True)
class Point:
    """One test point: its place in the log, its names from the outside in, the YAML below it as flat keys."""

    first: int
    end: int
    ok: bool
    names: tuple[str, ...]
    directive: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    children: int = 0
    failed_children: int = 0
    extra: list[dict[str, str]] = field(default_factory=list)
    above: int = 0


def parse(log: Log, _context: Context) -> Reading:
    """Read the TAP of a JavaScript runner: failing leaves with what their YAML says, totals, coverage thresholds."""
    if not is_tap(log) and tap_terse.shown(log):
        return tap_terse.parse(log)
    reading = Reading()
    totals: dict[str, int] = {}
    points = list(_points(log, reading, totals))
    _finish(log, reading, points, totals)
    return reading


def is_tap(log: Log) -> bool:
    """Whether the log holds a TAP stream (its version line, or a plan with points)."""
    return any(line.startswith(VERSION) for line in log.lines)


def _points(log: Log, reading: Reading, totals: dict[str, int]) -> Iterator[Point]:
    """Yield test points; a parent comes after its children (node:test) or before them (braces)."""
    names: list[tuple[int, str]] = []
    braces: list[Point] = []
    pending: dict[int, list[bool]] = {}
    title = ""
    subtests = False
    last = 0
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        text = line.lstrip(" ")
        if text[:3] == "ok " and "#" not in text and text[-1] != "{":
            end = _passed(log, index, len(line) - len(text), pending, names, totals)
            _claim(reading, index, end)
            index = last = end
            continue
        if text.startswith(("ok", "not ok")) and (match := POINT.match(line)):
            indent = len(match["indent"])
            fields, extra, end = _below(log, index, match)
            names = [(at, name) for at, name in names if at < indent]
            name = _name(match)
            outer = tuple(n for _, n in names)
            below = pending.pop(indent + 4, [])
            for deeper in [key for key in pending if key > indent]:
                del pending[deeper]
            if "operator" in fields and title and not outer and not subtests:
                outer = (title,)
            point = Point(index, end, not match["not"], (*outer, name), _directive(match), fields)
            point.extra = extra
            point.above, last = last, end
            point.children, point.failed_children = len(below), below.count(False)
            pending.setdefault(indent, []).append(point.ok or bool(point.directive))
            opens = match["open"] or (end < len(log.lines) and log.lines[end].strip() == "{")
            if opens:
                names.append((indent, name))
                braces.append(point)
                end += not match["open"]
            else:
                yield point
            reading.claim(index, end)
            index = end
            continue
        if text.startswith("# Subtest: ") and (match := SUBTEST.match(line)):
            indent = len(match["indent"])
            subtests = True
            names = [(at, name) for at, name in names if at < indent]
            # The name stands for the points below it; its own point follows at the same indent.
            names.append((indent, match["name"]))
            reading.claim(index)
        elif text == "}" and braces:
            point = braces.pop()
            indent = len(line) - 1
            below = pending.pop(indent + 4, [])
            point.children, point.failed_children = len(below), below.count(False)
            names = [(at, name) for at, name in names if at < indent]
            reading.claim(index)
            yield point
        else:
            # tape names the test in a comment above its assertions.
            title = line[2:] if line.startswith("# ") and not TOTAL.match(line) else title
            _other(log, reading, totals, index, text)
        index += 1


def _below(log: Log, index: int, match: re.Match[str]) -> tuple[dict[str, str], list[dict[str, str]], int]:
    """Return what stands below a point: its block, further blocks, and the line behind them."""
    fields, end = _yaml(log, index + 1)
    extra: list[dict[str, str]] = []
    while end < len(log.lines) and fields and log.lines[end].strip() == "---":
        # QUnit prints a block an assertion, all below one point.
        more, end = _yaml(log, end)
        if not more:
            break
        extra.append(more)
    if not fields and match["not"] and not match["open"]:
        fields, end = _text_below(log, end, len(match["indent"]))
    return fields, extra, end


def _claim(reading: Reading, first: int, end: int) -> None:
    """Claim lines, as one range with the claimed ones right before them."""
    if reading.claimed and reading.claimed[-1][1] == first:
        reading.claimed[-1] = (reading.claimed[-1][0], end)
    else:
        reading.claim(first, end)


def _passed(
    log: Log,
    index: int,
    indent: int,
    pending: dict[int, list[bool]],
    names: list[tuple[int, str]],
    totals: dict[str, int],
) -> int:
    """Pass over a passing point and its YAML block, counting it where it has no children."""
    while names and names[-1][0] >= indent:
        names.pop()
    below = pending.pop(indent + 4, None)
    pending.setdefault(indent, []).append(True)
    totals["passing"] = totals.get("passing", 0) + (not below)
    totals["top"] = totals.get("top", 0) + (indent == 0)
    lines = log.lines
    at = index + 1
    if at < len(lines) and lines[at].lstrip(" ") == "---":
        stop = min(len(lines), at + LONGEST)
        end = next((i for i in range(at + 1, stop) if lines[i].lstrip(" ") == "..."), None)
        return at if end is None else end + 1
    return at


def _other(log: Log, reading: Reading, totals: dict[str, int], index: int, text: str) -> None:
    if text.startswith("# ") and (match := TOTAL.match(text)) and match["number"]:
        totals[match["what"]] = totals.get(match["what"], 0) + int(match["number"])
        reading.claim(index)
    elif text.startswith(("# Error: ", "# ")) and "threshold" in text and (match := THRESHOLD.match(text)):
        reading.add(Diagnostic(message=match["message"], log=log.span(index)))
        reading.claim(index)
    elif text.startswith("1..") and (match := PLAN.match(text)):
        if text == log.lines[index]:
            totals["plan"] = totals.get("plan", 0) + int(match["last"])
        reading.claim(index)
    elif text.startswith(VERSION):
        reading.claim(index)
    elif text.startswith("Bail out!") and (match := BAIL.match(text)):
        reading.add(Diagnostic(message=text, log=log.span(index)))
        reading.outcome = "error"
        reading.claim(index)


def _name(match: re.Match[str]) -> str:
    name = match["name"].replace("\\#", "#").replace("\\\\", "\\").strip()
    return re.sub(r"\s+# time=[\d.]+m?s$", "", name)


def _directive(match: re.Match[str]) -> str:
    word = (match["directive"] or "").upper()
    return "TODO" if word.startswith("TODO") else "SKIP" if word.startswith("SKIP") else ""


def _yaml(log: Log, index: int) -> tuple[dict[str, str], int]:
    """Read the `---` block below a point as flat keys (`a.b`); values may run on unindented, as vitest's do."""
    lines = log.lines
    if index >= len(lines) or lines[index].strip() != "---":
        return {}, index
    base = len(lines[index]) - 3
    fields: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    key = ""
    at = index + 1
    if at < len(lines) and lines[at].lstrip().startswith('{"'):
        return _json(log.whole(at)), at + 2
    while at < len(lines) and at - index < LONGEST:
        line = lines[at]
        if line.strip() == "..." and len(line) - 3 <= base:
            return fields, at + 1
        match = KEY.match(line)
        quoted = key and _unclosed(fields[key])
        if match and not quoted and _is_key(len(match["indent"]), base, stack, fields, key):
            width = len(match["indent"])
            stack = [(w, name) for w, name in stack if w < width]
            word = match["key"].strip()
            key = ".".join([*(name for _, name in stack), word])
            stack.append((width, word))
            fields[key] = match["value"] or ""
        elif key:
            fields[key] += "\n" + line
        at += 1
    return fields, index + 1


def _json(text: str) -> dict[str, str]:
    """deno writes the block as one line of JSON: message (with the stack in it) and place."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    said = value.get("message")
    lines = said.split("\n") if isinstance(said, str) else []
    stack = [line for line in lines if line.lstrip().startswith("at ")]
    fields = {"message": "|-\n" + "\n".join(x for x in lines if x not in stack), "stack": "|-\n" + "\n".join(stack)}
    at = value.get("at")
    if isinstance(at, dict) and isinstance(at.get("file"), str):
        fields |= {"at.file": at["file"], "at.line": str(at.get("line", ""))}
    return fields


def _text_below(log: Log, index: int, indent: int) -> tuple[dict[str, str], int]:
    """Read what mocha's tap reporter prints below a failure: the message, then the stack, both indented by two."""
    margin = " " * (indent + 2)
    at = last = index
    while at < len(log.lines) and (not log.lines[at] or log.lines[at].startswith(margin)):
        if POINT.match(log.lines[at]) and log.lines[at].strip():
            break
        at += 1
        if log.lines[at - 1]:
            last = at
    lines = [line.removeprefix(margin) for line in log.lines[index:last]]
    if not lines or not lines[0] or lines[0].startswith("---") or PLAN.match(lines[0]):
        return {}, index
    message = [line for line in lines if not line.lstrip().startswith("at ")]
    stack = [line for line in lines if line.lstrip().startswith("at ")]
    return {"message": "|-\n" + "\n".join(message), "stack": "|-\n" + "\n".join(stack)}, last


def _is_key(width: int, base: int, stack: list[tuple[int, str]], fields: dict[str, str], key: str) -> bool:
    """Whether a line like a key is one: at the block's own indent, or right below a key without a value."""
    if width < base:
        return False
    if not stack or width <= stack[0][0]:
        return True
    head = fields[key].split("\n", 1)[0]
    if head in ("|-", "|", ">-", ">", "|+"):
        return width <= stack[-1][0]
    return True


def _unclosed(value: str) -> bool:
    text = value.strip()
    if not text.startswith('"'):
        return False
    return not re.search(r'(?<!\\)(?:\\\\)*"$', text[1:])


def text_of(value: str) -> str:
    """Return a YAML scalar as text: quotes, block marks and indentation taken off."""
    lines = value.split("\n")
    head = lines[0].strip()
    if head in ("|-", "|", ">-", ">", "|+"):
        body = lines[1:]
        width = min((len(x) - len(x.lstrip()) for x in body if x.strip()), default=0)
        return "\n".join(x[width:] for x in body).rstrip()
    text = "\n".join([head, *lines[1:]]).rstrip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def _finish(log: Log, reading: Reading, points: list[Point], totals: dict[str, int]) -> None:
    leaves = [point for point in points if _is_leaf(point)]
    for point in leaves:
        if not point.ok and not point.directive:
            reading.add(_diagnostic(log, reading, point))
            for fields in point.extra:
                reading.add(_diagnostic(log, reading, replace(point, fields=fields)))
    _counts(reading, leaves, totals)
    # Every TAP stream has a plan: first, then it says how many points must come, or at the end.
    top = sum(log.lines[point.first][:1] != " " for point in points)
    top += totals.get("top", 0)
    reading.partial = bool(points or totals.get("passing")) and (not totals.get("plan") or top < totals["plan"])
    if reading.outcome is None and (points or totals):
        failed = bool(reading.diagnostics) or totals.get("fail", 0) + totals.get("failed", 0) > 0
        reading.outcome = "failed" if failed else "passed"


def _is_leaf(point: Point) -> bool:
    """Whether a point stands for itself: a parent that only says that children failed is no finding of its own."""
    said = _message(point.fields)
    if PARENT.match(said) or text_of(point.fields.get("failureType", "")) == "subtestsFailed":
        return False
    if point.children and point.ok:
        return False
    return not (point.failed_children and not said)


def _counts(reading: Reading, leaves: list[Point], totals: dict[str, int]) -> None:
    names = {"pass": "passed", "fail": "failed", "cancelled": "cancelled", "skipped": "skipped", "todo": "todo"}
    if "pass" in totals or "fail" in totals:
        for key, name in names.items():
            if key in totals:
                reading.counts[name] = totals[key]
        return
    if not leaves and not totals.get("passing"):
        return
    reading.counts["passed"] = sum(p.ok and not p.directive for p in leaves) + totals.get("passing", 0)
    reading.counts["failed"] = sum(not p.ok and not p.directive for p in leaves)
    for word, name in (("SKIP", "skipped"), ("TODO", "todo")):
        if number := sum(p.directive == word for p in leaves):
            reading.counts[name] = number


def _diagnostic(log: Log, reading: Reading, point: Point) -> Diagnostic:
    fields = {key: value for key, value in point.fields.items() if value}
    message = _message(fields)
    stack = text_of(fields.get("stack", "") or fields.get("error.stack", "") or fields.get("data.stack", ""))
    place = _place(fields, stack)
    names = [name for name in point.names if name]
    lines = message.split("\n")
    rule = None
    if not (place and place.own) and (compiler := refused(lines[0], lines[1:])):
        rule, place = compiler.rule, compiler.place
        lines[0] = compiler.message
    test = " > ".join(names)
    found = Diagnostic(
        message=lines[0].strip() or (names[-1] if names else log.lines[point.first].strip()),
        detail=own_detail(_detail(lines[1:], fields, stack)),
        rule=rule,
        file=place.file if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        test=test or None,
        log=log.span(point.first, max(point.first, point.end - 1)),
    )
    if text_of(fields.get("error", "")) == "test failed" and names and FILE_NAME.match(names[-1]):
        return of_file(log, reading, found, point.above, point.first)
    if found.file is None and names and FILE_NAME.match(names[0].split(" > ")[0]):
        found = replace(found, file=names[0].split(" > ")[0])
    return found


def of_file(log: Log, reading: Reading, found: Diagnostic, first: int, end: int) -> Diagnostic:
    """node:test says only "test failed" of a file that cannot run; the reason is loose output above its line."""
    bare = replace(log, lines=[line.removeprefix("# ") for line in log.lines[:end]]) if is_tap(log) else log
    file = path(found.test or "")
    for crash in crashes(bare, first, end):
        reading.claim(crash.first, crash.end)
        return replace(
            found, message=crash.message, rule=crash.rule, file=crash.file or file, line=crash.line,
            column=crash.column, detail=crash.detail, test=file, log=bare.span(crash.at, crash.end - 1),
        )  # fmt: skip
    loose = [at for at in range(max(first, end - 30), end) if _is_loose(bare.lines[at], file)]
    if loose:
        reading.claim(loose[0], loose[-1] + 1)
        return replace(
            found, message=bare.lines[loose[-1]].strip(), file=file, line=None, column=None, test=file,
            detail="\n".join(bare.lines[at] for at in loose[:-1]), log=log.span(loose[-1]),
        )  # fmt: skip
    return replace(found, file=file, line=None, column=None, test=file)


def _is_loose(line: str, file: str) -> bool:
    text = line.strip()
    return (
        bool(text)
        and not text.startswith(("✔", "✖", "▶", "ℹ", "﹣", "Subtest:", "# Subtest", VERSION))
        and file not in text
    )


def _message(fields: dict[str, str]) -> str:
    said = (
        text_of(fields.get("error", ""))
        or text_of(fields.get("error.message", ""))
        or text_of(fields.get("message", ""))
    )
    return said or text_of(fields.get("assertion", ""))


def _place(fields: dict[str, str], stack: str) -> Frame | None:
    lines = [
        line if line.strip().startswith("at ") else f"at {line.strip()}" for line in stack.split("\n") if line.strip()
    ]
    if found := innermost(lines):
        return found
    at = text_of(fields.get("at", ""))
    if at:
        found = frame(f"at {at}")
        if found and found.own:
            return found
    if "at.fileName" in fields or "at.file" in fields:
        file = text_of(fields.get("at.fileName", "") or fields.get("at.file", ""))
        line, column = (text_of(fields.get(f"at.{key}", "")) for key in ("lineNumber", "columnNumber"))
        line, column = line or text_of(fields.get("at.line", "")), column or text_of(fields.get("at.column", ""))
        return Frame(path(file), int(line) if line.isdigit() else None, int(column) if column.isdigit() else None)
    if match := LOCATION.match(text_of(fields.get("location", ""))):
        return Frame(path(match["file"]), int(match["line"]), int(match["column"] or 0) or None)
    return None


def _detail(rest: list[str], fields: dict[str, str], stack: str) -> list[str]:
    lines = list(rest)
    name = text_of(fields.get("name", "")) or text_of(fields.get("error.name", "")) or text_of(fields.get("type", ""))
    if name.endswith("Error") and name not in ("Error", "AssertionError"):
        lines.insert(0, name)
    keys = (
        ("details", "operator", "expected", "actual", "found", "wanted", "diff", "error.expected", "error.actual")
        if not rest
        else ()
    )
    lines += [f"{key.removeprefix('error.')}: {text_of(fields[key])}" for key in keys if fields.get(key)]
    own = [f"at {x.strip().removeprefix('at ')}" for x in stack.split("\n") if x.strip()]
    return [*"\n".join(lines).split("\n"), *own]
