"""The default answer: verdict, what changed, the punch list, what was left out. Plain text in the fewest tokens."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from punchlist.analysis.delta import Delta
from punchlist.analysis.groups import Group, find, group, unique
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic, Report
from punchlist.views.budget import RUN, Budget, size
from punchlist.views.ladder import Part, Rendering, Rung, by_folder, portion, render, rungs
from punchlist.views.masking import mask
from punchlist.views.places import one_line

_TOKENISH = re.compile(r"[A-Za-z]{1,7}|\d{1,3}|[^\w\s]{1,3}|\n+|[^\x00-\x7f]")
_DETAIL_SHARE = 0.18
_DETAIL_LEAST = 300
_UNIT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """How a caller sees the rest: templates with `{run}`, `{page}` and `{group}`."""

    page: str = "punchlist show {run} --page {page}"
    group: str = "punchlist show {run} --group {group}"
    log: str = "punchlist log {run}"


CLI_CALLS = Calls()
MCP_CALLS = Calls(
    page='get_run_summary {{"run_id":"{run}","cursor":"{page}"}}',
    group='get_run_summary {{"run_id":"{run}","group":"{group}"}}',
    log='get_log_slice {{"run_id":"{run}","stream":"merged"}}',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the report does not know: what was run, how long it took, what changed since, how to see the rest.

    `log_chars` is the size of the whole log; with it the details of an answer stay in proportion to the log.
    """

    title: str = ""
    run_id: str | None = None
    duration_s: float | None = None
    since: Delta | None = None
    calls: Calls = CLI_CALLS
    log_chars: int | None = None


def brief(
    report: Report,
    *,
    facts: Facts,
    budget: Budget = RUN,
    page: int = 1,
    plain_log: Callable[[], str | None] | None = None,
) -> str:
    """Render a report within a budget; `page` 2 and on show what the first page left out, in the same order.

    `plain_log` gives the whole log where that is cheap (None where it is too long): a log shorter than the answer is
    the answer. Secrets are masked. The text ends without a newline.
    """
    groups = ranked(group(unique(report.diagnostics)))
    if page > 1:
        return mask(_later_page(report, facts, budget, page, groups))
    text = _first_page(report, facts, budget, groups)
    log = plain_log() if (plain_log and report.outcome != "passed") or (plain_log and "\n" in text) else None
    if log is not None and text.count("\n") and _about(log) <= _about(text) and size(log) <= budget.chars:
        text = f"{_short_verdict(report, facts)}\n{log.strip()}".rstrip()
    return mask(text)


def page_of_group(report: Report, name: str, page: int = 1, *, facts: Facts, budget: Budget = RUN) -> str:
    """Show one group whole (fingerprint or its start, rank, rule, test or file), page by page."""
    groups = find(ranked(group(unique(report.diagnostics))), name)
    if not groups:
        return f"no group {name!r}"
    text, left = _page([(g, g.diagnostics) for g in groups], page, budget.chars - 200)
    found = sum(g.count for g in groups)
    head = f"{found} in group {groups[0].fingerprint}" if len(groups) == 1 else f"{found} in {len(groups)} groups"
    if left:
        text += f"\n{left} more: {_group_call(facts, name)} page {page + 1}"
    return mask(f"{head}\n{text}")


def _group_call(facts: Facts, name: str) -> str:
    return facts.calls.group.format(run=facts.run_id, group=name) if facts.run_id else f"--group {name}"


def _about(text: str) -> int:
    return sum(1 for _ in _TOKENISH.finditer(text))


# ---------------------------------------------------------------- verdict


def verdict(report: Report, facts: Facts) -> str:
    """First line: outcome, exact counts, how it ended, duration, id."""
    word = {"passed": "PASSED", "failed": "FAILED", "error": "ERROR", "unknown": "UNKNOWN", "running": "RUNNING"}
    parts = [" ".join(filter(None, [word[report.outcome], facts.title or "+".join(report.tools)]))]
    counts = counted(report)
    if counts:
        parts[0] += ": " + counts
    parts += _ending(report)
    if facts.duration_s is not None:
        parts.append(duration(facts.duration_s))
    if facts.run_id:
        parts.append(facts.run_id)
    return " · ".join(parts)


