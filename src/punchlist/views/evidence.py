"""Lines of the log in an answer: alone where nothing was read, beside the findings where a CI job says more."""

import re
from collections import Counter

from punchlist.model import Report
from punchlist.reading.fallback import ranked, shape, weigh
from punchlist.reading.steps import has_steps
from punchlist.views.budget import Budget, size

_WIDTH = 300
_LEAST = 200
_SHARE = 1 / 3
_HEAD = "also in the log:"
_AGAIN = 3
_WORDS = re.compile(r"\w+")


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
    lines = [line.strip()[:_WIDTH] if text else line.rstrip()[:_WIDTH] for _, _, line in report.excerpt]
    if not text and size("\n".join(lines)) <= room:
        return lines
    shown, words = " ".join(text.split()), set(_WORDS.findall(text))
    again: Counter[str] = Counter()
    kept: list[int] = []
    for at in ranked(lines, weigh(lines)):
        cost = size(lines[at]) + 1
        if cost > room or (text and " ".join(lines[at].split()) in shown):
            continue
        if words and _says_again(lines[at], words):
            kind = shape(lines[at]).split(" ")[0]
            again[kind] += 1
            if again[kind] > _AGAIN:
                continue
        room -= cost
        kept.append(at)
    return [lines[at] for at in sorted(kept)]


def _says_again(line: str, words: set[str]) -> bool:
    """Whether nearly all words of a line stand in the answer already: a finding as its tool printed it."""
    own = _WORDS.findall(line)
    return len(own) > 3 and sum(word in words for word in own) >= 0.7 * len(own)
