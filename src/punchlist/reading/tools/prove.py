"""Read prove (Test::Harness 3): failed tests from stderr, the summary report from stdout, TAP where it is shown.

A file's own reason (die, compile error, plan not kept) is matched to its entry in the report by exit code and number of
tests run, which is all that both sides say.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.formats.tap import read_tap
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.oneline import number
from punchlist.reading.tools import perl
from punchlist.records import dataclass, field

ENTRY = re.compile(
    r"(?P<file>\S.*?)\s+\(Wstat: (?P<wstat>\d+)(?: \((?:exited (?P<exited>\d+)|Signal: (?P<signal>[^)]+))\))? "
    r"Tests: (?P<tests>\d+) Failed: (?P<failed>\d+)\)$"
)
TOTALS = re.compile(r"Files=\d+, Tests=(?P<run>\d+),")
RESULT = re.compile(r"Result: (?P<word>PASS|FAIL|NOTESTS|INCOMPLETE)")
BAIL = re.compile(r"(?:Bailout called\.  Further testing stopped:  |FAILED--Further testing stopped: )(?P<reason>.*)$")
FAILED = re.compile(
    r"(?P<indent>\s*)#\s+Failed (?P<todo>\(TODO\) )?test(?: (?P<quote>['\"])(?P<name>.*))?"
    r"(?: at (?P<file>\S.*) line (?P<line>\d+)\.?| \((?P<file2>\S.*) at line (?P<line2>\d+)\))?$"
)
PLACE = re.compile(r"\s*#\s+(?:at (?P<file>\S.*) line (?P<line>\d+)\.?|in (?P<file2>\S.*) at line (?P<line2>\d+)\.?)$")
POINT = re.compile(r"\s*(?P<not>not )?ok\b(?: (?P<number>\d+))?(?: (?:- )?(?P<name>.*))?$")
TODO = re.compile(r"# *(?:TODO|SKIP)\b", re.I)
LOOKS = re.compile(r"# Looks like you(?:r test exited with (?P<exit>\d+) (?:just after (?P<ran>\d+)|before)| )")
PLANNED = re.compile(r"# Looks like you planned (?P<planned>\d+) tests? but ran (?P<ran>\d+)(?P<extra> extra)?\.")
NO_PLAN = "# Tests were run but no plan was declared"
CANNOT = re.compile(
    r"(?P<message>Cannot detect source of '(?P<file>.+?)'!|Can't load module \S+|Could not execute \(.+?\): .+"
    r"|Unknown option: .+|No tests named and 't' directory not found|Invalid .+) at \S+ line \d+\.?$"
    r"|(?P<other>Unknown option: \S+)$"
)
HEAD = re.compile(r"(?:\[[\d:]+\] )?(?P<file>\S.*?) \.{2,} ?(?P<rest>ok.*|skipped.*|)$")
NOISE = re.compile(
    r"Dubious, test returned|Failed \d+/\d+ subtests|All \d+ subtests passed|No subtests run|\t\(|Test Summary Report"
    r"|-{19}$|All tests successful|  (?:Failed tests?|TODO passed|Non-zero (?:exit|wait) status|Parse errors|Tests? )"
)
NOISE_BEGINS = frozenset("DFANT\t- ")
DETAIL = 60
SHORT = 4


@dataclass(slots=True)
class Entry:
    """One file of the summary report."""

    file: str
    exited: str | None
    signal: str | None
    tests: int
    failed: int
    first: int
    end: int
    reasons: list[str] = field(default_factory=list)
    explained: bool = False


@dataclass(slots=True)
class Failure:
    """One failed test; `within` are the subtests it is part of, innermost first."""

    name: str
    file: str | None
    line: int | None
    depth: int
    first: int
    end: int
    said: list[str]
    within: list[str] = field(default_factory=list)

    def diagnostic(self, log: Log) -> Diagnostic:
        """Return it; what a short comparison says is the message, a subtest's failed part is named in it."""
        head = log.lines[self.first].strip(" #\t")
        told = [text.strip(" #\t") for text in self.said]
        telling = "\n".join(text for text in told if text)
        if telling.count("\n") >= SHORT:
            telling = telling.split("\n")[0]
        return Diagnostic(
            message=head if self.within or not telling else telling,
            detail="\n".join((told if self.within or not telling else [head, *told])[:DETAIL]),
            file=self.file,
            line=self.line,
            test=(self.within[-1] if self.within else self.name) or None,
            tool="prove",
            log=log.span(self.first, self.end - 1),
        )


