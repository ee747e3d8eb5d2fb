"""Read what pytest says when it cannot run: usage, conftest, internal errors, crashes, timeouts, exits, coverage."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from punchlist.model import Diagnostic
from punchlist.reading import frames
from punchlist.reading.log import Context, Log
from punchlist.reading.scan import lines_with
from punchlist.reading.tools.pytest_blocks import Block, read_block
from punchlist.reading.tools.pytest_runs import Run

USAGE = re.compile(r"(?:ERROR: )?usage: .*")
ARGUMENT = re.compile(r"(?:pytest|py\.test|__main__\.py|python\S* -m pytest): error: (?P<message>.+)$")
PLACED = re.compile(r"(?:not found: )?(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*?\.\w+)(?::(?P<line>\d+))?(?:::|: )")
AT_LINE = re.compile(r"\(at line (?P<line>\d+), column (?P<column>\d+)\)")
CONFTEST = re.compile(
    r"(?:\S*ImportError|\w*Error|\w*Exception)? ?while loading conftest '(?P<file>[^']+)'|ConftestImportFailure"
)
BANG = re.compile(r"!+ (?P<title>\S.*?) !+$")
STOP = re.compile(r"(?P<file>[^\s:][^:\n]*):(?P<line>\d+): (?:KeyboardInterrupt|Exit)\b")
TIMEOUT = re.compile(r"\++ Timeout \++$")
COVERAGE = re.compile(
    r"(?:FAIL Required test coverage of \S+ not reached\..*|(?:ERROR: )?Coverage failure: total of .*)$"
)
FATAL = re.compile(r"(?:Fatal Python error: .*|Windows fatal exception: .*)$")
RUNNING = re.compile(r"(?:\[gw\d+\] .*)?(?P<test>[^\s:]+\.\w+::\S.*?) *(?=Fatal Python|Windows fatal|\++ Timeout|$)")
STARTED = re.compile(r"(?P<test>[^\s:]+\.\w+::\S.*)$")
RESULT = re.compile(r" (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)\b")
OTHERS = ("ERROR: Could not find", "ERROR: No matching", "ERROR: Command ", "ERROR: Ignored ", "ERROR: Failed building")
SHELL = re.compile(r"(?:\S+: line \d+: +\d+ )?(?:Segmentation fault|Aborted|Bus error|Illegal instruction|Killed)\b")
UNCAUGHT = ("<module>", "_run_module_as_main", "_run_code")
BARE = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception): \S")
CRASH_NOTE = "pytest itself ended with this exception"
INTERNAL = "INTERNALERROR> "
DIED = "the process ended while this test was running"
USAGE_CODE = 4
"""pytest's exit code for a command that it cannot follow, also where it finds out only after collecting."""


def usage_errors(log: Log, context: Context, runs: Sequence[Run]) -> Iterator[Diagnostic]:
    """Yield `ERROR: ...` lines of a pytest that could not start: after the totals, mostly on stderr, exit code 4."""
    refused = context.exit_code == USAGE_CODE
    if (any(run.counts for run in runs) and not refused) or not (context.words or runs):
        return
    for index in lines_with(log, "ERROR: ", ": error: "):
        line = log.lines[index]
        if any(run.counts and run.first <= index < run.end for run in runs):
            continue
        if line.startswith("ERROR: ") or ": error: " in line:
            if match := ARGUMENT.match(line):
                yield Diagnostic(message=log.whole(index)[match.start("message") :].strip(), log=log.span(index))
            elif line.startswith("ERROR: ") and not line.startswith(OTHERS) and not USAGE.match(line):
                yield _usage(log, index)


def _usage(log: Log, index: int) -> Diagnostic:
    message = log.whole(index)[len("ERROR: ") :].strip()
    more = []
    end = index + 1
    while end < len(log.lines) and log.lines[end].startswith(("(", "  ")):
        more.append(log.lines[end].strip())
        end += 1
    match, at = PLACED.match(message), AT_LINE.search(message)
    line = int(at["line"]) if at else int(match["line"]) if match and match["line"] else None
    return Diagnostic(
        message=message,
        detail="\n".join(more),
        file=match["file"] if match else None,
        line=line,
        column=int(at["column"]) if at else None,
        log=log.span(index, end - 1),
    )


