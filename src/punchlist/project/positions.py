"""Find the line of a key in TOML and JSON text, so that a mistake can be shown where it stands."""

import re
from collections.abc import Iterator

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_DOTTED = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*(\.|=|$)""")
_FENCE = re.compile(r'"""|\'\'\'')

Key = str | int
KeyPath = tuple[Key, ...]


def _keys(text: str, end: str) -> tuple[str, ...] | None:
    """Split a dotted TOML key that ends in `end` ("=" or "")."""
    keys: list[str] = []
    position = 0
    while found := _DOTTED.match(text, position):
        name = found[1]
        keys.append(name[1:-1] if name[0] in "\"'" else name)
        if found[2] == end:
            return tuple(keys)
        if found[2] != ".":
            return None
        position = found.end()
    return None


def toml_lines(text: str) -> dict[KeyPath, int]:
    """Map the keys of a TOML text to their lines: tables, tables in lists and plain or dotted keys."""
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    fence: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if fence is not None:
            fence = None if line.count(fence) % 2 else fence
            continue
        header = _HEADER.match(line)
        if header and (keys := _keys(header[2], "")):
            table = _in_lists(keys, counts)
            if header[1] == "[[":
                index = counts.get(table, -1) + 1
                counts[table] = index
                table = (*table, index)
            _note(lines, table, number)
        elif keys := _keys(line, "="):
            _note(lines, (*table, *keys), number)
        opened = _FENCE.search(line)
        if opened and line.count(opened[0]) % 2:
            fence = opened[0]
    return lines


def _in_lists(keys: tuple[str, ...], counts: dict[KeyPath, int]) -> KeyPath:
    """Resolve `[a.b]` below `[[a]]` to the newest element of the list, as TOML does."""
    path: KeyPath = ()
    for position, key in enumerate(keys):
        path = (*path, key)
        if position < len(keys) - 1 and path in counts:
            path = (*path, counts[path])
    return path


def _note(lines: dict[KeyPath, int], path: KeyPath, number: int) -> None:
    for length in range(1, len(path) + 1):
        lines.setdefault(path[:length], number)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|//[^\n]*|/\*.*?\*/|[^\s{}\[\],:"/]+', re.S)


def json_lines(text: str) -> dict[KeyPath, int]:
    """Map the keys and list items of valid JSON (comments are skipped) to their lines."""
    import json

    lines: dict[KeyPath, int] = {}
    stack: list[Key | None] = []  # one entry per open bracket: the key being read, or the index of the item
    key: str | None = None
    for token, number in _tokens(text):
        if token == ":":
            continue
        if stack and isinstance(stack[-1], int) and token not in ",]":
            lines.setdefault(tuple(k for k in stack if k is not None), number)
        if token in "{[":
            stack.append(None if token == "{" else 0)
        elif token in "}]":
            stack.pop()
        elif token == ",":
            top = stack[-1]
            stack[-1] = top + 1 if isinstance(top, int) else None
        elif stack and stack[-1] is None:
            key = json.loads(token)
            stack[-1] = key
            lines.setdefault(tuple(k for k in stack if k is not None), number)
    return lines


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    number, last = 1, 0
    for found in _TOKEN.finditer(text):
        number += text.count("\n", last, found.start())
        last = found.start()
        if not found[0].startswith(("//", "/*")):
            yield found[0], number


def line_of(lines: dict[KeyPath, int], path: KeyPath, text: str) -> int | None:
    """Return the line of a key: its own, else the place after its nearest known parent where its name is written."""
    for length in range(len(path), 0, -1):
        start = lines.get(path[:length])
        if start is None:
            continue
        names = [part for part in path[length:] if isinstance(part, str)]
        if not names:
            return start
        after = text.splitlines()[start - 1 :]
        word = re.compile(rf"""(?<![\w-])["']?{re.escape(names[-1])}["']?\s*[=:]""")
        return next((start + offset for offset, line in enumerate(after) if word.search(line)), start)
    return None


def column_of(text: str, line: int, path: KeyPath) -> int:
    """Return the column (1-based, code points) of a key in its line; that of the first text there without its name."""
    found = text.splitlines()[line - 1 : line]
    content = found[0] if found else ""
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    there = re.search(rf"""(?<![\w-])["']?{re.escape(name)}(?![\w-])""", content) if name else None
    return (there.start() if there else len(content) - len(content.lstrip())) + 1