def parse(log: Log, context: Context) -> Reading:
    """Read one or several runs of prove."""
    reading = Reading()
    named = bool(context.words) and context.words[0] == "prove"
    entries = _report(log, reading)
    if not named and not reading.claimed and any(line.startswith("not ok ") for line in log.lines):
        return _direct(log, context)
    failures = _failures(log, reading)
    for failure in failures:
        reading.add(failure.diagnostic(log))
    _points(log, reading, {f.name for f in failures} | {name for f in failures for name in f.within})
    if entries or reading.outcome == "failed" or named:
        _died(log, reading, entries)
        _cannot(log, reading)
    _unexplained(log, reading, entries)
    if reading.outcome == "failed" and entries and not any(e.tests or e.failed for e in entries):
        reading.outcome = "error" if not reading.counts.get("run") else "failed"
    if named and context.exit_code and reading.outcome is None and any(HEAD.match(line) for line in log.lines):
        reading.partial = True
    return reading


def _direct(log: Log, context: Context) -> Reading:
    """Read a test file that Perl ran itself: points on one stream, what failed and where on the other."""
    reading, points = Reading(), Reading()
    failures = _failures(log, reading)
    if not any(_stands_apart(log, failure) for failure in failures):
        return Reading()
    read_tap(log, points, "perl", context.root)
    named = {f.name for f in failures} | {name for f in failures for name in f.within}
    reading.diagnostics = [failure.diagnostic(log) for failure in failures]
    reading.diagnostics += [d for d in points.diagnostics if (d.test or "").split(" > ")[-1] not in named]
    reading.counts, reading.outcome, reading.partial = points.counts, "failed", points.partial
    reading.claimed += points.claimed
    reading.notes += points.notes
    return reading


def _stands_apart(log: Log, failure: Failure) -> bool:
    """Whether what a test says does not follow its `not ok`, where any reader of TAP finds it."""
    above = next((log.lines[i] for i in range(failure.first - 1, -1, -1) if log.lines[i]), "")
    return not (above.lstrip().startswith("not ok") and log.stream(failure.first) == log.stream(failure.first - 1))


def _report(log: Log, reading: Reading) -> list[Entry]:
    entries: list[Entry] = []
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if not line:
            index += 1
            continue
        if "(Wstat: " in line and (match := ENTRY.match(line)):
            end = index + 1
            while end < len(log.lines) and log.lines[end].startswith("  "):
                end += 1
            entries.append(_entry(match, log, index, end))
            reading.claim(index, end)
            index = end
            continue
        if line.startswith("Files=") and (match := TOTALS.match(line)):
            reading.counts["run"] = reading.counts.get("run", 0) + int(match["run"])
            reading.claim(index)
        elif line.startswith("Result: ") and (match := RESULT.match(line)):
            _result(match["word"], reading)
            reading.claim(index)
        elif (line[0] in NOISE_BEGINS and NOISE.match(line)) or (" .." in line and HEAD.match(line)):
            reading.claim(index)
        index += 1
    if entries:
        reading.counts["failed"] = sum(entry.failed for entry in entries)
        reading.outcome = reading.outcome or "failed"
    return entries


def _entry(match: re.Match[str], log: Log, index: int, end: int) -> Entry:
    return Entry(
        match["file"],
        match["exited"] or (str(int(match["wstat"]) >> 8) if match["wstat"].isdigit() else None),
        match["signal"],
        int(match["tests"]),
        int(match["failed"]),
        index,
        end,
        [text.strip() for text in log.lines[index + 1 : end]],
    )


def _result(word: str, reading: Reading) -> None:
    if word == "FAIL":
        reading.outcome = "failed"
    elif word == "PASS" and reading.outcome is None:
        reading.outcome = "passed"
    elif word == "NOTESTS":
        reading.notes.append("prove ran no tests")


