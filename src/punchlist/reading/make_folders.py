"""Know from make's `Entering directory` lines which folder a relative path in a build's output starts from."""

import re
from posixpath import join

from punchlist.model import Diagnostic, Related
from punchlist.reading.log import Log
from punchlist.reading.scan import lines_with
from punchlist.records import dataclass, field, replace

MOVE = re.compile(r"(?:\S*make(?:\.exe)?|ninja)(?:\[(\d+)\])?: (Entering|Leaving) directory [`'‘](.+?)['’]$")
WORTH = re.compile(r"(?:Entering|Leaving) directory ")
ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|<")
MENTIONS = 4000


@dataclass(slots=True)
class Folders:
    """For ranges of lines, the folder that make was in, None where several sub-makes were open at one level."""

    log: Log
    moves: list[tuple[int, str | None, bool]] = field(default_factory=list)  # from this line on: folder, surely

    def of(self, at: int, file: str) -> str | None:
        """Return the folder that the relative `file`, printed on line `at`, starts from."""
        stderr = self.log.numbers[at] < 0
        last: tuple[str | None, bool] = (None, True)
        known = False
        for index, folder, sure in self.moves:
            if (self.log.numbers[index] < 0) != stderr:
                continue
            known = True
            if index > at:
                break
            last = (folder, sure)
        if known and last[1]:
            return last[0]
        return self._mentioned(file)

    def _mentioned(self, file: str) -> str | None:
        """The one folder in which make printed a command that names the file, if there is only one."""
        found: set[str | None] = set()
        ends = [index for index, _, _ in self.moves[1:]] + [len(self.log.lines)]
        word = re.compile(rf"(?<![\w./-]){re.escape(file)}(?![\w./-])")
        for (start, folder, _), end in zip(self.moves, ends, strict=True):
            for at in range(start, min(end, start + MENTIONS)):
                line = self.log.lines[at]
                if file in line and (self.log.numbers[at] < 0) == (self.log.numbers[start] < 0) and word.search(line):
                    found.add(folder)
                    break
        return next(iter(found)) if len(found) == 1 else None


def folders_of(log: Log) -> Folders | None:
    """Read every move of make in the log; None where there is none."""
    folders = Folders(log)
    open_: list[tuple[int, str]] = []
    for index in lines_with(log, WORTH):
        match = MOVE.search(log.lines[index])
        if match is None:
            continue
        entry = (int(match[1] or 0), match[3])
        if match[2] == "Entering":
            open_.append(entry)
        elif entry in open_:
            open_.remove(entry)
        deepest = max((level for level, _ in open_), default=0)
        here = {folder for level, folder in open_ if level == deepest}
        folders.moves.append((index, next(iter(here)) if len(here) == 1 else None, len(here) < 2))
    return folders if folders.moves else None


def in_folder(d: Diagnostic, at: int, folders: Folders) -> Diagnostic:
    """Put the folder in front of a finding's relative paths."""
    if not d.file or ABSOLUTE.match(d.file):
        return d
    if (
        d.tool == "ld"
        and "/" not in d.file
        and any(folders.log.lines[i].startswith("ninja: ") for i, _, _ in folders.moves)
    ):
        return d  # the bare name that the object file keeps of its source, which is not in the build folder
    folder = folders.of(at, d.file)
    if not folder:
        return d
    related = tuple(
        Related(r.message, join(folder, r.file), r.line, r.column) if r.file and not ABSOLUTE.match(r.file) else r
        for r in d.related
    )
    return replace(d, file=join(folder, d.file), related=related)
