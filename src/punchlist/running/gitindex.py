"""The files git tracks, read from its index: starting git for that would cost more than the looking itself."""

import os
import struct

_ENTRY = struct.Struct(">40x20sH")  # times, mode and size, then the object's name and the flags
_EXTENDED, _NAME_BITS = 0x4000, 0x0FFF
_MOST_BYTES = 64 << 20


def tracked(root: str) -> list[str] | None:
    """Return the tracked files below `root`, relative to it; None where that cannot be told from the index alone.

    Reads versions 2 and 3 of the format with SHA-1 names (git-scm.com/docs/index-format). A split or sparse index,
    version 4, SHA-256 and anything damaged give None, as does a folder outside of any repository.
    """
    found = _repository(os.path.abspath(root))
    if found is None:
        return None
    top, folder = found
    try:
        with open(os.path.join(folder, "index"), "rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError:
        return None
    names = _names(data)
    below = os.path.relpath(os.path.abspath(root), top).replace(os.sep, "/") + "/"
    if names is None or below == "./":
        return names
    return [name[len(below) :] for name in names if name.startswith(below)]


def _repository(folder: str) -> tuple[str, str] | None:
    """Return the top of the work tree that holds `folder`, and where its index lies."""
    while True:
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return folder, git
        if os.path.isfile(git):  # a linked work tree or a submodule
            with open(git, encoding="utf-8", errors="surrogateescape") as file:
                kind, _, where = file.read(4096).strip().partition(": ")
            return (folder, os.path.join(folder, where)) if kind == "gitdir" else None
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return None


def _names(data: bytes) -> list[str] | None:
    if len(data) < 32 or data[:4] != b"DIRC":
        return None
    version, count = struct.unpack_from(">LL", data, 4)
    if version not in (2, 3):
        return None
    names, at, last = [], 12, b""
    for _ in range(count):
        if at + _ENTRY.size > len(data) - 20:
            return None
        flags = _ENTRY.unpack_from(data, at)[1]
        begin = at + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        end = data.find(b"\0", begin)
        name = data[begin:end]
        if not name or name < last or min(len(name), _NAME_BITS) != flags & _NAME_BITS:
            return None
        if name != last:  # a conflict has a file up to three times
            names.append(os.fsdecode(name))
        last = name
        at += (end - at + 8) // 8 * 8
    return None if data[at : at + 4] in (b"link", b"sdir") else names
