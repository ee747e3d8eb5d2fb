"""Files below the root as places to write to: reached folder by folder, never through a link, never outside."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from punchlist.model import Trouble
from punchlist.project.paths import checked

LARGEST = 16 << 20
# What git keeps there it also runs (hooks, configured commands); the rest is our own state.
_NEVER = (".git", ".hg", ".jj", ".punchlist")
_BINARY = getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")


def place_of(text: str, root: Path) -> str:
    """Return the root-relative file that a path argument really means: links inside the root are followed here, once.

    Refused by a `Trouble`: what `paths.checked` refuses, a folder or anything else that is no regular file, a link
    to nothing, version control's and our own state, a file that its mode lets nobody write.
    """
    shown = checked(text, root, missing=True)
    real_root = os.path.realpath(root)
    real = Path(os.path.realpath(Path(real_root) / shown))
    file = real.relative_to(real_root).as_posix()
    for part in {*PurePosixPath(shown).parts, *PurePosixPath(file).parts}:
        if part.casefold().partition(":")[0].rstrip(" .") in _NEVER:  # Windows takes `.git. ` and `.git::$X` for `.git`
            raise Trouble(f"{shown} belongs to {part}; it is not edited", "invalid_path")
    try:
        found = real.lstat()
    except FileNotFoundError:
        if (Path(real_root) / shown).is_symlink():
            raise Trouble(f"{shown} is a link to nothing; name the file itself", "invalid_path") from None
        return file
    except NotADirectoryError:
        raise Trouble(f"{shown} lies below something that is no folder", "invalid_path") from None
    if not stat.S_ISREG(found.st_mode):
        raise Trouble(f"{shown} is no regular file; name a file", "invalid_path")
    if not found.st_mode & 0o222 or not os.access(real, os.W_OK):
        raise Trouble(f"{shown} is read-only; make it writable first if it is to be edited", "read_only")
    return file


class Folder:
    """An open folder below the root. Names are those of files in it; no method follows a link."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path, self.descriptor = path, descriptor

    def _at(self, name: str) -> tuple[str, dict[str, Any]]:
        if self.descriptor is None:
            return os.path.join(self.path, name), {}
        return name, {"dir_fd": self.descriptor}

    def stat(self, name: str) -> os.stat_result | None:
        """Return what is known of a file, None where there is none."""
        at, where = self._at(name)
        try:
            return os.stat(at, follow_symlinks=False, **where)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a file and return its descriptor."""
        at, where = self._at(name)
        return os.open(at, flags | _NOFOLLOW | _BINARY | getattr(os, "O_CLOEXEC", 0), mode, **where)

    def read(self, name: str) -> bytes | None:
        """Return a file's content, None where there is none; what is no regular file or too large is a Trouble."""
        try:
            descriptor = self.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise Trouble(f"{self.path}/{name} became a link; nothing was written", "invalid_path") from error
            raise
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Trouble(f"{self.path}/{name} is no regular file", "invalid_path")
            if found.st_size > LARGEST:
                raise Trouble(f"{self.path}/{name} is larger than {LARGEST >> 20} MiB; it is not edited", "too_large")
            return file.read()

    def replace(self, source: str, target: str) -> None:
        """Rename a file over another one of the folder."""
        if self.descriptor is None:
            os.replace(os.path.join(self.path, source), os.path.join(self.path, target))
        else:
            os.replace(source, target, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def make(self, source: str, target: str) -> None:
        """Give a file a name that nothing has; FileExistsError where something does."""
        if self.descriptor is None:
            os.rename(os.path.join(self.path, source), os.path.join(self.path, target))
            return
        try:
            os.link(source, target, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
                raise
            if self.stat(target) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from error
            self.replace(source, target)
        else:
            self.remove(source)

    def remove(self, name: str) -> None:
        """Remove a file; one that is not there is fine."""
        at, where = self._at(name)
        with suppress(FileNotFoundError):
            os.unlink(at, **where)

    def sync_file(self, name: str) -> None:
        """Have a file's content written to disk."""
        descriptor = self.open(name, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def sync(self) -> None:
        """Have the folder's names written to disk, where the system can."""
        if self.descriptor is not None:
            with suppress(OSError):
                os.fsync(self.descriptor)


@contextmanager
def folder_of(root: Path, file: str, *, make: bool = False) -> Iterator[tuple[Folder, str]]:
    """Open the folder of a root-relative file and yield it with the file's name in it.

    A folder that is missing is made with `make`, else FileNotFoundError; one that became a link is a Trouble
    (`path_outside_project`).
    """
    *folders, name = PurePosixPath(file).parts
    base = os.path.realpath(root)
    path = os.path.join(base, *folders)
    if not _BY_DESCRIPTOR:
        if os.path.realpath(path) != path:
            raise Trouble(f"{file}: a folder above it became a link; nothing was written", "path_outside_project")
        if make:
            os.makedirs(path, exist_ok=True)
        elif not os.path.isdir(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        yield Folder(path, None), name
        return
    with contextlib.ExitStack() as stack:
        descriptor = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, descriptor)
        for part in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=descriptor)
                    os.fsync(descriptor)
            try:
                descriptor = os.open(
                    part, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=descriptor
                )
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise Trouble(
                        f"{file}: {part} is no folder; nothing was written", "path_outside_project"
                    ) from error
                raise
            stack.callback(os.close, descriptor)
        yield Folder(path, descriptor), name


def read(root: Path, file: str) -> bytes | None:
    """Return the content of a root-relative file, None where there is none."""
    try:
        with folder_of(root, file) as (folder, name):
            return folder.read(name)
    except FileNotFoundError:
        return None


def names_outside(root: Path, file: str) -> int:
    """Return how many of a file's names (hard links) are not found below the root; 0 for most files at once."""
    found = os.lstat(os.path.join(root, file))
    if found.st_nlink < 2:
        return 0
    left = found.st_nlink
    for folder, _, names in os.walk(root):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries if names else ():
                if entry.inode() == found.st_ino and not entry.is_symlink():
                    there = entry.stat(follow_symlinks=False)
                    left -= (there.st_dev, there.st_ino) == (found.st_dev, found.st_ino)
        if not left:
            return 0
    return left
