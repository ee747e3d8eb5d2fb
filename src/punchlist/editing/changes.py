"""What is to become of files: whole contents, range edits and diffs turned into one record a file."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from punchlist.editing.matching import operations
from punchlist.editing.places import names_outside, place_of, read
from punchlist.editing.splices import Positions, Taken, spliced, together
from punchlist.editing.text import Text, decode, end_at, line_end, lines_of
from punchlist.editing.unified import FilePatch, splices_of
from punchlist.model import Edit, Fix, Trouble
from punchlist.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file's content before and after; None stands for a file that is not there.

    `file` is the real root-relative file. `mode` is what a file that is made gets (0 the usual one), or what one that
    is removed had. With `drifted` the file on disk was not `before` when the change was made.
    """

    file: str
    before: bytes | None
    after: bytes | None
    description: str = ""
    mode: int = 0
    drifted: bool = False

    @property
    def turned(self) -> "Change":
        """The change that takes this one back."""
        return Change(
            file=self.file, before=self.after, after=self.before, description=self.description, mode=self.mode
        )


def digest(raw: bytes | None) -> str | None:
    """Return the SHA-256 of a content, None for a file that is not there."""
    return None if raw is None else hashlib.sha256(raw).hexdigest()


def replacing(root: Path, path: str, original: str, patched: str, description: str = "") -> Change:
    """Return the change from one whole content to another; an empty original stands for a file that is not there.

    Where the file differs from `original` only in its byte order mark, its line ends or the end of its last line, it
    keeps these. Where it differs in more, the change is `drifted`.
    """
    file = place_of(path, root)
    raw = read(root, file)
    if raw is None:
        made = patched.encode("utf-8", "surrogatepass")
        return Change(
            file=file, before=original.encode("utf-8", "surrogatepass") if original else None, after=made,
            description=description, drifted=bool(original),
        )  # fmt: skip
    text = decode(raw, file)
    old, new = original.removeprefix("\ufeff"), patched.removeprefix("\ufeff")
    if text.body == old:
        return Change(file=file, before=raw, after=text.encoded(new), description=description)
    if _plain(text.body).removesuffix("\n") == _plain(old).removesuffix("\n"):
        after = text.encoded(_in_style(text.body, _plain(old), _plain(new)))
        return Change(file=file, before=raw, after=after, description=description)
    before = text.encoded(old) if old else b""
    return Change(file=file, before=before, after=text.encoded(new), description=description, drifted=True)


def _plain(body: str) -> str:
    return body.replace("\r\n", "\n") if "\n" in body else body.replace("\r", "\n")


def _in_style(body: str, old: str, new: str) -> str:
    """Return `new` with the line ends of `body`, which says the same as `old`."""
    lines = lines_of(body)
    had = [body[line.start : line.end] for line in lines]
    wanted = new.split("\n")
    closed = new.endswith("\n")
    if closed or not new:
        wanted.pop()
    parts: list[str] = []
    for kind, a, a_end, b, b_end in operations(had, wanted):
        if kind == "equal":
            parts += [
                text + (body[line.end : line.next] or line_end(body))
                for text, line in zip(had[a:a_end], lines[a:a_end], strict=True)
            ]
        elif b_end > b:
            mark = end_at(body, lines, lines[a].start) if a < len(lines) else end_at(body, lines, len(body))
            parts += [text + mark for text in wanted[b:b_end]]
    done = "".join(parts)
    ended = body.endswith(("\n", "\r"))
    keep_open = not ended if closed == old.endswith("\n") else not closed
    return done[: -1 if not done.endswith("\r\n") else -2] if done and keep_open else done


def edited(
    root: Path, edits: Mapping[str, Sequence[Edit]], descriptions: Mapping[str, str] | None = None
) -> list[Change]:
    """Return the changes that range edits (by file as it was named) make; overlapping ones are refused."""
    by_file: dict[str, list[Edit]] = {}
    said: dict[str, str] = {}
    for path, those in edits.items():
        file = place_of(path, root)
        by_file.setdefault(file, []).extend(those)
        said.setdefault(file, (descriptions or {}).get(path, ""))
    changes = []
    for file, those in by_file.items():
        raw = read(root, file)
        if raw is None:
            raise Trouble(
                f'{file} is not there; range edits need a file, originalContent "" makes one', "path_not_found"
            )
        text = decode(raw, file)
        positions = Positions(text, file)
        splices = together((positions.splice(edit) for edit in those), file, text.body)
        after = text.encoded(spliced(text.body, splices))
        changes.append(Change(file=file, before=raw, after=after, description=said[file]))
    return changes


def fixed(root: Path, fixes: Iterable[Fix]) -> tuple[list[Change], int, list[Trouble]]:
    """Return the changes that tools' own fixes make, how many of them meet an earlier one, and why others cannot be.

    A fix is taken whole or not at all; equal edits of two fixes are one.
    """
    texts: dict[str, tuple[str, bytes, Text, Positions]] = {}
    taken: dict[str, Taken] = {}
    unfit: list[Trouble] = []
    met = 0
    for fix in fixes:
        try:
            splices = [(edit.file, _opened(root, edit.file, texts)[3].splice(edit)) for edit in fix.edits]
        except Trouble as trouble:
            unfit.append(trouble)
            continue
        own: dict[str, Taken] = {}
        fits = True
        for file, splice in splices:
            mine = own.setdefault(file, Taken())
            fits = fits and mine.fits(splice) and taken.setdefault(file, Taken()).fits(splice)
            mine.add(splice)
        met += not fits
        for file, splice in splices if fits else ():
            taken[file].add(splice)
    changes = []
    for name, those in taken.items():
        file, raw, text, _ = texts[name]
        changes.append(Change(file=file, before=raw, after=text.encoded(spliced(text.body, those.splices))))
    return changes, met, unfit