def _short_verdict(report: Report, facts: Facts) -> str:
    return one_line(verdict(report, facts), 110)


_COUNTS = ("failed", "errors", "warnings", "passed", "skipped")


def counted(report: Report) -> str:
    """The counts that the tool gave, failures first; else what was counted here."""
    counts = {name: n for name, n in report.counts.items() if n}
    order = [*(name for name in _COUNTS if name in counts), *sorted(set(counts) - set(_COUNTS) - {"run"})]
    said = [f"{counts[name]} {_unit(name, counts[name])}" for name in order]
    if not any(d.test for d in report.diagnostics):
        found = unique(report.diagnostics)
        errors, warnings = (sum(d.severity == s for d in found) for s in ("error", "warning"))
        said = [text for text in said if not text.endswith((" errors", " error", " warnings", " warning"))]
        listed = [f"{n} {_unit(name, n)}" for n, name in ((errors, "errors"), (warnings, "warnings")) if n]
        said = listed + said
    if not said and report.counts.get("run"):
        said = [f"{report.counts['run']} run"]
    return ", ".join(said)


def _unit(name: str, n: int) -> str:
    return {"errors": "error", "warnings": "warning"}.get(name, name) if n == 1 else name.replace("_", " ")


def _ending(report: Report) -> list[str]:
    how = report.how
    if how.ending == "exit" and how.exit_code is not None:
        if how.exit_code == 0 and report.outcome in ("failed", "error"):
            return ["exit 0, but its log shows failures"]
        if how.exit_code and (how.exit_code != 1 or report.outcome == "error"):
            said = f"exit {how.exit_code}"
            explained = report.excerpt or any(d.severity == "error" for d in report.diagnostics)
            if report.outcome != "passed" and not explained:
                said += ", nothing in the log says why"
            return [said]
        return []
    words = {
        "timeout": "out of time",
        "signal": f"ended by signal {how.signal}",
        "cancelled": "cancelled",
        "ceiling": "ended at the output ceiling",
        "not_found": "command not found",
        "not_executable": "not executable",
        "fault": "could not be run",
        "owner_died": "its owner died, so it was ended",
    }
    said = words.get(how.ending, "")
    return [f"{said}: {how.message}" if said and how.message else said] if said else []


