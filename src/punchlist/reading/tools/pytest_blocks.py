"""Read one block of pytest's ERRORS and FAILURES sections: the place, the line that says why, and what explains it."""

import re
from collections.abc import Iterator, Sequence

from punchlist.reading import frames
from punchlist.reading.frames import CHAINS, Frame
from punchlist.reading.log import Log
from punchlist.reading.tools.pytest_runs import Run, Section, plain
from punchlist.records import dataclass, field

TITLE = re.compile(r"(?P<rule>[_\u2015]+) (?P<title>\S.*?) [_\u2015]+$")
RULE = re.compile(r"-+ (?P<title>\S.*?) -+$")
PLACE = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:=][^:=\n]*?):(?P<line>\d+):(?: (?:in (?P<function>\S+)|[\w.<>]+))?$"
)
FIXTURE = re.compile(r"(?P<file>/[^:=\n]+|[A-Za-z]:[\\/][^:=\n]+|[\w.][^\s:=]*\.\w+):(?P<line>\d+)$")
WORKER = re.compile(r"\[gw\d+\] \w+ -- Python ")
CRASH = re.compile(r"worker '\w+' crashed while running '(?P<test>.+)'$")
RESULT = re.compile(
    r" ?(?:\[gw\d+\] )?\S+\.\w+(?:::\S.*?)? (?:[.FEsxXRuUp\u2713\u2a2f]+|[A-Z]{4,}) *(?:\d+% \S.*|\[ *\d+%\])?$"
)
LOCAL_E = re.compile(r"E {9} = ")
DOCTEST = re.compile(r"\d{3,} (?P<text>.*)$")
ANY_PLACE = re.compile(r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:=][^:=\n]*?):(?P<line>\d+): (?P<rest>\S.*)$")
DETAIL_LINES = 48
TAIL_LINES = 5


@dataclass(slots=True)
class Block:
    """What one block says; `first` to `end` are its lines, `at` the line of its message."""

    title: str
    first: int
    end: int
    message: str = ""
    at: int = 0
    file: str | None = None
    line: int | None = None
    test_file: str | None = None
    crashed: str | None = None
    main_end: int = 0
    reasoned: bool = True
    whole: bool = True
    places: list[Frame] = field(default_factory=list)
    detail: list[str] = field(default_factory=list)


def is_title(line: str, width: int) -> str | None:
    """Return the title of a block's header: rules fill the width, one character a side where the title is longer."""
    match = TITLE.match(line)
    if match is None or not line.strip("_ "):
        return None
    title, rule = match["title"], len(match["rule"])
    if rule == 1 and len(title) >= width - 6:
        return title
    return title if not width or abs(len(line) - width) <= 1 else None


def titles(log: Log, section: Section, width: int) -> list[tuple[int, str, bool]]:
    """Return the possible block headers of a section: line, title, and whether captured output stands around it."""
    found: list[tuple[int, str, bool]] = []
    captured = False
    for index in range(section.first + 1, section.end):
        line = log.lines[index]
        if not line:
            continue
        if line[0] in "_\u2015":
            title = is_title(line, width)
            if title is not None and not title.startswith("coverage: platform"):
                found.append((index, title, captured))
                captured = False
        elif line[0] == "-" and line.startswith("---") and " Captured " in line:
            captured = True
    return found


def blocks(log: Log, run: Run, section: Section, known: set[str], root: str) -> Iterator[Block]:
    """Yield the blocks of a section; in captured output only a header that names a known test begins one."""
    heads = [
        (index, title)
        for index, title, captured in titles(log, section, run.width)
        if not captured or not known or plain(bare(title)) in known
    ]
    for number, (index, title) in enumerate(heads):
        end = heads[number + 1][0] if number + 1 < len(heads) else section.end
        yield read_block(log, Block(title, index, end), run.width, root)


def early_blocks(log: Log, run: Run, section: Section, known: set[str], root: str) -> Iterator[Block]:
    """Yield failures printed amid the progress, as pytest-sugar (with its own rules) and pytest-instafail do."""
    heads = [
        (index, title)
        for index, title, _ in titles(log, section, run.width)
        if plain(bare(title)) in known or log.lines[index][0] == "\u2015"
    ]
    for number, (index, title) in enumerate(heads):
        end = heads[number + 1][0] if number + 1 < len(heads) else section.end
        stop = next((i for i in range(index + 1, end) if RESULT.match(log.lines[i])), end)
        yield read_block(log, Block(title, index, stop), run.width or len(log.lines[index]), root)


def bare(title: str) -> str:
    """Return the name of the test or file in a title."""
    return re.sub(r"^(?:ERROR (?:at \w+ of|collecting) )?(?:\[doctest\] )?", "", title)


