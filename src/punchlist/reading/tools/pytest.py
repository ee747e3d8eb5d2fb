"""Read what pytest prints (3 to 9, with xdist, rerunfailures, timeout, subtests, hypothesis, syrupy, django, cov)."""

import re
from collections.abc import Sequence

from punchlist.model import Diagnostic, Outcome, Span
from punchlist.reading import frames
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import lines_with
from punchlist.reading.tools import pytest_trouble as trouble
from punchlist.reading.tools.pytest_blocks import Block, bare, blocks, crash_lines, early_blocks, titles
from punchlist.reading.tools.pytest_runs import Run, Section, find_runs, labels
from punchlist.reading.tools.pytest_summary import Entry, align, claim, from_progress, summary
from punchlist.reading.tools.pytest_trouble import CRASH_NOTE
from punchlist.reading.tools.pytest_warnings import warnings
from punchlist.records import replace

PERCENT = re.compile(r" +\[ *\d+(?:%|/\d+)\]$")
WARNED = re.compile(r"\S.*:\d+: \w*Warning: ")
LONGEST = 1000
TELLING = 8
"""A reason cut to fewer characters keeps its dots."""
CRASHED = ("Fatal Python", "Windows fatal", "+++")
FILE = re.compile(r"[\\/]|\.(?:py\w?|txt|rst|md|ipynb|ya?ml|json|toml|feature|tavern)$")
DOTS = re.compile(r"(?:(?:\S.*\.\w+|\[gw\d+\]) +)?(?P<dots>[.FEsxXRuUp,]+)(?: *\[ *(?:\d+%|\d+/\d+)\])?$")


def parse(log: Log, context: Context) -> Reading:
    """Read every run of pytest in the log, and what it says where it could not run."""
    reading = Reading()
    runs = find_runs(log)
    for run, name in zip(runs, labels(log, runs), strict=True):
        _run(log, context, run, name, reading)
    _troubles(log, context, runs, reading)
    reading.outcome = _outcome(log, context, runs, reading)
    return reading


def _run(log: Log, context: Context, run: Run, label: str | None, reading: Reading) -> None:
    before = len(reading.diagnostics)
    for name, number in run.counts.items():
        reading.counts[name] = reading.counts.get(name, 0) + number
    failures, errors = run.of("failures"), run.of("errors")
    heads = [bare(title) for section in (*failures, *errors) for _, title, _ in titles(log, section, run.width)]
    entries = summary(log, run, heads)
    known = {entry.name or entry.test for entry in entries}
    if run.counts and len(entries) != run.counts.get("failed", 0) + run.counts.get("errors", 0):
        known = set()  # the summary does not list all (`-rE`), so a title that it lacks may be real
    if not failures and not _passed(run):
        early = Section("early", run.first, run.progress_end)
        for block in early_blocks(log, run, early, known, context.root):
            reading.add(_failure(log, context, block, _entry(entries, block)))
    for section in (*errors, *failures):
        found = list(blocks(log, run, section, known, context.root))
        for block in found:
            if run.total is None and block.end == run.end and not block.whole:
                reading.notes.append(f"the log ends within the failure of {bare(block.title)}")
                continue
            reading.add(_failure(log, context, block, _entry(entries, block)))
        if not found:
            _crash_lines(log, context, crash_lines(log, section), entries, reading)
    left = [entry for entry in entries if not entry.used]
    if not _passed(run) and not entries and len(reading.diagnostics) == before:
        left = from_progress(log, run)
    for entry in left:
        reading.add(_unexplained(log, entry))
    _note_flaky(log, run, entries, reading)
    for section in run.of("warnings"):
        reading.diagnostics += warnings(log, section)
    if label is not None:
        reading.diagnostics[before:] = [replace(d, package=label) for d in reading.diagnostics[before:]]
    reading.claim(_start(log, run), run.end)


def _note_flaky(log: Log, run: Run, entries: Sequence[Entry], reading: Reading) -> None:
    """Name the tests that passed after a rerun (pytest-rerunfailures with `-rR`)."""
    failed = {entry.test for entry in entries}
    for section in run.of("reruns"):
        lines = log.lines[section.first : section.end]
        again = {line.removeprefix("RERUN ") for line in lines if line.startswith("RERUN ")} - failed
        reading.notes += [f"passed after a rerun: {test}" for test in sorted(again)]


def _passed(run: Run) -> bool:
    """Whether the run's totals name neither a failure nor an error."""
    return run.total is not None and not run.counts.get("failed") and not run.counts.get("errors")


