"""What happened to a program's files since the last look, without listing the whole project each time.

A folder's time changes when a name in it comes or goes: only such folders are listed again.
"""

import os
from collections.abc import Iterable, Iterator, Sequence

from punchlist.engines.scope import NEVER
from punchlist.engines.site import above
from punchlist.engines.warm.record import Changes

Stamp = tuple[int, int]


class Watch:
    """The files (root-relative, with these endings) of one program below a root."""

    def __init__(self, root: str, files: Iterable[str], endings: Sequence[str]) -> None:
        self.root, self.endings = root, tuple(endings)
        self._files: dict[str, Stamp | None] = {file: self._stamp(file) for file in files}
        folders = {folder for file in self._files for folder in above(file.rpartition("/")[0])} | {""}
        self._folders = {folder: self._folder(folder) for folder in folders}
        self._beside: set[str] = {
            file for folder in self._folders for file in self._listed(folder) if file not in self._files
        }

    @property
    def files(self) -> tuple[str, ...]:
        """The files as they were at the last look."""
        return tuple(self._files)

    def knows(self, file: str) -> bool:
        """Whether a file was there when the program was last listed, part of it or beside it."""
        return file in self._files or file in self._beside or not file.endswith(self.endings)

    def look(self, edited: Iterable[str]) -> Changes:
        """Return what happened; files that somebody says he edited count as changed whatever their times say.

        Created are also files of which nobody knows yet whether they belong to the program.
        """
        said = set(edited)
        created: list[str] = []
        changed: list[str] = []
        deleted: list[str] = []
        for file, before in list(self._files.items()):
            now = self._stamp(file)
            if now is None:
                deleted.append(file)
                del self._files[file]
            elif now != before or file in said:
                changed.append(file)
                self._files[file] = now
        for folder, stamp in list(self._folders.items()):
            time_now = self._folder(folder)
            if time_now != stamp:
                self._folders[folder] = time_now
                created += self._new(folder)
        return Changes(tuple(created), tuple(changed), tuple(deleted))

    def _new(self, folder: str) -> Iterator[str]:
        """Yield new files of a folder and of new folders in it."""
        for file in self._listed(folder):
            if file not in self._files and file not in self._beside:
                self._beside.add(file)
                yield file
        for inner in self._inner(folder):
            if inner not in self._folders:
                self._folders[inner] = self._folder(inner)
                yield from self._new(inner)

    def _listed(self, folder: str) -> list[str]:
        return [f"{folder}/{name}" if folder else name for name, is_folder in self._scan(folder) if not is_folder]

    def _inner(self, folder: str) -> list[str]:
        return [f"{folder}/{name}" if folder else name for name, is_folder in self._scan(folder) if is_folder]

    def _scan(self, folder: str) -> list[tuple[str, bool]]:
        try:
            with os.scandir(f"{self.root}/{folder}" if folder else self.root) as entries:
                found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            return []
        return [
            (name, is_folder)
            for name, is_folder in found
            if (name not in NEVER and not name.startswith(".") if is_folder else name.endswith(self.endings))
        ]

    def _stamp(self, file: str) -> Stamp | None:
        try:
            about = os.stat(f"{self.root}/{file}")
        except OSError:
            return None
        return about.st_mtime_ns, about.st_size

    def _folder(self, folder: str) -> int:
        try:
            return os.stat(f"{self.root}/{folder}" if folder else self.root).st_mtime_ns
        except OSError:
            return 0
