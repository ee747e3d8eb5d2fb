"""A folder as discovery sees it, and what discovery finds in one."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from punchlist.project.manifests import json_of, text_of, toml_of
from punchlist.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Found:
    """A check found in one folder: its plain name, the name it gets where another has that one, and its command.

    `declared` marks what the project itself calls so (a script, a target), against what is concluded from settings.
    `steps` are the commands of a pipeline; there `command` is empty. `says` is what a script runs.
    """

    name: str
    other: str
    command: str
    origin: str
    file: str
    line: int | None = None
    declared: bool = False
    steps: tuple[tuple[str, str], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    says: str = ""


class Folder:
    """One folder of the project: its names, and its files read on demand."""

    def __init__(self, root: Path, relative: str) -> None:
        self.root = root
        self.relative = relative
        self.path = root / relative if relative else root

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the folder; empty where it cannot be read."""
        try:
            return frozenset(path.name for path in self.path.iterdir())
        except OSError:
            return frozenset()

    def has(self, *names: str) -> bool:
        """Tell whether one of the names is there."""
        return any(name in self.names for name in names)

    def first(self, *names: str) -> str | None:
        """Return the first of the names that is there."""
        return next((name for name in names if name in self.names), None)

    def ending(self, *endings: str) -> list[str]:
        """Return the names with one of the endings, sorted."""
        return sorted(name for name in self.names if name.endswith(endings))

    def text(self, name: str) -> str:
        """Return a file's text, "" where there is none."""
        return (text_of(self.path / name) or "") if name.split("/", 1)[0] in self.names else ""

    def json(self, name: str) -> dict[str, Any]:
        """Return a JSON object, {} where there is none."""
        return (json_of(self.path / name) or {}) if name in self.names else {}

    @cached_property
    def pyproject(self) -> dict[str, Any]:
        """The parsed pyproject.toml, {} where there is none."""
        return (toml_of(self.path / "pyproject.toml") or {}) if self.has("pyproject.toml") else {}

    def up(self, name: str) -> bool:
        """Tell whether the folder or one above it, up to the root, has a name."""
        place = self.path
        while True:
            if (place / name).exists():
                return True
            if place == self.root or place == place.parent:
                return False
            place = place.parent


def line_in(text: str, pattern: str, start: int = 0) -> int | None:
    """Return the 1-based line where a regex (`^` and `$` at lines) first matches from an offset on."""
    found = re.compile(pattern, re.M).search(text, max(start, 0))
    return text.count("\n", 0, found.start()) + 1 if found else None
