"""The project as engines see it during one check: its files, what is asked for, settings, texts read once."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from punchlist.engines.scope import Scope
from punchlist.project.manifests import json_of, text_of, toml_of
from punchlist.project.settings import EngineSetting
from punchlist.store.cache import Cache

_DEFAULT = EngineSetting()


class Site:
    """Where one engine works: `root` is absolute with links resolved, `state` a folder for the engine's own files."""

    def __init__(
        self, root: Path, scope: Scope, state: Path, environ: Mapping[str, str], setting: EngineSetting | None = None,
        memo: dict[tuple[str, str], Any] | None = None, cache: Cache | None = None,
    ) -> None:  # fmt: skip
        self.root, self.scope, self.state, self.environ = root, scope, state, environ
        self.setting = setting or _DEFAULT
        self.cache = cache
        self._memo: dict[tuple[str, str], Any] = {} if memo is None else memo

    def with_setting(self, setting: EngineSetting | None) -> "Site":
        """Return the same project for another engine; what was read stays known."""
        return Site(self.root, self.scope, self.state, self.environ, setting, self._memo, self.cache)

    def once(self, kind: str, key: str, read: Callable[[], Any]) -> Any:
        """Return what `read` gave when it was first asked of this kind and key in this check."""
        found = self._memo.get((kind, key))
        if found is None:
            found = self._memo[kind, key] = (read(),)
        return found[0]

    def path(self, relative: str) -> str:
        """Return the absolute path of a root-relative one."""
        return f"{self.root}/{relative}" if relative else str(self.root)

    def exists(self, relative: str) -> bool:
        """Whether the root holds a file of this name."""
        found: bool = self.once("file", relative, lambda: os.path.isfile(self.path(relative)))
        return found

    def text(self, relative: str) -> str:
        """Return a text file of the root, "" where there is none."""
        if not self.exists(relative):
            return ""
        found: str = self.once("text", relative, lambda: text_of(self.root / relative) or "")
        return found

    def json(self, relative: str) -> dict[str, Any]:
        """Return a JSON (or JSONC) object of the root, {} where there is none or it cannot be read."""
        if not self.exists(relative):
            return {}
        found: dict[str, Any] = self.once("json", relative, lambda: json_of(self.root / relative) or {})
        return found

    def toml(self, relative: str) -> dict[str, Any]:
        """Return a TOML table of the root, {} where there is none or it cannot be read."""
        if not self.exists(relative):
            return {}
        found: dict[str, Any] = self.once("toml", relative, lambda: toml_of(self.root / relative) or {})
        return found

    def first(self, folder: str, names: Iterable[str]) -> str:
        """Return the first of these files that a folder holds, root-relative, or ""."""
        return next((path for name in names if self.exists(path := joined(folder, name))), "")

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders in which a marker counts: those of the scope's files and all above them, nearest the root first.

        Of a whole project all folders that hold files, but not those of test data and examples.
        """
        found: tuple[str, ...] = self.once("folders", "", lambda: _folders(self.scope))
        return found

    def holding(self, names: Iterable[str]) -> list[str]:
        """Return the folders of `folders` that hold one of these files."""
        wanted = tuple(names)
        if not self.scope.whole:
            return [folder for folder in self.folders if self.first(folder, wanted)]
        by_name: dict[str, list[str]] = self.once("names", "", lambda: _by_name(self.scope))
        held = {folder for name in wanted for folder in by_name.get(name, ())}
        held |= {folder for name in wanted if "/" in name for folder in self.folders if self.first(folder, (name,))}
        if self.first("", wanted):
            held.add("")
        return [folder for folder in self.folders if folder in held] if held else []

    def upward(self, folder: str, names: Iterable[str]) -> str:
        """Return the nearest of these files from a folder up to the root, root-relative, or ""."""
        wanted = tuple(names)
        return next((found for place in above(folder) if (found := self.first(place, wanted))), "")

    def dependencies(self, folder: str = "") -> dict[str, str]:
        """Return what a folder's package.json asks for, all its sections together."""
        manifest = self.json(joined(folder, "package.json"))
        sections = ("optionalDependencies", "peerDependencies", "dependencies", "devDependencies")
        return {
            name: str(wanted)
            for section in sections
            if isinstance(manifest.get(section), dict)
            for name, wanted in manifest[section].items()
        }


# Folders whose projects are there to be looked at or tried, not to be checked with everything else.
_ASIDE = frozenset({
    "examples", "example", "samples", "sample", "demo", "demos", "fixtures", "fixture", "testdata", "test_data",
    "__fixtures__", "templates", "template", "vendor", "third_party", "thirdparty", "node_modules", "dist", "build",
    "out", "target", "site-packages",
})  # fmt: skip


def _folders(scope: Scope) -> tuple[str, ...]:
    found = {""}
    for file in (*scope.files, *scope.gone):
        folder = file.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    chosen = (f for f in found if not scope.whole or _ASIDE.isdisjoint(f.split("/")))
    return tuple(sorted(chosen, key=lambda folder: (folder.count("/") + bool(folder), folder)))


def _by_name(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in scope.files:
        folder, _, name = file.rpartition("/")
        found.setdefault(name, []).append(folder)
    return found


def joined(folder: str, name: str) -> str:
    """Join a root-relative folder ("" the root) and a name."""
    return f"{folder}/{name}" if folder else name


def above(folder: str) -> Iterator[str]:
    """Yield a root-relative folder and all above it, the root ("") last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def below(path: str, folder: str) -> bool:
    """Whether a root-relative path lies in a folder ("" the root)."""
    return not folder or path == folder or path.startswith(folder + "/")
