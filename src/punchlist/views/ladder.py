"""The punch list itself: groups as text, from whole details down to bare counts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from posixpath import dirname

from punchlist.analysis.groups import Group
from punchlist.analysis.ranking import foreign
from punchlist.model import Diagnostic, Severity
from punchlist.views.places import entries, in_file, join_tests, one_line, places, short_test

HEADS: dict[Severity, str] = {"error": "errors:", "warning": "warnings:", "info": "info:", "hint": "hints:"}
_FRAME = re.compile(r"(?:\bat\b|\bFile \"|^\s*\d+:|^\S+:\d+|❯)")
_PATH = re.compile(r"[\w.@~+-]*(?:/[\w.@~+-]+)+")


@dataclass(frozen=True, slots=True)
class Rung:
    """How much one rendering shows: groups with detail, lines of it, places per group, groups at all, message width."""

    details: int = 0
    detail_lines: int = 0
    places: int | None = None
    groups: int | None = None
    width: int = 400


@dataclass(frozen=True, slots=True)
class Rendering:
    """Text of groups with what it leaves out: findings not named, and groups whose detail is not shown."""

    text: str
    hidden: tuple[tuple[Group, tuple[Diagnostic, ...]], ...]
    undetailed: tuple[Group, ...]


def rungs(groups: Sequence[Group]) -> Iterator[Rung]:
    """Renderings from the longest to the shortest."""
    detailed = sum(bool(detail_of(g)) for g in groups)
    for lines in (60, 25, 12):
        if detailed:
            yield Rung(details=detailed, detail_lines=lines)
    for share in (12, 8, 5, 3, 2, 1):
        if share < detailed:
            yield Rung(details=share, detail_lines=12)
    yield from poorer_rungs(groups)


def poorer_rungs(groups: Sequence[Group]) -> Iterator[Rung]:
    """Renderings without detail."""
    if any(detail_of(g) for g in groups):
        yield Rung(details=1, detail_lines=6)
    yield Rung()
    most = max((g.count for g in groups), default=0)
    for limit in (80, 50, 30, 20, 12, 8, 5, 3, 2, 1):
        if limit < most:
            yield Rung(places=limit)
    yield Rung(places=1, width=160)
    count = len(groups)
    while count > 1:
        count = count * 4 // 5
        yield Rung(places=1, width=160, groups=count)
    yield Rung(places=1, width=80, groups=1)


def detail_of(g: Group) -> str:
    """Detail of the first member that has one, without what its message already says."""
    return next((d.detail for d in g.diagnostics if d.detail.strip()), "")


def detail_lines(d: Diagnostic, limit: int) -> list[str]:
    """Detail of a diagnostic, indented by one blank; foreign frames are folded into a count."""
    lines: list[str] = []
    folded = 0
    for line in d.detail.expandtabs(4).splitlines():
        if not line.strip() or line.strip() == d.message.strip():
            continue
        path = _PATH.search(line)
        if path and _FRAME.search(line) and foreign(path[0]):
            folded += 1
        else:
            lines.append(line.rstrip())
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    kept = ["  " + line[indent : indent + 300] for line in lines[:limit]]
    left = len(lines) - len(kept)
    said = [f"+{left} lines"] * bool(left) + [f"{folded} foreign frames"] * bool(folded)
    return [*kept, f"  ({', '.join(said)})"] if said else kept


def render(groups: Sequence[Group], rung: Rung, *, columns: bool = False, heads: bool = True) -> Rendering:
    """Render groups in their order; severity heads stand where severities mix."""
    shown = groups if rung.groups is None else groups[: rung.groups]
    hidden: list[tuple[Group, tuple[Diagnostic, ...]]] = []
    undetailed: list[Group] = []
    lines: list[str] = []
    severity = shown[0].severity if shown else "error"
    left = rung.details
    items: list[tuple[Group, tuple[Diagnostic, ...], list[str]]] = []
    for g in shown:
        members = g.diagnostics if rung.places is None else _spread(g.diagnostics, rung.places)
        if len(members) < g.count:
            hidden.append((g, tuple(d for d in g.diagnostics if d not in set(members))))
        detail: list[str] = []
        if detail_of(g):
            if left > 0:
                detail = detail_lines(next(d for d in g.diagnostics if d.detail.strip()), rung.detail_lines)
                left -= 1
            else:
                undetailed.append(g)
        items.append((g, members, detail))
    for run in _runs(items):
        first = run[0][0]
        if heads and first.severity != severity:
            severity = first.severity
            lines.append(HEADS[severity])
        lines += _run_lines(run, rung, columns=columns)
    hidden += [(g, g.diagnostics) for g in groups[len(shown) :]]
    return Rendering("\n".join(lines), tuple(hidden), tuple(undetailed))


Item = tuple[Group, tuple[Diagnostic, ...], list[str]]


def _spread(members: Sequence[Diagnostic], limit: int) -> tuple[Diagnostic, ...]:
    return tuple(members[:limit])


def _runs(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Neighbours that lie in one and the same file, so that its name stands once."""
    for (file, _), run in groupby(items, key=lambda item: (_only_file(item), item[0].severity)):
        if file is None:
            yield from ([item] for item in run)
        else:
            yield list(run)


