"""Read Rust's test harness under `cargo test`: result lines, failure sections, doctests, quiet, nocapture, JSON events.

Seen with libtest of 1.56 to 1.95. The harness lists every failed test by name at the end of a binary; what happened
stands in its section (`---- name stdout ----`), or with --nocapture wherever it was printed.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import panics, rustc
from punchlist.reading.tools.panics import Panic
from punchlist.records import dataclass, field

RUNNING = re.compile(r"running (\d+) tests?$")
RESULT = re.compile(r".*?test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured")
SECTION = re.compile(r"---- (.+) (?:stdout|stderr) ----$")
TEST = re.compile(r"test (.+?)(?: - should panic)?(?: - compile(?: fail)?)? \.\.\. ?(.*)$")
QUIET = re.compile(r"(?:[.iF]*)(\S.*?)(?: - should panic)? --- FAILED$")
DOCTEST = re.compile(r"(.+?\.(?:rs|md)) - (?:.* )?\(line (\d+)\)(?: - .*)?$")
PANIC_NOTE = re.compile(
    r"note: (test did not panic as expected)(?: at (.+?):(\d+):(\d+))?|note: (panic did not contain expected string.*)"
)
STATUS = (
    "Test executable succeeded, but it's marked `should_panic`.",
    "Test compiled successfully, but it's marked `compile_fail`.",
    "Some expected error codes were not found:",
)
TELLING = re.compile(r"error|\bfail|mismatch|expected|actual|-->|panicked|\bdiff", re.I)
ABORTED = re.compile(r"fatal runtime error: |error: internal error: |memory allocation of \d+ bytes failed")


@dataclass(slots=True)
class Found:
    """What a log says: failed names with the line that says so, sections, panics by thread, binaries' totals."""

    failed: dict[tuple[int, str], int] = field(default_factory=dict)
    sections: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    loose: list[tuple[int, str, Panic]] = field(default_factory=list)
    aborted: list[int] = field(default_factory=list)
    errors: list[tuple[int, int]] = field(default_factory=list)
    panicked: set[str] = field(default_factory=set)
    totals: dict[str, int] = field(default_factory=dict)
    binaries: int = 0
    ended: int = 0
    bad: bool = False


def parse(log: Log, context: Context) -> Reading:
    """Read every binary's results and what each failed test printed."""
    reading = Reading()
    found = Found()
    for first, end in log.streams():
        _scan(log, first, end, found, reading)
    for (binary, name), at in found.failed.items():
        reading.add(_failure(log, found, binary, name, at))
    _loose(log, found, reading)
    reading.counts = found.totals
    if found.bad or reading.diagnostics:
        reading.outcome = "failed"
    elif found.ended:
        reading.outcome = "passed" if context.exit_code in (0, None) else None
    reading.partial = found.binaries > found.ended
    return reading


def _without_dots(log: Log, found: Found, key: tuple[int, str]) -> None:
    """Forget a shorter name: `i` of `integration --- FAILED` (-q) looked like the mark of an ignored test."""
    for other, at in list(found.failed.items()):
        shown = log.lines[at].removesuffix(" --- FAILED").removesuffix(" - should panic")
        if other[0] == key[0] and other != key and key[1].endswith(other[1]) and shown.endswith(key[1]):
            del found.failed[other]


def _scan(log: Log, first: int, end: int, found: Found, reading: Reading) -> None:
    open_test = ""
    listing = False
    start: int | None = None
    at = first
    while at < end:
        line = log.lines[at]
        if not line:
            at += 1
            continue
        head = line[0]
        if head == "t" and line.endswith(" ... ok"):
            at += 1
            continue
        if head == "t" and (match := TEST.match(line)):
            open_test = match[1] if not match[2] else ""
            if match[2].startswith("FAILED") or (open_test and _glued_failure(log, at, end)):
                found.failed.setdefault((found.binaries, match[1]), at)
            elif panics.could_be(line):
                open_test = match[1]
        if head == "r" and RUNNING.match(line):
            found.binaries += 1
            start, listing = at, False
        elif line == "failures:":
            listing = True
            reading.claim(at)
        elif listing and line.startswith("    ") and line.strip() and _in_list(log, at, first):
            key = (found.binaries, line.strip())
            _without_dots(log, found, key)
            found.failed.setdefault(key, at)
            reading.claim(at)
        elif head == "-" and (match := SECTION.match(line)):
            at = _section(log, at, end, match[1], found, reading)
            continue
        elif "test result: " in line and (match := RESULT.match(line)):
            _totals(found, match)
            reading.claim(start if start is not None else at, at + 1)
            start, listing, open_test = None, False, ""
        elif line.endswith("--- FAILED") and (match := QUIET.match(line)):
            found.failed.setdefault((found.binaries, match[1]), at)
        elif (
            panics.could_be(line)
            and not line.startswith("  ")
            and (panic := panics.panic_at(log, at, _panic_limit(log, at, end)))
        ):
            found.loose.append((found.binaries, open_test, panic))
            reading.claim(at, panic.end)
            at = panic.end
            continue
        elif head == "E" and line.startswith("Error: "):
            found.errors.append((found.binaries, at))
        elif ABORTED.match(line):
            found.aborted.append(at)
            reading.claim(at)
        at += 1
    if start is not None:
        reading.claim(start, _last_result(log, start, end))


