"""Diagnostics that one look explains, put together."""

from collections.abc import Iterable

from punchlist.analysis.fingerprint import fingerprint, identity, key, rule_name, split
from punchlist.model import SEVERITIES, Diagnostic, Severity, in_order
from punchlist.records import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """Diagnostics with the same rule and the same message but for names, numbers and paths.

    `message` is the whole message of the first one. With `cause` the group holds failing tests that end in one own line
    with different messages; `fingerprint` is the key under which every view names the group.
    """

    fingerprint: str
    severity: Severity
    rule: str | None
    message: str
    diagnostics: tuple[Diagnostic, ...]
    cause: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """Files of the group in the order they first appear."""
        return tuple(dict.fromkeys(d.file for d in self.diagnostics if d.file))

    @property
    def count(self) -> int:
        """How many findings the group holds."""
        return len(self.diagnostics)


def unique(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Drop exact repeats of a finding, keeping the first; the order stays."""
    return tuple({(d.severity, *identity(d)): d for d in reversed(tuple(diagnostics))}.values())[::-1]


def group(diagnostics: Iterable[Diagnostic]) -> tuple[Group, ...]:
    """Put diagnostics together; groups stand in the order of their first diagnostic, nothing is dropped."""
    ordered = in_order(diagnostics)
    causes = _shared_lines(ordered)
    buckets: dict[tuple[str, ...], list[Diagnostic]] = {}
    for d in ordered:
        place = (d.file or "", str(d.line))
        name = ("cause", d.severity, *place) if d.test and place in causes else (d.severity, fingerprint(d))
        buckets.setdefault(name, []).append(d)
    return tuple(_group(name[0] == "cause", members) for name, members in buckets.items())


def _shared_lines(diagnostics: Iterable[Diagnostic]) -> set[tuple[str, str]]:
    """Own lines in which several tests end, each with a message of another kind."""
    kinds: dict[tuple[str, str], dict[str, set[str]]] = {}
    for d in diagnostics:
        if d.test and d.file and d.line:
            tests = kinds.setdefault((d.file, str(d.line)), {})
            tests.setdefault(d.test, set()).add(fingerprint(d))
    return {place for place, tests in kinds.items() if len(tests) > 1 and len(set.union(*tests.values())) > 1}


def _group(cause: bool, members: list[Diagnostic]) -> Group:
    first = members[0]
    if cause:
        tests = sorted({d.test or "" for d in members})
        fp = key(f"cause\n{first.file}\n{tests[0]}\n{split(first.message)[0]}")
    else:
        fp = fingerprint(first)
    return Group(fp, first.severity, first.rule, first.message, tuple(members), cause)


def find(groups: Iterable[Group], name: str) -> tuple[Group, ...]:
    """Groups that a caller means by a name: fingerprint or its start, rank ("2"), rule, test or file."""
    known = tuple(groups)
    by_key = tuple(g for g in known if len(name) >= 4 and g.fingerprint.startswith(name.lower()))
    if by_key:
        return by_key
    if name.isdecimal() and 0 < int(name) <= len(known):
        return (known[int(name) - 1],)
    wanted = rule_name(name)
    by_rule = tuple(g for g in known if g.rule and rule_name(g.rule) == wanted)
    return by_rule or tuple(g for g in known if any(name in (d.test or "") or name == d.file for d in g.diagnostics))


def worst(groups: Iterable[Group]) -> Severity | None:
    """The worst severity among groups."""
    return min((g.severity for g in groups), key=SEVERITIES.index, default=None)
