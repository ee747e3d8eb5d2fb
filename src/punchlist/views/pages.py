"""Pages of an answer: the first within its budget, the later ones with everything that it left out."""

from collections.abc import Iterator, Sequence

from punchlist.analysis.delta import Delta
from punchlist.analysis.fingerprint import split
from punchlist.analysis.groups import Group, find, group, unique
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic, Report, Trouble
from punchlist.views import evidence, wording
from punchlist.views.budget import Budget, size
from punchlist.views.ladder import Part, Rendering, Rung, by_folder, portion, render, rungs
from punchlist.views.places import in_file, one_line, short_test
from punchlist.views.verdict import Facts, changed_line, verdict

_DETAIL_SHARE = 0.2
_DETAIL_LEAST = 600
_UNIT = 60
_FEW = 12
_WEIGHTY = ("error", "warning")
_MOST_NOTES = 5
_MOST_NEW = 3
_FEW_NOTES = 3


def _groups(report: Report) -> tuple[Group, ...]:
    return ranked(group(unique(report.diagnostics)))


def _told_apart(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Groups as an answer lists them: failing tests whose values or details tell of different things stand apart."""
    return ranked(portion(g, members) for g in groups for members in _alike(g))


def _alike(g: Group) -> list[tuple[Diagnostic, ...]]:
    if g.cause or g.count == 1 or not all(d.test for d in g.diagnostics):
        return [g.diagnostics]
    alone = len({wording.detail(d) for d in g.diagnostics}) > 1 and g.count <= _FEW
    apart: dict[tuple[object, ...], list[Diagnostic]] = {}
    for d in g.diagnostics:
        said = wording.message(d)
        apart.setdefault((d.file, d.line, said) if alone else (split(said)[0],), []).append(d)
    return [tuple(members) for members in apart.values()]


def _above(report: Report, facts: Facts) -> list[str]:
    above = [verdict(report, facts)]
    changed = changed_line(facts)
    if facts.since and changed:
        above.append(changed + _named(facts.since))
    return above + [f"note: {one_line(note, 240)}" for note in report.notes[:_MOST_NOTES]]


def _named(since: Delta) -> str:
    """Which findings are new, where only some are: the reader should begin with them."""
    if not since.persisting or not 0 < len(since.added) <= _MOST_NEW:
        return ""
    names = [one_line(short_test(d) or in_file(d.file or "", str(d.line or "")) or d.message, 60) for d in since.added]
    return f" (new: {', '.join(dict.fromkeys(names))})"


def first_page(report: Report, facts: Facts, budget: Budget) -> str:
    """The answer itself."""
    groups = _told_apart(_groups(report))
    above = _above(report, facts)
    listed, minor = _listed(groups, report)
    if report.outcome == "passed" and not listed:
        return " · ".join([*above, *([f"{_notes(minor)}: {page_call(facts, 2)}"] if minor else [])])
    if not any(g.severity == "error" for g in listed) and report.excerpt and report.outcome != "passed":
        above += evidence.excerpt(report, budget)
    head = "\n".join(above)
    if not listed:
        return head
    rendering, footer = _fit(listed, facts, budget.chars - size(head) - 1, minor)
    return "\n".join(filter(None, [head, rendering.text, footer]))


def _fit(groups: Sequence[Group], facts: Facts, room: int, minor: Sequence[Group]) -> tuple[Rendering, str]:
    """The longest rendering that fits, details held to a share of the log."""
    rendering, footer = render(groups, Rung(places=1, width=80, groups=1)), ""
    detail_room = (
        room if facts.log_chars is None else min(room, max(_DETAIL_LEAST, int(facts.log_chars * _DETAIL_SHARE)))
    )
    for rung in rungs(groups, room):
        rendering = render(groups, rung)
        footer = _footer(rendering, facts, minor, room)
        if size(rendering.text) + size(footer) + 1 <= (detail_room if rung.details else room):
            break
    return rendering, footer


def _footer(rendering: Rendering, facts: Facts, minor: Sequence[Group], room: int) -> str:
    said: list[str] = []
    missing = sum(len(members) for _, members in rendering.hidden)
    shortened = sum(len(members) for _, members in rendering.shortened)
    if missing:
        where = by_folder(rendering.hidden, min(160, room // 8))
        said.append(f"{missing} not shown ({where})" if where else f"{missing} not shown")
    if shortened:
        said.append(f"detail of {shortened}")
    if minor:
        said.append(_notes(minor))
    return f"+ {', '.join(said)}: {page_call(facts, 2)}" if said else ""


def _notes(minor: Sequence[Group]) -> str:
    count = sum(g.count for g in minor)
    return f"{count} note{'s' * (count != 1)}"


def page_call(facts: Facts, page: int) -> str:
    """The call that shows a page; a report without a run is read again by the same call with another page."""
    return facts.calls.page.format(run=facts.run_id, page=page) if facts.run_id else f"add --page {page}"


def later_page(report: Report, facts: Facts, budget: Budget, page: int) -> str:
    """Pages from 2 on: every group that the first page did not show whole."""
    groups = _told_apart(_groups(report))
    above = _above(report, facts)
    listed, minor = _listed(groups, report)
    rendering, _ = _fit(listed, facts, budget.chars - size("\n".join(above)) - 1, minor)
    rest: dict[int, tuple[Diagnostic, ...]] = {}
    for g, members in (*rendering.shortened, *rendering.hidden):
        rest[id(g)] = rest.get(id(g), ()) + members
    parts = [(g, rest[id(g)]) for g in listed if id(g) in rest]
    parts += [(g, g.diagnostics) for g in minor]
    text, left = _page(parts, page - 1, budget.chars - 200)
    if not text:
        return f"{above[0]}\nno page {page}: everything is shown before it"
    return f"{text}\n{left} more: {page_call(facts, page + 1)}" if left else text


def _listed(groups: Sequence[Group], report: Report) -> tuple[list[Group], list[Group]]:
    """Groups for the first page, and those that wait for a later one: infos and hints beside something worse.

    Of a run that passed a few are shown, since a tool that passes says them where it was asked to (`reveal_type`).
    """
    weighty = [g for g in groups if g.severity in _WEIGHTY]
    minor = [g for g in groups if g.severity not in _WEIGHTY]
    if weighty or (report.outcome == "passed" and sum(g.count for g in minor) > _FEW_NOTES):
        return weighty, minor
    return minor, []


def group_page(report: Report, name: str, page: int, facts: Facts, budget: Budget) -> str:
    """Show one group whole (fingerprint or its start, rank, rule, test or file), page by page."""
    groups = find(_groups(report), name)
    if not groups:
        raise Trouble(
            f"no group {name!r} in {facts.run_id or 'this log'}: name a rule, a test, a file or a fingerprint",
            "unknown_group",
        )
    text, left = _page([(g, g.diagnostics) for g in groups], page, budget.chars - 200)
    found = sum(g.count for g in groups)
    head = f"{found} in group {groups[0].fingerprint}" if len(groups) == 1 else f"{found} in {len(groups)} groups"
    if left:
        text += f"\n{left} more: {_group_call(facts, name, page + 1)}"
    return f"{head}\n{text}"


def _group_call(facts: Facts, name: str, page: int) -> str:
    call = facts.calls.group
    return call.format(run=facts.run_id, group=name, page=page) if facts.run_id else f"add --page {page}"


def _page(parts: Sequence[Part], page: int, room: int) -> tuple[str, int]:
    """Findings of the parts with their detail, packed into pages of at most `room` characters.

    Returns the text of page number `page` (1-based, empty past the last) and how many findings come after it.
    """
    left = sum(len(members) for _, members in parts)
    current, text = 1, ""
    for g, members in parts:
        for count, unit in _units(g, members, room):
            if text and size(text) + size(unit) + 1 > room:
                if current == page:
                    return text, left
                current, text = current + 1, ""
            text += ("\n" if text else "") + unit
            left -= count
    return (text, 0) if current == page else ("", 0)


def _units(g: Group, members: tuple[Diagnostic, ...], room: int) -> Iterator[tuple[int, str]]:
    """Findings of a group as texts that each fit on a page, with how many each holds."""
    at, step = 0, 1 if any(wording.detail(d) for d in members) else _UNIT
    while at < len(members):
        some = members[at : at + step]
        unit = _whole(portion(g, some), room)
        if size(unit) > room and len(some) > 1:
            step = len(some) // 2
            continue
        yield len(some), unit[:room]
        at += len(some)


def _whole(g: Group, room: int) -> str:
    """One unit of a later page, with columns and as much detail as a page holds."""
    text = ""
    for lines, width in ((400, 2000), (40, 2000), (15, 1000), (0, 400)):
        text = render([g], Rung(details=bool(lines), detail_lines=lines, width=width, source=True), columns=True).text
        if size(text) <= room:
            break
    return text
