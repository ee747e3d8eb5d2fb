"""Find pytest's runs in a log, and the sections of each: progress, ERRORS, FAILURES, warnings, summary, totals."""

import re
from collections.abc import Sequence

from punchlist.reading.log import Log
from punchlist.records import dataclass, field

HEADER = re.compile(r"=+ (?P<title>\S.*?) =+$")
TOTALS = re.compile(
    r"(?:=+ )?(?P<body>(?:no tests ran|no tests collected|\d+(?:/\d+)? [a-z][a-z ]*?(?: \(\d+ deselected\))?)"
    r"(?:, \d+ [a-z][a-z ]*?)*) in (?P<seconds>[\d.]+) ?s(?:econds?)?(?: \([\d:, day]+\))?(?: =+)?$"
)
PART = re.compile(r"(\d+)(?:/\d+)? ([a-z][a-z ]*[a-z])")
PROGRESS = re.compile(r"(?:(?:\S.*\.\w+|\[gw\d+\]) )?[.FEsxXRuUprf,]+ *(?:\[ *\d+%\]|\[ *\d+/\d+\])?$")
NAMES = {
    "error": "errors",
    "errors": "errors",
    "warning": "warnings",
    "warnings": "warnings",
    "subtests passed": "subtests_passed",
    "subtest passed": "subtests_passed",
    "subtests failed": "subtests_failed",
}
SESSION = re.compile(
    r"nox > Running session (?P<nox>\S+)$|(?P<tox>[\w.:+-]+)(?:: commands\[\d+\]>| run-test: commands\[\d+\] \|) "
)
PYTEST = re.compile(r"nox > (?:\S*python\S* -m )?(?:\S*/)?(?:pytest|py\.test)\b(?! failed)|nox > coverage run .*pytest")
SUGAR = re.compile(r" {2,}(?:(?P<number>\d+) (?P<name>[a-z]+)|- \S.*)$")
MARKS = frozenset("=-_0123456789nTR\u2015")
PROGRESS_NEAR = 40
NARROWEST = 40
BLOCK_NEAR = 400
HEADLESS = re.compile(r"_+ \S.* _+$")
COVERAGE = re.compile(r"_+ coverage: ")
SLOWEST = re.compile(r"slowest .*durations$|slowest test")
KINDS = {
    "ERRORS": "errors",
    "FAILURES": "failures",
    "PASSES": "passes",
    "XPASSES": "passes",
    "XFAILURES": "passes",
    "short test summary info": "summary",
    "rerun test summary info": "reruns",
    "warnings summary": "warnings",
    "warnings summary (final)": "warnings",
    "tests coverage": "other",
    "Hypothesis Statistics": "other",
}


@dataclass(slots=True)
class Section:
    """One `=== TITLE ===` part of a run: lines `first` (the title) up to, not including, `end`."""

    kind: str
    first: int
    end: int


@dataclass(slots=True)
class Run:
    """One run of pytest: lines `first` up to, not including, `end`; `total` is the line with its totals, if any.

    `width` is the terminal width that its rules show; `headed` says that it began with `test session starts`.
    """

    first: int
    end: int
    width: int = 0
    headed: bool = False
    total: int | None = None
    sections: list[Section] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def of(self, kind: str) -> list[Section]:
        """Return the run's sections of one kind."""
        return [section for section in self.sections if section.kind == kind]

    @property
    def progress_end(self) -> int:
        """The line before which progress was printed."""
        ends = [section.first for section in self.sections]
        return min([*ends, self.end if self.total is None else self.total])


def plain(text: str) -> str:
    """Spell a name the way titles do: dots between classes and functions."""
    return text.replace("::", ".")


def read_totals(line: str) -> dict[str, int] | None:
    """Return the counts of a line of totals, None for any other line."""
    match = TOTALS.match(line)
    if match is None:
        return None
    counts: dict[str, int] = {}
    for number, name in PART.findall(match["body"]):
        name = name.strip()
        if name.endswith(("collected", "selected")) and name != "deselected":
            name = "collected"
        name = NAMES.get(name, name)
        if " " not in name:
            counts[name] = counts.get(name, 0) + int(number)
    return counts


def fills(line: str, width: int) -> bool:
    """Whether a rule is as wide as the terminal; one with a long title has a single character on each side."""
    return not width or abs(len(line) - width) <= 1 or (len(line) > width and line[1:2] == line[-2:-1] == " ")


