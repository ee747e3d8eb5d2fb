"""The first line of an answer, and what it takes to write it."""

from typing import TYPE_CHECKING

from punchlist.model import Report
from punchlist.records import dataclass, replace
from punchlist.views.budget import Budget

if TYPE_CHECKING:
    from punchlist.analysis.delta import Delta


@dataclass(frozen=True, slots=True)
class Calls:
    """How a caller sees the rest: templates with `{run}`, `{page}` and `{group}`."""

    page: str = "punchlist show {run} --page {page}"
    group: str = "punchlist show {run} --group {group} --page {page}"
    log: str = "punchlist log {run}"


CLI_CALLS = Calls()
MCP_CALLS = Calls(
    page='get_run_summary {{"run_id":"{run}","cursor":"{page}"}}',
    group='get_run_summary {{"run_id":"{run}","group":"{group}","cursor":"{page}"}}',
    log='get_log_slice {{"run_id":"{run}","stream":"merged"}}',
)


def within(calls: Calls, budget: Budget) -> Calls:
    """Return calls that ask for as short an answer again: what a page holds depends on that."""
    if not budget.asked:
        return calls

    def asking(call: str) -> str:
        if call.endswith("}}"):
            return f'{call[:-2]},"max_tokens":{budget.tokens}}}}}'
        return f"{call} --max-tokens {budget.tokens}"

    return replace(calls, page=asking(calls.page), group=asking(calls.group))


@dataclass(frozen=True, slots=True)
class Facts:
    """What the report does not know: what was run, how long it took, what changed since, how to see the rest.

    `log_chars` is the size of the whole log; with it the details of an answer stay in proportion to the log.
    """

    title: str = ""
    run_id: str | None = None
    duration_s: float | None = None
    since: "Delta | None" = None
    calls: Calls = CLI_CALLS
    log_chars: int | None = None


def verdict(report: Report, facts: Facts) -> str:
    """First line: outcome, exact counts, how it ended, duration, id."""
    word = {"passed": "PASSED", "failed": "FAILED", "error": "ERROR", "unknown": "UNKNOWN", "running": "RUNNING"}
    parts = [" ".join(filter(None, [word[report.outcome], _title(report, facts)]))]
    counts = counted(report)
    if counts:
        parts[0] += ": " + counts
    parts += _ending(report)
    if facts.duration_s is not None:
        parts.append(duration(facts.duration_s))
    if facts.run_id:
        parts.append(facts.run_id)
    return " · ".join(parts)


def changed_line(facts: Facts) -> str:
    """What changed since the run before, empty where nothing did and both runs got to their end."""
    since = facts.since
    return "" if since is None or (since.empty and since.before.complete) else since.line()


def _title(report: Report, facts: Facts) -> str:
    title = " ".join(facts.title.split()) or "+".join(report.tools)
    program, blank, rest = title.partition(" ")
    if program.startswith("/"):
        title = f"{program.rsplit('/', 1)[-1]}{blank}{rest}"
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"


_TITLE = 80
_BY_SEVERITY = ("errors", "warnings")
_COUNTS = ("failed", "errors", "warnings", "passed", "skipped")


def counted(report: Report) -> str:
    """The counts that the tool gave, failures first; else what was counted here."""
    counts = {name: n for name, n in report.counts.items() if n}
    order = [*(name for name in _COUNTS if name in counts), *sorted(set(counts) - set(_COUNTS) - {"run"})]
    said = [f"{counts[name]} {_unit(name, counts[name])}" for name in order]
    if not any(d.test for d in report.diagnostics):
        found = dict(zip(_BY_SEVERITY, _severities(report), strict=True))
        listed = [_listed(name, n, counts.get(name, 0)) for name, n in found.items() if n]
        said = listed + [text for name, text in zip(order, said, strict=True) if not found.get(name)]
    failing = {(d.package, d.test) for d in report.diagnostics if d.test and d.severity == "error"}
    if failing and not counts:
        said = [f"{len(failing)} failed"]
    if not said and report.counts.get("run"):
        said = [f"{report.counts['run']} run"]
    return ", ".join(said)


def _listed(name: str, found: int, told: int) -> str:
    """A number of findings; where the tool tells of more than it printed, its own number too."""
    return f"{told} {_unit(name, told)} ({found} listed)" if told > found else f"{found} {_unit(name, found)}"


def _severities(report: Report) -> tuple[int, int]:
    """Errors and warnings among the findings, exact repeats counted once."""
    if not report.diagnostics:
        return 0, 0
    from punchlist.analysis.groups import unique

    found = unique(report.diagnostics)
    return sum(d.severity == "error" for d in found), sum(d.severity == "warning" for d in found)


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
    if said and how.message:
        said = how.message if how.message.startswith(said) else f"{said}: {how.message}"
    return [said] if said else []


def duration(seconds: float) -> str:
    """A duration in the unit a person would use."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{int(seconds) // 60} min {int(seconds) % 60} s"
