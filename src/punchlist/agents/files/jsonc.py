"""Change one entry of a JSON or JSONC text; comments, order, indentation and line ends stay as they are."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from punchlist.agents.files.jsontree import Child, Node, comments, parse, plain
from punchlist.model import Trouble

Path = Sequence[str]


def load(text: str) -> Any:
    """Return the value of a text with comments and trailing commas; an empty text is an empty object."""
    return plain(parse(text)) if text.strip() else {}


def get(text: str, path: Path) -> Any:
    """Return the value at a path of keys, None where there is none; refuses a path through anything but objects."""
    if not text.strip():
        return None
    node: Node | None = parse(text)
    for position, key in enumerate(path):
        assert node is not None
        node = _member(node, key, path[:position])
        if node is None:
            return None
    return None if node is None else plain(node)


def has(text: str, path: Path) -> bool:
    """Tell whether something stands at a path; a text that cannot be read has nothing."""
    try:
        return get(text, path) is not None
    except Trouble:
        return False


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with the value at a path, objects on the way made when missing."""
    if get(text, path) == value and value is not None:
        return text
    if not text.strip():
        text = "{}" + (text or "\n")
    node, depth = _deepest(parse(text), path)
    if depth == len(path):
        found = _rendered(value, text, _line_indent(text, node.start), multiline=True)
        new = text[: node.start] + found + text[node.end :]
    else:
        for key in reversed(path[depth + 1 :]):
            value = {key: value}
        new = _insert(text, node, value, path[depth])
    return _proved(text, new, lambda whole: _set(whole, path, _value_at(path[depth + 1 :], value, depth, path)))


def append(text: str, path: Path, value: Any) -> str:
    """Return the text with a value added to the end of the list at a path, the list made when missing."""
    there = get(text, path)
    if there is None:
        return put(text, path, [value])
    if not isinstance(there, list):
        raise _refusal(path, "a list")
    node, _ = _deepest(parse(text), path)
    return _proved(text, _insert(text, node, value), lambda whole: _set(whole, path, [*there, value]))


def remove(text: str, path: Path) -> str:
    """Return the text without the entry at a path; the same text where there is none."""
    if get(text, path) is None:
        return text
    parent, _ = _deepest(parse(text), path[:-1])
    at = next(i for i, child in enumerate(parent.children) if child.key == path[-1])
    return _proved(text, _delete(text, parent, at), lambda whole: _unset(whole, path))


def remove_items(text: str, path: Path, gone: Callable[[Any], bool]) -> str:
    """Return the text without those items of the list at a path that `gone` picks."""
    there = get(text, path)
    if not isinstance(there, list):
        return text
    kept = [item for item in there if not gone(item)]
    new = text
    for at in range(len(there) - 1, -1, -1):
        if gone(there[at]):
            new = _delete(new, _deepest(parse(new), path)[0], at)
    return _proved(text, new, lambda whole: _set(whole, path, kept))


def remove_empty(text: str, path: Path) -> str:
    """Return the text without the empty object or list at a path, and without those around it that this empties."""
    for length in range(len(path), 0, -1):
        if get(text, path[:length]) not in ({}, []):
            break
        text = remove(text, path[:length])
    return text


def _member(node: Node, key: str, path: Path) -> Node | None:
    if node.kind != "object":
        raise _refusal(path, "an object")
    found = node.named(key)
    if len(found) > 1:
        raise Trouble(f"the key {key!r} stands twice in one object; take one of them away", "malformed_settings")
    return found[0].node if found else None


def _refusal(path: Path, wanted: str) -> Trouble:
    where = ".".join(path) or "the whole file"
    return Trouble(f"{where} is not {wanted}, so nothing is put into it; mend the file", "malformed_settings")


def _deepest(node: Node, path: Path) -> tuple[Node, int]:
    """Return the deepest node that exists on a path, and how many keys lead to it."""
    for depth, key in enumerate(path):
        inner = _member(node, key, path[:depth])
        if inner is None:
            return node, depth
        node = inner
    return node, len(path)