def _opened(
    root: Path, name: str, texts: dict[str, tuple[str, bytes, Text, Positions]]
) -> tuple[str, bytes, Text, Positions]:
    if name not in texts:
        file = place_of(name, root)
        raw = read(root, file)
        if raw is None:
            raise Trouble(f"{file} is not there", "path_not_found")
        text = decode(raw, file)
        texts[name] = (file, raw, text, Positions(text, file))
    return texts[name]


def patched(root: Path, patches: Iterable[FilePatch]) -> list[Change]:
    """Return the changes that the files of a diff make; a hunk that does not fit is a Trouble."""
    changes: list[Change] = []
    for patch in patches:
        old = place_of(patch.old, root) if patch.old is not None else None
        new = place_of(patch.new, root) if patch.new is not None else None
        raw = read(root, old) if old is not None else None
        if old is not None and raw is None:
            raise Trouble(
                f"the diff changes {old}, which is not there; a new file has /dev/null as its old name",
                "path_not_found",
            )
        name = new or old or ""
        text = decode(raw or b"", name)
        splices = together(splices_of(patch.hunks, text.body, name), name, text.body)
        after = text.encoded(spliced(text.body, splices))
        if new is None:
            changes.append(_removal(root, name, raw, after))
        elif old is None:
            there = read(root, new)
            if there:
                raise Trouble(
                    f"the diff makes {new}, which is there already; send a diff against it", "patch_does_not_apply"
                )
            changes.append(Change(file=new, before=there, after=after, mode=0o755 if patch.executable else 0))
        elif old == new:
            changes.append(Change(file=new, before=raw, after=after))
        else:
            if read(root, new) is not None:
                raise Trouble(f"the diff renames {old} to {new}, which is there already", "patch_does_not_apply")
            mode = (root / old).lstat().st_mode & 0o777
            changes.append(Change(file=old, before=raw, after=None, mode=mode))
            changes.append(Change(file=new, before=None, after=after, mode=mode))
    return changes


def _removal(root: Path, file: str, raw: bytes | None, left: bytes) -> Change:
    if left:
        raise Trouble(f"the diff removes {file}, but not all of its lines; read it again", "patch_does_not_apply")
    return Change(file=file, before=raw, after=None, mode=(root / file).lstat().st_mode & 0o777)


def agreed(root: Path, changes: Iterable[Change]) -> list[Change]:
    """Return changes that can be made together, those that change nothing left out, in the order of their files.

    Two for one file must be equal. A file with names (hard links) outside the root is refused, and one that is changed
    under two names.
    """
    by_file: dict[str, Change] = {}
    for change in changes:
        earlier = by_file.setdefault(change.file, change)
        if (earlier.before, earlier.after) != (change.before, change.after):
            raise Trouble(
                f"{change.file}: two patches change it in different ways; send them one after the other",
                "overlapping_edits",
            )
    found = [by_file[file] for file in sorted(by_file) if by_file[file].before != by_file[file].after]
    names: dict[tuple[int, int], str] = {}
    for change in found:
        if change.before is None or not os.path.lexists(root / change.file):
            continue
        outside = names_outside(root, change.file)
        if outside:
            raise Trouble(
                f"{change.file} has {outside} more names (hard links) outside the project, where it would change too; "
                "it is not edited",
                "path_outside_project",
            )
        there = (root / change.file).lstat()
        other = names.setdefault((there.st_dev, there.st_ino), change.file)
        if other != change.file:
            raise Trouble(
                f"{change.file} and {other} are one file under two names; change it once", "overlapping_edits"
            )
    return found


def rebased(change: Change, current: bytes | None) -> Change:
    """Return the change made to a file that changed meanwhile: its hunks must fit there, each in one place only."""
    from punchlist.editing.diff import CONTEXT, hunks_between

    if change.before is None or change.after is None or current is None:
        raise Trouble(f"{change.file} was made or removed meanwhile; that cannot be rebased", "file_drift_detected")
    before, after = decode(change.before, change.file), decode(change.after, change.file)
    text = decode(current, change.file)
    trouble: Trouble | None = None
    for context in range(CONTEXT, 0, -1):
        hunks = [hunk for _, _, hunk in hunks_between(before.body, after.body, context)]
        try:
            splices = together(splices_of(hunks, text.body, change.file, unique=True), change.file, text.body)
        except Trouble as error:
            trouble = trouble or error
            continue
        made = text.encoded(spliced(text.body, splices))
        return Change(file=change.file, before=current, after=made, description=change.description)
    raise Trouble(f"{trouble} (the file changed, and the change does not fit it any more)", "file_drift_detected")
