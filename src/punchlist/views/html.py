"""One self-contained page for people: verdict, what changed, the last runs, every group with its places and code."""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files

from punchlist.analysis.delta import Delta
from punchlist.analysis.groups import Group, group, unique
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic, Report
from punchlist.records import dataclass
from punchlist.views.masking import mask
from punchlist.views.verdict import Facts, counted, duration, verdict

Frame = Callable[[str, int], Sequence[tuple[int, str]]]

MOST_GROUPS = 400
MOST_PLACES = 300
MOST_FRAMES = 120
# What a page shows before anything is unfolded: so many groups, places of a group, entries of what changed.
OPEN_GROUPS = 5
OPEN_PLACES = 6
OPEN_CHANGES = 5
_WORDS = {"passed": "Passed", "failed": "Failed", "error": "Error", "unknown": "Unknown", "running": "Running"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One earlier run of the same check: how it ended and how many errors it had; `when` is a text for people."""

    run_id: str
    outcome: str
    errors: int
    when: str = ""
    duration_s: float | None = None


def page(
    report: Report,
    *,
    facts: Facts,
    history: Sequence[Past] = (),
    frame: Frame | None = None,
    when: str = "",
    ran: Sequence[str] = (),
) -> str:
    """Write a report as one HTML page without any outside reference.

    `history` are the last runs, oldest first, this one last; `when` is the time of the run as a text for people;
    `ran` are lines on how the tools of a check fared. `frame` gives the lines of a file around a line as
    (number, text), or nothing where the file is not to be shown. Secrets are masked, all text is escaped.
    """
    groups = ranked(group(unique(report.diagnostics)))
    frames = _Frames(frame)
    parts = [
        _verdict(report, facts, when),
        _lines("ran", ran),
        _lines("notes", report.notes),
        _overview(facts.since, history),
        "<main>",
        _search(groups) if groups else "",
        *(_group(number, g, frames) for number, g in enumerate(groups[:MOST_GROUPS], 1)),
        _more(groups[MOST_GROUPS:]),
        "" if any(g.severity == "error" for g in groups) else _excerpt(report),
        "</main>",
    ]
    title = escape(mask(f"{_WORDS[report.outcome]}: {facts.title or facts.run_id or 'punch list'}"))
    body = "\n".join(part for part in parts if part)
    shell = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    head, rest = shell.split("@title@", 1)
    middle, tail = rest.split("@body@", 1)
    return f"{head}{title}{middle}{body}{tail}"


class _Frames:
    """Code frames, as many as a page should hold."""

    def __init__(self, frame: Frame | None) -> None:
        self.frame = frame
        self.left = MOST_FRAMES

    def around(self, d: Diagnostic) -> str:
        if self.frame is None or self.left <= 0 or not d.file or not d.line:
            return ""
        lines = self.frame(d.file, d.line)
        if not lines:
            return ""
        self.left -= 1
        masked = mask("\n".join(text for _, text in lines)).split("\n")
        rows = "".join(
            _row(d, number, shown, shown == text) for (number, text), shown in zip(lines, masked, strict=False)
        )
        return f'<pre class="code">{rows}</pre>'


def _row(d: Diagnostic, number: int, text: str, exact: bool) -> str:
    """One line of code; the part that the finding names is marked where its columns still hold."""
    hit = number == d.line
    told = escape(text[:300])
    if hit and exact and d.column and d.end_column and d.end_line in (None, d.line):
        first, last = d.column - 1, min(d.end_column - 1, 300)
        told = f"{escape(text[:first])}<mark>{escape(text[first:last])}</mark>{escape(text[last:300])}"
    return f'<span class="l{" hit" if hit else ""}"><b>{number}</b><span>{told}\n</span></span>'


def _verdict(report: Report, facts: Facts, when: str) -> str:
    ending = " · ".join(verdict(report, Facts(title="-")).split(" · ")[1:])
    took = duration(facts.duration_s) if facts.duration_s is not None else ""
    counts = counted(report)
    title = escape(mask(facts.title or "+".join(report.tools) or "Punch list"))
    about = " · ".join(escape(mask(text)) for text in (ending, took, facts.run_id or "", when) if text)
    return (
        f'<header class="{report.outcome}"><h1><span class="badge">{_WORDS[report.outcome]}</span> {title}</h1>'
        + (f'<p class="counts">{escape(counts)}</p>' if counts else "")
        + f'<p class="about">{about}</p></header>'
    )


def _lines(kind: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(mask(line))}</li>" for line in lines if line)
    return f'<ul class="{kind}">{items}</ul>' if items else ""


def _overview(since: Delta | None, history: Sequence[Past]) -> str:
    """What changed and how the last runs went, side by side where there is room."""
    sections = [_changes(since) if since else "", _trend(history) if len(history) > 1 else ""]
    return f'<div class="overview">{"".join(sections)}</div>' if any(sections) else ""


def _changes(delta: Delta) -> str:
    sections = (
        ("New", "new", delta.added),
        ("Changed", "changed", tuple(after for _, after in delta.changed)),
        ("Fixed", "fixed", delta.removed),
        ("Not looked at again", "unseen", delta.unobserved),
        ("In files not looked at before", "unseen", delta.first_seen),
    )
    lists = "".join(_change(title, kind, those) for title, kind, those in sections if those)
    line = delta.line()
    return f'<section class="changes"><h2>{escape(line[:1].upper() + line[1:])}</h2>{lists}</section>'


def _change(title: str, kind: str, diagnostics: Sequence[Diagnostic]) -> str:
    shown = "".join(f"<li>{_place(d)} {_said(d)}</li>" for d in diagnostics[:MOST_PLACES])
    left = len(diagnostics) - MOST_PLACES
    more = f"<li>and {left} more</li>" if left > 0 else ""
    opened = " open" if len(diagnostics) <= OPEN_CHANGES else ""
    return (
        f'<details class="{kind}"{opened}><summary>{title} ({len(diagnostics)})</summary>'
        f"<ul>{shown}{more}</ul></details>"
    )


def _trend(history: Sequence[Past]) -> str:
    most = max(past.errors for past in history)
    bars = "".join(_bar(past, past.errors / max(1, most)) for past in history)
    ends = f"{history[0].run_id} to {history[-1].run_id}: {history[-1].errors} now, at most {most}"
    title = f"Errors in the last {len(history)} runs"
    return f'<section class="trend"><h2>{title}</h2><ol>{bars}</ol><p>{escape(ends)}</p></section>'


def _bar(past: Past, height: float) -> str:
    said = _past(past)
    return (
        f'<li class="{escape(past.outcome)}" style="--bar:{height:.3f}" title="{said}">'
        f'<b></b><span class="unseen-text">{said}</span></li>'
    )


def _past(past: Past) -> str:
    took = duration(past.duration_s) if past.duration_s is not None else ""
    errors = f"{past.errors} error{'s' * (past.errors != 1)}"
    return escape(" · ".join(part for part in (past.run_id, past.outcome, errors, took, past.when) if part))


def _search(groups: Sequence[Group]) -> str:
    total = sum(g.count for g in groups)
    said = f"{total} finding{'s' * (total != 1)} in {len(groups)} group{'s' * (len(groups) != 1)}"
    return (
        '<div class="search"><label>Search <input id="q" type="search" placeholder="message, rule, test or file">'
        f'</label><output id="n" for="q">{said}</output></div>'
    )


def _more(groups: Sequence[Group]) -> str:
    if not groups:
        return ""
    left = sum(g.count for g in groups)
    return f'<p class="more">{left} findings in {len(groups)} more groups are not on this page.</p>'


def _group(number: int, g: Group, frames: _Frames) -> str:
    first = g.diagnostics[0]
    about = [f'<span class="severity">{g.severity}</span>', f"<code>{escape(g.rule)}</code>" if g.rule else ""]
    about.append(f'<span class="count">{g.count} places</span>' if g.count > 1 else _place(first))
    cause = f"{g.count} tests end in {_place(first)}: " if g.cause else ""
    detail = f"<pre>{escape(mask(first.detail[:8000]))}</pre>" if first.detail.strip() else ""
    opened = " open" if number <= OPEN_GROUPS else ""
    return (
        f'<details class="group {g.severity}" id="g{number}"{opened}>'
        f'<summary><span class="message">{cause}{escape(mask(g.message))}</span>'
        f'<span class="about">{" ".join(filter(None, about))}</span></summary>'
        f"{frames.around(first)}{detail}{_places(g)}</details>"
    )


def _places(g: Group) -> str:
    """All places of a group; those after the first few are folded in."""
    entries = list(_entries(g))
    shown = entries[:OPEN_PLACES] if len(entries) > OPEN_PLACES + 1 else entries
    rest = entries[len(shown) :]
    left = g.count - MOST_PLACES
    more = f"<li>and {left} more</li>" if left > 0 else ""
    if not rest:
        return f"<ul>{''.join(html for _, html in shown)}{more}</ul>"
    folded = f"<ul>{''.join(html for _, html in rest)}{more}</ul>"
    summary = f"<summary>{sum(count for count, _ in rest) + max(0, left)} more places</summary>"
    return f'<ul>{"".join(html for _, html in shown)}</ul><details class="rest">{summary}{folded}</details>'


def _entries(g: Group) -> Iterator[tuple[int, str]]:
    """One entry a test with the number of its places; other findings of one message in one file share an entry."""
    entries: dict[tuple[str | None, str, str | None], list[Diagnostic]] = {}
    for d in g.diagnostics[:MOST_PLACES]:
        entries.setdefault((d.test, d.message, d.file), []).append(d)
    for (test, message, file), members in entries.items():
        named = f" <i>{escape(mask(test))}</i>" if test else ""
        differs = f" {escape(mask(message))}" if message != g.message else ""
        where = [_place(members[0]), *(f"<code>{escape(_in_file(d))}</code>" for d in members[1:] if file and d.line)]
        yield len(members), f"<li>{' '.join(where)}{named}{differs}</li>"


def _in_file(d: Diagnostic) -> str:
    return f":{d.line}" + (f":{d.column}" if d.column else "")


def _place(d: Diagnostic) -> str:
    text = ":".join(str(part) for part in (d.file, d.line, d.column) if part)
    return f"<code>{escape(text)}</code>" if text else ""


def _said(d: Diagnostic) -> str:
    return escape(mask(" ".join(part for part in (d.rule, d.test, d.message) if part)))


def _excerpt(report: Report) -> str:
    lines = "\n".join(text for _, _, text in report.excerpt)
    return f"<pre>{escape(mask(lines))}</pre>" if lines else ""