def _last_result(log: Log, start: int, end: int) -> int:
    """One past the last line that is a result of a binary whose end is missing."""
    last = start
    for at in range(start, end):
        if log.lines[at].startswith("test ") and TEST.match(log.lines[at]):
            last = at
    return last + 1


def _glued_failure(log: Log, at: int, end: int) -> bool:
    """Whether a test's result stands alone on a later line, behind what the test printed."""
    for line in log.lines[at + 1 : min(end, at + 2000)]:
        if line in ("ok", "FAILED", "ignored"):
            return line == "FAILED"
        if line.startswith(("test ", "failures:", "running ")):
            return False
    return False


def _in_list(log: Log, at: int, first: int) -> bool:
    """Whether a line set in by four stands directly under `failures:` or under another name of that list."""
    back = at - 1
    while back >= first and log.lines[back].startswith("    "):
        back -= 1
    return back >= first and log.lines[back] == "failures:"


def _totals(found: Found, match: re.Match[str]) -> None:
    found.ended += 1
    found.bad |= match[1] == "FAILED"
    for name, value in (("passed", match[2]), ("failed", match[3]), ("skipped", match[4])):
        found.totals[name] = found.totals.get(name, 0) + int(value)


def _section(log: Log, at: int, end: int, name: str, found: Found, reading: Reading) -> int:
    """Take in what a test printed: up to the next section or the list of names."""
    stop = at + 1
    while stop < end:
        line = log.lines[stop]
        if line.startswith("---- ") and SECTION.match(line):
            break
        if line in ("failures:", "successes:") and not log.lines[stop - 1]:
            break
        if line.startswith("test result: "):
            break
        stop += 1
    found.sections.setdefault((found.binaries, name), (at, stop))
    reading.claim(at, stop)
    return stop


def _panic_limit(log: Log, at: int, end: int) -> int:
    """Where a loose panic's text must end: at a result line, cargo's own words or a blank line before either."""
    for stop in range(at + 1, min(end, at + 400)):
        line = log.lines[stop]
        if line.startswith(("test ", "failures:", "error: ", "running ", "test result: ")) or rustc.is_status(line):
            return stop
        if line in ("FAILED", "ok"):
            return stop
    return min(end, at + 400)


def _failure(log: Log, found: Found, binary: int, name: str, at: int) -> Diagnostic:
    doctest = DOCTEST.match(name)
    section = found.sections.get((binary, name)) or found.sections.get((binary, name.removesuffix(" - should panic")))
    if section is not None:
        return from_output(log, section[0], section[1], name, doctest)
    panic = _loose_panic(found, name)
    if panic is not None:
        return _of_panic(log, panic, name, doctest)
    if len(found.errors) == 1 and _alone(found, name):  # --nocapture: the Err that the one test without a panic gave
        said = found.errors[0][1]
        return Diagnostic(message=log.whole(said), test=name, log=log.span(said))
    return Diagnostic(
        message=log.lines[at].strip(), test=name, log=log.span(at),
        file=doctest[1] if doctest else None, line=int(doctest[2]) if doctest else None,
    )  # fmt: skip


def _alone(found: Found, name: str) -> bool:
    """Whether this is the only failed test that neither printed a section nor panicked under its own name."""
    panicked = {panic.thread for _, _, panic in found.loose}
    return all(
        other == name or other in panicked or (binary, other) in found.sections or other in found.panicked
        for binary, other in found.failed
    )


def _loose_panic(found: Found, name: str) -> Panic | None:
    """The panic that a failed test printed outside of a section (--nocapture)."""
    for number, (_, open_test, panic) in enumerate(found.loose):
        if panic.thread == name or (open_test == name and panic.thread in ("main", "<unnamed>")):
            del found.loose[number]
            found.panicked.add(name)
            return panic
    return None


def _of_panic(log: Log, panic: Panic, name: str, doctest: re.Match[str] | None) -> Diagnostic:
    file, line, column = panic.file, panic.line, panic.column
    if doctest:  # the line of a doctest's panic counts from the doctest's own first line
        file, line, column = doctest[1], int(doctest[2]), None
    return Diagnostic(
        message=panic.message, detail=panic.detail, file=file, line=line, column=column, test=name,
        log=log.span(panic.first, panic.end - 1),
    )  # fmt: skip


