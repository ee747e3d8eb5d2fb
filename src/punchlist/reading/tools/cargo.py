"""Read cargo's text for people: rustc's and clippy's blocks, manifest, resolver, usage and build script errors.

Seen with cargo 1.56 to 1.95.
"""

import re

from punchlist.model import Diagnostic
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.tools import panics, rustc
from punchlist.records import dataclass, field, replace

CONSEQUENCE = re.compile(
    r"(?:error|warning): (?:could not compile |could not document |aborting due to |build failed|"
    r"(?:doc)?tests? failed|doctest failed|bench failed|test run failed|\d+ targets? failed|"
    r"\d+ (?:warnings?|errors?) (?:emitted|found)|`[^`]+` \([^)]*\) generated \d+ warnings?|"
    r"unused variables? .*\bgenerated\b|the following \d+ packages? failed)"
)
TESTS_FAILED = re.compile(
    r"error: (?:(?:doc)?tests? failed|doctest failed|bench failed|test run failed|\d+ targets? failed)"
)
TOTALS = re.compile(r"due to (?:(\d+) )?previous errors?|generated \d+ warning|\d+ warnings? emitted|aborting due to")
EXPLAIN = ("Some errors have detailed explanations:", "For more information about", "Some errors occurred:")
MANIFEST = re.compile(
    r"(?:manifest(?: for \S+ \S+)?|config(?:uration)? file|lock file) (?:at|from)?:? ?`([^`]+)`"
    r"|(?:failed to (?:read|parse)|could not parse|parsing) `([^`]+\.(?:toml|lock))`|^(\S+Cargo\.toml): "
)
TOML_PLACE = re.compile(r"\s*TOML parse error at line (\d+), column (\d+)")
CUSTOM_BUILD = "failed to run custom build command for"
NOT_RUN_WELL = re.compile(r"process didn't exit successfully: `([^`]*)` \((?:exit (?:status|code): (.+?)|signal: .+)\)")
PACKAGE_WARNING = re.compile(r"([A-Za-z][\w-]*)@(\d[\w.+-]*): (.+)")
MANIFEST_WARNING = re.compile(r"(\S*Cargo\.toml): (.+)")
SURELY_CARGO = re.compile(
    r"failed to (?:select a version for|load manifest|parse manifest|get `|resolve)|no (?:test|bin|example"
    r"|bench) target"
    r"|no matching package named|package ID specification `"
)
FAILED_WORK = (
    "failed to run custom build command",
    "linking with",
    "process didn't exit successfully",
    "failed to verify",
)
RUNS_ON = re.compile(r"error: (?:(?:doc)?test|doctest|bench|test run) failed|error: \d+ targets? failed")


@dataclass(slots=True)
class State:
    """What was seen on the way: whether a compiler gave totals or failed, and lines that only follow from others."""

    totals: bool = False
    compiled: bool = False
    trouble: bool = False
    started: bool = False
    finished: bool = False
    running: str = ""  # the stream on which cargo said that it runs a program: what follows there is the program's
    elsewhere: bool = False  # the compiler's messages stood in the log as JSON, which another parser reads
    consequences: list[int] = field(default_factory=list)
    errors: int = 0
    warnings: int = 0


def parse(log: Log, context: Context) -> Reading:
    """Read every block and short line; consequences are findings only where nothing explains them."""
    reading, state = Reading(), State()
    index = 0
    while index < len(log.lines):
        index = _line(log, context, index, reading, state)
    _close(log, reading, state)
    return reading


def _line(log: Log, context: Context, index: int, reading: Reading, state: State) -> int:
    line = log.lines[index]
    if not line:
        return index + 1
    if line[0] == " " and rustc.is_status(line):
        reading.claim(index)
        state.finished |= line.startswith("    Finished ")
        state.started = True
        state.running = log.stream(index) if line.startswith(("     Running ", "   Doc-tests ")) else ""
    elif state.running == log.stream(index) and not TESTS_FAILED.match(line) and not _refused(log, index):
        return index + 1
    elif line.startswith(("error", "warning")):
        if (done := _header(log, context, index, reading, state)) is not None:
            return done
    elif line.startswith(EXPLAIN):
        reading.claim(index)
    elif line.startswith('{"reason":"build-finished"'):
        state.elsewhere = True
    elif (found := rustc.short_at(log, index, "rustc")) is not None and _is_rust(found, context):
        _count(state, found)
        reading.add(found)
        reading.claim(index)
    return index + 1


def _refused(log: Log, index: int) -> bool:
    """Whether the program that cargo runs refuses its options at once."""
    return log.lines[index].startswith("error: ") and log.lines[index - 1].startswith("     Running ")