class _Splitter:
    """Walk over the lines once; a run ends at its totals, or where the next one starts.

    Code under test may print whatever pytest prints. So what looks like totals behind captured output stays pending:
    a failure's title or a real summary after it shows that it was output.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.runs: list[Run] = []
        self.run: Run | None = None
        self.captured = False
        self.nested = False
        self.pending: int | None = None

    def open(self, index: int) -> Run:
        if self.run is None:
            self.run = Run(index, index)
        return self.run

    def close(self, index: int, total: int | None = None) -> None:
        """End the run before line `index`, with the totals on line `total` or those pending."""
        run, pending = self.run, self.pending
        self.run, self.pending, self.captured, self.nested = None, None, False, False
        if run is None:
            return
        total = pending if total is None else total
        run.end, run.total = index if total is None else total + 1, total
        if total is not None:
            run.counts = read_totals(self.lines[total]) or {}
        later = [section for section in run.sections if section.first > run.end]
        run.sections = _real([section for section in run.sections if section.first < run.end])
        ends = [section.first for section in run.sections[1:]] + [run.end if total is None else total]
        for section, end in zip(run.sections, ends, strict=False):
            section.end = end
        if run.sections or run.headed or run.total is not None:
            self.runs.append(run)
        if later:
            self.run = Run(later[0].first, later[0].first, width=run.width, sections=later)

    def start(self, index: int, line: str) -> None:
        if self.run is not None and self.captured and self.run.sections and self.pending is None:
            self.nested = True  # the code under test runs pytest itself: what follows up to its totals is output
            return
        self.close(index)
        run = self.open(index)
        run.headed, run.width = True, len(line)

    def rule(self, index: int, line: str) -> None:
        """A line that begins with `=`: a section's title, or the totals."""
        match = HEADER.match(line)
        if match is None:
            return
        title = match["title"]
        fits = self.run is None or fills(line, self.run.width)
        if title == "test session starts":
            self.start(index, line)
        elif read_totals(line) is not None:
            if self.nested:
                self.nested = False
            elif fits:
                self.open(index)
                self.pending = index
        elif fits and not self.nested:
            self.section(index, line, KINDS.get(title) or ("other" if SLOWEST.match(title) else ""))

    def section(self, index: int, line: str, kind: str) -> None:
        if not kind or len(line) < NARROWEST:
            return
        if self.pending is not None:
            if kind in ("errors", "failures") and self.run and any(self.run.of("errors") + self.run.of("failures")):
                self.close(index)
            else:
                self.pending = None
        run = self.open(index)
        run.width = run.width or len(line)
        run.sections.append(Section(kind, index, index))

    def plain_totals(self, index: int, line: str) -> None:
        """Totals without rules (`-q`)."""
        counts = read_totals(line)
        if counts is None or self.nested:
            return
        if self.run is not None and self.run.headed:
            if self.pending is None:
                return
            self.close(index)
        before = next((self.lines[i] for i in range(index - 1, max(-1, index - 4), -1) if self.lines[i]), "")
        after_progress = PROGRESS.match(before) is not None
        if self.pending is not None and after_progress:
            self.close(index)
        run = self.open(index)
        bad = counts.get("failed", 0) + counts.get("errors", 0)
        if self.captured or (bad and not run.sections and not after_progress):
            self.pending = index
        else:
            self.close(index + 1, index)

    def sugar(self, index: int, line: str) -> None:
        """pytest-sugar's own first line and totals, which stand on lines of their own."""
        if line.startswith("Test"):
            if not (self.captured and self.run):
                self.close(index)
                self.open(index).headed = True
            return
        counts: dict[str, int] = {}
        end = index + 1
        while end < len(self.lines) and (match := SUGAR.match(self.lines[end])):
            if match["number"]:
                name = NAMES.get(match["name"], match["name"])
                counts[name] = int(match["number"])
            end += 1
        if counts and self.run is not None:
            run = self.run
            self.close(end, end - 1)
            run.counts = counts

    def title(self, line: str) -> None:
        """The title of a failure: what seemed to be a summary before it was output."""
        run = self.run
        if run is None or not fills(line, run.width) or not line.strip("_ ") or COVERAGE.match(line):
            return
        if not any(section.kind in ("errors", "failures") for section in run.sections) or self.nested:
            return
        while run.sections[-1].kind not in ("errors", "failures", "passes"):
            run.sections.pop()
        self.captured, self.pending = False, None

    def go_on(self, index: int) -> None:
        """End a run whose totals are pending where another's progress follows them, before line `index`."""
        if self.pending is None:
            return
        for at in range(self.pending + 1, min(index, self.pending + PROGRESS_NEAR)):
            line = self.lines[at]
            if line[-1:] == "]" and PROGRESS.match(line):
                self.close(at)
                return

    def walk(self, boundary: int) -> list[Run]:
        """Go over all lines; `boundary` is the line on which another stream begins."""
        lines = self.lines
        waiting = boundary >= 0
        for index in [i for i, line in enumerate(lines) if line[:1] in MARKS and line]:
            if waiting and index >= boundary:
                self.close(boundary)
                waiting = False
            line = lines[index]
            first = line[0]
            if self.pending is not None:
                self.go_on(index)
            if first == "=":
                self.rule(index, line)
            elif first == "-":
                if self.run is not None and self.run.sections and line.startswith("---") and " Captured " in line:
                    self.captured = True
            elif first == "_":
                self.title(line)
            elif first in "0123456789n" and " in " in line:
                self.plain_totals(index, line)
            elif first in "TR" and line.startswith(("Test session starts (", "Results (")):
                self.sugar(index, line)
        if self.pending is not None:
            self.go_on(boundary if waiting else len(lines))
        if waiting:
            self.close(boundary)
        self.close(len(lines))
        return self.runs


