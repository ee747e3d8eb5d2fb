"""Take off what other programs put in front of every line, and split interleaved lines by their source."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from posixpath import join

from punchlist.reading.log import LINE_LIMIT, Log
from punchlist.reading.text import shorten
from punchlist.records import dataclass, replace

SAMPLE = 4_000
DEEPEST = 4

STAMP = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
)
LEVELS = (
    "info|error|err|warn|warning|debug|fatal|trace|notice|critical|severe|fail|failed|pass|ok|note|help|hint|skip|done"
)
# Programs that put their own name before each of their lines.
SIGNING = (
    r"(?:[\w.-]+-)?(?:g?make|gcc|cc|clang|cc1|ld|as|ar|gold|mold|lld|ninja|cmake|ctest|scons|go|cargo"
    r"|rustc|gfortran|f951)(?:-?[\d.]+)?"
)
NAME = r"(?:@[\w.-]+/)?[A-Za-z0-9_][\w.-]*"


@dataclass(frozen=True, slots=True)
class Form:
    """One way to prefix lines. `pattern` has the group `source` where the lines of several sources mix.

    With `several`, one source alone is a tool's own name.
    `least` is the share of the lines that are not blank that must have it; with `evidence` (a pattern that must stand
    in some line) a tenth is enough. `plausible` refuses what only looks like a source.
    """

    name: str
    pattern: re.Pattern[str]
    least: float
    evidence: re.Pattern[str] | None = None
    plausible: Callable[[str], bool] = lambda _source: True
    several: bool = False


def _no_level(source: str) -> bool:
    return not re.fullmatch(LEVELS, source.strip(), re.I) and not re.fullmatch(
        r"[\d.]+%?|\d+/\d+|gw\d+", source.strip()
    )


def _index_or_name(source: str) -> bool:
    return bool(re.fullmatch(r"\d{1,2}", source)) or _no_level(source)


def _package(source: str) -> bool:
    return _no_level(source) and not re.fullmatch(SIGNING, source)


def _task(source: str) -> bool:
    return not re.search(r"\.\w{1,4}:|::|:\d", source) and _no_level(source.split(":")[0])


FORMS: tuple[Form, ...] = (
    # `gh run view --log`: job, step, time
    Form("github", re.compile(r"(?P<source>[^\t]{1,80})\t[^\t]{1,200}\t\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ?"), 0.9),
    # GitLab: time, then stream and continuation marks
    Form("gitlab", re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z \d\d[OE][+ ]?"), 0.6),
    # syslog, and journald with its own times; before the plain stamps, which would leave host and program
    Form(
        "syslog",
        re.compile(r"(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ (?P<source>[\w./-]+(?:\[\d+\])?): "),
        0.7,
    ),
    Form("journal", re.compile(r"\d{4}-\d\d-\d\dT\S+ [\w.-]+ (?P<source>[\w./-]+\[\d+\]): "), 0.7),
    # Jenkins' timestamper: a clock and two blanks
    Form("clock", re.compile(r"\d\d:\d\d:\d\d(?:  |$)"), 0.95),
    Form("stamp", re.compile(rf"(?:\[(?:{STAMP})\]|(?:{STAMP}))(?: \| | |\t|$)"), 0.7),
    # docker compose: the service's name padded, then a bar
    Form("compose", re.compile(r"(?P<source>[A-Za-z0-9][\w.-]*[-_]\d+) +\| ?"), 0.1),
    # foreman, overmind; right-aligned by some; pod and container of stern
    Form(
        "service",
        re.compile(
            r" *(?P<source>[a-z0-9-]+-[a-z0-9]{4,10}(?:-[a-z0-9]{5})? [\w.-]+|[A-Za-z0-9][\w-]*(?:\.\d+)?) *(?<= )\| ?"
        ),
        0.6,
        plausible=_no_level,
    ),
    # BuildKit plain progress: step, seconds
    Form(
        "buildkit",
        re.compile(r"(?P<source>#\d+) (?:\d+\.\d+(?: |$))?"),
        0.3,
        re.compile(r"#\d+ (?:\[|DONE|CACHED|ERROR)"),
    ),
    # turbo: package and task
    Form(
        "turbo",
        re.compile(rf"(?P<source>{NAME}:[A-Za-z][\w:.-]*):(?: |$)"),
        0.4,
        re.compile(
            r"cache (?:miss, executing|hit, replaying)|cache bypass|Packages in scope|Running \w+ in \d+ packages"
            r"|Tasks: +\d+ successful"
        ),
        _task,
    ),
    # pnpm -r: folder and script, `$` before the command and `:` before what it prints
    Form(
        "pnpm",
        re.compile(r"(?P<source>(?:[\w@.-]+/)*[\w@.-]+ [\w:.-]+)(?:: |:$|\$ )"),
        0.5,
        re.compile(r"(?:[\w@.-]+/)*[\w@.-]+ [\w:.-]+\$ |Scope: (?:\d+ of \d+|all \d+) workspace projects"),
        lambda source: not re.match(r"\w*(?:error|warning|note)\b", source, re.I),
    ),
    Form(
        "lerna", re.compile(rf"(?P<source>{NAME}): "), 0.5, re.compile(r"lerna (?:notice|info|success|ERR!)"), _package
    ),
    # concurrently, npm-run-all -l, Jenkins' parallel branches, yarn workspaces foreach -v
    Form(
        "bracket",
        re.compile(r"\[(?P<source>[\w@./: -]{1,40}?) *\]:?(?: |$)"),
        0.8,
        plausible=_index_or_name,
        several=True,
    ),
    # A bar before every line, but no table or box, whose lines end in one
    Form("gutter", re.compile(r"(?:│|┃|\|)(?: (?!.*[|│┃]$)|(?! |.*[|│┃]$)|$)"), 0.9),
    Form("remote", re.compile(r"remote: ?"), 0.8),
)
MARKS = re.compile(r"section_(?:start|end):\d+:\S*")
# npm's and pnpm's script header tells where a package lies.
HEADER = re.compile(r"> (?P<name>\S+?)@\S+ \S+ (?P<folder>/\S.*|[A-Za-z]:\\.*)$")
BUILD_STEP = re.compile(r" > \[.*\d+/\d+\] ")
BUILD_LINE = re.compile(r"\d+\.\d+ ")


def unwrap(log: Log) -> list[Log]:
    """Return one log a source, prefixes taken off and remembered; a log without prefixes comes back as it is."""
    done: list[Log] = []
    todo = [(log, 0)]
    while todo:
        one, depth = todo.pop(0)
        form = detect(one) if depth < DEEPEST else None
        if form is None:
            done.append(_without_marks(one))
        else:
            todo[:0] = [(part, depth + 1) for part in _split(one, form)]
    return done


def detect(log: Log) -> Form | None:
    """Return the form of prefix that the lines of a log have."""
    lines = [line for line in log.lines if line]
    if len(lines) > SAMPLE:
        lines = lines[: SAMPLE // 2] + lines[-SAMPLE // 2 :]
    if not lines:
        return None
    return next((form for form in FORMS if _has(lines, form)), None)


def _has(lines: list[str], form: Form) -> bool:
    # A quick look at a few lines settles most forms that are not there.
    few = list(islice(lines, 0, None, max(1, len(lines) // 60)))
    least = form.least if form.evidence is None else 0.1
    if sum(1 for line in few if form.pattern.match(line)) < len(few) * least * 0.5:
        return False
    matches = [match for line in lines if (match := form.pattern.match(line))]
    if "source" in form.pattern.groupindex:
        known = Counter(match["source"] for match in matches)
        known = Counter({source: n for source, n in known.items() if form.plausible(source)})
        hits = sum(n for n in known.values())
        if form.several and len(known) == 1 and not _alone(next(iter(known)), hits, len(lines)):
            return False
        # A real prefix comes again and again; a line that only looks like it has a source of its own.
        if not known or (hits < 2 * len(known) and not (form.name == "compose" and hits == len(lines))):
            return False
    else:
        hits = len(matches)
    if hits >= len(lines) * form.least and (form.evidence is None or hits >= len(lines) * 0.8):
        return True
    return form.evidence is not None and hits >= len(lines) * 0.1 and any(form.evidence.search(line) for line in lines)


def _alone(source: str, hits: int, lines: int) -> bool:
    """Whether one source alone is a prefix: every one of several lines has it, and it is no tool's own name."""
    return source.isdigit() or (hits == lines >= 2 and not source.endswith("-cli"))


