"""GitHub workflow commands: one annotation per finding, the ones that matter first, since GitHub shows only ten."""

from collections.abc import Iterator, Sequence

from punchlist.analysis.groups import group, unique
from punchlist.analysis.ranking import ranked
from punchlist.model import Diagnostic, Report
from punchlist.views.masking import mask
from punchlist.views.verdict import Facts, verdict

# What GitHub shows of one step: ten annotations of each kind.
SHOWN = 10
_COMMAND = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}


def annotations(report: Report, *, facts: Facts | None = None, troubles: Sequence[str] = ()) -> str:
    """Write `::error file=F,line=L,col=C::RULE: MESSAGE` lines, each ending in a newline.

    The first finding of each group comes first, groups by their rank, then the other places in the same order. Where
    there are more than GitHub shows, a notice says so before them. `troubles` say which tools of a check could not
    do their work; a run that ended badly without an error among its findings is an error of its own.
    """
    found = list(_by_rank(report))
    lines = [f"::error::{_data(mask(trouble))}" for trouble in troubles]
    bad = report.outcome in ("failed", "error")
    if bad and not lines and not any(d.severity == "error" for d in found):
        lines.append(f"::error::{_data(mask(_explained(report, facts or Facts())))}")
    lines += [annotation(d) for d in found]
    return "".join(line + "\n" for line in [*_more_than_shown(lines), *lines])


def _by_rank(report: Report) -> Iterator[Diagnostic]:
    groups = ranked(group(unique(report.diagnostics)))
    yield from (g.diagnostics[0] for g in groups)
    for g in groups:
        yield from g.diagnostics[1:]


def _explained(report: Report, facts: Facts) -> str:
    """The verdict, and the lines that explain it."""
    return "\n".join([verdict(report, facts), *(text for _, _, text in report.excerpt)])[:2000]


def _more_than_shown(lines: Sequence[str]) -> list[str]:
    counts = {kind: sum(line.startswith(f"::{kind}") for line in lines) for kind in ("error", "warning", "notice")}
    over = ", ".join(f"{n} {kind}s" for kind, n in counts.items() if n > SHOWN)
    if not over:
        return []
    return [f"::notice title=Punchlist::{over}; GitHub shows {SHOWN} of a kind, the step's log has them all"]


def annotation(d: Diagnostic) -> str:
    """Write one workflow command; `%`, line ends, and in properties `,` and `:`, are escaped as GitHub asks."""
    places = {"file": d.file, "line": d.line, "endLine": d.end_line, "col": d.column, "title": d.test}
    if d.end_column and d.end_line in (None, d.line):
        places["endColumn"] = d.end_column
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value)
    text = f"{d.rule}: {d.message}" if d.rule else d.message
    if d.detail.strip():
        text += f"\n{d.detail[:2000].rstrip()}"
    return f"::{_COMMAND[d.severity]}{' ' * bool(properties)}{properties}::{_data(mask(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(mask(text)).replace(":", "%3A").replace(",", "%2C")