def _only_file(item: Item) -> str | None:
    files = {d.file for d in item[0].diagnostics}
    return next(iter(files)) if len(files) == 1 else None


def _run_lines(run: list[Item], rung: Rung, *, columns: bool) -> list[str]:
    if len(run) == 1:
        return _item_lines(run[0], rung, columns=columns, file=_only_file(run[0]), indent="")
    lines = [_only_file(run[0]) or ""]
    for item in run:
        lines += _item_lines(item, rung, columns=columns, file=None, indent=" ")
    return lines


def _item_lines(item: Item, rung: Rung, *, columns: bool, file: str | None, indent: str) -> list[str]:
    """One group: `file:line test: message` where it lies in one file, else its message and then its places."""
    g, members, detail = item
    if g.cause:
        return _cause_lines(item, rung, file=file, indent=indent)
    head = g.diagnostics[0]
    more = f" +{g.count - len(members)} more" if len(members) < g.count else ""
    flaky = "flaky" if head.state == "flaky" else None
    message = " ".join(filter(None, [g.rule, flaky, one_line(g.message, rung.width)]))
    if _only_file(item) is not None and (g.count == 1 or not _differ(members)):
        where = entries(members, members[0], columns=columns)
        where = in_file(file, where) if file else where
        colon = ":" if head.test and not g.rule else ""
        return [f"{indent}{where}{more}{colon} {message}".rstrip(), *detail]
    inside = entries if indent else places
    where = inside(members, head, columns=columns)
    return [f"{indent}{message}{': ' if where else ''}{where}{more}", *detail]


def _differ(members: Sequence[Diagnostic]) -> bool:
    return len({one_line(d.message) for d in members}) > 1


def _cause_lines(item: Item, rung: Rung, *, file: str | None, indent: str) -> list[str]:
    """Failing tests that end in one own line, under that line."""
    g, members, detail = item
    line = str(g.diagnostics[0].line)
    lines = [f"{indent}{in_file(file, line) if file else line} {g.count} tests end here"]
    by_message: dict[str, list[str]] = {}
    for d in members:
        by_message.setdefault(one_line(d.message, rung.width), []).append(short_test(d))
    lines += [f"{indent} {join_tests(tests)}: {message}" for message, tests in by_message.items()]
    if len(members) < g.count:
        lines.append(f"{indent} +{g.count - len(members)} more")
    return lines + detail


def by_folder(hidden: Iterable[tuple[Group, tuple[Diagnostic, ...]]], room: int) -> str:
    """Counts of what is not shown, by rule and file or folder, as many as fit into `room` characters."""
    rules: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for g, members in hidden:
        rules[g.rule or one_line(g.message, 40)] += len(members)
        files.update(d.file for d in members if d.file)
    named = files if len(files) <= 12 else Counter({})
    if not named:
        for file, count in files.items():
            named[dirname(file) + "/" if dirname(file) else file] += count
    return ", ".join(filter(None, [_fitting(rules, room // 2), _fitting(named, room // 2)]))


def _fitting(counts: Counter[str], room: int) -> str:
    """`9 E0308, 3 E0425, 4 in 2 others`: the most frequent first."""
    out: list[str] = []
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    for index, (name, count) in enumerate(ordered):
        text = f"{count} {name}"
        if out and sum(map(len, out)) + len(text) > room:
            rest = ordered[index:]
            out.append(f"{sum(n for _, n in rest)} in {len(rest)} others")
            break
        out.append(text)
    return ", ".join(out)


def part(g: Group, members: tuple[Diagnostic, ...]) -> Group:
    """A group that holds only some of its members, under the same key."""
    return replace(g, diagnostics=members, message=members[0].message)