def conftest_errors(log: Log, context: Context) -> Iterator[tuple[Diagnostic, int, int]]:
    """Yield conftest files that could not be imported, with the lines that say so."""
    for index in lines_with(log, "while loading conftest"):
        line = log.lines[index]
        match = CONFTEST.match(line)
        if match is None:
            continue
        end = index + 1
        while end < len(log.lines) and (
            log.lines[end] or (end + 1 < len(log.lines) and log.lines[end + 1][:1] in "E ")
        ):
            end += 1
            if log.lines[end - 1].startswith("E   ") and not log.lines[end : end + 1][:1][0:1]:
                break
        block = read_block(log, Block(line, index, end), 0, context.root)
        file = block.file or match["file"]
        message = block.message if block.message.startswith(line) or block.reasoned else line
        yield (
            Diagnostic(
                message=message,
                detail="\n".join([line, *block.detail]),
                file=file,
                line=block.line if block.file else None,
                log=log.span(index, end - 1),
            ),
            index,
            end,
        )


def internal_errors(log: Log, context: Context) -> Iterator[tuple[Diagnostic, int, int]]:
    """Yield pytest's own crashes: a block of lines behind `INTERNALERROR> `, a traceback inside it."""
    end = 0
    for index in lines_with(log, "INTERNALERROR>"):
        if index < end or not log.lines[index].startswith("INTERNALERROR>"):
            continue
        end = index
        while end < len(log.lines) and log.lines[end].startswith("INTERNALERROR>"):
            end += 1
        inner = Log([line[len(INTERNAL) :] for line in log.lines[index:end]], log.numbers[index:end])
        block = read_block(inner, Block("INTERNALERROR", -1, end - index), 0, context.root)
        tracebacks = frames.read_tracebacks(inner.lines, 0, len(inner.lines))
        last = frames.final(tracebacks)
        message = last.message if last and last.message else block.message
        own = frames.innermost(last.frames, context.root) if last else None
        yield (
            Diagnostic(
                message=message,
                detail="\n".join(
                    ["INTERNALERROR of pytest", *(f"at {f.file}:{f.line}" for f in (last.frames[-3:] if last else ()))]
                ),
                file=own.file if own else block.file,
                line=own.line if own else block.line,
                log=log.span(index, end - 1),
            ),
            index,
            end,
        )


def start_crash(log: Log, context: Context) -> Iterator[tuple[Diagnostic, int, int]]:
    """Yield the traceback of a pytest that died before it began: a plugin, its settings, a broken installation."""
    chain = frames.read_tracebacks(log.lines, 0, len(log.lines))
    last = frames.final(chain)
    if last is None or not last.message or not last.frames or last.frames[0].function not in UNCAUGHT:
        yield from _bare_exception(log)
        return
    own = frames.innermost(last.frames, context.root)
    after = range(last.end, min(last.end + 6, len(log.lines)))
    more = [log.lines[i] for i in after if log.lines[i] and log.stream(i) == log.stream(last.at)]
    diagnostic = Diagnostic(
        message=log.whole(last.at)[last.depth :].strip(),
        detail="\n".join(
            [CRASH_NOTE, *more, *(f"caused by: {t.message}" for t in chain if t is not last and t.message)]
        ),
        file=own.file if own else None,
        line=own.line if own else None,
        log=log.span(last.first, last.at),
    )
    yield diagnostic, chain[0].first, last.end


def _bare_exception(log: Log) -> Iterator[tuple[Diagnostic, int, int]]:
    """A plugin that does not fit is named without a traceback: `pluggy._manager.PluginValidationError: ...`."""
    for index in lines_with(log, "Error: ", "Exception: "):
        if log.stream(index) == "stderr" and BARE.match(log.lines[index]):
            end = index + 1
            while end < len(log.lines) and end < index + 4 and log.lines[end]:
                end += 1
            detail = "\n".join([CRASH_NOTE, *log.lines[index + 1 : end]])
            yield Diagnostic(message=log.whole(index).strip(), detail=detail, log=log.span(index, end - 1)), index, end
            return


def running_test(log: Log, index: int) -> str | None:
    """The test that a verbose run had started on or just above line `index`, if a line names it."""
    lines = log.lines
    for at in (index, *range(index - 1, max(-1, index - 4), -1)):
        if "::" in lines[at] and (match := RUNNING.match(lines[at])):
            test = match["test"].strip()
            return None if RESULT.search(lines[at]) else test
    return None


def died(log: Log, context: Context, runs: Sequence[Run]) -> Iterator[Diagnostic]:
    """Yield the test that a verbose run had started when its process ended without a word."""
    last = runs[-1] if runs else None
    if last is None or last.total is not None or last.sections or not context.exit_code:
        return
    lines = log.lines
    end = next((i for i in range(last.end - 1, last.first, -1) if lines[i] and log.numbers[i] > 0), last.first)
    if (match := STARTED.match(lines[end])) and not RESULT.search(lines[end]):
        test = match["test"].strip()
        yield Diagnostic(
            message=lines[end].strip(),
            detail=DIED,
            file=test.split("::", 1)[0],
            test=test,
            log=log.span(end),
        )