def _failures(log: Log, reading: Reading) -> list[Failure]:
    done: list[Failure] = []
    below: list[Failure] = []
    index = 0
    while index < len(log.lines):
        line = log.lines[index]
        if "# " not in line or "Failed " not in line or not (match := FAILED.match(line)):
            index += 1
            continue
        one = _failure(match, log, index)
        reading.claim(one.first, one.end)
        index = one.end
        if match["todo"]:
            continue
        inner = [failure for failure in below if failure.depth > one.depth]
        below = [failure for failure in below if failure.depth <= one.depth]
        if inner:
            for failure in inner:
                failure.within.append(one.name)
                failure.depth = one.depth
            below += inner
        else:
            below.append(one)
        if one.depth == 0:
            done += below
            below = []
    return sorted([*done, *below], key=lambda failure: failure.first)


def _failure(match: re.Match[str], log: Log, index: int) -> Failure:
    name, quote = match["name"] or "", match["quote"]
    file, line = match["file"] or match["file2"], number(match["line"] or match["line2"])
    end = index + 1
    while quote and not file and end < len(log.lines) and end - index < 20:
        text = log.lines[end]
        if place := PLACE.match(text):
            file, line = place["file"] or place["file2"], number(place["line"] or place["line2"])
            end += 1
            break
        if not text.lstrip().startswith("#") or FAILED.match(text):
            break
        name += "\n" + text.strip(" #")
        end += 1
    said_from = end
    while end < len(log.lines) and log.lines[end].lstrip().startswith("#"):
        text = log.lines[end]
        if FAILED.match(text) or text.lstrip().startswith(("# Looks like you", NO_PLAN, "# Subtest: ")):
            break
        if len(text) - len(text.lstrip()) != len(match["indent"]):
            break
        end += 1
    name = name.removesuffix(quote) if quote else name
    return Failure(name, file, line, len(match["indent"]), index, end, log.lines[said_from:end])


def _points(log: Log, reading: Reading, named: set[str]) -> None:
    """Claim the TAP that prove shows; a failed point whose reason was not kept is a finding without a place."""
    file = None
    shown = False
    for index, line in enumerate(log.lines):
        if " .." in line and (match := HEAD.match(line)):
            file, shown = match["file"], True
        elif not shown:
            continue
        elif line.lstrip().startswith(("ok", "not ok", "1..", "# Subtest: ", "# skip", "# Looks like you failed")):
            match = POINT.match(line)
            reading.claim(index)
            if not match or not match["not"] or line[0] == " " or TODO.search(line):
                continue
            name = (match["name"] or "").strip()
            if (name and name.replace("\\#", "#") in named) or (not name and "" in named):
                continue
            reading.add(Diagnostic(message=line, file=file, test=name or None, tool="prove", log=log.span(index)))


def _died(log: Log, reading: Reading, entries: list[Entry]) -> None:
    """Find what ended a test file early: exceptions, compile errors, plans that were not kept."""
    loose = perl.messages(log)
    used: set[int] = set()
    since = 0
    for index, line in enumerate(log.lines):
        at = line.find("# Looks like you")
        if at < 0 or not (match := LOOKS.match(line, at)):
            if line.startswith(NO_PLAN):
                reading.claim(index)
            continue
        reading.claim(index)
        if match["exit"]:
            before = [one for one in loose if since <= one.first < index]
            others = {e.file for e in entries if e.exited != match["exit"] or e.tests != int(match["ran"] or 0)}
            before = [one for one in before if one.file not in others]  # what another file said before it ended
            fatal = [one for one in before if one.fatal] or before[-1:]
            entry = _entry_of(entries, match["exit"], int(match["ran"] or 0), fatal)
            for one in fatal:
                used.add(one.first)
                reading.add(one.diagnostic(log, "prove"))
                reading.claim(one.first, one.end)
            if entry and fatal:
                entry.explained = True
        elif (plan := PLANNED.match(line, at)) and not _exit_follows(log, index):
            _plan(plan, log, index, reading, entries)
        since = index + 1
    files = {entry.file: entry for entry in entries}
    for one in loose:
        entry = files.get(one.file) or next((files[f] for f, _ in one.frames if f in files), None)
        entry = entry or next(
            (e for f, e in files.items() if any(f in t for t in log.lines[one.first : one.end])), None
        )
        if one.first in used or not (one.fatal or (entry and not entry.explained and entry.failed == 0)):
            continue
        if not one.fatal and any(o.file == one.file and o.first > one.first for o in loose):
            continue
        reading.add(one.diagnostic(log, "prove"))
        reading.claim(one.first, one.end)
        if entry:
            entry.explained = True


