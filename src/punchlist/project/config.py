"""Load a project's configuration from every source, and notice when a file of it changes.

Native settings beat the older formats, these beat discovery; the environment beats them all. What is shadowed is named
in a notice. Nothing here runs a command.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.project.records import (
    MONOREPO_MODES,
    PAYLOADS,
    TOOL_NAMES,
    TOOLSETS,
    WARM,
    Budget,
    Check,
    Config,
    Keep,
    Step,
    expand,
    working_folder,
)
from punchlist.records import replace

if TYPE_CHECKING:
    from punchlist.project.settings import Template

__all__ = ["Budget", "Check", "Config", "ConfigCache", "Keep", "Step", "expand", "load", "working_folder"]

LARGEST = 1_000_000
NATIVE = "punchlist.toml"
Signature = tuple[int, int, int] | None


class Files:
    """Reads files and remembers which were looked at, and how they were then."""

    def __init__(self) -> None:
        self.seen: dict[Path, Signature] = {}

    def text(self, path: Path, name: str) -> str | None:
        """Return a file's text, None where there is none; raises `Trouble` where it cannot be read as UTF-8 text."""
        self.seen[path] = signature(path)
        try:
            info = path.stat()
            if stat.S_ISDIR(info.st_mode):
                return None
            if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST:
                what = "larger than 1 MB" if stat.S_ISREG(info.st_mode) else "no regular file"
                raise Trouble(
                    f"{name}: {what}, so it is not read as configuration. Replace it.", "invalid_configuration"
                )
            return path.read_text(encoding="utf-8-sig")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except UnicodeDecodeError as error:
            raise Trouble(
                f"{name}: not UTF-8 text (byte {error.start}). Save it as UTF-8.", "invalid_configuration"
            ) from None
        except OSError as error:
            raise Trouble(
                f"{name}: cannot be read: {error.strerror}. Make it readable.", "invalid_configuration"
            ) from None


def signature(path: Path) -> Signature:
    """Return what changes when a file is written or replaced: modification time, size and inode; None for no file."""
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino


def load(
    root: Path,
    environ: Mapping[str, str] | None = None,
    *,
    parsers: Collection[str] | None = None,
    home: Path | None = None,
    files: Files | None = None,
) -> Config:
    """Load all settings of a root (absolute), or raise `Trouble` (code `invalid_configuration`) with file and line.

    `parsers` are the names a check may use as its parser; None accepts any in native settings.
    """
    environ = os.environ if environ is None else environ
    sources = _Sources(root, environ, parsers, home or home_folder(environ), files or Files())
    native = sources.native()
    signal = sources.signal()
    signalint = sources.signalint()
    quiet = sources.quiet()
    notices: list[str] = list(sources.notices)
    own = sources.native_name

    fields: dict[str, Any] = {**signalint, **native}
    for key, older in (("checks", signal), ("templates", quiet), ("engines", signalint.get("engines", {}))):
        fields[key] = {**older, **native.get(key, {})}
    shadowed = {
        "signal.config.json": [f'check "{n}"' for n in signal if n in native.get("checks", {})],
        ".quiet-shell/config.yaml": [f'template "{n}"' for n in quiet if n in native.get("templates", {})],
        "signalint.config.json": [
            f'engine "{n}"' for n in signalint.get("engines", {}) if n in native.get("engines", {})
        ]
        + [f'"{key}"' for key, ours in sources.signalint_keys.items() if ours in native and ours != "engines"],
    }
    notices += [f"{own} shadows {', '.join(names)} of {file}." for file, names in shadowed.items() if names]
    if signal and "discover" not in native:
        fields["discover"] = False
    fields["ignore"] = (*fields.get("ignore", Config().ignore), *fields.pop("extend_ignore", ()))
    fields.update(from_environment(environ))
    return Config(notices=tuple(notices), sources=tuple(sources.read), **fields)


