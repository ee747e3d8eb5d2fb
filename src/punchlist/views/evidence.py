"""Lines of the log in an answer: alone where nothing was read, beside the findings where a CI job says more."""

from punchlist.model import Report
from punchlist.reading.fallback import ranked, weigh
from punchlist.reading.steps import has_steps
from punchlist.views.budget import Budget, size

_WIDTH = 300
_LEAST = 200
_SHARE = 1 / 3
_HEAD = "also in the log:"


def is_job(report: Report) -> bool:
    """Whether the lines kept beside the findings come from a CI job."""
    return has_steps([text for _, _, text in report.excerpt])


def room_for_findings(report: Report, budget: Budget) -> Budget:
    """Budget of the findings: without a share for what else a failed CI job said."""
    if not report.excerpt or not any(d.severity == "error" for d in report.diagnostics):
        return budget
    return Budget(int(budget.tokens * (1 - _SHARE)), budget.asked)


def excerpt(report: Report, budget: Budget) -> list[str]:
    """The best lines where nothing was read: half the budget of a plain log, nearly all of it for a CI job."""
    return _best(report, int(budget.chars * (0.9 if is_job(report) else 0.5)), "")


def with_evidence(text: str, report: Report, room: int) -> str:
    """Add the lines that the text does not show yet: as many of the best as `room` characters hold, in order."""
    left = room - size(text) - size(_HEAD) - 2
    if left < _LEAST or not any(d.severity == "error" for d in report.diagnostics):
        return text
    added = _best(report, left, text)
    return "\n".join([text, _HEAD, *added]) if added else text


def _best(report: Report, room: int, text: str) -> list[str]:
    """Lines of the excerpt that a text does not hold, the best that fit, in order."""
    lines = [line for _, _, line in report.excerpt]
    shown = " ".join(text.split())
    if not text and size("\n".join(line.rstrip()[:_WIDTH] for line in lines)) <= room:
        return [line.rstrip()[:_WIDTH] for line in lines]
    kept: list[int] = []
    for at in ranked(lines, weigh(lines)):
        bare = lines[at].strip()[:_WIDTH] if text else lines[at].rstrip()[:_WIDTH]
        cost = size(bare) + 1
        if bare and cost <= room and (not text or " ".join(bare.split()) not in shown):
            room -= cost
            kept.append(at)
    return [lines[at].strip()[:_WIDTH] if text else lines[at].rstrip()[:_WIDTH] for at in sorted(kept)]