def from_output(log: Log, first: int, end: int, name: str, doctest: re.Match[str] | None) -> Diagnostic:
    """Find in a failed test's captured output the line that says why: a note of the harness, a panic, an `Error:`."""
    panic = panics.first_in(log, first, end)
    note = next(
        (m for i in range(first, end) if log.lines[i].startswith("note: ") and (m := PANIC_NOTE.match(log.lines[i]))),
        None,
    )
    span = log.span(first, end - 1)
    if note is not None:
        rest = [line for line in log.lines[first + 1 : end] if line.strip() and "RUST_BACKTRACE" not in line]
        file, line, column = (panic.file, panic.line, panic.column) if panic else (None, None, None)
        if note[2]:
            file, line, column = note[2], int(note[3]), int(note[4])
        detail = _expected(log, first, end) if panic else "\n".join(rest[:40])
        if panic:
            detail = f"{detail}\n{panic.message}\n{panic.detail}".strip()
        return Diagnostic(
            message=note[1] or note[5], detail=detail, file=file, line=line, column=column, test=name, log=span
        )
    if doctest and (block := _compile_error(log, first, end)):
        return block_of(log, block, name, doctest)
    if panic is not None:
        made = _of_panic(log, panic, name, doctest)
        return Diagnostic(
            message=made.message, detail=_with_output(log, first, panic, made.detail), file=made.file, line=made.line,
            column=made.column, test=name, log=span,
        )  # fmt: skip
    return _worded(log, first, end, name, doctest)


def _expected(log: Log, first: int, end: int) -> str:
    at = next((i for i in range(first, end) if log.lines[i].startswith("note: panic did not contain")), end)
    return "\n".join(line.strip() for line in log.lines[at + 1 : min(end, at + 8)] if line.strip())


def _with_output(log: Log, first: int, panic: Panic, detail: str) -> str:
    """The panic's detail, and what the test printed before it, its end first cut."""
    printed = [line for line in log.lines[first + 1 : panic.first] if line.strip()]
    printed = [
        line for line in printed if line not in ("stderr:", "stdout:") and not line.startswith("Test executable failed")
    ]
    if not printed:
        return detail
    if len(printed) > 30:  # what sounds like the reason, and the end
        printed = [*[line for line in printed[:-12] if TELLING.search(line)][:18], *printed[-12:]]
    return "\n".join([*([detail] if detail else []), "output:", *printed])


def _compile_error(log: Log, first: int, end: int) -> rustc.Block | None:
    for index in range(first + 1, end):
        block = rustc.block_at(log, index)
        if block and block.severity == "error" and rustc.place_of(log, block):
            return rustc.Block(block.first, min(block.end, end), block.severity, block.code, block.message)
    return None


def block_of(log: Log, block: rustc.Block, name: str, doctest: re.Match[str]) -> Diagnostic:
    """A doctest that does not compile: the compiler's first error under the test's name."""
    made = rustc.diagnostic_of(log, block, "")
    return Diagnostic(
        message=made.message, detail=made.detail, file=made.file or doctest[1], line=made.line or int(doctest[2]),
        column=made.column, rule=made.rule, related=made.related, test=name, log=made.log,
    )  # fmt: skip


def _worded(log: Log, first: int, end: int, name: str, doctest: re.Match[str] | None) -> Diagnostic:
    lines = [(i, log.lines[i].strip()) for i in range(first + 1, end) if log.lines[i].strip()]
    file, line = (doctest[1], int(doctest[2])) if doctest else (None, None)
    chosen = next((t for _, t in lines if t.startswith("Error: ") or t.startswith(STATUS)), None)
    if chosen is None:
        chosen = lines[-1][1] if lines else log.lines[first]
    rest = "\n".join(t for _, t in lines if t != chosen)
    return Diagnostic(
        message=chosen, detail="\n".join(rest.split("\n")[-40:]), file=file, line=line, test=name,
        log=log.span(first, end - 1),
    )  # fmt: skip


def _loose(log: Log, found: Found, reading: Reading) -> None:
    """Panics that belong to no failed test: findings where no harness ran or where it died before it could tell."""
    for _, _, panic in found.loose:
        if panic.message == "Box<dyn Any>":  # rustc's own, below the message of an internal compiler error
            continue
        dead = panic.message.endswith("has overflowed its stack")
        if not found.binaries or dead or (found.binaries > found.ended and found.aborted):
            known = {d.test for d in reading.diagnostics}
            test = panic.thread if found.binaries and panic.thread not in ("main", "<unnamed>", "<unknown>") else None
            if test and test in known:
                continue
            reading.add(
                Diagnostic(
                    message=panic.message,
                    detail=panic.detail,
                    file=panic.file,
                    line=panic.line,
                    column=panic.column,
                    test=test,
                    log=log.span(panic.first, panic.end - 1),
                )
            )
    if found.aborted and not reading.diagnostics:
        at = found.aborted[0]
        reading.add(Diagnostic(message=log.lines[at], log=log.span(at)))
