"""The best lines of a log that no parser understood: a scorer of evidence, not a tail."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from punchlist.reading.log import Log
from punchlist.reading.marks import STRONG, is_noise, words
from punchlist.reading.steps import END, JOB, Step, failing_steps

MOST_CHARS = 4_400
MOST_LINES = 110
LOOKED_AT = 20_000
LAST_LINES = 6
WIDTH = 300
MOST_STEPS = 4
SCRIPT_LINES = 5
SHORT_STEP = 40
MANY = 4
WORN = 40
"""After so many lines alike another says nothing."""
LIST_NEAR = 25
LEAST = 5.0
FRAME = 100.0
"""More than any evidence: what job and step it was and how that ended."""
Line = tuple[str, int, str]

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
NAMED = re.compile(r"[\d/_]|[.:](?=.)")
# A line that is only a path, as linters and formatters list them.
LISTED = re.compile(r"\s*(?:[-*•] |\[\w+\] |[AMDRU?]{1,2} +)?(?:\S*[/\\])?[\w@.-]+\.[A-Za-z]\w{0,7}$")
COMMAND = re.compile(r"\$ \S|\+ (?:\./|/)?[a-z][\w.-]*(?: |$)|> \S+@\S+ |> [a-z][\w.-]* ")
SCRIPT_TALK = re.compile(
    r"(?:#|set |cd |if |fi\b|else\b|then\b|do\b|done\b|for |while |echo |export |source |\}|\{|mkdir )"
)
SCRIPT_END = re.compile(r"(?:shell|env|with): ?")


def best_lines(logs: Iterable[Log], most_chars: int = MOST_CHARS, most_lines: int = MOST_LINES) -> tuple[Line, ...]:
    """Return the lines that best explain a failure as (stream, line number, text), in order; all of a short log.

    Evidence: error words, exit and totals lines, places, rarity in the log, closeness to the line that ended the work;
    the lines after strong evidence belong to it. Lines of one shape count less and less. Of a CI log the steps that
    failed count most: where one is short it is shown whole.
    """
    logs = list(logs)
    lines = [(log.stream(i), abs(log.numbers[i]), line) for log in logs for i, line in enumerate(log.lines) if line]
    if len(logs) > 1:
        lines.sort(key=lambda line: (line[0] == "stderr", line[1]))
    if _fits(lines, most_chars, most_lines // 2):
        return tuple(lines)
    if len(lines) > LOOKED_AT:
        lines = lines[: LOOKED_AT // 3] + lines[-LOOKED_AT * 2 // 3 :]
    texts = [text for _, _, text in lines]
    steps = failing_steps(texts)
    chosen = _frame(texts, steps)
    last = steps[-1]
    if last.named and _fits(lines[last.first : last.end], most_chars // 2, most_lines):
        chosen |= _telling(texts, range(last.first, last.end))
    room = most_chars - sum(min(len(texts[at]), WIDTH) + 1 for at in chosen)
    scores = evidence(texts, steps)
    for at in ranked(texts, scores):
        if len(chosen) >= most_lines or room <= 0 or scores[at] < LEAST:
            break
        if at not in chosen:
            chosen.add(at)
            room -= min(len(texts[at]), WIDTH) + 1
    return tuple(lines[at] for at in sorted(chosen))


def _fits(lines: Sequence[Line], most_chars: int, most_lines: int) -> bool:
    return len(lines) <= most_lines and sum(len(text) for _, _, text in lines) <= most_chars


def _telling(texts: Sequence[str], part: range) -> set[int]:
    """The lines of a part that are no noise; of many alike that say nothing bad only the first."""
    alike = Counter(shape(texts[at]) for at in part)
    seen: Counter[str] = Counter()
    telling: set[int] = set()
    for at in part:
        kind = shape(texts[at])
        seen[kind] += 1
        few = alike[kind] <= MANY or seen[kind] <= 1 or LISTED.match(texts[at])
        if not is_noise(texts[at]) and (few or words(texts[at])[0] >= LEAST):
            telling.add(at)
    return telling


def _frame(texts: Sequence[str], steps: Sequence[Step]) -> set[int]:
    """What is shown of every failing job: its name, the titles of the steps that failed, and how they ended."""
    frame = {at for at, text in enumerate(texts[:300]) if text.startswith(JOB)}
    for step in steps[-MOST_STEPS:]:
        if step.named:
            frame.add(step.title)
        ran = next((at for at in range(step.last, step.first - 1, -1) if COMMAND.match(texts[at])), None)
        if ran is not None:
            frame.add(ran)
        near = range(max(step.first, step.last - 4 * LAST_LINES), step.last + 1) if texts else range(0)
        end = [at for at in sorted(_telling(texts, near)) if texts[at].strip()]
        frame |= {*end[-LAST_LINES - 1 :], *(at for at in near if at == step.last)}
    closing = range(max(0, len(texts) - LAST_LINES), len(texts))
    return frame | {at for at in closing if END.search(texts[at][:200])}


def weigh(texts: Sequence[str]) -> list[float]:
    """Return how much each of some lines says about why a run failed; those that frame a failing step say most."""
    steps = failing_steps(texts)
    scores = evidence(texts, steps)
    titles = {step.title for step in steps if step.named}
    for at in _frame(texts, steps):
        if at in titles or at in {step.last for step in steps} or texts[at].startswith(JOB):
            scores[at] += FRAME
        else:
            scores[at] = max(scores[at], STRONG)
    return scores


def shape(text: str) -> str:
    """Return a line without its names, numbers and quoted values."""
    plain = QUOTED.sub("#", text.strip()[:WIDTH])
    return " ".join("#" if NAMED.search(word) else word for word in plain.split())


def ranked(texts: Sequence[str], scores: Sequence[float]) -> list[int]:
    """Return the indexes of the lines that say something, best first; a line printed again only once."""
    first = {text.strip(): at for at, text in reversed(list(enumerate(texts))) if scores[at] > 0}
    return sorted(first.values(), key=lambda at: (-scores[at], at))


def evidence(texts: Sequence[str], steps: Sequence[Step]) -> list[float]:
    """Return how much each line says about why a run failed; 0 and less means nothing."""
    scores = [0.0] * len(texts)
    inside = [(step.first, step.end) for step in steps]
    if not steps[-1].named:
        _weigh_part(texts, 0, len(texts), steps[-1].last, 1.0, scores)
        return scores
    if sum(end - first for first, end in inside) < SHORT_STEP:
        _weigh_part(texts, 0, inside[0][0], inside[0][0], 0.25, scores)
    for step, (first, end) in zip(steps, inside, strict=True):
        _weigh_part(texts, first, end, step.last, 1.0, scores)
        _weigh_script(texts, step, scores)
    return scores


def _weigh_script(texts: Sequence[str], step: Step, scores: list[float]) -> None:
    """The commands of a step's script, which stand between its title and its environment."""
    scores[step.title + 1 : step.first] = [0.0] * (step.first - step.title - 1)
    found = 0
    for at in range(step.title + 1, step.first):
        text = texts[at].strip()
        if SCRIPT_END.match(texts[at]) or found >= SCRIPT_LINES:
            break
        if text and text not in texts[step.title] and not SCRIPT_TALK.match(text):
            scores[at], found = 5.0, found + 1