def _split(log: Log, form: Form) -> list[Log]:
    sources: dict[str, _Part] = {}
    mixed = "source" in form.pattern.groupindex
    known = _real_sources(log, form) if mixed else set()
    for index, line in enumerate(log.lines):
        match = form.pattern.match(line) if line else None
        if match and mixed and match["source"] not in known:
            match = None
        source = match["source"] if match and mixed else ""
        part = sources.setdefault(source, _Part())
        cut = match.end() if match else 0
        part.take(log, index, cut)
    folders = _folders(log) if mixed else {}
    return [_log(log, form, source, part, folders) for source, part in sources.items()]


def _real_sources(log: Log, form: Form) -> set[str]:
    counts = Counter(match["source"] for line in log.lines if line and (match := form.pattern.match(line)))
    return {source for source, _ in counts.items() if form.plausible(source)}


class _Part:
    """The lines of one source as they are collected."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.numbers: list[int] = []
        self.long: dict[int, str] = {}
        self.gaps: set[int] = set()

    def take(self, log: Log, index: int, cut: int) -> None:
        if index in log.gaps:
            self.gaps.add(len(self.lines))
        line = log.whole(index)[cut:]
        if len(line) > LINE_LIMIT:
            self.long[len(self.lines)] = line
            line = shorten(line)
        self.lines.append(line)
        self.numbers.append(log.numbers[index])


def _log(log: Log, form: Form, source: str, part: _Part, folders: dict[str, str]) -> Log:
    package, directory = log.package, log.directory
    if form.name == "turbo" and source:
        package = source.split(":")[0]
    elif form.name == "lerna" and source:
        package = source
    elif form.name == "pnpm" and source:
        directory = join(directory, source.rsplit(" ", 1)[0])
        package = source.rsplit(" ", 1)[0]
    if package and package in folders:
        directory = folders[package]
    name = f"{log.source} {source}".strip()
    return Log(part.lines, part.numbers, part.long, frozenset(part.gaps), name, directory, package)


def _folders(log: Log) -> dict[str, str]:
    found = (match for line in log.lines if "> " in line and (match := HEADER.search(line)))
    return {match["name"]: match["folder"].strip() for match in found}


def _without_marks(log: Log) -> Log:
    """The log without GitLab's section marks, and the times in BuildKit's closing block."""
    changed = {i: MARKS.sub("", line, count=1) for i, line in enumerate(log.lines) if _marked(line)}
    changed |= _build_block(log.lines)
    if not changed:
        return log
    lines = list(log.lines)
    for index, line in changed.items():
        lines[index] = line.strip() if not line.strip() else line
    return replace(log, lines=lines)


def _marked(line: str) -> bool:
    return line.startswith("section_") and MARKS.match(line) is not None


def _build_block(lines: Iterable[str]) -> dict[int, str]:
    changed: dict[int, str] = {}
    inside = False
    for index, line in enumerate(lines):
        if inside and line.startswith("------"):
            inside = False
        elif inside and (match := BUILD_LINE.match(line)):
            changed[index] = line[match.end() :]
        elif line.startswith(" > [") and BUILD_STEP.match(line):
            inside = True
    return changed
