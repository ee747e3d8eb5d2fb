"""Take a shell command line apart: its simple commands, their words and where each stands. What is unclear is None."""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH120

import os
import re

from punchlist.records import dataclass, field

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_REDIRECTION = re.compile(r"(?:\d*|&)(?:>>|>\||>&|<>|<&|>|<)|\{\w+\}[<>]")
_OPERATORS = ("&&", "||", "|&", ";", "|", "\n")
# Words that make what follows more than a list of simple commands.
RESERVED = frozenset(
    {"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function"}
    | {"coproc", "{", "}", "[[", "]]"}
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word at text[start:end], as written (quotes and all)."""

    start: int
    end: int
    raw: str


@dataclass(slots=True)
class Simple:
    """A simple command: words, redirections (as written, with their targets), and the operator behind it."""

    start: int
    end: int = 0
    words: list[Word] = field(default_factory=list)
    redirections: list[str] = field(default_factory=list)
    operator: str = ""


def split(text: str) -> list[Simple] | None:
    """Split a command line; None where anything stands that is more than simple commands joined by operators.

    Subshells, control words, here-documents, background jobs, process substitutions and unfinished quotes give None.
    """
    done: list[Simple] = []
    now = Simple(0)
    at, size = 0, len(text)
    while at < size:
        char = text[at]
        operator = next((one for one in _OPERATORS if text.startswith(one, at)), "")
        if char in " \t\r" or text.startswith("\\\n", at):
            at += 2 if char == "\\" else 1
        elif char == "#":
            newline = text.find("\n", at)
            at = size if newline < 0 else newline
        elif operator:
            if text.startswith(";;", at) or (operator != "\n" and not now.words):
                return None
            at += len(operator)
            if now.words or now.redirections:
                done.append(_closed(now, operator))
            now = Simple(at)
        elif found := _REDIRECTION.match(text, at):
            target = _redirected(text, found.end(), found[0])
            if target is None:
                return None
            now.start = now.start if now.words or now.redirections else at
            now.redirections.append(text[at:target])
            now.end, at = target, target
        elif char in "()&":
            return None
        else:
            end = word_end(text, at)
            if end is None:
                return None
            if not now.words and not now.redirections:
                now.start = at
            now.words.append(Word(at, end, text[at:end]))
            now.end, at = end, end
    if now.words or now.redirections:
        done.append(_closed(now, ""))
    elif done and done[-1].operator not in (";", "\n"):
        return None
    if any(one.words and one.words[0].raw in RESERVED for one in done):
        return None
    return done


def _closed(simple: Simple, operator: str) -> Simple:
    simple.operator = operator
    return simple


def _redirected(text: str, at: int, mark: str) -> int | None:
    """Return the end of a redirection's target; None for here-documents, process substitutions and missing targets."""
    if mark.endswith("<") and text.startswith("<", at):
        return None
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return None if text[at : at + 1] in ("", "(", "\n", "<", ">", "&", ";", "|") else word_end(text, at)


def word_end(text: str, at: int) -> int | None:
    """Return the end of the word that begins here; quotes and substitutions belong to it."""
    size = len(text)
    while at < size:
        char = text[at]
        if char in " \t\r\n;|&<>":
            break
        if char in "()":
            return None
        if char == "\\":
            if at + 1 >= size:
                return None
            at += 2
            continue
        step = _quoted(text, at)
        if step is None:
            return None
        at = step
    return at


def _quoted(text: str, at: int) -> int | None:
    """Return the place behind one character, or behind what it opens; None where that is never closed."""
    char = text[at]
    if char == "'":
        end = text.find("'", at + 1)
        return None if end < 0 else end + 1
    if char == "`":
        end = text.find("`", at + 1)
        return None if end < 0 else end + 1
    if text.startswith("$'", at):
        found = re.compile(r"\$'(?:[^'\\]|\\.)*'", re.S).match(text, at)
        return found.end() if found else None
    if text.startswith(("$(", "${"), at):
        return _substitution(text, at + 1)
    if char == '"':
        at += 1
        while at < len(text) and text[at] != '"':
            inner = at + 2 if text[at] == "\\" else _quoted(text, at) if text[at] in "`$" else at + 1
            if inner is None:
                return None
            at = inner
        return at + 1 if at < len(text) else None
    return at + 1


def _substitution(text: str, at: int) -> int | None:
    """Return the place behind the bracket that closes the one here; quotes inside are passed over."""
    close = ")" if text[at] == "(" else "}"
    depth, open_ = 0, text[at]
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        if char in "'\"`":
            inner = _quoted(text, at)
            if inner is None:
                return None
            at = inner
            continue
        depth += (char == open_) - (char == close)
        at += 1
        if depth == 0:
            return at
    return None


def texts_of(command: str) -> list[str] | None:
    """Return the simple commands of a command line as texts, as a host's rules see them; None where that is unclear."""
    parts = split(command)
    return None if parts is None else [" ".join(word.raw for word in part.words) for part in parts if part.words]


def upward(folder: str, most: int = 8) -> list[str]:
    """Return a folder and those above it, nearest first."""
    found = [folder]
    while len(found) <= most and os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found