def _entry(entries: Sequence[Entry], block: Block) -> Entry | None:
    if block.crashed:
        named = [e for e in entries if not e.used and e.test == block.crashed]
        if named:
            named[0].used = True
            return named[0]
        return Entry("failed", block.crashed, "", block.first)
    kind = "error" if block.title.startswith("ERROR ") else "failed"
    return claim(entries, bare(block.title), kind) or claim(entries, bare(block.title), "failed")


def _node_id(file: str | None, name: str, root: str) -> str:
    """The id that a title stands for, where the block shows the test's file; classes are joined by dots in titles."""
    if file is None:
        return name
    stem, bracket, rest = name.partition("[")
    stem, space, more = stem.partition(" ")
    return f"{frames.within(file, root) or file}::{stem.replace('.', '::')}{space}{more}{bracket}{rest}"


def _failure(log: Log, context: Context, block: Block, entry: Entry | None) -> Diagnostic:
    collecting = block.title.startswith("ERROR collecting ")
    name = bare(block.title)
    test = None
    if entry is not None and "::" in entry.test:
        test = entry.test
    elif not collecting:
        test = entry.test if entry else _node_id(block.test_file, name, context.root)
    file, line = block.file, block.line
    if file is None or frames.is_foreign(file, context.root):
        file = _file_of(entry, name if collecting else test)
        own = [p.line for p in block.places if file and (p.file == file or p.file.endswith("/" + file))]
        line = own[-1] if own else None
    return Diagnostic(
        message=block.message,
        detail="\n".join(block.detail),
        file=file,
        line=line,
        test=test,
        log=_span(log, block),
    )


