"""Change one table of a TOML text; everything else stays byte for byte."""

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from punchlist.model import Trouble

_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]#\r\n]+?)[ \t]*\]\]?[ \t]*(?:#[^\r\n]*)?\r?$", re.M)


def load(text: str) -> dict[str, Any]:
    """Return the value of a TOML text; raises `Trouble` (`malformed_settings`) with what is wrong and where."""
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Trouble(f"{error}; mend the file", "malformed_settings") from None


def get(text: str, path: tuple[str, ...]) -> Any:
    """Return the value at a path, None where there is none."""
    value: Any = load(text)
    for key in path:
        if not isinstance(value, Mapping):
            raise Trouble(
                f"{'.'.join(path)} leads through a value that is no table; mend the file", "malformed_settings"
            )
        if key not in value:
            return None
        value = value[key]
    return value


def put(text: str, path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    """Return the text with a table at a path: appended where there is none, else its keys changed in place."""
    there = get(text, path)
    if there == value:
        return text
    if there is None:
        newline = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        new = text + gap + _table(path, value).replace("\n", newline)
    else:
        new = _changed(text, path, value)
    return _proved(text, new, lambda whole: _set(whole, path, value))


def remove(text: str, path: tuple[str, ...]) -> str:
    """Return the text without the table at a path and its sub-tables, and without the blank line put before it."""
    if get(text, path) is None:
        return text
    new = _cut(text, path)
    try:
        return _proved(text, new, lambda whole: _unset(whole, path))
    except Trouble:
        return _proved(text, _dropped(text, path), lambda whole: _unset(whole, path))


def _table(path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    import tomlkit

    plain = {key: item for key, item in value.items() if not isinstance(item, Mapping)}
    lines = [f"[{'.'.join(path)}]\n", tomlkit.dumps(plain)]
    for key, item in value.items():
        if isinstance(item, Mapping):
            lines += ["\n", f"[{'.'.join((*path, key))}]\n", tomlkit.dumps(dict(item))]
    return "".join(lines)


def _cut(text: str, path: tuple[str, ...]) -> str:
    """Cut out the sections whose headers are the path or lie below it."""
    headers = [(found.start(), _keys(found[1])) for found in _HEADER.finditer(text)]
    headers.append((len(text), ()))
    gone = [(start, headers[at + 1][0]) for at, (start, keys) in enumerate(headers[:-1]) if keys[: len(path)] == path]
    for start, end in reversed(gone):
        # A comment block in front of the next header belongs to that header.
        body = text[start:end]
        kept = re.search(r"(?:\r?\n)(?:[ \t]*(?:#[^\r\n]*)?(?:\r?\n))*\Z", body)
        if end != len(text) and kept and "#" in kept[0]:
            end = start + kept.start() + (2 if body[kept.start()] == "\r" else 1)
        before = text[:start]
        if before.endswith(("\n\n", "\r\n\r\n")) and (end == len(text) or text[end : end + 1] not in "\r\n"):
            before = before[: -2 if before.endswith("\r\n") else -1] if end == len(text) else before
        text = before + text[end:]
    return text


def _keys(written: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r'"[^"]*"|\'[^\']*\'|[^.]+', written))


def _changed(text: str, path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document
    for key in path:
        table = table[key]
    for key, item in value.items():
        if key not in table or table[key] != item:
            table[key] = dict(item) if isinstance(item, Mapping) else item
    for key in [key for key in table if key not in value]:
        del table[key]
    return tomlkit.dumps(document)


def _dropped(text: str, path: tuple[str, ...]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document
    for key in path[:-1]:
        table = table[key]
    del table[path[-1]]
    return tomlkit.dumps(document)


def _set(whole: Any, path: tuple[str, ...], value: Any) -> Any:
    return {**whole, path[0]: _set(whole.get(path[0], {}), path[1:], value)} if path else value


def _unset(whole: Any, path: tuple[str, ...]) -> Any:
    if len(path) == 1:
        return {key: value for key, value in whole.items() if key != path[0]}
    inner = _unset(whole[path[0]], path[1:])
    return {**whole, path[0]: inner}


def _proved(old: str, new: str, change: Callable[[Any], Any]) -> str:
    """Return the new text once it means what the old one does after the change (an emptied table may be gone)."""
    wanted = _without_empty(change(load(old)))
    try:
        safe = _without_empty(load(new)) == wanted
    except Trouble:
        safe = False  # a table was written after it had been closed inline
    if not safe:
        raise Trouble("this file cannot be changed safely (inline tables?); put the entry in by hand", "unsafe_edit")
    return new


def _without_empty(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    inner = {key: _without_empty(item) for key, item in value.items()}
    return {key: item for key, item in inner.items() if item != {}}