def _entry_of(entries: list[Entry], exited: str, ran: int, fatal: list[perl.Said]) -> Entry | None:
    """The entry of a file that ended so: the one that the messages name, else the first that fits."""
    fitting = [e for e in entries if not e.explained and e.exited == exited and e.tests == ran]
    named = {file for one in fatal for file in (one.file, *(file for file, _ in one.frames))}
    return next((e for e in fitting if e.file in named), fitting[0] if fitting else None)


def _exit_follows(log: Log, index: int) -> bool:
    following = log.lines[index + 1] if index + 1 < len(log.lines) else ""
    return following.startswith("# Looks like your test exited with")


def _plan(plan: re.Match[str], log: Log, index: int, reading: Reading, entries: list[Entry]) -> None:
    wanted = f"You planned {plan['planned']} tests but ran {plan['ran']}"
    entry = next((e for e in entries if not e.explained and any(wanted in reason for reason in e.reasons)), None)
    if entry:
        entry.explained = True
    file = entry.file if entry else None
    reading.add(Diagnostic(message=plan[0].strip(" #"), file=file, tool="prove", log=log.span(index)))


def _unexplained(log: Log, reading: Reading, entries: list[Entry]) -> None:
    """What no line of a test file explains is said in the words of the report; a bail-out is an error of its own."""
    bailed = ""
    for index, line in enumerate(log.lines):
        match = BAIL.match(line) if "Further testing stopped" in line else None
        if match and match["reason"] != bailed:
            bailed = match["reason"]
            reading.add(Diagnostic(message=bailed or line, tool="prove", log=log.span(index)))
            reading.outcome = "failed" if any(d.test for d in reading.diagnostics) else "error"
        if match:
            reading.claim(index)
    found = {d.file for d in reading.diagnostics}
    open_entries = [
        e for e in entries if not e.explained and e.file not in found and not (bailed and e.failed == e.tests == 0)
    ]
    for entry in open_entries:
        if entry.failed and any(d.test for d in reading.diagnostics) and len(open_entries) > 1 and not entry.reasons:
            continue
        line = log.lines[entry.first] if entry.signal or not entry.reasons else ""
        reason = next((r for r in entry.reasons if r.startswith("Parse errors")), None) or next(
            (r for r in entry.reasons if r.startswith("Failed test")), None
        )
        message = line or reason or entry.reasons[0]
        reading.add(
            Diagnostic(
                message=message,
                detail="\n".join([*entry.reasons, *(_loose(log, reading) if len(open_entries) == 1 else [])]),
                file=entry.file,
                tool="prove",
                log=log.span(entry.first, entry.end - 1),
            )
        )


def _loose(log: Log, reading: Reading) -> list[str]:
    """The last lines on stderr that nothing else explains: what a single failing file said at its end."""
    claimed = {i for first, end in reading.claimed for i in range(first, end)}
    rest = [t for i, t in enumerate(log.lines) if t and log.numbers[i] < 0 and i not in claimed]
    return rest[-10:]


def _cannot(log: Log, reading: Reading) -> None:
    for index, line in enumerate(log.lines):
        if line.startswith(("C", "U", "N", "I")) and (match := CANNOT.match(line)):
            end = index + 1
            while end < len(log.lines) and log.lines[end].startswith("\t"):
                end += 1
            message = match["message"] or match["other"]
            reading.diagnostics = [d for d in reading.diagnostics if d.log != log.span(index, end - 1)]
            reading.add(Diagnostic(message=message, file=match["file"], tool="prove", log=log.span(index)))
            reading.claim(index, end)
            reading.outcome = reading.outcome if reading.counts.get("failed") else "error"
