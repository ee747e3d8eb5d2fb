"""See through `check | tail -20`: the check is captured whole, its exit code counts, the viewers run on its output."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

from punchlist import platforms
from punchlist.records import dataclass
from punchlist.running.capture import capture
from punchlist.running.handle import Handle
from punchlist.running.order import STREAMS, arrivals
from punchlist.running.records import Command, Finished

VIEWERS = frozenset({"head", "tail", "grep", "egrep", "fgrep", "rg", "cat", "less", "more", "tee", "wc"})
VIEWER_LOG = "viewer.log"
VIEWERS_S = 60.0
_STEP = 1 << 20

# Words that make a command more than one program, or change what its exit code means.
_RESERVED = frozenset(
    {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function"}
    | {"time", "coproc", "exec", "set", "{", "}", "!", "[[", "]]"}
)
_PREPARES = frozenset({"cd", ".", "source", "export"})  # what may stand before `&&` in front of the check
_FOLLOWS = re.compile(r"^(?:-[A-Za-z]*[fF][A-Za-z]*|--follow(?:=.*)?|--retry)$")
_REDIRECTION = re.compile(r"(?<!\\)\s+(2>&1|2>\s*/dev/null)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenThrough:
    """A pipeline taken apart: `command` runs alone, `viewers` read its output afterwards (both streams if `merged`)."""

    command: str
    check: str
    viewers: str
    merged: bool


def see_through(command: str, known: Callable[[str], bool]) -> SeenThrough | None:
    """Take `[cd DIR &&] CHECK [2>&1] | VIEWER [| VIEWER ...]` apart; None for anything else, which then runs as it is.

    `known` tells whether the text of the first stage is a check. Redirections other than `2>&1` and `2>/dev/null` at
    the end of the first stage, substitutions, subshells, lists, background jobs and other programs are never touched.
    `2>/dev/null` is left out: what it would hide is kept in the log, and not shown to the viewers.
    """
    if platforms.WINDOWS:
        return None
    parts = _parts(command.strip())
    if parts is None or len(parts) < 2:
        return None
    before, stages = _ordered(parts)
    if before is None or len(stages) < 2:
        return None
    check, errors = _first_stage(stages[0].text)
    merged = errors == "2>&1" or stages[0].operator == "|&"
    viewers = [stage.text for stage in stages[1:]]
    plain = all(stage.operator in ("|", "") for stage in stages[1:])
    if not check or not plain or not all(_only_views(viewer) for viewer in viewers) or not known(check):
        return None
    folders = [text for text in before if _words(text)[:1] == ["cd"]]
    return SeenThrough(
        command=" && ".join([*before, check]),
        check=check,
        viewers=" && ".join([*folders, " | ".join(viewers)]),
        merged=merged,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A simple command and the operator behind it: `&&`, `|`, `|&`, or nothing at the end."""

    text: str
    operator: str


def _parts(command: str) -> list[_Part] | None:
    """Split at the operators we know; None where anything stands that could be more than plain words and pipes."""
    parts, begin = [], 0
    for at, operator in _operators(command):
        if operator not in ("&&", "|", "|&"):
            return None
        parts.append(_Part(command[begin:at].strip(), operator))
        begin = at + len(operator)
    parts.append(_Part(command[begin:].strip(), ""))
    return parts if all(part.text for part in parts) else None


def _operators(command: str) -> Iterator[tuple[int, str]]:
    """Yield place and text of every operator outside of quotes; an unknown or unsafe character counts as one."""
    at, size = 0, len(command)
    while at < size:
        char = command[at]
        if char == "\\":
            if command[at + 1 : at + 2] in ("", "\n"):
                yield at, char
            at += 2
        elif char == "'":
            at = command.find("'", at + 1) + 1 or size
            if command[at - 1] != "'":
                yield size, char
        elif char == '"':
            end = _closing_quote(command, at)
            if end is None:
                yield at, char
                return
            at = end + 1
        elif char in "|&":
            operator = command[at : at + 2] if command[at : at + 2] in ("||", "&&", "|&") else char
            if char == "&" and operator == "&" and command[at - 2 : at] == "2>" and command[at + 1 : at + 2] == "1":
                at += 2
                continue
            yield at, operator
            at += len(operator)
        else:
            if char in ";()`<\n\r\0" or (char == "$" and command[at + 1 : at + 2] in ("(", "'", '"')):
                yield at, char
            if char == "#" and (at == 0 or command[at - 1].isspace()):
                yield at, char
            at += 1


