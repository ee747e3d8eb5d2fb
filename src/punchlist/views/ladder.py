"""The punch list itself: groups as text, from whole details down to bare counts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from posixpath import dirname
from typing import NamedTuple

from punchlist.analysis.groups import Group
from punchlist.model import Diagnostic, Severity
from punchlist.records import replace
from punchlist.views import wording
from punchlist.views.places import entries, in_file, join_tests, one_line, places, short_test

HEADS: dict[Severity, str] = {"error": "errors:", "warning": "warnings:", "info": "info:", "hint": "hints:"}
_DETAIL_WIDTH = 300
_NAMED_FILES = 12
_NAMED_RULES = 3


class Rung(NamedTuple):
    """How much one rendering shows.

    Groups with detail, lines of it, places per group, groups at all, width of a message, source code around findings.
    """

    details: int = 0
    detail_lines: int = 0
    places: int | None = None
    groups: int | None = None
    width: int = 400
    source: bool = False


Part = tuple[Group, tuple[Diagnostic, ...]]


class Rendering(NamedTuple):
    """Text of groups with what it leaves out: findings not named, and findings whose whole text is not shown."""

    text: str
    hidden: tuple[Part, ...]
    shortened: tuple[Part, ...]


class Item(NamedTuple):
    """One group as it is to be shown: its file where it lies in one, the members to name, lines of detail."""

    group: Group
    file: str | None
    members: tuple[Diagnostic, ...]
    detail: tuple[str, ...]


def rungs(groups: Sequence[Group], room: int) -> Iterator[Rung]:
    """Renderings from the longest to the shortest; those that cannot fit into `room` characters are left out."""
    counts = [g.count for g in groups]
    if max(2 * sum(counts), sum(map(_names, groups))) <= room:
        detailed = sum(any(wording.detail(d) for d in g.diagnostics) for g in groups)
        if detailed:
            yield from (Rung(details=detailed, detail_lines=lines) for lines in (60, 25, 12, 6, 3, 2, 1))
            yield from (Rung(details=n, detail_lines=lines) for n, lines in _SHARES if n < detailed)
            yield Rung(details=1, detail_lines=5)
        yield Rung()
    for limit in (80, 50, 30, 20, 12, 8, 5, 3, 2, 1):
        if limit < max(counts) and 2 * sum(min(limit, n) for n in counts) <= room:
            yield Rung(places=limit)
    yield from (Rung(places=1, width=160, groups=n) for n in _fewer(len(groups)) if 10 * n <= room)
    yield Rung(places=1, width=80, groups=1)
    yield Rung(groups=0)


def _names(g: Group) -> int:
    """The least that the files of a group take: of several, the last part of each name stands somewhere."""
    files = {d.file for d in g.diagnostics if d.file}
    return sum(len(file.rpartition("/")[2]) + 1 for file in files) if len(files) > 1 else 0


def _fewer(count: int) -> Iterator[int]:
    while count > 1:
        yield count
        count = count * 4 // 5


_SHARES = ((12, 12), (8, 12), (5, 12), (8, 5), (3, 12), (5, 5), (2, 12), (3, 5), (1, 12))


def detail_lines(d: Diagnostic, limit: int, *, whole: bool = False) -> tuple[list[str], bool]:
    """Detail of a finding, indented by two blanks, and whether that is all of it.

    Of a long one the end is kept too: what a test printed last is often what it failed of.
    """
    lines = ["  " + line[:_DETAIL_WIDTH] for line in wording.detail(d, whole=whole)]
    if len(lines) <= limit:
        return lines, True
    end = limit // 3
    return [*lines[: limit - end], f"  (+{len(lines) - limit} lines)", *lines[len(lines) - end :]], False


def render(groups: Sequence[Group], rung: Rung, *, columns: bool = False) -> Rendering:
    """Render groups in their order; severity heads stand where severities mix."""
    shown = groups if rung.groups is None else groups[: rung.groups]
    items: list[Item] = []
    shortened: list[Part] = []
    details = rung.details
    for g in shown:
        item, rest = _item(g, rung, detailed=details > 0)
        details -= bool(item.detail)
        items.append(item)
        if rest:
            shortened.append((g, rest))
    lines: list[str] = []
    severity = shown[0].severity if shown else "error"
    for run in _runs(items):
        if run[0].group.severity != severity:
            severity = run[0].group.severity
            lines.append(HEADS[severity])
        lines += _run_lines(run, rung, columns=columns)
    hidden = [(i.group, i.group.diagnostics[len(i.members) :]) for i in items if len(i.members) < i.group.count]
    hidden += [(g, g.diagnostics) for g in groups[len(shown) :]]
    return Rendering("\n".join(lines), tuple(hidden), tuple(shortened))


def _item(g: Group, rung: Rung, *, detailed: bool) -> tuple[Item, tuple[Diagnostic, ...]]:
    """An item with the members whose whole text it does not show."""
    members = g.diagnostics if rung.places is None else g.diagnostics[: rung.places]
    files = {d.file for d in g.diagnostics}
    first = next((d for d in members if wording.detail(d)), None)
    lines: list[str] = []
    seen: tuple[str, ...] = ()
    if detailed and first:
        lines, all_of_it = detail_lines(first, rung.detail_lines, whole=rung.source)
        seen = wording.detail(first) if all_of_it else ()
    rest = tuple(d for d in members if wording.detail(d) not in ((), seen) or len(wording.message(d)) > rung.width)
    return Item(g, (next(iter(files)) or "") if len(files) == 1 else None, members, tuple(lines)), rest


def _runs(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Neighbours that lie in one and the same file, so that its name stands once."""
    for (file, _), run in groupby(items, key=lambda item: (item.file, item.group.severity)):
        if file:
            yield list(run)
        else:
            yield from ([item] for item in run)