def _insert(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """Add a child behind the last one, in the layout that the container has."""
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = _line_indent(text, node.start)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    if not node.children:
        inside = text[node.start + 1 : node.end - 1]
        deeper = indent + _unit(text)
        shown = _rendered(value, text, deeper, multiline=True)
        lead = inside.rstrip()
        tail = newline + indent
        return f"{text[: node.start + 1]}{lead}{newline}{deeper}{name}{shown}{tail}{text[node.end - 1 :]}"
    last = node.children[-1]
    spread = "\n" in text[node.start : node.children[0].start]
    here = last.node.end if last.comma is None else last.comma + 1
    if not spread:
        shown = _rendered(value, text, indent, multiline=False)
        added = f"{',' if last.comma is None else ''} {name}{shown}{'' if last.comma is None else ','}"
        return text[:here] + added + text[here:]
    deeper = _line_indent(text, node.children[0].start)
    shown = _rendered(value, text, deeper, multiline=True)
    after = _line_rest(text, here, node.end - 1)
    comma, own = (",", "") if last.comma is None else ("", ",")
    return f"{text[:here]}{comma}{text[here:after]}{newline}{deeper}{name}{shown}{own}{text[after:]}"


def _delete(text: str, node: Node, at: int) -> str:
    """Take a child away with its line; of the last one also the comma that separates it from the one before."""
    child = node.children[at]
    end = child.node.end if child.comma is None else child.comma + 1
    if len(node.children) == 1:
        inside = text[node.start + 1 : child.start] + text[end : node.end - 1]
        return text[: node.start + 1] + ("" if not inside.strip() else inside) + text[node.end - 1 :]
    start = _blank_before(text, child.start)
    new = text[:start] + text[end:]
    before = node.children[at - 1] if at else None
    if before is not None and before.comma is not None and child.comma is None:
        new = new[: before.comma] + new[before.comma + 1 :]
    return new


def _blank_before(text: str, at: int) -> int:
    """Return where the blanks in front of a token begin: its own line's, or those after the token before it."""
    start = at
    while start and text[start - 1] in " \t":
        start -= 1
    if start and text[start - 1] == "\n":
        start -= 1
        if start and text[start - 1] == "\r":
            start -= 1
    return start


def _line_rest(text: str, at: int, limit: int) -> int:
    """Return where the line's last comment ends, or `at` itself where only blanks follow."""
    newline = text.find("\n", at, limit)
    end = limit if newline < 0 else newline
    places = [stop for _, stop in comments(text, at, end)]
    return max(places, default=at)


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return one step of indentation: the first that the text shows, two spaces in a text without any."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank and line.strip() and not line.lstrip().startswith(("*", "//")):
            return "\t" if blank[0] == "\t" else blank
    return "  "


def _rendered(value: Any, text: str, indent: str, *, multiline: bool) -> str:
    if not multiline:
        return json.dumps(value, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (newline + indent).join(lines)


def _value_at(rest: Path, value: Any, depth: int, path: Path) -> Any:
    """Unwrap what `put` wrapped for the objects it makes."""
    if depth < len(path):
        for key in rest:
            value = value[key]
    return value


def _set(whole: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    return {**(whole or {}), path[0]: _set((whole or {}).get(path[0]), path[1:], value)}


def _unset(whole: Any, path: Path) -> Any:
    if len(path) == 1:
        return {key: value for key, value in whole.items() if key != path[0]}
    return {**whole, path[0]: _unset(whole[path[0]], path[1:])}


def _proved(old: str, new: str, change: Callable[[Any], Any]) -> str:
    """Return the new text once its meaning is what the old one's is after the change."""
    if load(new) != change(load(old)):
        raise Trouble("this file cannot be changed safely; put the entry in by hand", "unsafe_edit")
    return new


__all__ = ["Child", "append", "get", "has", "load", "put", "remove", "remove_empty", "remove_items"]
