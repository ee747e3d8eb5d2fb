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
    report: Report, *, facts: Facts, history: Sequence[Past] = (), frame: Frame | None = None, when: str = ""
) -> str:
    """Write a report as one HTML page without any outside reference.

    `history` are the last runs, oldest first, this one last; `when` is the time of the run as a text for people.
    `frame` gives the lines of a file around a line as (number, text), or nothing where the file is not to be shown.
    Secrets are masked, all text is escaped.
    """
    groups = ranked(group(unique(report.diagnostics)))
    frames = _Frames(frame)
    parts = [
        _verdict(report, facts, when),
        _notes(report),
        _changes(facts.since) if facts.since else "",
        _trend(history) if len(history) > 1 else "",
        _search(groups) if groups else "",
        *(_group(number, g, frames) for number, g in enumerate(groups[:MOST_GROUPS], 1)),
        _excerpt(report) if not groups else "",
    ]
    if len(groups) > MOST_GROUPS:
        left = sum(g.count for g in groups[MOST_GROUPS:])
        parts.append(
            f'<p class="more">{left} findings in {len(groups) - MOST_GROUPS} more groups are not on this page.</p>'
        )
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
            f'<span class="l{" hit" if number == d.line else ""}"><b>{number}</b>{escape(text[:300])}\n</span>'
            for (number, _), text in zip(lines, masked, strict=False)
        )
        return f'<pre class="code">{rows}</pre>'


def _verdict(report: Report, facts: Facts, when: str) -> str:
    about = [
        counted(report),
        duration(facts.duration_s) if facts.duration_s is not None else "",
        facts.run_id or "",
        when,
    ]
    said = " · ".join(escape(text) for text in about if text)
    title = escape(mask(facts.title or "+".join(report.tools) or "Punch list"))
    whole = escape(mask(verdict(report, facts)))
    return (
        f'<header class="{report.outcome}"><h1><span class="badge">{_WORDS[report.outcome]}</span> {title}</h1>'
        f'<p title="{whole}">{said}</p></header>'
    )


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    return '<ul class="notes">' + "".join(f"<li>{escape(mask(note))}</li>" for note in report.notes) + "</ul>"


def _changes(delta: Delta) -> str:
    sections = (
        ("New", "new", delta.added),
        ("Changed", "changed", tuple(after for _, after in delta.changed)),
        ("Fixed", "fixed", delta.removed),
        ("Not looked at again", "unseen", delta.unobserved),
        ("In files not looked at before", "unseen", delta.first_seen),
    )
    lists = "".join(_change(title, kind, those) for title, kind, those in sections if those)
    return f'<section class="changes"><h2>{escape(delta.line())}</h2>{lists}</section>'


def _change(title: str, kind: str, diagnostics: Sequence[Diagnostic]) -> str:
    shown = "".join(f"<li>{_place(d)} {_said(d)}</li>" for d in diagnostics[:MOST_PLACES])
    left = len(diagnostics) - MOST_PLACES
    more = f"<li>and {left} more</li>" if left > 0 else ""
    return f'<details class="{kind}"><summary>{title} ({len(diagnostics)})</summary><ul>{shown}{more}</ul></details>'


def _trend(history: Sequence[Past]) -> str:
    most = max(1, *(past.errors for past in history))
    bars = "".join(_bar(past, max(0.03, past.errors / most)) for past in history)
    ends = f"errors per run, {history[0].run_id} to {history[-1].run_id}"
    title = f"Last {len(history)} runs"
    return f'<section class="trend"><h2>{title}</h2><ol>{bars}</ol><p>{escape(ends)}</p></section>'


def _bar(past: Past, height: float) -> str:
    said = escape(past.outcome)
    return f'<li class="{said}" style="--bar:{height:.2f}" title="{_past(past)}"><span>{past.errors}</span><b></b></li>'


def _past(past: Past) -> str:
    took = duration(past.duration_s) if past.duration_s is not None else ""
    errors = f"{past.errors} error{'s' * (past.errors != 1)}"
    return escape(" · ".join(part for part in (past.run_id, past.outcome, errors, took, past.when) if part))


def _search(groups: Sequence[Group]) -> str:
    total = sum(g.count for g in groups)
    said = f"{total} finding{'s' * (total != 1)} in {len(groups)} group{'s' * (len(groups) != 1)}"
    return (
        '<div class="search"><label>Search <input id="q" type="search" placeholder="message, rule, test or file">'
        f'</label><output id="n">{said}</output></div>'
    )


def _group(number: int, g: Group, frames: _Frames) -> str:
    first = g.diagnostics[0]
    rule = f"<code>{escape(g.rule)}</code> " if g.rule else ""
    count = f' <span class="count">{g.count} places</span>' if g.count > 1 else ""
    places = "".join(_items(g))
    left = g.count - MOST_PLACES
    more = f"<li>and {left} more</li>" if left > 0 else ""
    detail = f"<pre>{escape(mask(first.detail[:8000]))}</pre>" if first.detail.strip() else ""
    cause = f"{g.count} tests end in {_place(first)}: " if g.cause else ""
    opened = " open" if number <= 5 else ""
    return (
        f'<details class="group {g.severity}" id="g{number}"{opened}>'
        f'<summary><span class="severity">{g.severity}</span> '
        f"{rule}{cause}{escape(mask(g.message))}{count}</summary>"
        f"{frames.around(first)}{detail}<ul>{places}{more}</ul></details>"
    )


def _items(g: Group) -> Iterator[str]:
    """One entry a test; other findings of one message in one file share an entry, their lines behind it."""
    entries: dict[tuple[str | None, str, str | None], list[Diagnostic]] = {}
    for d in g.diagnostics[:MOST_PLACES]:
        entries.setdefault((d.test, d.message, d.file), []).append(d)
    for (test, message, file), members in entries.items():
        named = f" <i>{escape(mask(test))}</i>" if test else ""
        differs = f" {escape(mask(message))}" if message != g.message else ""
        where = [_place(members[0]), *(f"<code>{escape(_in_file(d))}</code>" for d in members[1:] if file and d.line)]
        yield f"<li>{' '.join(where)}{named}{differs}</li>"


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