def read_block(log: Log, block: Block, width: int, root: str) -> Block:
    """Fill a block from its lines."""
    lines = log.lines
    start = block.first + 1
    if start < block.end and WORKER.match(lines[start]):
        start += 1
    block.main_end = _main_end(lines, start, block.end, width)
    part = _last_part(lines, start, block.main_end)
    places = list(_places(lines, start, block.main_end))
    tracebacks = frames.read_tracebacks(lines, start, block.main_end)
    errors = _errors(lines, part, block.main_end)
    if errors:
        _from_errors(log, block, errors)
    else:
        _without_errors(log, block, start, frames.final(tracebacks), root)
        places += [frame for traceback in tracebacks for frame in traceback.frames]
        block.detail += _members(lines, block) if tracebacks else []
    if block.file is None:
        best = frames.innermost([p for p in places if p.index >= part], root) or frames.innermost(places, root)
        if best is not None:
            block.file, block.line = best.file, best.line
    block.reasoned = bool(errors or tracebacks) and not frames.FILE.match(block.message)
    block.whole = (block.reasoned and block.file is not None) or block.main_end < block.end
    block.places = places
    block.test_file = _test_file(lines, block, places)
    _explain(log, block, start, errors, places, root)
    return block


def _main_end(lines: Sequence[str], start: int, end: int, width: int) -> int:
    """The line on which captured output, or another section of a plugin, begins."""
    for index in range(start, end):
        line = lines[index]
        match = RULE.match(line) if line[:1] == "-" else None
        if match and (not width or abs(len(line) - width) <= 1 or match["title"].startswith("Captured ")):
            return index
    return end


def _last_part(lines: Sequence[str], start: int, end: int) -> int:
    for index in range(end - 1, start, -1):
        if lines[index] in CHAINS:
            return index + 1
    return start


def _places(lines: Sequence[str], start: int, end: int) -> Iterator[Frame]:
    for index in range(start, end):
        line = lines[index]
        if not line or line[0] == " " or ":" not in line or line[:2] in ("> ", "E "):
            continue
        match = PLACE.match(line) or FIXTURE.match(line)
        if match and ("." in match["file"] or "<" in match["file"]):
            function = match.groupdict().get("function") or ""
            yield Frame(match["file"], int(match["line"]), function, index)


def _errors(lines: Sequence[str], start: int, end: int) -> list[int]:
    """The last run of lines that begin with `E`: what the exception says."""
    last = end - 1
    while last >= start and not (_is_error(lines[last]) and lines[last] != "E"):
        last -= 1
    if last < start:
        return []
    first = last
    while first > start and _is_error(lines[first - 1]):
        first -= 1
    return list(range(first, last + 1))


def _is_error(line: str) -> bool:
    return line[:1] == "E" and (len(line) == 1 or line[1:4] == "   ") and not LOCAL_E.match(line)


def _from_errors(log: Log, block: Block, errors: list[int]) -> None:
    at = next((i for i in errors if log.lines[i][1:].strip()), errors[0])
    text = log.whole(at)[1:].strip()
    if match := frames.FILE.match(text):
        # A SyntaxError names its own place; the line with the reason is the least indented one below.
        below = [i for i in errors if i > at and frames.EXCEPTION.match(log.lines[i][1:].strip())]
        at = below[-1] if below else at
        text = log.whole(at)[1:].strip()
        block.file, block.line = match["file"], int(match["line"])
    block.message, block.at = text, at


def _without_errors(log: Log, block: Block, start: int, traceback: frames.Traceback | None, root: str) -> None:
    lines = log.lines
    if any(
        line.startswith("UNEXPECTED EXCEPTION") or line.endswith(": DocTestFailure")
        for line in lines[start : block.main_end]
    ):
        _doctest(log, block, start)
    elif traceback is not None and traceback.message:
        block.message, block.at = log.whole(traceback.at)[traceback.depth :].strip(), traceback.at
        own = frames.innermost(traceback.frames, root)
        if own is not None:
            block.file, block.line = own.file, own.line
    else:
        at = next((i for i in range(start, block.main_end) if lines[i].strip()), block.first)
        block.message, block.at = log.whole(at).strip(), at
        if at == block.first:
            block.message = block.title
        if match := CRASH.match(block.message):
            block.crashed = match["test"]


def _members(lines: Sequence[str], block: Block) -> list[str]:
    """What an exception group holds, without frames: the lines below its own message, gutters taken off."""
    found: list[str] = []
    frame = -1
    for index in range(block.at + 1, block.main_end):
        text = lines[index].strip(frames.GUTTER)
        indent = len(lines[index]) - len(lines[index].lstrip(frames.GUTTER))
        if frames.FILE.match(text):
            frame = indent
        elif frame >= 0 and indent > frame:
            continue
        elif text and not text.startswith(("---", "Traceback (", "Exception Group Traceback")):
            frame = -1
            found.append(text)
    return found[:30]


def _doctest(log: Log, block: Block, start: int) -> None:
    """A doctest: numbered source, then what was expected and what came (pytest 3 to 9)."""
    lines = log.lines
    example = start
    for index in range(start, block.main_end):
        if DOCTEST.match(lines[index]):
            example = index
        elif lines[index].startswith(("Expected", "UNEXPECTED EXCEPTION", "Differences", "Got")):
            at = index if lines[index].startswith("UNEXPECTED") else example
            match = DOCTEST.match(lines[at])
            block.message, block.at = (match["text"] if match else lines[at]).strip(), at
            break
    if not block.message:
        block.message, block.at = lines[example].strip() or block.title, example