def _is_rust(found: Diagnostic, context: Context) -> bool:
    return bool(context.words) or (found.file or "").endswith((".rs", ".toml"))


def _header(log: Log, context: Context, index: int, reading: Reading, state: State) -> int | None:
    line = log.lines[index]
    if CONSEQUENCE.match(line):
        return _consequence(log, index, reading, state)
    block = rustc.block_at(log, index)
    if block is None:
        return None
    place = rustc.place_of(log, block)
    if place is not None:
        found = rustc.diagnostic_of(log, block, "")
        if place[1].endswith(("Cargo.toml", ".cargo/config.toml", "Cargo.lock")) and found.severity == "error":
            state.trouble = True
        else:
            _count(state, found)
        reading.add(found)
        reading.claim(block.first, block.end)
        return block.end
    if not context.words and not _speaks_cargo(log, block):
        return None
    return _placeless(log, block, reading, state)


def _speaks_cargo(log: Log, block: rustc.Block) -> bool:
    """Whether a header without a place is surely cargo's or rustc's, where no command says so."""
    text = "\n".join(log.lines[block.first : min(block.end + 3, block.first + 12)])
    return bool(
        (block.code and re.fullmatch(r"E\d{4}", block.code))
        or "Caused by:" in text
        or SURELY_CARGO.match(block.message)
        or "Cargo.toml" in text
        or CUSTOM_BUILD in text
        or block.message.startswith("linking with")
        or ("\n  = note: " in text and "|" in text)
    )


def _consequence(log: Log, index: int, reading: Reading, state: State) -> int:
    line = log.lines[index]
    state.totals |= bool(TOTALS.search(line))
    state.compiled |= "could not compile" in line or "aborting due to" in line
    end = index + 1
    if RUNS_ON.match(line):
        while end < len(log.lines) and log.lines[end].startswith("    `"):
            end += 1
    elif line.startswith("error: could not"):
        # "Caused by: process didn't exit successfully: `rustc ...`" repeats the command line.
        end, causes = _causes(log, end)
        if causes and "(signal:" in log.lines[causes[-1]]:
            reading.add(_cause(log, index, end, causes[-1]))
    if RUNS_ON.match(line):
        end, causes = _causes(log, end)
        if causes:
            reading.add(_cause(log, index, end, causes[-1]))
    reading.claim(index, end)
    if line.startswith("error"):
        state.consequences.append(index)
    return end


def _cause(log: Log, first: int, end: int, at: int) -> Diagnostic:
    return Diagnostic(message=log.whole(at).strip(), detail=log.lines[first], log=log.span(first, end - 1))


def _causes(log: Log, start: int) -> tuple[int, list[int]]:
    """The lines of `Caused by:` sections that begin at or behind `start`: one past them, and each one's first line."""
    found: list[int] = []
    end = start
    at = start
    while at < len(log.lines):
        if not log.lines[at]:
            at += 1
            continue
        if log.lines[at] != "Caused by:":
            break
        at += 1
        if at < len(log.lines) and log.lines[at].startswith("  "):
            found.append(at)
        while at < len(log.lines) and (log.lines[at].startswith("  ") or _blank_inside(log, at)):
            at += 1
            end = at
    return end, found


def _blank_inside(log: Log, at: int) -> bool:
    """Whether a blank line stands inside text that is set in (a quoted output of a build script)."""
    if log.lines[at]:
        return False
    for line in log.lines[at + 1 : at + 4]:
        if line:
            return line.startswith("  ") and not rustc.is_status(line)
    return False


def _placeless(log: Log, block: rustc.Block, reading: Reading, state: State) -> int:
    end, causes = _causes(log, block.end)
    if not causes:
        end = block.end
    found = replace(rustc.diagnostic_of(log, block, ""), related=())
    if found.severity == "warning":
        return _warning(block, found, reading)
    if CUSTOM_BUILD in block.message:
        reading.add(_build_script(log, block, end))
        state.compiled = True
    elif causes:
        reading.add(_chain(log, block, end, causes, state))
    else:
        if block.message.startswith("linking with"):
            reading.diagnostics += rustc.linker_causes(log, block, "ld")
        if block.code and block.end >= len(log.lines):
            state.errors += 1  # cut in the middle: neither place nor message can be trusted to be whole
            reading.claim(block.first, end)
            return end
        if block.code or block.message.startswith(FAILED_WORK):
            state.compiled = True
        else:
            state.trouble = True
            end = _advice_end(log, end)
            found = replace(
                found,
                detail="\n".join(log.lines[block.first + 1 : end]).strip(),
                log=log.span(block.first, max(block.end, end) - 1),
            )
        _count(state, found)
        reading.add(found)
    reading.claim(block.first, end)
    return end


