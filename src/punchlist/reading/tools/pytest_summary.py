"""Read pytest's short test summary: which tests failed, under their full ids, and the (often cut) reason."""

import re
from collections.abc import Iterable, Sequence

from punchlist.reading.log import Log
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.pytest_runs import Run, plain
from punchlist.records import dataclass

SUBTEST = re.compile(r"SUBFAIL(?:ED)?(?P<desc>(?:\[.*\])? ?(?:\(.*\))?) (?P<rest>\S*?\.\w+(?:::| - |$).*)$")
OLD_SUBTEST = re.compile(r"(?P<desc>(?:\[.*\])? ?(?:\(.*\))?) SUBFAIL (?P<rest>\S*?\.\w+(?:::| - |$).*)$")
MOST_PAIRS = 250_000
WORDS = ("FAILED ", "ERROR ", "SUBFAIL")
VERBOSE = re.compile(
    r"(?:(?P<id>\S.*?) (?P<word>FAILED|ERROR)(?: +\[ *\d+(?:%|/\d+)\])?"
    r"|\[gw\d+\] \[ *\d+%\] (?P<word2>FAILED|ERROR) (?P<id2>\S.*))$"
)


@dataclass(slots=True)
class Entry:
    """One line of the summary; `test` is the node id (for a subtest with its description), `desc` that description."""

    kind: str  # "failed" or "error"
    test: str
    message: str
    index: int
    desc: str = ""
    used: bool = False

    @property
    def file(self) -> str:
        """The file that the id begins with."""
        return self.test.split("::", 1)[0]

    @property
    def name(self) -> str:
        """What stands behind the file, as the titles of failure blocks spell it."""
        return plain(self.test.split("::", 1)[1]) if "::" in self.test else ""


def summary(log: Log, run: Run, titles: Iterable[str]) -> list[Entry]:
    """Return the failures and errors that the run's summaries list, in order."""
    known = {plain(title) for title in titles}
    entries: list[Entry] = []
    sections = run.of("summary") or run.of("reruns")
    for section in sections:
        for index in range(section.first + 1, section.end):
            line = log.lines[index]
            if line.startswith(WORDS) or " SUBFAIL " in line:
                entry = _entry(log.whole(index), index, known)
                if entry and not (section.kind == "reruns" and any(e.test == entry.test for e in entries)):
                    entries.append(entry)
    return entries


def _entry(line: str, index: int, known: set[str]) -> Entry | None:
    if not line.startswith(("FAILED ", "ERROR ")):
        match = SUBTEST.match(line) or OLD_SUBTEST.match(line)
        if match is None:
            return None
        test, message = split_id(match["rest"], known)
        desc = match["desc"].strip()
        return Entry("failed", f"{test} {desc}".strip(), message, index, desc)
    kind = "failed" if line.startswith("FAILED ") else "error"
    test, message = split_id(line.split(" ", 1)[1].strip(), known)
    return Entry(kind, test, message, index) if test else None


def split_id(text: str, known: set[str]) -> tuple[str, str]:
    """Split `ID - REASON`: parameters may hold ` - ` themselves; a title that is known decides, else brackets do."""
    at = text.find(" - ")
    chosen = -1
    while at >= 0:
        test = text[:at]
        if plain(test.split("::", 1)[-1]) in known:
            return test, text[at + 3 :]
        if chosen < 0 and ("[" not in test or test.endswith("]")):
            chosen = at
        at = text.find(" - ", at + 1)
    return (text, "") if chosen < 0 or plain(text.split("::", 1)[-1]) in known else (text[:chosen], text[chosen + 3 :])


def from_progress(log: Log, run: Run) -> list[Entry]:
    """Return failed tests by the lines of a verbose run's progress (`id FAILED [ 50%]`), for logs without summary."""
    entries: list[Entry] = []
    for index in lines_with(log, "FAILED", "ERROR", start=run.first, end=run.progress_end):
        line = log.lines[index]
        if "::" not in line:
            continue
        match = VERBOSE.match(line)
        if match is None or " - " in line.split("::", 1)[0]:
            continue
        test = match["id"] or match["id2"]
        kind = "error" if "ERROR" in (match["word"] or match["word2"]) else "failed"
        if re.match(r"[^\s:]+\.\w+::", test) and not any(e.test == test and e.kind == kind for e in entries[-3:]):
            entries.append(Entry(kind, test, "", index))
    return entries


def claim(entries: Sequence[Entry], title: str, kind: str) -> Entry | None:
    """Take the first unused entry that a block's title names; both stand in the order in which tests failed."""
    for entry in entries:
        if not entry.used and entry.kind == kind and (entry.name or entry.test) == plain(title):
            entry.used = True
            return entry
    return None


def align(messages: Sequence[str], entries: Sequence[Entry]) -> list[Entry | None]:
    """Pair reasons with entries, both in the order of failing: equal numbers one to one, else the best in order."""
    if len(messages) == len(entries):
        return list(entries)
    if len(messages) * len(entries) > MOST_PAIRS:
        return [next((e for e in entries if _fits(message, e) > 1), None) for message in messages]
    rows, columns = len(messages), len(entries)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            fit = _fits(messages[row], entries[column])
            paired = best[row + 1][column + 1] + fit if fit else 0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    found: list[Entry | None] = []
    column = 0
    for row in range(rows):
        while column < columns and best[row][column] == best[row][column + 1]:
            column += 1
        if column < columns and best[row][column] > best[row + 1][column]:
            found.append(entries[column])
            column += 1
        else:
            found.append(None)
    return found


def _fits(message: str, entry: Entry) -> int:
    """How well a reason and an entry's, maybe cut, reason go together; an entry without one fits a little."""
    said = entry.message.removesuffix("...").rstrip()
    if not said:
        return 1
    return 3 if message.startswith(said) or said.startswith(message) else 0