def _span(log: Log, block: Block) -> Span:
    """The lines of a block; of a very long one those around its message."""
    first, last = block.first, max(block.at, block.end - 1)
    if last - first > LONGEST:
        first, last = max(first, block.at - LONGEST // 2), min(last, block.at + LONGEST // 2)
    return log.span(first, last)


def _file_of(entry: Entry | None, name: str | None) -> str | None:
    """The file that an id begins with, where it is one."""
    file = entry.file if entry else (name or "").split("::", 1)[0]
    return file if FILE.search(file) and "[" not in file else None


def _crash_lines(
    log: Log, context: Context, found: Sequence[Block], entries: Sequence[Entry], reading: Reading
) -> None:
    """Pair the lines of `--tb=line` with the summary: they stand in the same order."""
    waiting = [entry for entry in entries if entry.kind == "failed" and not entry.used]
    for block, entry in zip(found, align([block.message for block in found], waiting), strict=True):
        if entry is not None:
            entry.used = True
        file, line = block.file, block.line
        if file and frames.is_foreign(file, context.root):
            file, line = (entry.file if entry else None), None
        reading.add(
            Diagnostic(
                message=block.message,
                detail="\n".join(block.detail),
                file=file,
                line=line,
                test=entry.test if entry else None,
                log=log.span(block.first, block.at),
            )
        )


def _unexplained(log: Log, entry: Entry) -> Diagnostic:
    """A failure that only the summary (or the progress) names; its reason may be cut."""
    cut = entry.message.endswith("...")
    said = entry.message.removesuffix("...").rstrip()
    message = (said if len(said) >= TELLING else entry.message) or PERCENT.sub("", log.lines[entry.index]).strip()
    return Diagnostic(
        message=message,
        detail="the reason is cut off by pytest at the terminal's width" if cut else "",
        file=_file_of(entry, None),
        test=entry.test if "::" in entry.test else None,
        log=log.span(entry.index),
    )


def _start(log: Log, run: Run) -> int:
    """The first line to claim: that of the header, or of a quiet run's first line of progress."""
    if run.headed:
        return run.first
    for index in range(run.first, run.progress_end):
        if log.lines[index] and (DOTS.match(log.lines[index]) or "::" in log.lines[index]):
            return index
    return run.progress_end


def _troubles(log: Log, context: Context, runs: Sequence[Run], reading: Reading) -> None:
    if runs and context.exit_code == 0 and all(_passed(run) for run in runs):
        _coverage(log, reading)
        return
    finished = any(run.total is not None for run in runs)
    blocks_of = [*trouble.conftest_errors(log, context), *trouble.internal_errors(log, context)]
    crashes = [*trouble.fatal_errors(log, context)]
    if not any(run.of("failures") for run in runs) or any("' crashed while " in d.message for d in reading.diagnostics):
        crashes += trouble.timeouts(log, context)
    if not finished:
        blocks_of += crashes
    else:
        _explain_crashes(crashes, reading)
    if not finished and not blocks_of and context.words and context.exit_code:
        blocks_of += trouble.start_crash(log, context)
    for diagnostic, first, end in blocks_of:
        reading.add(diagnostic)
        reading.claim(first, end)
    if not blocks_of:
        for diagnostic in trouble.usage_errors(log, context, runs):
            reading.add(diagnostic)
            _claim_span(log, diagnostic, reading)
    if not blocks_of and not reading.diagnostics:
        reading.diagnostics += trouble.died(log, context, runs)
    for index in lines_with(log, "Warning: ") if runs else ():
        if WARNED.match(log.lines[index]):
            reading.claim(index)  # printed by Python outside of any test, often once a worker
    reading.diagnostics += trouble.stops(log, runs)
    _coverage(log, reading)


def _coverage(log: Log, reading: Reading) -> None:
    """Add pytest-cov's threshold that was missed: behind a pipe the exit code does not tell it."""
    if missed := trouble.coverage_failure(log):
        reading.add(missed[0])
        reading.claim(missed[1])


def _explain_crashes(crashes: Sequence[tuple[Diagnostic, int, int]], reading: Reading) -> None:
    """Give a crash of an xdist worker the place that its stack on stderr shows; the stack is no second finding."""
    for stack, first, end in crashes:
        for at, d in enumerate(reading.diagnostics):
            name = (d.test or "").rsplit("::", 1)[-1].split("[")[0]
            if "' crashed while running " in d.message and d.line is None and f" in {name}" in stack.detail:
                detail = "\n".join(filter(None, (stack.message, stack.detail, d.detail)))
                reading.diagnostics[at] = replace(d, file=stack.file, line=stack.line, detail=detail)
                reading.claim(first, end)
                break


def _claim_span(log: Log, diagnostic: Diagnostic, reading: Reading) -> None:
    if diagnostic.log is not None:
        sign = -1 if diagnostic.log.stream == "stderr" else 1
        for number in range(diagnostic.log.first, diagnostic.log.last + 1):
            if sign * number in log.numbers:
                reading.claim(log.numbers.index(sign * number))


def _outcome(log: Log, context: Context, runs: Sequence[Run], reading: Reading) -> Outcome | None:
    if not runs:
        return "error" if reading.diagnostics else None
    last = runs[-1]
    ran = {"passed", "failed", "skipped", "xfailed", "xpassed", "rerun", "subtests_passed"}
    bad = any(d.severity == "error" for d in reading.diagnostics)
    bad = (
        bad
        or bool(last.of("failures"))
        or any(_failed_dots(log, run) for run in runs if run.total is None or run.counts.get("failed"))
    )
    counts = reading.counts
    if last.total is None:
        reading.partial = last.headed or _cut(log, last, context)
    tests = any(d.test for d in reading.diagnostics if d.severity == "error")
    collecting = bad and not tests and not last.of("failures") and not _failed_dots(log, last)
    if context.exit_code == trouble.USAGE_CODE and last.total is not None:
        return "error"
    if counts.get("errors") and collecting and not ran & counts.keys() - {"skipped"}:
        return "error"
    if counts.get("failed") or (counts.get("errors") and ran & counts.keys()):
        return "failed"
    if reading.partial:
        crashed = any(d.message.startswith(CRASHED) or CRASH_NOTE in d.detail for d in reading.diagnostics)
        if collecting or crashed or any(d.detail == trouble.DIED for d in reading.diagnostics):
            return "error"
        return "failed" if bad else None
    if counts.get("errors"):
        return "failed" if tests else "error"
    if last.total is not None and not ran & counts.keys() and "collected" not in counts:
        return "error"
    if last.total is None and collecting and last.of("errors"):
        return "error"
    return "failed" if bad else "passed"


def _cut(log: Log, run: Run, context: Context) -> bool:
    """Whether a quiet run without totals ends too early; `-qq` prints none, and its summary or its dots come last."""
    if run.of("summary"):
        return _wants_totals(context)
    return bool(run.sections) or not _finished(log, run)


def _wants_totals(context: Context) -> bool:
    """Whether the command is known and not so quiet (`-qq`) that pytest prints no totals."""
    quiet = sum(len(word) - 1 for word in context.words if re.fullmatch(r"-q+", word))
    return bool(context.words) and quiet + context.words.count("--quiet") < 2 and "--no-summary" not in context.words


def _failed_dots(log: Log, run: Run) -> bool:
    for index in range(run.first, run.progress_end):
        match = DOTS.match(log.lines[index])
        if match and ("F" in match["dots"] or "E" in match["dots"]):
            return True
    return False


def _finished(log: Log, run: Run) -> bool:
    return any("[100%]" in log.lines[index] for index in range(run.first, run.progress_end))