def _run_lines(run: list[Item], rung: Rung, *, columns: bool) -> list[str]:
    if len(run) == 1:
        return _item_lines(run[0], rung, columns=columns, file=run[0].file, indent="")
    lines = [run[0].file or ""]
    for item in run:
        lines += _item_lines(item, rung, columns=columns, file=None, indent=" ")
    return lines


def _item_lines(item: Item, rung: Rung, *, columns: bool, file: str | None, indent: str) -> list[str]:
    """One group: `file:line test: message` where it lies in one file, else its message and then its places."""
    g, members = item.group, item.members
    if g.cause:
        return _cause_lines(item, rung, file=file, indent=indent)
    head = g.diagnostics[0]
    more = _more(item)
    flaky = "flaky" if head.state == "flaky" else None
    message = " ".join(filter(None, [g.rule, flaky, one_line(wording.message(head), rung.width)]))
    if item.file is not None and not _differ(members):
        where = entries(members, head, columns=columns)
        where = in_file(file, where) if file else where
        colon = ":" if head.test and not g.rule and where else ""
        return [
            f"{indent}{where}{more}{colon} {message}".rstrip() if where else f"{indent}{message}{more}",
            *item.detail,
        ]
    inside = entries if item.file is not None else places
    where = inside(members, head, columns=columns)
    if file:
        where = in_file(file, where)
    if not where:
        return [f"{indent}{message}{more}", *item.detail]
    gap = ":" if where.startswith("\n") else ": "
    return [*f"{indent}{message.removesuffix('.')}{gap}{where}{more}".split("\n"), *item.detail]


def _more(item: Item) -> str:
    rest = item.group.diagnostics[len(item.members) :]
    if not rest:
        return ""
    files = len({d.file for d in rest if d.file} - {d.file for d in item.members})
    return f" +{len(rest)} more" + (f" in {files} files" if files > 1 else "")


def _differ(members: Sequence[Diagnostic]) -> bool:
    return len({wording.message(d) for d in members}) > 1


def _cause_lines(item: Item, rung: Rung, *, file: str | None, indent: str) -> list[str]:
    """Failing tests that end in one own line, under that line."""
    line = str(item.group.diagnostics[0].line)
    lines = [f"{indent}{in_file(file, line) if file else line} {item.group.count} tests end here"]
    by_message: dict[str, list[str]] = {}
    for d in item.members:
        by_message.setdefault(one_line(wording.message(d), rung.width), []).append(short_test(d))
    lines += [f"{indent} {join_tests(tests)}: {message}" for message, tests in by_message.items()]
    more = _more(item)
    return [*lines, *([f"{indent}{more}"] if more else []), *item.detail]


def by_folder(hidden: Iterable[Part], room: int) -> str:
    """Counts of what is not shown: rules not named at all, and files or folders, as many as fit into `room`."""
    rules: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for g, members in hidden:
        if len(members) == g.count:
            rules[g.rule or one_line(g.message, 40)] += len(members)
        files.update(d.file for d in members if d.file)
    named = files
    if len(files) > _NAMED_FILES:
        named = Counter()
        for file, count in files.items():
            named[f"{dirname(file)}/" if dirname(file) else file] += count
    alone = Counter({rule: n for rule, n in rules.items() if n > 1 or len(rules) <= _NAMED_RULES})
    return ", ".join(filter(None, [_fitting(alone, room // 2), _fitting(named, room // 2)]))


def _fitting(counts: Counter[str], room: int) -> str:
    """`9 E0308, 3 E0425, 4 in 2 others`: the most frequent first, none where not even one fits."""
    out: list[str] = []
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    for index, (name, count) in enumerate(ordered):
        text = f"{count} {name}"
        if sum(map(len, out)) + len(text) > room:
            rest = ordered[index:]
            return ", ".join([*out, f"{sum(n for _, n in rest)} in {len(rest)} others"]) if out else ""
        out.append(text)
    return ", ".join(out)


def portion(g: Group, members: tuple[Diagnostic, ...]) -> Group:
    """A group that holds only some of its members, under the same key."""
    return replace(g, diagnostics=members, message=members[0].message)