def _weigh_part(texts: Sequence[str], first: int, end: int, stop: int, share: float, scores: list[float]) -> None:
    """Weigh the lines of one part that ended at `stop`."""
    seen: Counter[str] = Counter()
    shapes: Counter[str] = Counter()
    strong = 0
    carried, left = 0.0, 0
    for at in range(first, end):
        text = texts[at]
        alike = shape(text)
        seen[alike] += 1
        if seen[alike] > WORN and stop - at > LIST_NEAR and alike.strip("# "):
            continue
        own, reach, lead = words(text)
        if own >= STRONG:
            strong += 1
            own += 4.0 / (1 + strong / 4)
            carried, left = own * 0.75, reach
        elif left and text.strip():
            carried *= 0.9
            left -= 1
            own = max(own, 0.0 if is_noise(text) else carried * 0.6 if own < 0 else carried)
        if LISTED.match(text) and 0 <= stop - at <= LIST_NEAR:
            own = max(own, LEAST + 1)
        elif own > 0:
            shapes[alike] += 1
            own = (own + _nearness(at, stop, end - first)) * 0.8 ** max(0, shapes[alike] - 3)
        scores[at] = max(scores[at], own * share)
        if lead:
            _lead(texts, scores, at, lead, own * share, first)


def _lead(texts: Sequence[str], scores: list[float], at: int, lead: int, own: float, first: int) -> None:
    for before in range(at - 1, max(first, at - lead) - 1, -1):
        if texts[before].strip() and not is_noise(texts[before]):
            scores[before] = max(scores[before], own * (0.75 - 0.05 * (at - before)))


def _nearness(at: int, stop: int, count: int) -> float:
    distance = stop - at
    if distance < -2:
        return 0.0
    for within, bonus in ((3, 4.0), (25, 2.5), (80, 1.5), (count // 5, 0.7)):
        if distance <= within:
            return bonus
    return 0.0
