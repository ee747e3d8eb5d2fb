"""Python stack frames: tell the project's own code from libraries, and read the tracebacks that Python prints."""

import re
from collections.abc import Iterable, Sequence

from punchlist.records import dataclass

# Where installed packages, the standard library and console scripts live (CPython, PyPy, Windows, macOS, pyenv, uv).
FOREIGN = re.compile(
    r"^<|^\?\?\?|\b(?:site|dist)-packages[\\/]|(?:^|[\\/])lib(?:64)?[\\/](?:python|pypy)[\d.]+[\\/]"
    r"|[\\/]Python[\\/]?[\d.]+[\\/](?:x\d+[\\/])?lib[\\/]|\.framework[\\/]Versions[\\/][\d.]+[\\/]lib[\\/]"
    r"|\.pyenv[\\/]versions[\\/]|(?:^|[\\/])\.venv[\\/]|[\\/](?:bin|Scripts)[\\/][\w.-]+$|\.zip[\\/]|\.egg[\\/]",
    re.I,
)
FILE = re.compile(r'\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$')
FAULT = re.compile(r'  File "(?P<file>[^"\n]+)", line (?P<line>\d+) in (?P<function>.+)$')
HEAD = re.compile(r"(?P<lead>[ \t|]*)(?P<group>\+ Exception Group )?Traceback \(most recent call last\):")
EXCEPTION = re.compile(r"[A-Za-z_][\w.<>]*(?:\[[\w, .]+\])?(?::|$)")
WARNING = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^:\n]+\.pyw?):(?P<line>\d+): (?P<rule>[A-Za-z_][\w.]*Warning): (?P<message>\S.*)$"
)
CHAINS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
GUTTER = " \t|+"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as printed: `index` is the line of the log it stands on, `source` the code line below it, if any."""

    file: str
    line: int
    function: str = ""
    index: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Traceback:
    """One `Traceback (most recent call last)`: lines `first` to before `end`, frames outermost first.

    `message` is the exception line ("" where the log ends before it) at line `at`; `depth` the width of what stands
    in front of the text (exception groups indent their members).
    """

    frames: tuple[Frame, ...]
    message: str
    at: int
    first: int
    end: int
    depth: int = 0


def within(path: str, root: str) -> str | None:
    """Return `path` relative to `root`, None for an absolute path elsewhere; a relative path comes back as it is."""
    text, base = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
    if base and text.casefold().startswith(base.casefold() + "/"):
        return text[len(base) + 1 :]
    return None if text.startswith("/") or text[1:3] == ":/" else text


def is_foreign(path: str, root: str = "") -> bool:
    """Whether a frame's file is not the project's own: the standard library, installed packages, frozen code."""
    inside = within(path, root)
    return bool(FOREIGN.search(path if inside is None else inside))


def innermost(frames: Iterable[Frame], root: str = "") -> Frame | None:
    """Return the innermost frame in the project's own code: below the root if any is, else any that is not foreign."""
    own = [frame for frame in frames if not is_foreign(frame.file, root)]
    inside = [frame for frame in own if within(frame.file, root) is not None and not frame.file.startswith("..")]
    best = inside or own
    return best[-1] if best else None


def read_traceback(lines: Sequence[str], at: int, limit: int | None = None) -> Traceback | None:
    """Read the traceback whose head stands on line `at`; None where there is none.

    Frames are indented below the head; the first line that is not is the exception. Members of exception groups are
    tracebacks of their own.
    """
    head = HEAD.match(lines[at])
    if head is None:
        return None
    end = len(lines) if limit is None else min(limit, len(lines))
    depth = len(head["lead"]) + (2 if head["group"] else 0)
    frames: list[Frame] = []
    index = at + 1
    while index < end:
        line = lines[index]
        if line[:depth].strip(GUTTER):
            break
        body = line[depth:]
        if match := FILE.match(body):
            frames.append(Frame(match["file"], int(match["line"]), match["function"] or "", index))
        elif body[:1] in (" ", "\t"):
            if frames and not frames[-1].source and frames[-1].index == index - 1:
                last = frames[-1]
                frames[-1] = Frame(last.file, last.line, last.function, last.index, body.strip())
        elif EXCEPTION.match(body):
            return Traceback(tuple(frames), body.strip(), index, at, index + 1, depth)
        elif (
            not frames or index > frames[-1].index + 12 or (not body.strip() and not _goes_on(lines, index, end, depth))
        ):
            break
        index += 1
    return Traceback(tuple(frames), "", at, at, index, depth) if frames else None


def _goes_on(lines: Sequence[str], index: int, end: int, depth: int) -> bool:
    """Whether a blank line is a source line: tracebacks from other processes hold such (tblib, Django's --parallel)."""
    return index + 1 < end and FILE.match(lines[index + 1][depth:]) is not None


def read_tracebacks(lines: Sequence[str], first: int, end: int) -> list[Traceback]:
    """Return every traceback in lines `first` up to, not including, `end`, in order."""
    found: list[Traceback] = []
    index, end = first, min(end, len(lines))
    while index < end:
        traceback = None
        if "Traceback (" in lines[index]:
            traceback = read_traceback(lines, index, end)
        if traceback:
            found.append(traceback)
        index = traceback.end if traceback else index + 1
    return found


def final(tracebacks: Sequence[Traceback]) -> Traceback | None:
    """Return the exception that was not handled: the last of a chain, outside of the groups it may hold."""
    if not tracebacks:
        return None
    depth = min(t.depth for t in tracebacks)
    return [t for t in tracebacks if t.depth == depth][-1]


def read_fault(lines: Sequence[str], at: int, limit: int | None = None) -> tuple[list[Frame], int]:
    """Read faulthandler's stacks below line `at`: the current thread's frames, outermost first, and the end.

    Without a line that says which thread is current, the last stack stands for it (Python 3.6 to 3.13).
    """
    end = len(lines) if limit is None else min(limit, len(lines))
    stacks: list[list[Frame]] = []
    current: list[Frame] | None = None
    index = at + 1
    while index < end:
        line = lines[index]
        if "(most recent call first)" in line:
            stacks.append([])
            if line.startswith("Current thread") or (current is None and line.startswith("Stack")):
                current = stacks[-1]
        elif stacks and (match := FAULT.match(line)):
            stacks[-1].append(Frame(match["file"], int(match["line"]), match["function"], index))
        elif line.strip() and not line.startswith(("  ", "Python runtime state", "Extension modules:", "Thread ")):
            break
        index += 1
    frames = current if current is not None else (stacks[-1] if stacks else [])
    return frames[::-1], index
