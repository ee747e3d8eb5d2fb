"""Which files import which: read from their text, rather too many than too few, each file once for each of its states.

A file is named by the last part of its path; whatever mentions that name in an import depends on it. Those behind a
file that hands on what it imports (`export ... from`, an `__init__.py`) depend on it too. Further ones do not count:
their own text would have to change, or the whole check tells.
"""

import os
import re
from collections.abc import Iterable
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


_NOTHING = File(frozenset(), False, False)


class Imports:
    """The imports of a program's files (root-relative) below a root; `update` says which are to be read (again)."""

    def __init__(self, root: str, language: Language, files: Iterable[str] = ()) -> None:
        self.root, self.language = root, language
        self._known: dict[str, File] = {}
        self._importers: dict[str, dict[str, None]] = {}
        self.update(files)

    def update(self, files: Iterable[str], gone: Iterable[str] = ()) -> None:
        """Read files as they are now, and forget those that are gone."""
        for file in (*files, *gone):
            for name in self._known.pop(file, _NOTHING).imports:
                self._importers[name].pop(file, None)
        for file in files:
            one = self._known[file] = self._read(file)
            for name in one.imports:
                self._importers.setdefault(name, {})[file] = None

    def dependents(self, edited: Iterable[str]) -> tuple[str, ...]:
        """Return the files that depend on edited ones; all where an edited one declares what everybody sees."""
        changed = set(edited)
        if any(self._known[file].everywhere for file in changed & self._known.keys()):
            return tuple(file for file in self._known if file not in changed)
        found: dict[str, None] = {}
        waiting = list(changed)
        while waiting:
            for name in names_of(waiting.pop(), self.language):
                for file in self._importers.get(name, ()):
                    if file not in found and file not in changed:
                        found[file] = None
                        if self._known[file].hands_on:
                            waiting.append(file)
        return tuple(sorted(found))

    def _read(self, file: str) -> File:
        try:
            with open(f"{self.root}/{file}", "rb") as opened:
                return _said(opened.read(), file, self.language)
        except OSError:
            return _NOTHING


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