def duration(seconds: float) -> str:
    """A duration in the unit a person would use."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{int(seconds) // 60} min {int(seconds) % 60} s"


# ---------------------------------------------------------------- pages


def _above(report: Report, facts: Facts) -> list[str]:
    above = [verdict(report, facts)]
    if facts.since:
        above.append(facts.since.line())
    return above + [f"note: {one_line(note, 240)}" for note in report.notes[:5]]


def _first_page(report: Report, facts: Facts, budget: Budget, groups: Sequence[Group]) -> str:
    above = _above(report, facts)
    listed, minor = _listed(groups)
    if report.outcome == "passed" and not any(g.severity in ("error", "warning") for g in listed):
        return " · ".join(above)
    if not any(g.severity == "error" for g in listed) and report.excerpt and report.outcome != "passed":
        above += _excerpt(report, budget.chars // 2)
    head = "\n".join(above)
    if not listed:
        return head
    rendering, footer = _fit(listed, facts, budget.chars - size(head) - 1, len(minor))
    return "\n".join(filter(None, [head, rendering.text, footer]))


def _excerpt(report: Report, room: int) -> list[str]:
    lines: list[str] = []
    for _, _, text in report.excerpt:
        line = text.rstrip()[:300]
        if sum(map(len, lines)) + len(line) > room:
            break
        lines.append(line)
    return lines


def _fit(groups: Sequence[Group], facts: Facts, room: int, minor: int) -> tuple[Rendering, str]:
    """The longest rendering that fits, details held to a share of the log."""
    rendering, footer = render(groups, Rung(places=1, width=80, groups=1)), ""
    detail_room = (
        room if facts.log_chars is None else min(room, max(_DETAIL_LEAST, int(facts.log_chars * _DETAIL_SHARE)))
    )
    for rung in rungs(groups, room):
        rendering = render(groups, rung)
        footer = _footer(rendering, facts, minor)
        if size(rendering.text) + size(footer) + 1 <= (detail_room if rung.details else room):
            break
    return rendering, footer


def _footer(rendering: Rendering, facts: Facts, minor: int) -> str:
    said: list[str] = []
    missing = sum(len(members) for _, members in rendering.hidden)
    shortened = sum(len(members) for _, members in rendering.shortened)
    if missing:
        said.append(f"{missing} not shown ({by_folder(rendering.hidden, 160)})")
    if shortened:
        said.append(f"detail of {shortened}")
    if minor:
        said.append(f"{minor} notes")
    return f"+ {', '.join(said)}: {_page_call(facts, 2)}" if said else ""


def _page_call(facts: Facts, page: int) -> str:
    return facts.calls.page.format(run=facts.run_id, page=page) if facts.run_id else f"--page {page}"


def _later_page(report: Report, facts: Facts, budget: Budget, page: int, groups: Sequence[Group]) -> str:
    """Pages from 2 on: every group that the first page did not show whole."""
    above = _above(report, facts)
    listed, minor = _listed(groups)
    rendering, _ = _fit(listed, facts, budget.chars - size("\n".join(above)) - 1, len(minor))
    rest: dict[str, tuple[Diagnostic, ...]] = {}
    for g, members in (*rendering.shortened, *rendering.hidden):
        rest[g.severity + g.fingerprint] = rest.get(g.severity + g.fingerprint, ()) + members
    parts = [(g, rest[g.severity + g.fingerprint]) for g in listed if g.severity + g.fingerprint in rest]
    parts += [(g, g.diagnostics) for g in minor]
    text, left = _page(parts, page - 1, budget.chars - 200)
    if not text:
        return f"{above[0]}\nno page {page}: everything is shown before it"
    return f"{text}\n{left} more: {_page_call(facts, page + 1)}" if left else text


def _listed(groups: Sequence[Group]) -> tuple[list[Group], list[Group]]:
    """Groups for the first page, and those that wait for a later one: infos and hints beside something worse."""
    weighty = [g for g in groups if g.severity in ("error", "warning")]
    return (weighty, [g for g in groups if g not in weighty]) if weighty else (list(groups), [])


def _page(parts: Sequence[Part], page: int, room: int) -> tuple[str, int]:
    """Findings of the parts with their detail, packed into pages of at most `room` characters.

    Returns the text of page number `page` (1-based, empty past the last) and how many findings come after it.
    """
    left = sum(len(members) for _, members in parts)
    current, text = 1, ""
    for g, members in parts:
        step = 1 if any(d.detail.strip() for d in members) else _UNIT
        for i in range(0, len(members), step):
            unit = _whole(portion(g, members[i : i + step]), room)
            if text and size(text) + size(unit) + 1 > room:
                if current == page:
                    return text, left
                current, text = current + 1, ""
            text += ("\n" if text else "") + unit
            left -= len(members[i : i + step])
    return (text, 0) if current == page else ("", 0)


def _whole(g: Group, room: int) -> str:
    """One unit of a later page, with columns and as much detail as a page holds."""
    text = ""
    for lines, width in ((400, 2000), (40, 2000), (15, 1000), (0, 400)):
        text = render([g], Rung(details=bool(lines), detail_lines=lines, width=width), columns=True).text
        if size(text) <= room:
            break
    return text[:room]