def _advice_end(log: Log, end: int) -> int:
    """One past the advice under a usage error: tips, usage, possible values, lists that cargo offers."""
    at = end
    while at < len(log.lines) and at < end + 40:
        line = log.lines[at]
        if line and not line.startswith(
            ("  ", "Usage:", "USAGE:", "For more information", "help:", "note:", "\t", "Did you mean")
        ):
            break
        if line and rustc.is_status(line):
            break
        at += 1
    while at > end and not log.lines[at - 1]:
        at -= 1
    return at


def _warning(block: rustc.Block, found: Diagnostic, reading: Reading) -> int:
    if match := PACKAGE_WARNING.match(block.message):
        found = replace(found, message=match[3], package=match[1])
    elif match := MANIFEST_WARNING.match(block.message):
        found = replace(found, file=match[1], message=match[2])
    reading.add(found)
    reading.claim(block.first, block.end)
    return block.end


def _build_script(log: Log, block: rustc.Block, end: int) -> Diagnostic:
    """A build script's failure: its panic with place where it printed one, else its first word on stderr."""
    detail = "\n".join(log.lines[block.first + 1 : end][: rustc.DETAIL_LINES]).strip()
    span = log.span(block.first, end - 1)
    panic = panics.first_in(log, block.first, end)
    if panic is not None:
        return Diagnostic(
            message=panic.message, detail=f"{block.message}\n{panic.detail}".strip(), file=panic.file, line=panic.line,
            column=panic.column, log=span,
        )  # fmt: skip
    said = ""
    stderr = False
    for index in range(block.first, end):
        text = log.lines[index].strip()
        stderr |= text == "--- stderr"
        if stderr and re.match(r"(?:error|fatal|Error)\b", text):
            said = text
            break
    return Diagnostic(message=said or block.message, detail=f"{block.message}\n{detail}" if said else detail, log=span)


def _chain(log: Log, block: rustc.Block, end: int, causes: list[int], state: State) -> Diagnostic:
    """An error with `Caused by:` sections: the last cause is what to act on, the header may name the file."""
    text = log.lines[block.first : end]
    file = None
    for line in text:
        for named in MANIFEST.finditer(line):
            file = named[1] or named[2] or named[3] or file
    if file and not file.endswith((".toml", ".lock")):
        file = None
    message, line_no, column = log.whole(causes[-1]).strip(), None, None
    if match := TOML_PLACE.match(log.lines[causes[-1]]):
        line_no, column = int(match[1]), int(match[2])
        after = [t.strip() for t in log.lines[causes[-1] + 1 : end] if t.strip() and not re.match(r"\s*\d* *\|", t)]
        message = after[0] if after else message
    if block.message.startswith(FAILED_WORK) or "linking with" in block.message:
        state.compiled = True
    else:
        state.trouble = True
    detail = "\n".join([block.message, *(line for line in text[1:] if line.strip() != message)][: rustc.DETAIL_LINES])
    return Diagnostic(
        message=message,
        detail=detail.strip(),
        file=file,
        line=line_no,
        column=column,
        log=log.span(block.first, end - 1),
    )


def _count(state: State, found: Diagnostic) -> None:
    if found.severity == "error":
        state.errors += 1
    else:
        state.warnings += 1


def _close(log: Log, reading: Reading, state: State) -> None:
    errors = any(d.severity == "error" for d in reading.diagnostics)
    told = state.finished or state.trouble or state.consequences
    reading.partial = not told and (state.started or state.errors > 0) and not state.elsewhere
    if state.totals:
        reading.counts = {
            name: value for name, value in (("errors", state.errors), ("warnings", state.warnings)) if value
        }
    if state.compiled or (state.errors and not state.trouble):
        reading.outcome = "failed"
    elif state.trouble:
        reading.outcome = "error"
    elif state.consequences:
        runs = all(RUNS_ON.match(log.lines[index]) for index in state.consequences)
        if not runs and not errors and not state.elsewhere:
            first = state.consequences[0]
            reading.add(Diagnostic(message=log.whole(first)[len("error: ") :], log=log.span(first)))
        reading.outcome = "failed"
    elif state.finished and not errors:
        reading.outcome = "passed" if not _runs_tests(log) else None
    if state.compiled and not errors and state.consequences and not state.elsewhere:
        first = state.consequences[0]
        reading.add(Diagnostic(message=log.whole(first)[len("error: ") :], log=log.span(first)))


def _runs_tests(log: Log) -> bool:
    return any(line.startswith(("     Running ", "   Doc-tests ")) for line in log.lines)
