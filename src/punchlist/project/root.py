"""Find the project's root and the folder its state is kept in; trust no working directory."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from punchlist.model import Trouble
from punchlist.project.paths import home_folder
from punchlist.records import dataclass

OURS = ("punchlist.toml", "signalint.config.json", ".quiet-shell/config.yaml")
VERSION_CONTROL = {".git": "git", ".hg": "Mercurial", ".jj": "Jujutsu", ".svn": "Subversion", ".sl": "Sapling"}
WORKSPACE_FILES = (
    "pnpm-workspace.yaml", "go.work", "lerna.json", "nx.json", "turbo.json", "rush.json", "MODULE.bazel", "WORKSPACE",
    "settings.gradle", "settings.gradle.kts",
)  # fmt: skip
PROJECT_FILES = (
    "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "setup.py",
    "setup.cfg", "tox.ini", "noxfile.py", "Gemfile", "Rakefile", "composer.json", "CMakeLists.txt", "meson.build",
    "mix.exs", "deno.json", "deno.jsonc", "Package.swift", "pubspec.yaml", "build.sbt", "stack.yaml", "tsconfig.json",
    "justfile", "Justfile", "Makefile", "makefile", "GNUmakefile", ".pre-commit-config.yaml",
)  # fmt: skip
PROJECT_ENDINGS = (".sln", ".slnx", ".csproj", ".fsproj", ".cabal", ".gemspec")
# Set by the program that starts the server (Claude Code) or its hooks (the others); CLAUDE_PROJECT_DIR was seen to hold
# the folder the client was started in, so it is a start to walk from and not the root itself.
START_VARIABLES = (
    "CLAUDE_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "CRUSH_PROJECT_DIR",
)
# All that say where a server works, or where it begins to look.
ROOT_VARIABLES = ("PUNCHLIST_ROOT", "SIGNALINT_PROJECT_ROOT", "SIGNAL_CONFIG", "SIGNAL_CWD", *START_VARIABLES)


@dataclass(frozen=True, slots=True)
class Root:
    """A project's root (absolute, links resolved), how it was found, and what to say about it."""

    path: Path
    how: str
    notes: tuple[str, ...] = ()

    @property
    def named(self) -> bool:
        """Whether somebody named the root, by an argument or by a variable that is there for it."""
        return self.how in ("given", "PUNCHLIST_ROOT", "SIGNALINT_PROJECT_ROOT") or "SIGNAL_C" in self.how

    @property
    def marked(self) -> bool:
        """Whether something in the folder shows that it is a project."""
        return self.named or ", from " in self.how


def find_root(
    start: Path,
    explicit: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
    home: Path | None = None,
    *,
    server: bool = False,
    origin: str = "the working directory",
) -> Root:
    """Find the root for work that begins in `start`, which `origin` names.

    Named ones first: `explicit`, PUNCHLIST_ROOT, then (server only) SIGNALINT_PROJECT_ROOT, then the project that
    SIGNAL_CONFIG gives for SIGNAL_CWD or the start. Else walking up, never to the home folder or above it: the nearest
    configuration of ours, else the nearest version-control or workspace root, else the nearest project file, else the
    start itself. A server walks from CLAUDE_PROJECT_DIR and its like where one is set. Raises `Trouble`
    (`invalid_root`) where a named root is no folder; SIGNALINT_PROJECT_ROOT is passed over with a note then, as its
    documents say.
    """
    environ = os.environ if environ is None else environ
    home = Path(os.path.realpath(home or home_folder(environ)))
    for value, how in ((explicit, "given"), (environ.get("PUNCHLIST_ROOT", "").strip() or None, "PUNCHLIST_ROOT")):
        if value is not None:
            folder = _folder(start, value)
            if folder is None:
                raise Trouble(
                    f"The root {os.fspath(value)} ({how}) is no folder. Name an existing one.", "invalid_root"
                )
            return Root(folder, how)
    notes: list[str] = []
    named = environ.get("SIGNALINT_PROJECT_ROOT", "").strip() if server else ""
    if named:
        folder = _folder(start, named)
        if folder is not None:
            return Root(folder, "SIGNALINT_PROJECT_ROOT")
        notes.append(f"SIGNALINT_PROJECT_ROOT names {named}, which is no folder; it is passed over.")
    begin, origin = _start(start, environ, server, origin)
    chosen = environ.get("SIGNAL_CONFIG", "").strip()
    if chosen:
        folder = _signal_root(start / Path(chosen).expanduser(), begin, environ)
        if folder is not None:
            return Root(folder, f"SIGNAL_CONFIG, from {origin}", tuple(notes))
    found = _walk(begin, home, environ)
    path, marker = found or (begin, "")
    return Root(path, f"{marker}, from {origin}" if marker else origin, tuple(notes))


def _folder(base: Path, value: str | os.PathLike[str]) -> Path | None:
    try:
        path = Path(os.path.realpath(base / Path(value).expanduser()))
        return path if path.is_dir() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _start(start: Path, environ: Mapping[str, str], server: bool, origin: str) -> tuple[Path, str]:
    """Return the folder to walk up from and its name in words."""
    for variable in ("SIGNAL_CWD", *(START_VARIABLES if server else ())):
        value = environ.get(variable, "").strip()
        folder = _folder(start, value) if value else None
        if folder is not None:
            return folder, variable
    return Path(os.path.realpath(start)), origin


