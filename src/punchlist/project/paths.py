"""Root-relative paths with `/`, and path arguments that cannot lead out of the root."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from punchlist.model import Trouble

MAX_PATHS = 512
_DRIVE = re.compile(r"[A-Za-z]:")


def home_folder(environ: Mapping[str, str]) -> Path:
    """Return the user's home folder; the top of the file system where there is none (a container's unknown user)."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    try:
        return Path(named) if named and Path(named).is_absolute() else Path.home()
    except RuntimeError:
        return Path(Path.cwd().anchor)


def is_absolute(text: str) -> bool:
    """Tell whether a path is absolute on any system: `/x`, `\\x`, `C:x`, `\\\\server\\share`."""
    return text.startswith(("/", "\\")) or _DRIVE.match(text) is not None


def relative(path: str | os.PathLike[str], root: Path, folder: Path | None = None) -> str:
    """Write a path root-relative with `/` ("." the root); one that lies outside stays absolute, or as written.

    A relative path is taken from `folder` (the root). Nothing is looked up on disk: links stay as they are named.
    """
    text = os.fspath(path)
    if _DRIVE.match(text) and os.name != "nt":
        return text.replace("\\", "/")
    absolute = os.path.normpath((folder or root) / text)
    try:
        inside = Path(absolute).relative_to(root)
    except ValueError:
        return Path(absolute).as_posix()
    return inside.as_posix()


def checked(text: str, root: Path, *, absolute: bool = False, missing: bool = False) -> str:
    """Return a path argument root-relative with `/` ("." the root), or refuse it by a `Trouble`.

    Codes: `invalid_path` (empty, NUL, leading dash, absolute), `path_outside_project` (by name or through a link),
    `path_not_found`. With `absolute`, one that lies inside the root is taken; with `missing`, one that does not exist
    (a file that was deleted or is to be made).
    """
    if not text.strip() or "\0" in text:
        raise Trouble("Paths must be non-empty and contain no NUL bytes.", "invalid_path")
    if text.startswith("-"):
        raise Trouble(f"Paths must not begin with '-'. Write ./{text} for a file of that name.", "invalid_path")
    real_root = os.path.realpath(root)
    if is_absolute(text):
        text = _inside(text, root, real_root) if absolute else _refuse_absolute(text)
    written = os.path.normpath(Path(real_root) / _native(text, real_root))
    if not _within(written, real_root):
        raise Trouble(
            f"Requested path resolves outside the project root. {text} leads out of {root}.", "path_outside_project"
        )
    if not _within(os.path.realpath(written), real_root):
        raise Trouble(
            f"Requested path resolves outside the project root. {text} is, or lies below, a link out of {root}.",
            "path_outside_project",
        )
    if not missing and not os.path.lexists(written):
        raise Trouble(f"Requested path does not exist. There is no {text} in {root}.", "path_not_found")
    shown = Path(written).relative_to(real_root).as_posix()
    if shown.startswith("-"):
        raise Trouble("Paths must not begin with '-'.", "invalid_path")
    return shown


def checked_all(texts: Iterable[str], root: Path, *, absolute: bool = False, missing: bool = False) -> tuple[str, ...]:
    """Check every path argument of one call; at most 512, each named once, in the order given."""
    given = list(texts)
    if len(given) > MAX_PATHS:
        raise Trouble(
            f"At most {MAX_PATHS} paths may be checked in one call. Name their folders instead.", "too_many_paths"
        )
    return tuple(dict.fromkeys(checked(text, root, absolute=absolute, missing=missing) for text in given))


def _refuse_absolute(text: str) -> str:
    raise Trouble(f"Absolute paths are not allowed. Write {text} relative to the project root.", "invalid_path")


def _inside(text: str, root: Path, real_root: str) -> str:
    """Return an absolute path relative to the root, which may be written with or without its links."""
    if not Path(text).is_absolute():
        _refuse_absolute(text)
    written = os.path.normpath(text)
    for base in (real_root, os.path.normpath(root)):
        if _within(written, base):
            return os.path.relpath(written, base)
    raise Trouble(
        f"Requested path resolves outside the project root. {text} is not below {root}.", "path_outside_project"
    )


def _within(path: str, base: str) -> bool:
    return path == base or path.startswith(base.rstrip(os.sep) + os.sep)


def _native(text: str, base: str) -> str:
    """Read `\\` as `/` where no file is named with it, so that a path written on Windows is understood everywhere."""
    if "\\" in text and not os.path.lexists(Path(base) / text):
        return text.replace("\\", "/")
    return text


def from_uri(uri: str) -> str:
    """Return the path of a `file:` URI (`file:///C:/x` gives `C:/x`); any other text comes back as it is."""
    if not uri.lower().startswith("file:"):
        return uri
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(uri)
    path = unquote(parts.path)
    if re.match(r"/[A-Za-z]:", path):
        return path[1:]
    return f"//{parts.netloc}{path}" if parts.netloc not in ("", "localhost") else path
