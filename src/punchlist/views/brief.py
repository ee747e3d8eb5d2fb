"""The default answer: verdict, what changed, the punch list, what was left out. Plain text in the fewest tokens."""

import re
from collections.abc import Callable

from punchlist.model import Report
from punchlist.views.budget import RUN, Budget, size
from punchlist.views.masking import mask
from punchlist.views.verdict import CLI_CALLS, MCP_CALLS, Calls, Facts, changed_line, duration, verdict, within

__all__ = ["CLI_CALLS", "MCP_CALLS", "Calls", "Facts", "brief", "duration", "page_of_group", "verdict", "within"]

_TOKENISH = r"[A-Za-z]{1,7}|\d{1,3}|[^\w\s]{1,3}|\n+|[^\x00-\x7f]"
_SHORT_VERDICT = 110


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
    if page == 1 and not (report.diagnostics or report.excerpt or report.notes):
        since = changed_line(facts)
        text = verdict(report, facts) + (f" · {since}" if since else "")
    else:
        from punchlist.views import pages

        if page > 1:
            return mask(pages.later_page(report, facts, budget, page))
        if report.excerpt:
            from punchlist.views.evidence import room_for_findings, with_evidence

            text = pages.first_page(report, facts, room_for_findings(report, budget))
            text = with_evidence(text, report, budget.chars)
        else:
            text = pages.first_page(report, facts, budget)
    return mask(_or_log(text, report, facts, budget, plain_log))


def page_of_group(report: Report, name: str, page: int = 1, *, facts: Facts, budget: Budget = RUN) -> str:
    """Show one group whole (fingerprint or its start, rank, rule, test or file), page by page."""
    from punchlist.views import pages

    return mask(pages.group_page(report, name, page, facts, budget))


def _or_log(text: str, report: Report, facts: Facts, budget: Budget, plain_log: Callable[[], str | None] | None) -> str:
    """The log itself, under a verdict, where that is shorter than the answer or where nothing was read from it."""
    if plain_log is None or (report.outcome == "passed" and "\n" not in text):
        return text
    log = plain_log()
    bare = "\n" not in text
    if log is None or not log.strip() or size(log) > budget.chars or not (bare or _about(log) <= _about(text)):
        return text
    head = verdict(report, facts)
    head = head if len(head) <= _SHORT_VERDICT else f"{head[: _SHORT_VERDICT - 1]}…"
    return f"{head}\n{log.strip()}".rstrip()


def _about(text: str) -> int:
    """About how many tokens a text is."""
    return sum(1 for _ in re.finditer(_TOKENISH, text))