def _walk(begin: Path, home: Path, environ: Mapping[str, str]) -> tuple[Path, str] | None:
    folders = list(_upward(begin, home))
    inside = folders
    for position, folder in enumerate(folders):
        if any((folder / name).exists() for name in VERSION_CONTROL):
            inside = folders[: position + 1]  # what lies above a checkout is not its configuration
            break
    for folder in folders:
        if folder in inside and (name := _our_file(folder)):
            return folder, name
        signal = folder / "signal.config.json"
        if signal.is_file() and (matched := _signal_root(signal, begin, environ)) is not None:
            return matched, "signal.config.json"
    for folder in folders:
        if name := _repository(folder):
            return folder, name
    for folder in folders:
        if name := _project_file(folder):
            return folder, name
    return None


def _upward(begin: Path, home: Path) -> Iterator[Path]:
    """Yield the start and its parents below the home folder, never a parent that anybody may write (such as /tmp)."""
    yield begin
    for folder in begin.parents:
        if begin == home or folder == home or folder in home.parents or _anybody_writes(folder):
            return
        yield folder


def _anybody_writes(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH) and os.name == "posix"
    except OSError:
        return True


def _our_file(folder: Path) -> str | None:
    for name in OURS:
        if (folder / name).is_file():
            return name
    return "[tool.punchlist]" if _mentions(folder / "pyproject.toml", b"[tool.punchlist") else None


def _repository(folder: Path) -> str | None:
    for name, system in VERSION_CONTROL.items():
        if (folder / name).exists():
            return system
    for name in WORKSPACE_FILES:
        if (folder / name).is_file():
            return name
    for name, word in (
        ("package.json", b'"workspaces"'),
        ("Cargo.toml", b"[workspace"),
        ("pyproject.toml", b"[tool.uv.workspace"),
    ):
        if _mentions(folder / name, word):
            return f"{name} workspace"
    return None


def _project_file(folder: Path) -> str | None:
    for name in PROJECT_FILES:
        if (folder / name).is_file():
            return name
    try:
        with os.scandir(folder) as entries:
            return min((entry.name for entry in entries if entry.name.endswith(PROJECT_ENDINGS)), default=None)
    except OSError:
        return None


def _mentions(path: Path, word: bytes) -> bool:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as file:
            return word in file.read(1_000_000)
    except OSError:
        return False


def _signal_root(file: Path, begin: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the root of the project of a signal.config.json that holds a folder; a broken file is told when loaded."""
    from punchlist.project.config import Files
    from punchlist.project.older_signal import match, projects

    try:
        text = Files().text(file, str(file))
        project = match(projects(text, file, str(file), environ), begin) if text is not None else None
    except Trouble:
        return None
    return project.root if project is not None and project.root.is_dir() else None


def state_dir(root: Path, environ: Mapping[str, str] | None = None) -> tuple[Path, str]:
    """Make and return the state folder of a root (mode 0700, ignoring itself), and a note to say once (or "").

    `.punchlist/` in the root; below PUNCHLIST_STATE_DIR (or SIGNALINT_STATE_DIR) a folder per root; where that cannot
    be written, a folder per root in the user's own state folder. Raises `Trouble` (`no_state_folder`) where none can.
    """
    environ = os.environ if environ is None else environ
    first = _wanted_state(root, environ)
    if _make(first, root):
        return first, ""
    second = _other_state(root, environ)
    if _make(second, root):
        return second, f"{first} cannot be written, so state is kept in {second}."
    raise Trouble(
        f"Neither {first} nor {second} can be written. Set PUNCHLIST_STATE_DIR to a folder that can.", "no_state_folder"
    )


def existing_state(root: Path, environ: Mapping[str, str] | None = None) -> list[Path]:
    """Return the state folders of a root that are there; none is made."""
    environ = os.environ if environ is None else environ
    return [place for place in (_wanted_state(root, environ), _other_state(root, environ)) if _is_state(place, root)]


def has_state(root: Path, environ: Mapping[str, str]) -> bool:
    """Tell whether a root has a state folder."""
    return _is_state(_wanted_state(root, environ), root) or _is_state(_other_state(root, environ), root)


def _is_state(place: Path, root: Path) -> bool:
    return place.is_dir() and not (place.parent == root and place.is_symlink())


def _wanted_state(root: Path, environ: Mapping[str, str]) -> Path:
    """Return where state belongs."""
    for variable in ("PUNCHLIST_STATE_DIR", "SIGNALINT_STATE_DIR"):
        if value := environ.get(variable, "").strip():
            return root / Path(value).expanduser() / _name_of(root)
    return root / ".punchlist"


def _other_state(root: Path, environ: Mapping[str, str]) -> Path:
    """Return where state goes when that cannot be written."""
    return _user_state(environ) / "punchlist" / _name_of(root)


def _name_of(root: Path) -> str:
    import hashlib

    slug = "".join(c if c.isalnum() else "-" for c in root.name)[:40].strip("-") or "root"
    return f"{slug}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"


def _user_state(environ: Mapping[str, str]) -> Path:
    if value := environ.get("XDG_STATE_HOME", "").strip():
        return Path(value)
    home = home_folder(environ)
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return home / "Library" / "Application Support" if sys.platform == "darwin" else home / ".local" / "state"


def _make(folder: Path, root: Path) -> bool:
    """Make a state folder; False where it cannot be written, or where a link in the project would lead elsewhere."""
    if folder.parent == root and folder.is_symlink():
        return False
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077 and os.name == "posix":
            folder.chmod(0o700)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.touch(mode=0o600)
            ignore.write_text("*\n", encoding="utf-8")
        return os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        return False
