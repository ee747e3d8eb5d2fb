"""What changed between two runs, as one short screen: new, changed, still there, fixed, not looked at again."""

from collections.abc import Mapping, Sequence

from punchlist.analysis.delta import Delta, Side
from punchlist.analysis.groups import Group, group
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic
from punchlist.records import replace
from punchlist.views.budget import RUN, Budget, size
from punchlist.views.ladder import Rung, render
from punchlist.views.masking import mask
from punchlist.views.verdict import Facts

TITLES = {
    "new": "new",
    "changed": "changed",
    "same": "still there",
    "fixed": "fixed",
    "unseen": "not looked at again",
    "first": "in files not looked at before",
}

# For what is new or changed, and for the rest; from the longest to the shortest.
_LADDER = (
    (Rung(details=8, detail_lines=12), Rung()),
    (Rung(details=3, detail_lines=8), Rung()),
    (Rung(), Rung()),
    (Rung(), Rung(places=5)),
    (Rung(places=20), Rung(places=1, width=160)),
    (Rung(places=5), Rung(places=1, width=160, groups=10)),
    (Rung(places=1, width=160, groups=20), Rung(places=1, width=80, groups=3)),
    (Rung(places=1, width=80, groups=5), Rung(groups=0)),
    (Rung(groups=0), Rung(groups=0)),
)


def change(delta: Delta, *, facts: Facts, budget: Budget = RUN, titles: Mapping[str, str] = TITLES) -> str:
    """Render a comparison within a budget; every section says its exact count, and how many of it are not shown.

    `titles` name the sections (keys as in TITLES), for a comparison with a base commit, say. Secrets are masked.
    """
    sections = [(name, titles.get(name, TITLES[name]), groups) for name, groups in _sections(delta) if groups]
    head = f"{_side(delta.before)} -> {_side(delta.after)}: {delta.line().split(': ', 1)[-1]}"
    text = head
    for first, rest in _LADDER:
        shown = [
            _section(title, groups, first if name in ("new", "changed") else rest) for name, title, groups in sections
        ]
        hidden = sum(count for _, count in shown)
        call = facts.calls.page.format(run=delta.after.run_id, page=1)
        text = "\n".join([head, *(part for part, _ in shown), *([f"+ {hidden} not shown: {call}"] if hidden else [])])
        if size(text) <= budget.chars:
            break
    else:
        text = f"{head}\n+ {hidden} not shown: {call}"
    return mask(text)


def _sections(delta: Delta) -> list[tuple[str, tuple[Group, ...]]]:
    changed = [_with_before(before, after) for before, after in delta.changed]
    return [
        ("new", _groups(delta.added)),
        ("changed", _groups(changed)),
        ("same", _groups([after for _, after in delta.persisting])),
        ("fixed", _groups(delta.removed)),
        ("first", _groups(delta.first_seen)),
        ("unseen", _groups(delta.unobserved)),
    ]


def _groups(diagnostics: Sequence[Diagnostic]) -> tuple[Group, ...]:
    return ranked(group(diagnostics))


def _with_before(before: Diagnostic, after: Diagnostic) -> Diagnostic:
    return replace(after, detail=f"was: {before.message}\n{after.detail}".rstrip())


def _section(title: str, groups: Sequence[Group], rung: Rung) -> tuple[str, int]:
    """Text of a section and how many of its findings it does not show."""
    rendering = render(groups, rung)
    total = sum(g.count for g in groups)
    hidden = sum(len(members) for _, members in rendering.hidden)
    return f"{title} ({total}):\n{rendering.text}" if rendering.text else f"{title} ({total})", hidden


def _side(side: Side) -> str:
    return f"{side.run_id} ({side.outcome}{'' if side.complete or side.outcome == 'error' else ', not complete'})"
