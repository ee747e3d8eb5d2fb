"""Add or take away one entry of a YAML text, in block style alone; whatever could be misread is refused."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from punchlist.model import Trouble

_STEP = "  "


def load(text: str) -> Any:
    """Return the value of a YAML text of one document; an empty one is an empty map."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Trouble(f"{' '.join(str(error).split())}; mend the file", "malformed_settings") from None
    return {} if value is None else value


def get(text: str, key: str, name: str) -> Any:
    """Return the entry `name` of the map or list under a top-level key, None where there is none."""
    inside = _inside(load(text), key)
    if isinstance(inside, list):
        return next((item for item in inside if isinstance(item, Mapping) and item.get("name") == name), None)
    return inside.get(name)


def put(text: str, key: str, name: str, value: Mapping[str, Any], *, listed: bool) -> str:
    """Return the text with an entry under a top-level key: an item with that name in a list, else a member of a map."""
    if get(text, key, name) == value:
        return text
    if get(text, key, name) is not None:
        text = remove(text, key, name)
    whole = load(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _block(text, key)
    if block is None and key in whole and whole[key] is not None:
        raise _unsafe(key)
    if block is None:
        gap = "" if not text or text.endswith("\n") else newline
        head = "" if key in whole else f"{key}:\n"
        if key in whole:
            raise _unsafe(key)
        new = text + gap + (head + _entry(name, value, _STEP, listed=listed)).replace("\n", newline)
    else:
        _, end, indent = block
        entry = _entry(name, value, indent, listed=listed).replace("\n", newline)
        gap = "" if text[:end].endswith("\n") else newline
        new = text[:end] + gap + entry + text[end:]
    return _proved(text, new, lambda there: _with(there, key, name, value, listed=listed))


def remove(text: str, key: str, name: str) -> str:
    """Return the text without an entry; the same text where there is none."""
    there = get(text, key, name)
    if there is None:
        return text
    block = _block(text, key)
    if block is None:
        raise _unsafe(key)
    start, end, indent = block
    listed = isinstance(load(text)[key], list)
    pieces = _pieces(text, start, end, indent, listed=listed)
    at = next((piece for piece in pieces if _is_named(text[slice(*piece)], name, listed=listed)), None)
    if at is None:
        raise _unsafe(key)
    new = text[: at[0]] + text[at[1] :]
    if len(pieces) == 1:
        head = text.rfind("\n", 0, start - 1) + 1
        if re.fullmatch(rf"{re.escape(key)}:[ \t]*\r?\n", text[head:start]):
            new = text[:head] + text[at[1] :]
    return _proved(text, new, lambda whole: _without(whole, key, name))


def _inside(whole: Any, key: str) -> Any:
    if not isinstance(whole, Mapping):
        raise Trouble("the file is no map of keys; mend the file", "malformed_settings")
    inside = whole.get(key)
    if inside is None:
        return {}
    if not isinstance(inside, (Mapping, list)):
        raise Trouble(f"{key} is neither a map nor a list; mend the file", "malformed_settings")
    return inside


def _unsafe(key: str) -> Trouble:
    return Trouble(
        f"{key} is not written in plain block style, so it is not changed; put the entry in by hand", "unsafe_edit"
    )


def _block(text: str, key: str) -> tuple[int, int, str] | None:
    """Return where the lines under a top-level key begin and end, and the indentation of its children."""
    head = re.search(rf"^{re.escape(key)}:[ \t]*(?:#[^\n]*)?\r?\n", text, re.M)
    if head is None:
        return None
    end, indent = head.end(), None
    for line in re.finditer(r"[^\n]*\n|[^\n]+$", text[head.end() :]):
        shown = line[0].strip()
        blank = line[0][: len(line[0]) - len(line[0].lstrip(" "))]
        if not shown or shown.startswith("#"):
            continue
        if not blank and not shown.startswith("- "):
            break
        indent = blank if indent is None else indent
        end = head.end() + line.end()
    return None if indent is None else (head.end(), end, indent)


def _pieces(text: str, start: int, end: int, indent: str, *, listed: bool) -> list[tuple[int, int]]:
    """Return where each child of a block begins and ends; comments in front of a child stay outside of it."""
    mark = rf"^{indent}(?:-[ \t]|-\r?$)" if listed else rf"^{indent}[^\s#-][^\n]*"
    begins = [start + found.start() for found in re.finditer(mark, text[start:end], re.M)]
    pieces = []
    for at, begin in enumerate(begins):
        limit = begins[at + 1] if at + 1 < len(begins) else end
        stop = begin
        for line in re.finditer(r"[^\n]*\n|[^\n]+$", text[begin:limit]):
            if line.start() == 0 or (line[0].strip() and line[0].startswith(indent + " ")):
                stop = begin + line.end()
        pieces.append((begin, stop))
    return pieces


def _is_named(piece: str, name: str, *, listed: bool) -> bool:
    import textwrap

    value = load(textwrap.dedent(piece.replace("\r\n", "\n")))
    if listed:
        return isinstance(value, list) and isinstance(value[0], Mapping) and value[0].get("name") == name
    return isinstance(value, Mapping) and list(value) == [name]


def _entry(name: str, value: Mapping[str, Any], indent: str, *, listed: bool) -> str:
    import yaml

    shown: Any = [dict(value)] if listed else {name: dict(value)}
    dumped = yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, default_flow_style=False, width=10_000)
    return "".join(indent + line for line in dumped.splitlines(keepends=True))


def _with(whole: Any, key: str, name: str, value: Mapping[str, Any], *, listed: bool) -> Any:
    if listed:
        return {**whole, key: [*(whole.get(key) or []), dict(value)]}
    return {**whole, key: {**(whole.get(key) or {}), name: dict(value)}}


def _without(whole: Any, key: str, name: str) -> Any:
    inside = whole[key]
    if isinstance(inside, list):
        left: Any = [item for item in inside if not (isinstance(item, Mapping) and item.get("name") == name)]
    else:
        left = {other: item for other, item in inside.items() if other != name}
    return {**whole, key: left} if left else {other: item for other, item in whole.items() if other != key}


def _proved(old: str, new: str, change: Callable[[Any], Any]) -> str:
    if _without_nothing(load(new)) != _without_nothing(change(load(old))):
        raise Trouble("this file cannot be changed safely; put the entry in by hand", "unsafe_edit")
    return new


def _without_nothing(value: Any) -> Any:
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, Mapping) else value
