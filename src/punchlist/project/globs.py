"""Match and walk path globs: `*`, `?`, `**`, classes, braces and extended groups, as package managers do."""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

SKIPPED = frozenset({"node_modules", "bower_components", ".git", ".hg", ".svn", ".jj", "__pycache__"})
MAX_BRACES = 1000
_MAGIC = re.compile(r"[*?\[{(!]")
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")


def expand_braces(pattern: str) -> list[str]:
    """Expand `{a,b}` and `{1..3}`, nested too; a brace that holds no choice stays as it is."""
    found: list[str] = []
    waiting = [pattern]
    while waiting and len(found) + len(waiting) <= MAX_BRACES:
        text = waiting.pop(0)
        span = _first_brace(text)
        if span is None:
            found.append(text)
            continue
        start, end, choices = span
        waiting[:0] = [text[:start] + choice + text[end:] for choice in choices]
    return [*found, *waiting]


def _first_brace(text: str) -> tuple[int, int, list[str]] | None:
    """Return start, end and choices of the first brace group with choices."""
    for start, char in enumerate(text):
        if char != "{":
            continue
        depth, cut, parts = 0, start + 1, []
        for end in range(start, len(text)):
            if text[end] == "{":
                depth += 1
            elif text[end] == "," and depth == 1:
                parts.append(text[cut:end])
                cut = end + 1
            elif text[end] == "}":
                depth -= 1
                if depth == 0:
                    inner = text[cut:end]
                    if parts:
                        return start, end + 1, [*parts, inner]
                    numbers = _RANGE.fullmatch(inner)
                    if numbers:
                        low, high = int(numbers[1]), int(numbers[2])
                        step = 1 if low <= high else -1
                        return start, end + 1, [str(n) for n in range(low, high + step, step)][:MAX_BRACES]
                    break
    return None


@lru_cache(maxsize=512)
def compiled(pattern: str, dot: bool = False) -> re.Pattern[str]:
    """Compile a glob over `/`-separated relative paths, anchored at both ends.

    A trailing `/**` also matches the folder itself, `**/` matches no folder too. Names that begin with a dot are only
    matched where the pattern writes the dot, or with `dot`.
    """
    choices = [_regex(choice, dot) for choice in expand_braces(normal(pattern))]
    return re.compile("|".join(f"(?:{choice})" for choice in choices) + r"\Z", re.S)


def normal(pattern: str) -> str:
    """Write a pattern with `/`, without a leading `./` or `/` or a trailing `/`."""
    return re.sub(r"^(?:\./|/)+", "", pattern.replace("\\", "/")).rstrip("/")


def _regex(pattern: str, dot: bool) -> str:
    segments = pattern.split("/")
    name = "[^/]+" if dot else r"(?!\.)[^/]+"
    out = ""
    for position, segment in enumerate(segments):
        last = position == len(segments) - 1
        if segment == "**":
            if last:
                out = f"{out[:-1]}(?:/{name})*" if out.endswith("/") else f"(?:{name}(?:/{name})*)?"
            else:
                out += f"(?:{name}/)*"
            continue
        out += _segment(segment, dot) + ("" if last else "/")
    return f"(?:{out})\\Z" if out else r"\Z"


def _segment(text: str, dot: bool) -> str:
    guard = "" if dot or text.startswith((".", "[.", "\\.")) else r"(?!\.)"
    body, position, closers = "", 0, []
    while position < len(text):
        char = text[position]
        if char in "@?*+!" and text[position + 1 : position + 2] == "(":
            body += "(?!(?:" if char == "!" else "(?:"
            closers.append({"@": ")", "?": ")?", "*": ")*", "+": ")+", "!": r")(?:/|\Z))[^/]*?"}[char])
            position += 2
            continue
        if char == ")" and closers:
            body += closers.pop()
        elif char == "|" and closers:
            body += "|"
        elif char == "*":
            body += "[^/]*"
        elif char == "?":
            body += "[^/]"
        elif char == "[" and (end := text.find("]", position + 2)) > 0:
            body += _class(text[position + 1 : end])
            position = end
        else:
            body += re.escape(char)
        position += 1
    if closers:  # an open group is no group
        return guard + re.escape(text).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return guard + body


def _class(inner: str) -> str:
    """Write the inside of `[...]` as a regex; a range that runs backwards holds nothing, as in minimatch."""
    negative = inner[0] in "!^"
    text, members, position = inner[negative:], "", 0
    while position < len(text):
        low, high = text[position], text[position + 2 : position + 3]
        if text[position + 1 : position + 2] == "-" and high:
            members += f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
            position += 3
        else:
            members += re.escape(low)
            position += 1
    if not members:
        return "[^/]" if negative else "(?!)"
    return f"[{'^' if negative else ''}{members}]"


def matches(path: str, patterns: Iterable[str], *, dot: bool = True) -> bool:
    """Tell whether a relative path is selected: the last pattern that matches decides, `!` takes back."""
    selected = False
    for pattern in patterns:
        negative = pattern.startswith("!")
        if negative == selected and compiled(pattern[1:] if negative else pattern, dot).match(path):
            selected = not negative
    return selected


def folders(root: Path, pattern: str) -> Iterator[str]:
    """Yield the folders (relative, `/`, the root as "") that a glob selects; links to outside are not followed."""
    for choice in expand_braces(normal(pattern)):
        yield from _descend(root, "", [part for part in choice.split("/") if part != "."], 0)


def _descend(root: Path, at: str, segments: list[str], depth: int) -> Iterator[str]:
    if not segments:
        yield at
        return
    head, rest = segments[0], segments[1:]
    if head == "**":
        yield from _descend(root, at, rest, depth)
        for name in _children(root, at):
            if not name.startswith(".") and depth < 30:
                yield from _descend(root, _join(at, name), segments, depth + 1)
    elif _MAGIC.search(head):
        match = compiled(head)
        for name in _children(root, at):
            if match.match(name):
                yield from _descend(root, _join(at, name), rest, depth + 1)
    elif (root / at / head).is_dir() and head not in SKIPPED:
        yield from _descend(
            root, _join(at, head) if head != ".." else os.path.normpath(_join(at, head)), rest, depth + 1
        )


def _join(at: str, name: str) -> str:
    return f"{at}/{name}" if at else name


def _children(root: Path, at: str) -> list[str]:
    try:
        with os.scandir(root / at) as entries:
            found = [e.name for e in entries if e.name not in SKIPPED and e.is_dir() and not _leaves(root, e)]
    except OSError:
        return []
    return sorted(found)


def _leaves(root: Path, entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a link that leads out of the root, or back to one of its own parents."""
    if not entry.is_symlink():
        return False
    target = Path(os.path.realpath(entry.path))
    return not target.is_relative_to(os.path.realpath(root)) or Path(
        os.path.realpath(Path(entry.path).parent)
    ).is_relative_to(target)