class _Sources:
    """Finds and reads the configuration files of one root."""

    def __init__(
        self, root: Path, environ: Mapping[str, str], parsers: Collection[str] | None, home: Path, files: Files
    ) -> None:
        self.root, self.environ, self.parsers, self.home, self.files = root, environ, parsers, home, files
        self.native_name = NATIVE
        self.notices: list[str] = []
        self.read: list[str] = []
        self.signalint_keys: dict[str, str] = {}

    def shown(self, path: Path) -> str:
        """Name a file for messages: root-relative where it lies inside."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def text(self, path: Path) -> str | None:
        return self.files.text(path, self.shown(path))

    def named(self, variable: str) -> Path | None:
        """Return the file an environment variable names; relative to the root, else to the working directory."""
        value = self.environ.get(variable, "").strip()
        if not value:
            return None
        given = Path(value).expanduser()
        for folder in (self.root, Path.cwd()):
            if (folder / given).is_file():
                return folder / given
        self.files.seen[self.root / given] = None
        raise Trouble(f"{variable} names {value}, which is no file. Correct or unset it.", "invalid_configuration")

    def native(self) -> dict[str, Any]:
        chosen = self.named("PUNCHLIST_CONFIG")
        candidates = [chosen] if chosen else [self.root / NATIVE, self.root / "pyproject.toml"]
        found = [
            (path, text) for path in candidates if (text := self.text(path)) is not None and self._is_ours(path, text)
        ]
        if not found:
            return {}
        from punchlist.project import native

        path, text = found[0]
        self.native_name = self.shown(path)
        self.read.append(self.native_name)
        if len(found) > 1:
            self.notices.append(f"{self.native_name} shadows [tool.punchlist] of pyproject.toml.")
        table = ("tool", "punchlist") if path.name == "pyproject.toml" else ()
        return native.read(text, self.native_name, self.root, self.parsers, table)

    def _is_ours(self, path: Path, text: str) -> bool:
        if path.name != "pyproject.toml":
            return True
        if "punchlist" not in text:
            return False
        from punchlist.project import native

        tool = native.parse_toml(text, self.shown(path)).get("tool")
        return isinstance(tool, dict) and "punchlist" in tool

    def upward(self, relative: str) -> tuple[Path, str] | None:
        """Find a file from the root upward, home included, never above it."""
        for folder in (self.root, *self.root.parents):
            if folder in self.home.parents and folder != self.root:
                return None
            text = self.text(folder / relative)
            if text is not None:
                return folder / relative, text
        return None

    def signal(self) -> dict[str, Check]:
        chosen = self.named("SIGNAL_CONFIG")
        found = (chosen, self.text(chosen) or "") if chosen else self.upward("signal.config.json")
        if found is None:
            return {}
        from punchlist.project import older_signal

        path, text = found
        name = self.shown(path)
        try:
            projects = older_signal.projects(text, path, name, self.environ)
        except Trouble as trouble:
            if chosen or path.parent == self.root:
                raise
            self.notices.append(f"{str(trouble).splitlines()[0]} It lies above the root, so it is passed over.")
            return {}
        project = older_signal.match(projects, Path(os.path.realpath(self.root)))
        if project is None:
            if chosen or path.parent == self.root:
                known = ", ".join(f"{p.name} ({p.root})" for p in projects)
                self.notices.append(
                    f"{name}: no project holds {self.root}, so none of its checks is used. Projects: {known}."
                )
            return {}
        self.read.append(name)
        self.notices.append(f'Checks are read from {name} (project "{project.name}").')
        return older_signal.checks(project, text, name, self.parsers)

    def signalint(self) -> dict[str, Any]:
        text = self.text(self.root / "signalint.config.json")
        if text is None:
            return {}
        from punchlist.project import older_signalint

        self.read.append(older_signalint.FILE)
        self.notices.append(f"Engine settings are read from {older_signalint.FILE}.")
        self.signalint_keys = {key: ours for key, ours in older_signalint.OURS.items() if f'"{key}"' in text}
        return older_signalint.read(text, older_signalint.FILE, self.exists)

    def exists(self, name: str) -> bool:
        """Tell whether the root holds a file, and look at it again later."""
        self.files.seen[self.root / name] = signature(self.root / name)
        return (self.root / name).is_file()

    def quiet(self) -> dict[str, Template]:
        found = self.upward(".quiet-shell/config.yaml")
        if found is None:
            return {}
        from punchlist.project import older_quiet

        path, text = found
        self.read.append(self.shown(path))
        self.notices.append(f"Templates are read from {self.shown(path)}.")
        return older_quiet.read(text, self.shown(path))


def from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """Read the settings that variables override; an empty variable is an unset one, a wrong value raises `Trouble`."""
    out: dict[str, Any] = {}
    for field, variables, words in (
        ("payload", ("PUNCHLIST_PAYLOAD", "SIGNALINT_MCP_PAYLOAD"), PAYLOADS),
        ("monorepo_mode", ("PUNCHLIST_MONOREPO_MODE", "SIGNALINT_MONOREPO_MODE"), MONOREPO_MODES),
        ("warm", ("PUNCHLIST_WARM",), WARM),
    ):
        variable, value = _first(environ, variables)
        if value:
            out[field] = _one_of(variable, value, words)
    variable, value = _first(environ, ("PUNCHLIST_COMPACT", "SIGNALINT_COMPACT"))
    if value:
        out["compact"] = _one_of(variable, value.lower(), ("0", "1", "false", "true")) in ("1", "true")
    variable, value = _first(environ, ("PUNCHLIST_TOOLS",))
    if value:
        sets = value.replace(",", " ").split()
        out["tools"] = (
            None if sets == ["all"] else tuple(_one_of(variable, word, (*TOOLSETS, *TOOL_NAMES)) for word in sets)
        )
    return out


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str]:
    return next(((name, value) for name in names if (value := environ.get(name, "").strip())), (names[0], ""))


def _one_of(variable: str, value: str, words: tuple[str, ...]) -> str:
    if value in words:
        return value
    from punchlist.project.schema import nearest

    raise Trouble(
        f'{variable} is "{value}", which it cannot be.{nearest(value, words)} Correct or unset it.',
        "invalid_configuration",
    )


class ConfigCache:
    """Keeps a loaded configuration and loads it again when a file it looked at changed, appeared or went away.

    A mistake raises the same `Trouble` at each `get` until it is mended; `get_or_default` never raises. Threads take
    turns.
    """

    def __init__(
        self, root: Path, environ: Mapping[str, str] | None = None, parsers: Callable[[], Collection[str]] | None = None
    ) -> None:
        self.root, self.environ, self.parsers = root, environ, parsers
        self._files = Files()
        self._held: Config | Trouble | None = None
        self._alone = threading.Lock()

    def get(self) -> Config:
        """Return the settings as the files are now, or raise `Trouble`."""
        with self._alone:
            held = self._now()
        if isinstance(held, Trouble):
            raise Trouble(str(held), held.code)
        return held

    def _now(self) -> Config | Trouble:
        if self._held is None or any(signature(path) != seen for path, seen in self._files.seen.items()):
            self._files = Files()
            known = self.parsers() if self.parsers else None
            try:
                self._held = load(self.root, self.environ, parsers=known, files=self._files)
            except Trouble as trouble:
                self._held = trouble
        return self._held

    def get_or_default(self) -> tuple[Config, Trouble | None]:
        """Return the settings, or the defaults together with what is wrong: for work that no mistake may stop."""
        try:
            return self.get(), None
        except Trouble as trouble:
            return replace(Config(), notices=(str(trouble),)), trouble