def _closing_quote(command: str, at: int) -> int | None:
    """Return the place of the closing double quote; None where there is none or something is substituted inside."""
    at += 1
    while at < len(command):
        if command[at] == "\\":
            at += 1
        elif command[at] == '"':
            return at
        elif command[at] == "`" or command[at : at + 2] == "$(":
            return None
        at += 1
    return None


def _ordered(parts: list[_Part]) -> tuple[list[str] | None, list[_Part]]:
    """Separate what prepares (`cd DIR &&`) from the stages; None where `&&` stands anywhere else."""
    before: list[str] = []
    stages = list(parts)
    while stages and stages[0].operator == "&&":
        if _words(stages[0].text)[:1] not in [[word] for word in _PREPARES] or ">" in stages[0].text:
            return None, []
        before.append(stages.pop(0).text)
    return (None, []) if any(stage.operator == "&&" for stage in stages) else (before, stages)


def _first_stage(text: str) -> tuple[str, str]:
    """Return the first stage without the redirection of its errors, and that one; an empty text if it has others."""
    words = _words(text)
    if not words or words[0] in _RESERVED:
        return "", ""
    found = _REDIRECTION.search(text)
    bare = text[: found.start()] if found else text
    return ("", "") if ">" in _outside_quotes(bare) else (bare, found[1] if found else "")


def _only_views(text: str) -> bool:
    words = _words(text)
    if not words or words[0] not in VIEWERS or ">" in _outside_quotes(text):
        return False
    return not (words[0] in ("tail", "less", "more") and any(_FOLLOWS.match(word) for word in words[1:]))


def _words(text: str) -> list[str]:
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return []


def _outside_quotes(text: str) -> str:
    return re.sub(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", "", text)


def run_viewers(
    seen: SeenThrough,
    folder: str,
    cwd: str,
    env: Mapping[str, str] | None = None,
    *,
    handle: Handle | None = None,
    timeout_s: float = VIEWERS_S,
) -> Finished:
    """Run the viewers on the captured output in `folder`, as the shell would, so that their files and text exist.

    What they print is kept as `viewer.log` (and `viewer.stderr.log` where they complain).
    """
    source = os.path.join(folder, "viewer.in" if seen.merged else "stdout.log")
    if seen.merged:
        _merge_into(folder, source)
    file = os.open(source, os.O_RDONLY)
    try:
        command = Command(run=seen.viewers, cwd=cwd, env=env, stdin=file, timeout_s=timeout_s)
        finished = capture(command, folder, handle=handle, prefix="viewer.")
    finally:
        os.close(file)
        if seen.merged:
            os.unlink(source)
    os.replace(os.path.join(folder, "viewer.stdout.log"), os.path.join(folder, VIEWER_LOG))
    os.unlink(os.path.join(folder, "viewer.order"))
    if not finished.sizes[1]:
        os.unlink(os.path.join(folder, "viewer.stderr.log"))
    return finished


def _merge_into(folder: str, target: str) -> None:
    """Write both logs into one file in the order their bytes came."""
    with ExitStack() as files:
        logs = {name: files.enter_context(open(os.path.join(folder, f"{name}.log"), "rb")) for name in STREAMS}
        index = files.enter_context(open(os.path.join(folder, "order"), "rb")).read()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        out = files.enter_context(os.fdopen(os.open(target, flags, 0o600), "wb"))
        sizes = (os.fstat(logs["stdout"].fileno()).st_size, os.fstat(logs["stderr"].fileno()).st_size)
        for piece in arrivals(index, sizes):
            for first in range(piece.first, piece.last, _STEP):
                out.write(logs[piece.stream].read(min(_STEP, piece.last - first)))