def _real(sections: list[Section]) -> list[Section]:
    """Drop titles that the code under test printed: pytest's failures come first in a run, its summaries last."""
    kept: dict[str, Section] = {}
    for section in sections:
        if section.kind in ("errors", "failures"):
            kept.setdefault(section.kind, section)
        else:
            kept[f"{section.kind}{section.first}" if section.kind == "other" else section.kind] = section
    return sorted(kept.values(), key=lambda section: section.first)


def find_runs(log: Log) -> list[Run]:
    """Return the runs of pytest in a log, in order.

    Totals of failures with nothing of a run around them are output of the code under test where a whole run stands.
    """
    runs = _Splitter(log.lines).walk(_boundary(log))
    if not runs and (first := _headless(log.lines, 0, len(log.lines))) is not None:
        runs = [Run(0, len(log.lines), width=len(log.lines[first]))]
    before = 0
    for run in runs:
        if not run.headed and not run.of("failures") and not run.of("errors"):
            first = _headless(log.lines, before, run.progress_end)
            if first is not None:
                run.sections.insert(0, Section("failures", first - 1, run.progress_end))
                run.first = min(run.first, max(0, first - 1))
        before = run.end
    whole = [run for run in runs if not _bare_failure(log.lines, run)]
    return whole or runs


def _headless(lines: Sequence[str], first: int, end: int) -> int | None:
    """The first title of a failure in a log whose head, and with it the title of the section, is cut off."""
    for index in range(first, end):
        line = lines[index]
        if line[:1] == "_" and len(line) >= NARROWEST and HEADLESS.match(line) and not COVERAGE.match(line):
            below = lines[index + 1 : min(end, index + BLOCK_NEAR)]
            if any(text.startswith("E   ") for text in below):
                return index
    return None


def _bare_failure(lines: Sequence[str], run: Run) -> bool:
    if run.headed or run.sections or run.total is None:
        return False
    if not run.counts.get("failed") and not run.counts.get("errors"):
        return False
    return not any(PROGRESS.match(lines[index]) for index in range(run.first, run.total) if lines[index])


def labels(log: Log, runs: Sequence[Run]) -> list[str | None]:
    """Name the environment of each run where tox or nox ran several: from the line above it, or by its turn.

    nox logs on stderr while pytest prints on stdout, so that only the order tells which session a run belongs to.
    """
    if len(runs) < 2:
        return [None] * len(runs)
    sessions: list[str] = []
    places: list[tuple[int, str]] = []
    name = ""
    for index, line in enumerate(log.lines):
        if match := SESSION.match(line):
            name = match["nox"] or match["tox"]
            if match["tox"]:
                places.append((index, name))
        elif line.startswith("nox > ") and PYTEST.search(line):
            sessions.append(name)
            places.append((index, name))
    if len(sessions) == len(runs):
        return list(sessions)
    found: list[str | None] = []
    for number, run in enumerate(runs):
        start = runs[number - 1].end if number else 0
        above = [label for index, label in places if start <= index <= run.end]
        found.append(above[-1] if above else None)
    return found


def _boundary(log: Log) -> int:
    """The line on which stderr begins where it was kept apart from stdout, -1 where the two are interleaved."""
    numbers = log.numbers
    if not numbers or numbers[0] < 0 or numbers[-1] > 0:
        return -1
    at = len(numbers)
    while at > 0 and numbers[at - 1] < 0:
        at -= 1
    return at if all(number > 0 for number in numbers[:at]) else -1
