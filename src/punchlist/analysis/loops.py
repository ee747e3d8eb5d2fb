"""Going in circles: findings that come back after they were gone, and files that keep breaking the same rule."""

from collections.abc import Iterable
from typing import Any

from punchlist.analysis.fingerprint import SLOT, split
from punchlist.model import Diagnostic
from punchlist.records import dataclass, field

LOOP_AT = 2
CHURN_AT = 3
FORGET_AFTER = 20
MOST_EDITS = 20


@dataclass(frozen=True, slots=True, order=True)
class Seen:
    """One kind of finding in one file, as an engine reported it."""

    signature: str
    file: str
    rule: str
    engine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What one check saw.

    `covered` are the (engine, file) pairs that were really looked at; None means all files of the engines in
    `finished`. `focused` is true for a check of named files, as after an edit; `edits` are names of the edits made
    since the snapshot before.
    """

    seen: frozenset[Seen]
    finished: frozenset[str]
    covered: frozenset[tuple[str, str]] | None = None
    focused: bool = False
    edits: tuple[str, ...] = ()

    def looked_at(self, engine: str, file: str) -> bool:
        """Did this check look at a file with an engine, to the end?"""
        return engine in self.finished and (self.covered is None or (engine, file) in self.covered)


@dataclass(frozen=True, slots=True)
class Loop:
    """A finding that was gone and came back `occurrences` times, with the edits between."""

    signature: str
    occurrences: int
    edits: tuple[str, ...] = ()

    @property
    def hint(self) -> str:
        """Advice for whoever goes in circles."""
        return f"fixed and back again {self.occurrences} times: try another approach"


@dataclass(frozen=True, slots=True)
class Churn:
    """A file in which the same rule was broken in `check_count` checks in a row."""

    file: str
    rule: str
    check_count: int

    @property
    def hint(self) -> str:
        """Advice for whoever is stuck in a file."""
        return f"{self.file} still breaks {self.rule} after {self.check_count} checks in a row: rethink the file"


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Loops, the most frequent first, and churns, the longest first."""

    loops: tuple[Loop, ...] = ()
    churns: tuple[Churn, ...] = ()


@dataclass(slots=True)
class _Trail:
    """What is known of one signature: where it still is, how often it appeared, how long it has been gone."""

    places: set[tuple[str, str]] = field(default_factory=set)
    appearances: int = 0
    gone: int = 0
    edits: list[str] = field(default_factory=list)


def signature(d: Diagnostic) -> str:
    """Name of a finding's kind: its rule and its message with names, numbers and paths left open."""
    template, parts = split(d.message)
    words = template.lower().split(SLOT)
    slots = ["<number>" if part[0].isdigit() else "<identifier>" for part in parts]
    said = "".join(word + slot for word, slot in zip(words, [*slots, ""], strict=True))
    return f"{d.rule or d.test or ''}:{said}"


def seen(diagnostics: Iterable[Diagnostic]) -> frozenset[Seen]:
    """What a snapshot keeps of diagnostics; those without a file are not followed."""
    return frozenset(Seen(signature(d), d.file, d.rule or d.test or "", d.tool) for d in diagnostics if d.file)


@dataclass(slots=True)
class Memory:
    """What all checks so far have left: every signature's trail, and how often in a row a file broke a rule."""

    trails: dict[str, _Trail] = field(default_factory=dict)
    streaks: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def take(self, snapshot: Snapshot) -> None:
        """Go on by one check."""
        _follow(self.trails, snapshot)
        _count(self.streaks, snapshot)

    def found(self) -> Recurrence:
        """Find loops (back at least 2 times) and churn (at least 3 focused checks in a row)."""
        loops = [
            Loop(name, trail.appearances - 1, tuple(dict.fromkeys(trail.edits)))
            for name, trail in self.trails.items()
            if trail.appearances - 1 >= LOOP_AT
        ]
        longest: dict[tuple[str, str], int] = {}
        for (_, file, rule), streak in self.streaks.items():
            longest[file, rule] = max(streak, longest.get((file, rule), 0))
        churns = [Churn(file, rule, n) for (file, rule), n in longest.items() if n >= CHURN_AT]
        return Recurrence(
            tuple(sorted(loops, key=lambda loop: (-loop.occurrences, loop.signature))),
            tuple(sorted(churns, key=lambda churn: (-churn.check_count, churn.file, churn.rule))),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return the memory as plain values; what says nothing any more is left out."""
        trails = {
            name: [sorted(trail.places), trail.appearances, trail.gone, trail.edits]
            for name, trail in sorted(self.trails.items())
            if trail.appearances
        }
        return {"trails": trails, "streaks": [[*key, n] for key, n in sorted(self.streaks.items()) if n]}

    @classmethod
    def from_plain(cls, plain: dict[str, Any] | None) -> "Memory":
        """Return the memory as it was kept."""
        if not plain:
            return cls()
        trails = {
            name: _Trail({(engine, file) for engine, file in places}, appearances, gone, list(edits))
            for name, (places, appearances, gone, edits) in plain["trails"].items()
        }
        return cls(trails, {(engine, file, rule): n for engine, file, rule, n in plain["streaks"]})


def recurrence(snapshots: Iterable[Snapshot]) -> Recurrence:
    """Find loops and churn in snapshots, oldest first.

    A finding is gone only when every place of it was looked at again; a place nobody looked at, or whose engine did
    not finish, changes nothing. A loop is forgotten after 20 checks that saw it gone. Replaying the same snapshots
    gives the same answer.
    """
    memory = Memory()
    for snapshot in snapshots:
        memory.take(snapshot)
    return memory.found()


def _follow(trails: dict[str, _Trail], snapshot: Snapshot) -> None:
    here: dict[str, set[tuple[str, str]]] = {}
    for one in snapshot.seen:
        here.setdefault(one.signature, set()).add((one.engine, one.file))
    for name in sorted(here.keys() - trails.keys()):
        trails[name] = _Trail()
    for name, trail in trails.items():
        now = here.get(name, set())
        if trail.appearances:
            trail.edits = [*trail.edits, *snapshot.edits][-MOST_EDITS:]
        if now and not trail.places:
            trail.appearances += 1
        trail.places = now | {place for place in trail.places if not snapshot.looked_at(*place)}
        trail.gone = 0 if trail.places else trail.gone + 1
        if trail.gone >= FORGET_AFTER:
            trail.appearances, trail.edits = 0, []


def _count(streaks: dict[tuple[str, str, str], int], snapshot: Snapshot) -> None:
    """Only a check of named files counts or ends a streak: one of the whole project says nothing of the last edit."""
    if not snapshot.focused:
        return
    here = {(one.engine, one.file, one.rule) for one in snapshot.seen}
    for key in streaks.keys() - here:
        if snapshot.looked_at(key[0], key[1]):
            streaks[key] = 0
    for key in here:
        streaks[key] = streaks.get(key, 0) + 1
