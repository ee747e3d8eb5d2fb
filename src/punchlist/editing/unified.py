"""Unified diffs as they are written by tools and by models: parsed with lenience, applied only where they fit."""

import re
from collections.abc import Sequence
from itertools import groupby

from punchlist.editing.splices import Splice
from punchlist.editing.text import Line, end_at, lines_of
from punchlist.model import Trouble
from punchlist.records import dataclass

_HUNK = re.compile(r"@@(?: -(?P<old>\d+)(?:,(?P<olds>\d+))? \+(?P<new>\d+)(?:,(?P<news>\d+))? @@|.*)")
NOWHERE = "/dev/null"
_MNEMONIC = ("i/w/", "c/i/", "c/w/", "o/w/")  # git with diff.mnemonicPrefix


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines marked ` `, `-` or `+`; `at` is the old line it says it begins at (None: it does not say).

    `old_open` and `new_open` tell that the diff marks the last line of a side as one without a line end.
    """

    at: int | None
    lines: tuple[tuple[str, str], ...]
    old_open: bool = False
    new_open: bool = False

    @property
    def old(self) -> list[str]:
        """The lines it wants to find."""
        return [text for mark, text in self.lines if mark != "+"]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a diff does to one file: `old` None makes it, `new` None removes it, different names rename it."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]
    executable: bool = False


def parse(diff: str) -> list[FilePatch]:
    """Return the files of a unified diff (git's or plain); what is none is a Trouble (`invalid_diff`).

    Counts in `@@` lines may be wrong or missing: a hunk ends where the next header begins.
    """
    lines = diff.replace("\r\n", "\n").removesuffix("\n").split("\n")
    reader = _Reader(lines)
    patches = reader.files()
    if not patches:
        raise Trouble("the diff names no file: begin it with `--- a/FILE` and `+++ b/FILE`", "invalid_diff")
    return patches


class _Reader:
    def __init__(self, lines: Sequence[str]) -> None:
        self.lines, self.at = lines, 0

    def files(self) -> list[FilePatch]:
        found = []
        while self.at < len(self.lines):
            if self._line.startswith("diff --git "):
                found.append(self._git())
            elif self._names_a_file():
                old, new = _name(self._line[4:]), _name(self.lines[self.at + 1][4:])
                self.at += 2
                found.append(_patch(old, new, self._hunks()))
            elif self._line.startswith("@@"):
                raise Trouble("the diff has a hunk before any `--- FILE` and `+++ FILE`", "invalid_diff")
            else:
                self.at += 1
        return found

    @property
    def _line(self) -> str:
        return self.lines[self.at]

    def _names_a_file(self) -> bool:
        nxt = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
        return self._line.startswith("--- ") and nxt.startswith("+++ ")

    def _git(self) -> FilePatch:
        """Read git's extended header, then the names and hunks behind it where there are some."""
        first = self._line
        said: dict[str, str] = {}
        self.at += 1
        while (
            self.at < len(self.lines) and not self._names_a_file() and not self._line.startswith(("diff --git", "@@"))
        ):
            for word in ("new file mode", "deleted file mode", "rename from", "rename to", "copy from", "new mode"):
                if self._line.startswith(word + " "):
                    said[word] = self._line[len(word) + 1 :]
            if self._line.startswith(("GIT binary patch", "Binary files ")):
                raise Trouble(f"the diff holds a binary file ({first[11:80]}); send only text", "invalid_diff")
            self.at += 1
        mode = said.get("new file mode", said.get("deleted file mode", ""))
        if mode.startswith(("12", "16")):
            what = "a symbolic link" if mode.startswith("12") else "a submodule"
            raise Trouble(f"the diff makes or removes {what} ({first[11:80]}); only files are changed", "invalid_diff")
        executable = mode.endswith("755")
        if "copy from" in said or "new mode" in said:
            raise Trouble(
                "copies and changes of mode in a diff are not carried out; send contents only", "invalid_diff"
            )
        if self.at < len(self.lines) and self._names_a_file():
            old, new = _name(self._line[4:]), _name(self.lines[self.at + 1][4:])
            self.at += 2
            return _patch(old, new, self._hunks(), executable)
        if "rename from" in said and "rename to" in said:
            return FilePatch(said["rename from"], said["rename to"], ())
        # An empty file that is made or removed has no names but in the first line.
        name = first[11:].split(" b/")[-1].removeprefix("a/")
        if "new file mode" in said:
            return FilePatch(None, name, (), executable)
        if "deleted file mode" in said:
            return FilePatch(name, None, ())
        raise Trouble(f"the diff says nothing to do for {name}", "invalid_diff")

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks = []
        while self.at < len(self.lines) and self._line.startswith("@@"):
            hunks.append(self._hunk())
        return tuple(hunks)

    def _hunk(self) -> Hunk:
        head = _HUNK.match(self._line)
        assert head is not None
        said = head["old"] is not None
        left = {"-": int(head["olds"] or 1), "+": int(head["news"] or 1)} if said else {"-": 0, "+": 0}
        self.at += 1
        body: list[tuple[str, str]] = []
        open_sides: set[str] = set()
        while self.at < len(self.lines):
            line = self._line
            counted = left["-"] > 0 or left["+"] > 0
            if line.startswith("\\"):
                open_sides |= {"-", "+"} if body and body[-1][0] == " " else {body[-1][0]} if body else set()
            elif line[:1] in ("-", "+", " ") and (counted or not self._names_a_file()):
                body.append((line[0], line[1:]))
                for mark in "-+" if line[0] == " " else line[0]:
                    left[mark] -= 1
            elif not line and counted:  # an editor took the blank of an empty context line away
                body.append((" ", ""))
                left["-"], left["+"] = left["-"] - 1, left["+"] - 1
            else:
                break
            self.at += 1
        return Hunk(int(head["old"]) if said else None, tuple(body), "-" in open_sides, "+" in open_sides)


def _name(text: str) -> str:
    text = text.split("\t")[0].rstrip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        raw = re.sub(
            rb'\\([0-7]{3}|["\\tn])',
            lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else {b"t": b"\t", b"n": b"\n"}.get(m[1], m[1]),
            text[1:-1].encode("utf-8"),
        )
        return raw.decode("utf-8", "surrogateescape")
    return text


def _patch(old: str, new: str, hunks: tuple[Hunk, ...], executable: bool = False) -> FilePatch:
    """Take git's `a/` and `b/` from names, where each side has it or names nothing."""
    plain = old.startswith(("a/", NOWHERE)) and new.startswith(("b/", NOWHERE))
    if plain or (old[2:] == new[2:] and old[:2] + new[:2] in _MNEMONIC):
        old, new = (name if name == NOWHERE else name[2:] for name in (old, new))
    if not hunks and NOWHERE not in (old, new):
        raise Trouble(f"the diff of {new} has no hunk (a line that begins with @@)", "invalid_diff")
    return FilePatch(None if old == NOWHERE else old, None if new == NOWHERE else new, hunks, executable)


def splices_of(hunks: Sequence[Hunk], body: str, file: str, *, unique: bool = False) -> list[Splice]:
    """Return what hunks do to a body; one that does not fit is a Trouble (`patch_does_not_apply`).

    A hunk goes where it says it does if its old lines stand there (lines shifted by the hunks before it are tried
    next), else to the only place that has them. With `unique` what it says is not believed: there must be one place.
    """
    lines = lines_of(body)
    texts = [body[line.start : line.end] for line in lines]
    found: list[Splice] = []
    shift = 0
    for number, hunk in enumerate(hunks, 1):
        at = _place(hunk, texts, shift, unique)
        if isinstance(at, str):
            wanted = next((text for text in hunk.old if text.strip()), "")
            raise Trouble(
                f"{file}: hunk {number} {at} (looked for {wanted[:80]!r}); read the file again and send a new diff",
                "patch_does_not_apply",
            )
        if hunk.at is not None and hunk.old:
            shift = at - (hunk.at - 1)
        found += _splices(hunk, at, body, lines)
    return found


def _place(hunk: Hunk, texts: Sequence[str], shift: int, unique: bool) -> int | str:
    """Return the index of the line where a hunk begins, or why there is none."""
    wanted = hunk.old
    if not wanted:
        if hunk.at is None and texts:
            return "says neither a line nor what stands around it"
        return min(hunk.at or 0, len(texts))
    if not unique and hunk.at is not None:
        for at in dict.fromkeys((hunk.at - 1, hunk.at - 1 + shift)):
            if at >= 0 and list(texts[at : at + len(wanted)]) == wanted:
                return at
    first, size = wanted[0], len(wanted)
    places = [at for at in range(len(texts) - size + 1) if texts[at] == first and list(texts[at : at + size]) == wanted]
    if len(places) == 1:
        return places[0]
    return f"fits in {len(places)} places" if places else "fits nowhere"


def _splices(hunk: Hunk, at: int, body: str, lines: Sequence[Line]) -> list[Splice]:
    found = []
    explicit = hunk.old_open or hunk.new_open
    for context, group in groupby(hunk.lines, key=lambda line: line[0] == " "):
        marked = list(group)
        removed = sum(mark == "-" for mark, _ in marked)
        if context:
            at += len(marked)
            continue
        added = [text for mark, text in marked if mark == "+"]
        found.append(replacing(body, lines, at, at + removed, added, (not hunk.new_open) if explicit else None))
        at += removed
    return found


def replacing(
    body: str, lines: Sequence[Line], first: int, stop: int, added: Sequence[str], closed: bool | None = None
) -> Splice:
    """Return the splice that puts lines in the place of lines `first` to `stop` (indices, end-exclusive).

    New lines end as the lines around them do. `closed` says whether the text is to end with a line end where its last
    line is concerned; None keeps what it has.
    """
    start = lines[first].start if first < len(lines) else len(body)
    end = lines[stop - 1].next if stop > first else start
    mark = end_at(body, lines, start)
    text = "".join(line + mark for line in added)
    if stop >= len(lines) and lines:
        is_open = lines[-1].next == lines[-1].end
        if is_open and first == len(lines) and added:
            text = mark + text
        if added and (not closed if closed is not None else is_open):
            text = text.removesuffix(mark)
    elif not lines and closed is False:
        text = text.removesuffix(mark)
    return Splice(start, end, text)
