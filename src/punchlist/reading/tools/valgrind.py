"""Read valgrind's text: memcheck's errors and leaks, helgrind's and DRD's races, the totals. Seen with 3.13 to 3.22."""

import re

from punchlist.model import Diagnostic, Related
from punchlist.reading.log import Context, Log, Reading
from punchlist.records import replace

LINE = re.compile(r"(?:==|--|\*\*)(\d+)(?:==|--|\*\*) ?(.*)$")
FRAME = re.compile(r"\s+(?:at|by) 0x[0-9A-F]+: (?P<function>.+?)(?: \((?:(?P<file>[^():]+):(?P<line>\d+)|in .+)\))?$")
TOTAL = re.compile(r"ERROR SUMMARY: (\d+) errors? from (\d+) contexts?")
LEAK = re.compile(
    r"[\d,]+(?: \([^)]*\))? bytes? in [\d,]+ blocks? (?:are|is) (definitely|indirectly|possibly) lost"
    r"|.*still reachable in loss record"
)
SUPPRESSION = re.compile(r"[{}]$|\s+(?:<insert_a_suppression|Memcheck:|fun:|obj:|match-leak)")
BANNER = (
    "Memcheck, ",
    "Helgrind, ",
    "Copyright ",
    "Using Valgrind",
    "Command: ",
    "HEAP SUMMARY",
    "LEAK SUMMARY",
    "For lists of",
    "Use --",
    "For counts",
    "Rerun with",
    "All heap blocks",
    "Parent PID",
    "To see them",
    "Reachable blocks",
    "Searching for",
    "Process terminating",
    "DRD, ",
    "Massif, ",
    "Cachegrind, ",
    "Callgrind, ",
    "(action ",
    "TO CONTROL",
    "Warning: ",
    "---Thread",
    "Thread #",
    "More than 100",
    "More than 10000",
    "ERROR SUMMARY",
    "NOTE: ",
)
CONTINUES = (
    "This conflicts with",
    "Lock at ",
    "Location 0x",
    "Address 0x",
    "Observed ",
    "Required order",
    "Other segment",
)
ALLOCATORS = re.compile(
    r"(?:malloc|calloc|realloc|free|operator (?:new|delete)\S*|memalign|posix_memalign|str(?:len|cpy|ncpy"
    r"|cat|dup|cmp)\w*|mem(?:cpy|move|set|cmp)\w*"
    r"|__\w+|_\w+|v?f?s?n?printf|puts|write|pthread_\w+|start_thread|clone)\b"
)
SYSTEM_FILE = re.compile(
    r"(?:vg_replace_\w+|_?exit|cxa_\w+|libc_\w+|mem\w+|raise|abort|gconv\w*|dl-\w+|rtld|hg_intercepts|drd_\w+|\w*printf\w*|strlen\w*|_itoa|libc-start|libc_start\w*"
    r"|pthread_create|"
                         r"iov?f\w+|ostream|basic_string\.\w+|stl_\w+|new_allocator|alloc_traits|invoke"
                         r"|std_\w+|clone3?|start_thread)\.\w+$")  # fmt: skip


def parse(log: Log, context: Context) -> Reading:
    """Read every error block of every process in the output."""
    reading = Reading()
    total = 0
    blocks: dict[str, list[int]] = {}
    for at, line in enumerate(log.lines):
        if line[:2] not in ("==", "--", "**"):
            continue
        match = LINE.match(line)
        if not match:
            continue
        reading.claim(at)
        text = match[2]
        if found := TOTAL.match(text):
            total += int(found[1])
            reading.counts["errors"] = total
        block = blocks.setdefault(match[1], [])
        if text.strip():
            block.append(at)
            continue
        _block(log, block, reading)
        block.clear()
    for block in blocks.values():
        _block(log, block, reading)
    if reading.claimed:
        failed = bool(reading.diagnostics) or total > 0
        reading.outcome = "failed" if failed and context.exit_code != 0 else None
        reading.partial = bool(reading.diagnostics) and "errors" not in reading.counts
    return reading


def _text(log: Log, at: int) -> str:
    match = LINE.match(log.lines[at])
    return match[2] if match else log.lines[at]


def _block(log: Log, block: list[int], reading: Reading) -> None:
    """Read one block: a heading, its stack, further headings with their stacks."""
    texts = [_text(log, at) for at in block]
    start = next((i for i, text in enumerate(texts) if not text.startswith(" ") and not text.startswith(BANNER)), None)
    if start is None or not any(FRAME.match(text) for text in texts[start:]):
        return
    # helgrind puts several headings in front of the first stack; the one above it is the error's own
    message = texts[start].strip()
    if message.startswith(CONTINUES) and reading.diagnostics:
        _continue(texts, start, reading)
        return
    stacks: list[tuple[str, list[tuple[str, str, int]]]] = [(message, [])]
    heading = ""
    for text in texts[start + 1 :]:
        if frame := FRAME.match(text):
            if heading and stacks[-1][1]:
                stacks.append((heading, []))
            heading = ""
            if frame["file"]:
                stacks[-1][1].append((frame["function"], frame["file"], int(frame["line"])))
            elif not stacks[-1][1]:
                stacks[-1][1].append((frame["function"], "", 0))
        else:
            heading = text.strip()
    place = next((own for _, frames in stacks[:1] if (own := _own(frames))), None)
    leak = LEAK.match(message)
    related = tuple(Related(head, own[1], own[2]) for head, frames in stacks[1:] if (own := _own(frames)))
    detail = [f"{function} {file}:{line}" for function, file, line in stacks[0][1] if file][:10]
    detail += [head for head, _ in stacks[1:]]
    reading.add(
        Diagnostic(
            message=message, detail="\n".join(detail), file=place[1] if place else None,
            line=place[2] if place else None,
            rule=f"{leak[1]}-lost" if leak and leak[1] else None,
            severity="warning" if leak and leak[1] in ("possibly", "indirectly") else "error",
            related=related, log=log.span(block[start], block[-1]),
        )
    )  # fmt: skip


def _continue(texts: list[str], start: int, reading: Reading) -> None:
    """A block that belongs to the error before it: the other access of a race, who holds a lock."""
    last = reading.diagnostics[-1]
    frames = [(m["function"], m["file"], int(m["line"])) for text in texts if (m := FRAME.match(text)) and m["file"]]
    own = _own(frames)
    related = (*last.related, Related(texts[start].strip(), own[1], own[2])) if own else last.related
    detail = f"{last.detail}\n{texts[start].strip()}"
    reading.diagnostics[-1] = replace(last, related=related, detail=detail)


def _own(frames: list[tuple[str, str, int]]) -> tuple[str, str, int] | None:
    """The innermost frame that is neither an allocator nor the C library."""
    for function, file, line in frames:
        if file and not ALLOCATORS.match(function) and not SYSTEM_FILE.match(file):
            return function, file, line
    return next(
        ((function, file, line) for function, file, line in frames if file and not SYSTEM_FILE.match(file)), None
    )
