"""The difference between two contents of a file, as a unified diff."""

from collections import Counter
from collections.abc import Sequence

from punchlist.editing.changes import Change
from punchlist.editing.matching import grouped, operations
from punchlist.editing.text import decode, lines_of
from punchlist.editing.unified import NOWHERE, Hunk
from punchlist.model import Trouble
from punchlist.records import dataclass

CONTEXT = 3
_ALIKE = 0.5  # of the lines, as git has it
_MOST_RENAMED = 50
_OPEN = "\0"  # marks a last line without a line end, so that it differs from one with it


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The diff of one file: its head lines, its hunks as text, and how many lines they add and remove."""

    file: str
    head: str
    hunks: tuple[str, ...]
    added: int
    removed: int


def hunks_between(before: str, after: str, context: int = CONTEXT) -> list[tuple[int, int, Hunk]]:
    """Return the hunks that lead from one text to the other, each with the first line of either side (from 1)."""
    a, b = _lines(before), _lines(after)
    found = []
    for group in grouped(operations(a, b), context):
        lines: list[tuple[str, str]] = []
        open_sides = set()
        for kind, a1, a2, b1, b2 in group:
            sides = [(" ", a[a1:a2])] if kind == "equal" else [("-", a[a1:a2]), ("+", b[b1:b2])]
            for mark, texts in sides:
                lines += [(mark, text.removesuffix(_OPEN)) for text in texts]
                if texts and texts[-1].endswith(_OPEN):
                    open_sides |= {"-", "+"} if mark == " " else {mark}
        old, new = group[0][1] + 1, group[0][3] + 1  # a side without lines is named by the line before it
        if not any(mark != "+" for mark, _ in lines):
            old -= 1
        if not any(mark != "-" for mark, _ in lines):
            new -= 1
        found.append((old, new, Hunk(old, tuple(lines), "-" in open_sides, "+" in open_sides)))
    return found


def _lines(body: str) -> list[str]:
    lines = [body[line.start : line.end] for line in lines_of(body)]
    if lines and not body.endswith(("\n", "\r")):
        lines[-1] += _OPEN
    return lines


def file_diff(file: str, before: bytes | None, after: bytes | None, context: int = CONTEXT) -> FileDiff:
    """Return the unified diff of a file; None stands for a file that is not there."""
    old_name = f"a/{file}" if before is not None else NOWHERE
    new_name = f"b/{file}" if after is not None else NOWHERE
    head = f"--- {old_name}\n+++ {new_name}"
    try:
        old, new = decode(before or b"", file), decode(after or b"", file)
    except Trouble:
        return FileDiff(file, head, ("(binary)",), 0, 0)
    texts = []
    added = removed = 0
    for first, second, hunk in hunks_between(old.body, new.body, context):
        olds, news = sum(mark != "+" for mark, _ in hunk.lines), sum(mark != "-" for mark, _ in hunk.lines)
        added += sum(mark == "+" for mark, _ in hunk.lines)
        removed += sum(mark == "-" for mark, _ in hunk.lines)
        texts.append("\n".join([f"@@ -{_range(first, olds)} +{_range(second, news)} @@", *_marked(hunk)]))
    if not texts and before is not None and after is not None and before != after:
        texts.append("(only line ends or the byte order mark change)")
    return FileDiff(file, head, tuple(texts), added, removed)


def diffs_of(changes: Sequence[Change], context: int = CONTEXT) -> list[FileDiff]:
    """Return the diffs of changes; a file that is removed and one that is made with most of its lines are a rename."""
    old_names = _renames(changes)
    gone = {change.file: change for change in changes if change.file in old_names.values()}
    found = []
    for change in changes:
        old = gone.get(old_names.get(change.file, ""))
        if old is not None:
            found.append(_renamed(old, change, context))
        elif change.file not in gone:
            found.append(file_diff(change.file, change.before, change.after, context))
    return found


def _renamed(old: Change, new: Change, context: int) -> FileDiff:
    plain = file_diff(new.file, old.before, new.after, context)
    names = f"diff --git a/{old.file} b/{new.file}\nrename from {old.file}\nrename to {new.file}"
    head = f"{names}\n--- a/{old.file}\n+++ b/{new.file}" if plain.hunks else names
    return FileDiff(new.file, head, plain.hunks, plain.added, plain.removed)


def _renames(changes: Sequence[Change]) -> dict[str, str]:
    """Return the old name by the new one."""
    gone = {c.file: Counter((c.before or b"").splitlines()) for c in changes if c.after is None}
    found: dict[str, str] = {}
    if len(gone) > _MOST_RENAMED:
        return found
    for change in changes:
        if change.before is not None or not change.after:
            continue
        lines = Counter(change.after.splitlines())
        same = {name: 2 * (those & lines).total() / max(1, (those + lines).total()) for name, those in gone.items()}
        best = max(same, key=lambda name: same[name], default="")
        if best and same[best] >= _ALIKE:
            found[change.file] = best
            del gone[best]
    return found


def _range(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first},{count}"


def _marked(hunk: Hunk) -> list[str]:
    shown = [(mark, mark + text) for mark, text in hunk.lines]
    last = {mark: at for at, (mark, _) in enumerate(shown)}
    open_at = set()
    if hunk.old_open:
        open_at.add(max(last.get("-", -1), last.get(" ", -1)))
    if hunk.new_open:
        open_at.add(max(last.get("+", -1), last.get(" ", -1)))
    marked = []
    for at, (_, line) in enumerate(shown):
        marked.append(line)
        if at in open_at:
            marked.append("\\ No newline at end of file")
    return marked
