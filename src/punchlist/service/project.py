"""One project as the operations see it: root, settings as they are now, and its store."""

import os
from collections.abc import Mapping
from pathlib import Path

from punchlist.model import Trouble
from punchlist.project.config import ConfigCache
from punchlist.project.records import Check, Config
from punchlist.project.root import Root, existing_state, find_root, has_state, state_dir
from punchlist.records import dataclass, field
from punchlist.store.runs import Store


@dataclass(slots=True)
class Project:
    """Where a front door works. The store is opened when first needed; settings are looked at anew for each call.

    `state_note` says, once in the life of a state folder, that it lies elsewhere than in the root.
    """

    root: Root
    environ: Mapping[str, str]
    _config: ConfigCache
    _store: Store | None = None
    _checks: dict[str, Check] = field(default_factory=dict)
    state_note: str = ""

    @property
    def folder(self) -> Path:
        """The root folder."""
        return self.root.path

    @property
    def config(self) -> Config:
        """Settings as they stand now; a bad file is a Trouble that says where and what."""
        return self._config.get()

    def settings(self) -> tuple[Config, str]:
        """Return the settings for work that no mistake in a file may stop: the defaults then, and what is wrong."""
        config, trouble = self._config.get_or_default()
        return config, str(trouble) if trouble else ""

    @property
    def store(self) -> Store:
        """The store, made when missing."""
        if self._store is None:
            known = self.has_state
            folder, note = state_dir(self.folder, self.environ)
            self.state_note = "" if known else note
            self._store = Store(folder)
        return self._store

    def close(self) -> None:
        """Close the store where it was opened."""
        if self._store is not None:
            self._store.close()

    @property
    def has_state(self) -> bool:
        """Whether anything was kept of this project yet."""
        return has_state(self.folder, self.environ)

    def states(self) -> list[Path]:
        """Return the state folders that are there, the one in use first; none is made."""
        found = existing_state(self.folder, self.environ)
        return [self.store.folder, *(one for one in found if one != self.store.folder)] if found else []

    @property
    def runs_folder(self) -> Path:
        """The folder that holds a folder a run."""
        return self.store.folder / "runs"

    def checks(self) -> Mapping[str, Check]:
        """Every check by name: configured ones first, then discovered ones."""
        from punchlist.project.discover import known_checks

        return known_checks(self.folder, self.config)

    def check(self, name: str) -> Check:
        """Return a check; an unknown name is a Trouble that lists what there is."""
        from punchlist.project.discover import find_check

        config = self.config
        if name in config.checks:
            return config.checks[name]
        checks = self.checks()
        found = find_check(checks, name)
        if found is None:
            known = (
                ", ".join(checks) or "none: add one to punchlist.toml, or run any command with `punchlist run -- CMD`"
            )
            raise Trouble(f"no check {name!r}; available: {known}", "unknown_check")
        return found


def open_project(
    *,
    start: Path | None = None,
    explicit: str | None = None,
    environ: Mapping[str, str] | None = None,
    server: bool = False,
    origin: str = "the working directory",
) -> Project:
    """Find the root and return its project; nothing is written and no process is started.

    `origin` says in words what `start` is.
    """
    environ = os.environ if environ is None else environ
    root = find_root(start or Path.cwd(), explicit=explicit, environ=environ, server=server, origin=origin)
    return Project(root, environ, ConfigCache(root.path, environ))