def _within_test(stack: Sequence[frames.Frame], root: str) -> tuple[frames.Frame | None, list[frames.Frame]]:
    """The place a stack points at, and the frames below the test: own ones, else the test itself, installed or not."""
    calls = [i for i, frame in enumerate(stack) if frame.function == "pytest_pyfunc_call"]
    below = list(stack[calls[-1] + 1 :]) if calls else []
    own = frames.innermost(stack, root) or (below[0] if below else None)
    return own, below[-6:] or [f for f in stack if not frames.is_foreign(f.file, root)][-6:]


def _test_name(stack: Sequence[frames.Frame]) -> str | None:
    """The name of the function that pytest called, as a stack shows it."""
    for frame, below in pairwise(stack):
        if frame.function == "pytest_pyfunc_call":
            return below.function
    return None


def fatal_errors(log: Log, context: Context) -> Iterator[tuple[Diagnostic, int, int]]:
    """Yield crashes of the interpreter, with the innermost own frame of the thread that crashed."""
    for index in lines_with(log, "Fatal Python error: ", "Windows fatal exception: "):
        match = FATAL.search(log.lines[index])
        if match is None:
            continue
        stack, end = frames.read_fault(log.lines, index)
        while end < len(log.lines) and SHELL.match(log.lines[end]):
            end += 1
        own, steps = _within_test(stack, context.root)
        yield (
            Diagnostic(
                message=match[0].strip(),
                detail="\n".join(f"at {f.file}:{f.line} in {f.function}" for f in steps),
                file=own.file if own else None,
                line=own.line if own else None,
                test=running_test(log, index) or _test_name(stack),
                log=log.span(index, end - 1),
            ),
            index,
            end,
        )


def timeouts(log: Log, context: Context) -> Iterator[tuple[Diagnostic, int, int]]:
    """Yield runs that pytest-timeout's thread method killed: stacks between two `Timeout` rules, then nothing."""
    lines = log.lines
    end = 0
    for index in lines_with(log, "+++ Timeout +++"):
        match = TIMEOUT.search(lines[index])
        if (index <= end and end) or match is None:
            continue
        end = index + 1
        stack: list[frames.Frame] = []
        main = False
        while end < len(lines) and not TIMEOUT.match(lines[end]):
            if lines[end].startswith("~") and "Stack of" in lines[end]:
                main = "MainThread" in lines[end]
            elif main and (place := frames.FILE.match(lines[end])):
                stack.append(frames.Frame(place["file"], int(place["line"]), place["function"] or "", end))
            end += 1
        own, steps = _within_test(stack, context.root)
        diagnostic = Diagnostic(
            message=match[0],
            detail="\n".join(f"at {f.file}:{f.line} in {f.function}" for f in steps),
            file=own.file if own else None,
            line=own.line if own else None,
            test=running_test(log, index) or _test_name(stack),
            log=log.span(index, min(end, len(lines) - 1)),
        )
        if own is not None or end < len(lines):
            yield diagnostic, index, min(end + 1, len(lines))


def stops(log: Log, runs: Sequence[Run]) -> Iterator[Diagnostic]:
    """Yield `!!! KeyboardInterrupt !!!` and `!!! _pytest.outcomes.Exit: reason !!!`: somebody ended the run."""
    for run in runs:
        for index in lines_with(log, "!!! ", start=run.first, end=run.end):
            match = BANG.match(log.lines[index])
            if match is None:
                continue
            title = match["title"]
            if "KeyboardInterrupt" not in title and "Exit" not in title.split(":")[0]:
                continue
            place = STOP.match(log.lines[index + 1]) if index + 1 < len(log.lines) else None
            yield Diagnostic(
                message=title,
                file=place["file"] if place else None,
                line=int(place["line"]) if place else None,
                log=log.span(index),
            )


def coverage_failure(log: Log) -> tuple[Diagnostic, int] | None:
    """Return pytest-cov's threshold that was missed; its verdict is preferred to the line printed amid progress."""
    best: tuple[Diagnostic, int] | None = None
    for index in lines_with(log, "Required test coverage", "Coverage failure"):
        match = COVERAGE.search(log.lines[index])
        if match is None:
            continue
        if match.start() and not match[0].startswith(("ERROR: ", "FAIL ")):
            continue
        if best is None or match[0].startswith("FAIL "):
            best = Diagnostic(message=match[0], log=log.span(index)), index
    return best