def _test_file(lines: Sequence[str], block: Block, places: Sequence[Frame]) -> str | None:
    """The file of the test's own function, where the block shows that function's name or its `def`."""
    name = re.split(r"[\[ ]", bare(block.title).rsplit(".", 1)[-1] if "[" not in block.title else block.title)[0]
    name = name.rsplit(".", 1)[-1]
    if not name.isidentifier():
        return None
    before = block.first
    for place in places:
        if place.function == name or any(
            f" {name}(" in lines[i] and lines[i].lstrip(" >").startswith(("def ", "async def "))
            for i in range(before, place.index)
        ):
            return place.file
        before = place.index
    return None


def _explain(log: Log, block: Block, start: int, errors: list[int], places: Sequence[Frame], root: str) -> None:
    """Collect the detail: the rest of the error, the way through own code, causes, and the end of captured output."""
    lines, detail = log.lines, block.detail
    if errors:
        indent = min((_indent(lines[i]) for i in errors if lines[i][1:].strip()), default=0)
        detail += [log.whole(i)[indent:].rstrip() for i in errors if i != block.at]
        first = lines[start] if start < block.end else ""
        if first.startswith("file "):
            detail.append(first)
    else:
        body = [lines[i] for i in range(start, block.main_end) if i != block.at]
        if not any("Traceback (" in line for line in body):
            detail += [line for line in body if line.strip()][:DETAIL_LINES]
    del detail[DETAIL_LINES:]
    own = [p for p in places if not frames.is_foreign(p.file, root)]
    if len(own) > 1 or (own and (own[-1].file, own[-1].line) != (block.file, block.line)):
        steps = own if len(own) <= 8 else [*own[:4], *own[-4:]]
        detail += [f"at {frames.within(p.file, root) or p.file}:{p.line}{_source(lines, p.index)}" for p in steps]
    detail += _causes(lines, start, block.main_end)
    detail += _captured(lines, block)


def _indent(line: str) -> int:
    return len(line) - len(line[1:].lstrip())


def _source(lines: Sequence[str], index: int) -> str:
    """The code line of a place: below it in short style, marked with `>` above it in the long one."""
    if index + 1 < len(lines) and lines[index].find(": in ") > 0 and lines[index + 1].startswith("    "):
        return f": {lines[index + 1].strip()}"
    for at in range(index - 1, max(index - 60, 0), -1):
        if lines[at].startswith(">"):
            return f": {lines[at][1:].strip()}"
        if lines[at].startswith("_"):
            break
    return ""


def _causes(lines: Sequence[str], start: int, end: int) -> list[str]:
    found: list[str] = []
    for index in range(start, end):
        if lines[index] in CHAINS:
            errors = _errors(lines, start, index)
            if errors:
                found.append(f"caused by: {lines[errors[0]][1:].strip()}")
            else:
                traceback = frames.final(frames.read_tracebacks(lines, start, index))
                if traceback and traceback.message:
                    found.append(f"caused by: {traceback.message}")
            start = index + 1
    return found[-4:]


def _captured(lines: Sequence[str], block: Block) -> list[str]:
    """The last lines of each captured stream, below a short title."""
    found: list[str] = []
    index = block.main_end
    while index < block.end:
        match = RULE.match(lines[index])
        after = index + 1
        while after < block.end and not (lines[after].startswith("---") and RULE.match(lines[after])):
            after += 1
        if match and match["title"].startswith(("Captured ", "Hypothesis")):
            body = [line[:300] for line in lines[index + 1 : after] if line.strip()]
            found += [f"{match['title']}:", *body[-TAIL_LINES:]]
        index = after
    return found[:24]


def crash_lines(log: Log, section: Section) -> list[Block]:
    """Read a section written with `--tb=line`: one `path:line: reason` a failure, in pytest 9.2 with details before."""
    found: list[Block] = []
    first = section.first + 1
    said = ""
    captured = False
    for index in range(first, section.end):
        line = log.lines[index]
        captured = captured or (line.startswith("---") and " Captured " in line)
        if line.startswith("E   ") and not captured:
            said = line[4:].strip()
        match = ANY_PLACE.match(line) if line[:1] not in ("", " ", "E") else None
        if match is None or not (
            "/" in match["file"] or "\\" in match["file"] or "." in match["file"] or match["file"][0] == "<"
        ):
            continue
        reason = log.whole(index)[match.start("rest") :].strip()
        if said and reason != said and not said.startswith(reason) and not reason.startswith(said):
            continue
        block = Block("", first, index + 1, reason, index, match["file"], int(match["line"]), main_end=index + 1)
        block.detail = [line for line in log.lines[first:index] if line.strip()][1:DETAIL_LINES] if said else []
        found.append(block)
        first, said, captured = index + 1, "", False
    return found
