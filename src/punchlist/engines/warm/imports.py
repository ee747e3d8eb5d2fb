"""Which files import which: read from their text, rather too many than too few, each file once for each of its states.

A file is named by the last part of its path; whatever mentions that name in an import depends on it. Those behind a
file that hands on what it imports (`export ... from`, an `__init__.py`) depend on it too. Further ones do not count:
their own text would have to change, or the whole check tells.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Language = Literal["script", "python"]

_SCRIPT = re.compile(rb"""(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])([^'"\n]+)\1""")
_HANDS_ON = re.compile(rb"""\bexport\s+(?:type\s+)?(?:\*|\{[^}]*\})[^;'"\n]*\bfrom\b""")
_MODULE = re.compile(rb"^\s*(?:import|export)\b", re.M)
_GLOBAL = re.compile(rb"\bdeclare\s+(?:global\b|module\s*['\"])")
_PYTHON = re.compile(rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]+))", re.M)
_WORD = re.compile(rb"\w+")
_ENDING = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]sx?|json|pyi?)$")


class File(NamedTuple):
    """What one file says: names it imports, whether it hands them on, whether all files see what it declares."""

    imports: frozenset[str]
    hands_on: bool
    everywhere: bool


class Imports:
    """The imports of a program's files (root-relative) below a root."""

    def __init__(self, root: str, language: Language) -> None:
        self.root, self.language = root, language
        self._known: dict[str, tuple[tuple[int, int], File]] = {}

    def dependents(self, edited: Iterable[str], files: Iterable[str]) -> tuple[str, ...]:
        """Return which of the files depend on edited ones; all where an edited one declares what everybody sees."""
        every = tuple(files)
        known = {file: self._read(file) for file in every}
        changed = set(edited)
        if any(known[file].everywhere for file in changed & known.keys()):
            return tuple(file for file in every if file not in changed)
        importers = _importers(known)
        found: dict[str, None] = {}
        waiting = list(changed)
        while waiting:
            for name in names_of(waiting.pop(), self.language):
                for file in importers.get(name, ()):
                    if file not in found and file not in changed:
                        found[file] = None
                        if known[file].hands_on:
                            waiting.append(file)
        return tuple(found)

    def _read(self, file: str) -> File:
        path = f"{self.root}/{file}"
        try:
            about = os.stat(path)
            stamp = (about.st_mtime_ns, about.st_size)
            known = self._known.get(file)
            if known is None or known[0] != stamp:
                with open(path, "rb") as opened:
                    known = (stamp, _said(opened.read(), file, self.language))
                self._known[file] = known
        except OSError:
            return File(frozenset(), False, False)
        return known[1]


def _importers(known: Mapping[str, File]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for file, one in known.items():
        for name in one.imports:
            out.setdefault(name, []).append(file)
    return out


def _said(raw: bytes, file: str, language: Language) -> File:
    if language == "python":
        found = [word for m in _PYTHON.finditer(raw) for part in m.groups() if part for word in _WORD.findall(part)]
        imports = frozenset(word.decode("utf-8", "replace") for word in found) - {"as"}
        init = file.endswith(("__init__.py", "__init__.pyi"))
        return File(imports, init or bool(re.search(rb"import[ \t]+\*", raw)), os.path.basename(file) == "builtins.pyi")
    imports = frozenset(_last(m[2].decode("utf-8", "replace")) for m in _SCRIPT.finditer(raw))
    everywhere = not file.endswith(".json") and (not _MODULE.search(raw) or bool(_GLOBAL.search(raw)))
    return File(imports, bool(_HANDS_ON.search(raw)), everywhere)


def _last(specifier: str) -> str:
    last = specifier.rstrip("/").rpartition("/")[2]
    return _ENDING.sub("", last) if last not in (".", "..") else "index"


def names_of(file: str, language: Language) -> frozenset[str]:
    """Return the names under which a file is imported."""
    folder, _, base = file.rpartition("/")
    stem = _ENDING.sub("", base)
    package = folder.rpartition("/")[2]
    if stem == "index" and language == "script":
        return frozenset({"index", package})
    if stem == "__init__" and language == "python":
        return frozenset({package})
    return frozenset({stem})
