"""What changed between two runs: fixed means looked at again and gone, never merely not seen."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from punchlist.analysis.fingerprint import identity, rule_name, split, squash
from punchlist.analysis.groups import unique
from punchlist.model import Diagnostic, Outcome, Report, in_order

LineMap = Callable[[str, int], int | None]
Coverage = frozenset[tuple[str, str]]
Pair = tuple[Diagnostic, Diagnostic]

_PAIRWISE = 200


class Side(NamedTuple):
    """One run of a comparison; `complete` says that what it does not show is really not there."""

    run_id: str
    outcome: Outcome
    complete: bool = True


class Delta(NamedTuple):
    """Difference of two runs.

    `persisting` and `changed` hold (before, after); a changed finding is the same test or place with another reason.
    `unobserved` were there before and were not looked at again, `first_seen` are in files that were not looked at
    before: of both nobody knows.
    """

    before: Side
    after: Side
    added: tuple[Diagnostic, ...] = ()
    removed: tuple[Diagnostic, ...] = ()
    persisting: tuple[Pair, ...] = ()
    changed: tuple[Pair, ...] = ()
    unobserved: tuple[Diagnostic, ...] = ()
    first_seen: tuple[Diagnostic, ...] = ()

    @property
    def empty(self) -> bool:
        """Was nothing found on either side?"""
        sections = (self.added, self.removed, self.persisting, self.changed, self.unobserved, self.first_seen)
        return not any(sections)

    @property
    def certain(self) -> bool:
        """Do both sides tell the whole, so that a verdict may be built on the difference?"""
        return self.before.complete and self.after.complete and not (self.unobserved or self.first_seen)

    def line(self) -> str:
        """One line for a reader: `since test-11: 2 fixed, 1 new, 3 same`."""
        named = [
            (len(self.removed), "fixed"),
            (len(self.added), "new" if self.before.complete else f"new or not seen by {self.before.run_id}"),
            (len(self.changed), "fail for another reason" if self._tests_changed else "changed"),
            (len(self.persisting), "same"),
            (len(self.unobserved), "not looked at again"),
            (len(self.first_seen), "in files not looked at before"),
        ]
        said = ", ".join(f"{count} {word}" for count, word in named if count)
        if not said:
            said = "nothing changed" if self.before.complete else f"{self.before.run_id} did not complete"
        return f"since {self.before.run_id}: {said}"

    @property
    def _tests_changed(self) -> bool:
        return all(after.test for _, after in self.changed)


def compare(
    before: Report,
    after: Report,
    *,
    before_id: str = "",
    after_id: str = "",
    lines: LineMap | None = None,
    covered: Coverage | None = None,
    covered_before: Coverage | None = None,
) -> Delta:
    """Compare two reports of one check.

    `lines` maps (file, line before) to the line after, None where that line is gone; else the nearest line counts.
    `covered` are the (engine, file) pairs that the later run looked at, `covered_before` those of the earlier one;
    without them a complete run looked at everything.
    """
    old, new = list(unique(before.diagnostics)), list(unique(after.diagnostics))
    moved = {id(d): _moved(d, lines) for d in old}
    pairs = _match(old, new, moved, _exactly(moved), _identity_but_for_place, _same_test, _same_place(moved))
    persisting = [pair for pair in pairs if _same_reason(*pair)]
    changed = [pair for pair in pairs if not _same_reason(*pair)]
    gone: list[Diagnostic] = []
    unseen: list[Diagnostic] = []
    for d in old:
        (gone if _looked_at(d, after, covered) else unseen).append(d)
    first = [d for d in new if _outside(d, covered_before)]
    _remove(new, first)
    return Delta(
        before=Side(run_id=before_id, outcome=before.outcome, complete=complete(before)),
        after=Side(run_id=after_id, outcome=after.outcome, complete=complete(after)),
        added=in_order(new),
        removed=in_order(gone),
        persisting=tuple(persisting),
        changed=tuple(changed),
        unobserved=in_order(unseen),
        first_seen=in_order(first),
    )


def complete(report: Report) -> bool:
    """Did the run get to its end, so that what it does not report is not there?"""
    return not report.partial and report.outcome in ("passed", "failed") and report.how.ending in ("exit", "none")


def _moved(d: Diagnostic, lines: LineMap | None) -> int | None:
    return lines(d.file, d.line) if lines and d.file and d.line else d.line


def _same_reason(before: Diagnostic, after: Diagnostic) -> bool:
    return split(before.message)[0] == split(after.message)[0]


Key = Callable[[Diagnostic], tuple[object, ...] | None]


def _exactly(moved: dict[int, int | None]) -> Key:
    """The finding itself; a line that moved is looked for where it went."""

    def key(d: Diagnostic) -> tuple[object, ...] | None:
        package, file, _, *rest = identity(d)
        line = moved.get(id(d), d.line)
        return None if d.line and line is None else (package, file, line or 0, *rest)

    return key


def _identity_but_for_place(d: Diagnostic) -> tuple[object, ...]:
    return (d.package or "", d.file or "", rule_name(d.rule), d.test or "", squash(d.message), d.severity)


def _same_test(d: Diagnostic) -> tuple[object, ...]:
    if d.test:
        return (d.package or "", d.test)
    return (d.package or "", d.file or "", rule_name(d.rule), split(d.message)[0])


def _same_place(moved: dict[int, int | None]) -> Key:
    def key(d: Diagnostic) -> tuple[object, ...] | None:
        line = moved.get(id(d), d.line)
        return (d.package or "", d.file, line, rule_name(d.rule)) if d.file and line and not d.test else None

    return key


def _match(old: list[Diagnostic], new: list[Diagnostic], moved: dict[int, int | None], *keys: Key) -> list[Pair]:
    """Pair findings by each key in turn, nearest lines first; what is paired leaves both lists."""
    pairs: list[Pair] = []
    for key in keys:
        waiting: dict[object, tuple[list[Diagnostic], list[Diagnostic]]] = defaultdict(lambda: ([], []))
        for side, diagnostics in enumerate((old, new)):
            for d in diagnostics:
                name = key(d)
                if name is not None:
                    waiting[name][side].append(d)
        for olds, news in waiting.values():
            if olds and news:
                pairs += _nearest(olds, news, moved)
        _remove(old, (pair[0] for pair in pairs))
        _remove(new, (pair[1] for pair in pairs))
    return sorted(pairs, key=lambda pair: (pair[1].file or "", pair[1].line or 0, pair[1].test or "", pair[1].message))


def _nearest(olds: Sequence[Diagnostic], news: Sequence[Diagnostic], moved: dict[int, int | None]) -> list[Pair]:
    if len(olds) == len(news) or max(len(olds), len(news)) > _PAIRWISE:
        by_line = sorted(olds, key=lambda d: (moved[id(d)] or 0, d.column or 0))
        return list(zip(by_line, sorted(news, key=lambda d: (d.line or 0, d.column or 0)), strict=False))
    distances = sorted(
        (abs((moved[id(a)] or 0) - (b.line or 0)), i, j) for i, a in enumerate(olds) for j, b in enumerate(news)
    )
    pairs: list[Pair] = []
    used_old: set[int] = set()
    used_new: set[int] = set()
    for _, i, j in distances:
        if i not in used_old and j not in used_new:
            used_old.add(i)
            used_new.add(j)
            pairs.append((olds[i], news[j]))
    return pairs


def _remove(diagnostics: list[Diagnostic], gone: Iterable[Diagnostic]) -> None:
    ids = {id(d) for d in gone}
    diagnostics[:] = [d for d in diagnostics if id(d) not in ids]


def _looked_at(d: Diagnostic, after: Report, covered: Coverage | None) -> bool:
    """Did the later run look again at where this finding was?"""
    if covered is not None and d.file and not d.test:
        return not _outside(d, covered)
    if not complete(after):
        return False
    # A run that stopped at a compile error never came to its tests.
    ran = after.outcome == "passed" or any(after.counts.get(name) for name in ("passed", "failed", "run"))
    return not d.test or ran or any(other.test for other in after.diagnostics)


def _outside(d: Diagnostic, covered: Coverage | None) -> bool:
    return covered is not None and bool(d.file) and not d.test and (d.tool, d.file) not in covered
