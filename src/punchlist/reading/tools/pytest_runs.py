"""Find pytest's runs in a log, and the sections of each: progress, ERRORS, FAILURES, warnings, summary, totals."""

import re
from dataclasses import dataclass, field

from punchlist.reading.log import Log

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


class _Splitter:
    """Walk over the lines once; a run ends at its totals, or where the next one starts."""

    def __init__(self, log: Log) -> None:
        self.lines = log.lines
        self.runs: list[Run] = []
        self.run: Run | None = None
        self.captured = False
        self.nested = False
        self.candidate: int | None = None
        self.last = ""

    def open(self, index: int) -> Run:
        if self.run is None:
            self.run = Run(index, index)
        return self.run

    def close(self, index: int, total: int | None = None) -> None:
        if self.run is not None:
            run, self.run = self.run, None
            if total is None and self.candidate is not None:
                total, index = self.candidate, self.candidate + 1
            run.end, run.total = index, total
            if total is not None:
                run.counts = read_totals(self.lines[total]) or {}
            run.sections = [s for s in run.sections if s.first < index]
            ends = [section.first for section in run.sections[1:]] + [index if total is None else total]
            for section, end in zip(run.sections, ends, strict=False):
                section.end = end
            if run.sections or run.headed or run.total is not None:
                self.runs.append(run)
        self.captured = self.nested = False
        self.candidate = None

    def rule(self, index: int, line: str) -> None:
        """A line that begins with `=`: a section's title, or the totals."""
        match = HEADER.match(line)
        if match is None:
            return
        title = match["title"]
        if title == "test session starts":
            if self.run is not None and self.captured and self.run.sections:
                self.nested = True  # the code under test runs pytest itself: what follows up to its totals is output
                return
            self.close(index)
            run = self.open(index)
            run.headed, run.width = True, len(line)
            return
        if read_totals(line) is not None:
            if self.nested:
                self.nested = False
            elif self.captured and self.run is not None and self.run.headed and abs(len(line) - self.run.width) > 1:
                return
            elif self.captured and self.run is not None and not self.run.headed:
                self.candidate = index
            else:
                self.open(index)
                self.close(index + 1, index)
            return
        kind = KINDS.get(title) or ("other" if re.match(r"slowest .*durations$|slowest test", title) else "")
        if self.nested or not kind:
            return
        run = self.open(index)
        if run.width and abs(len(line) - run.width) > 1:
            return
        run.width = run.width or len(line)
        run.sections.append(Section(kind, index, index))
        self.captured = False

    def plain_totals(self, index: int, line: str) -> None:
        """Totals without rules (`-q`): the last of several where code under test may print the same."""
        counts = read_totals(line)
        if counts is None or self.nested or (self.run is not None and self.run.headed):
            return
        bad = counts.get("failed", 0) + counts.get("errors", 0)
        if self.captured or (bad and not (self.run and self.run.sections) and not PROGRESS.match(self.last)):
            self.open(index)
            self.candidate = index
            return
        self.open(index)
        self.close(index + 1, index)

    def walk(self, boundary: int) -> list[Run]:
        for index, line in enumerate(self.lines):
            if index == boundary:
                self.close(index)
            if not line:
                continue
            first = line[0]
            if first == "=":
                self.rule(index, line)
            elif first == "-":
                if self.run is not None and self.run.sections and line.startswith("---") and " Captured " in line:
                    self.captured = True
            elif first == "_":
                if self.captured and not self.nested and self.run and len(line) == self.run.width and line[-1] == "_":
                    self.captured = line.strip("_ ") == ""
            elif first in "0123456789n" and " in " in line:
                self.plain_totals(index, line)
            self.last = line
        self.close(len(self.lines))
        return self.runs


def find_runs(log: Log) -> list[Run]:
    """Return the runs of pytest in a log, in order."""
    return _Splitter(log).walk(_boundary(log))


def _boundary(log: Log) -> int:
    """The line on which stderr begins where it was kept apart from stdout, -1 where the two are interleaved."""
    numbers = log.numbers
    if not numbers or numbers[0] < 0 or numbers[-1] > 0:
        return -1
    at = len(numbers)
    while at > 0 and numbers[at - 1] < 0:
        at -= 1
    return at if numbers[at] == -1 and all(number > 0 for number in numbers[:at]) else -1
