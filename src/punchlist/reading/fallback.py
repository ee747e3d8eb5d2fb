"""The best lines of a log that no parser understood: a scorer of evidence, not a tail."""

# ruff: noqa: E501  a table of patterns reads best with one row a line
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from punchlist.reading.log import Log
from punchlist.reading.steps import Step, failing_step

MOST_CHARS = 4_400
MOST_LINES = 90
LOOKED_AT = 60_000
LAST_LINES = 8
WIDTH = 300
Line = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Mark:
    """A pattern and what it says about a line; `reach` is how many lines after it belong to it."""

    pattern: re.Pattern[str]
    weight: float
    reach: int = 0


def _mark(pattern: str, weight: float, reach: int = 0, flags: int = 0) -> Mark:
    return Mark(re.compile(pattern, flags), weight, reach)


# What the words of a line say: strong marks of a failure first, then places and totals, then what speaks against it.
MARKS: tuple[Mark, ...] = (
    _mark(r"##\[error\]|^::error|\[ERROR\]|\bERROR\b|^E  |\bERR!", 6, 1),
    _mark(r"\b(?:fatal|panic(?:ked)?|Segmentation fault|core dumped|Aborted|OutOfMemory|Out of memory|oom-kill|Killed)\b", 8, 3, re.I),
    _mark(r"\bFAIL(?:ED|URE)?\b|✗|✖|❌|●|✘|\bnot ok\b|--- FAIL", 7, 3),
    _mark(r"(?:^|[\s:(])(?:[\w.]*(?:Error|Exception|Warning)|[Ee]rror(?:\[\w+\])?):\s", 7, 2),
    _mark(r"^Traceback|^Caused by|\bUnhandled|\bUncaught|\bassert(?:ion)?\b", 5, 2, re.I),
    _mark(r"\berrors?\b|\bfail(?:s|ed|ure|ures|ing)?\b", 3, 0, re.I),
    _mark(r"\b(?:cannot|can't|could not|couldn't|unable to|not found|no such|denied|refused|missing|unexpected|invalid|undefined|unresolved|unsupported|mismatch|timed? ?out|timeout|conflict|forbidden|unauthorized|not accessible|exceeded)\b", 3.5, 0, re.I),
    _mark(r"\bexit(?:ed)?(?: with)?(?: code| status)?:? *[1-9]\d*|\breturned? (?:code )?[1-9]\d*|completed with exit code|Command failed|non-zero|\bstatus [1-9]\d*$", 5, 0, re.I),
    _mark(r"\b[1-9]\d* (?:failed|failures?|failing|errors?|problems?|snapshots? failed)\b|\b(?:Failures|Errors|Failed): *[1-9]|tests? failed", 6, 0, re.I),
    _mark(r"(?:[\w@.-]+[\\/])*[\w@-]+\.[A-Za-z]\w{0,5}(?:[:(]\d+|\", line \d+)", 2),
    _mark(r"\b(?:expected|received|actual|got|want)\b", 2.5, 1, re.I),
    _mark(r"^\s*[-+] ?\S|^\s*\^+|^\s*>+ ", 0.7),
    _mark(r"\bwarn(?:ing)?\b|deprecat", 1, 0, re.I),
    _mark(r"\bline \d+,? in test|\bin <?test_\w+|\btest_\w+", 4),
    _mark(r"^\s*[-+] (?!\S+==)\S", 0.8),
)  # fmt: skip
AGAINST: tuple[Mark, ...] = (
    _mark(r"\b(?:0|no) (?:errors?|failures?|failed|failing|warnings?|problems?)\b|\bfailed[=:] ?0\b|errors?[=:] ?0\b", -8, 0, re.I),
    _mark(r"\bPASS(?:ED)?\b|^\s*(?:✓|✔|√)|\bok\b|\bDONE\b|^\s*\d+% |\bsuccess(?:fully)?\b", -5),
    _mark(r"^\s*(?:Compiling|Downloading|Downloaded|Installing|Collecting|Fetching|Requirement already|Get:|Unpacking|Setting up|Progress|added|Resolving|Copying|remote:|Receiving|Preparing)\b", -6),
    _mark(r"if-no-files-found|continue-on-error|fail-fast|fail-on|error-on|set -e|--fail\b|retry|\bDEBUG\b|^\s*(?:with|env):?$|^\s*\w[\w-]*: (?:true|false)$", -6, 0, re.I),
    _mark(r"\bnode_modules[\\/]|site-packages[\\/]|node:internal|/usr/lib/|\.cargo/registry|/rustc/", -2.5),
    _mark(r"[\w-]*(?:error|fail)[\w-]*\.\w{1,4}\b", -2, 0, re.I),
)  # fmt: skip
TEMPLATE = re.compile(r"0x[0-9a-f]+|\d+|'[^']*'|\"[^\"]*\"", re.I)


def best_lines(logs: Iterable[Log], most_chars: int = MOST_CHARS, most_lines: int = MOST_LINES) -> tuple[Line, ...]:
    """Return the lines that best explain a failure as (stream, line number, text), in order; all of a short log.

    Evidence: error words, exit and totals lines, places, rarity in the log, closeness to the line that ended the work;
    a line after strong evidence belongs to it. Repeats of one template stand once. Of a CI log the failing step counts
    most: where it is short it is shown whole.
    """
    lines = [(log.stream(i), abs(log.numbers[i]), line) for log in logs for i, line in enumerate(log.lines) if line]
    if _fits(lines, most_chars, most_lines // 2):
        return tuple(lines)
    if len(lines) > LOOKED_AT:
        lines = lines[: LOOKED_AT // 3] + lines[-LOOKED_AT * 2 // 3 :]
    texts = [text for _, _, text in lines]
    step = failing_step(texts)
    scores = evidence(texts, step)
    chosen: set[int] = set()
    if step.named:
        chosen |= {step.title, *(at for at, text in enumerate(texts[:200]) if text.startswith("Complete job name:"))}
        if _fits(lines[step.first : step.last + 1], most_chars // 2, most_lines):
            chosen |= {at for at in range(step.first, step.last + 1) if texts[at].strip()}
    _choose(chosen, texts, scores, step, most_chars, most_lines)
    return tuple(lines[at] for at in sorted(chosen))


def _fits(lines: Sequence[Line], most_chars: int, most_lines: int) -> bool:
    return len(lines) <= most_lines and sum(len(text) for _, _, text in lines) <= most_chars


def evidence(texts: Sequence[str], step: Step) -> list[float]:
    """Return how much each line says about why a run failed; 0 and less means nothing."""
    scores = [0.0] * len(texts)
    frequency = Counter(TEMPLATE.sub("#", text) for text in texts)
    carried, left = 0.0, 0
    for at, text in enumerate(texts):
        own, reach = _words(text)
        if own > 0:
            often = frequency[TEMPLATE.sub("#", text)]
            own *= 1.0 if often < 4 else 0.6 if often < 20 else 0.25
        if own >= 5 and reach:
            carried, left = own * 0.45, reach
        elif left and text.strip():
            own = max(own, own * 0.5 + carried)
            left -= 1
        if own > 0:
            own += _nearness(at, step.last, len(texts))
            own *= 1.0 if step.first <= at <= step.last + 1 else 0.15 if step.named else 0.4
        scores[at] = own
    return scores


def _words(text: str) -> tuple[float, int]:
    shown = text[:400]
    weight, reach = 0.0, 0
    for mark in MARKS:
        if mark.pattern.search(shown):
            weight += mark.weight
            reach = max(reach, mark.reach)
    if weight > 0:
        weight += sum(mark.weight for mark in AGAINST if mark.pattern.search(shown))
    return weight, reach


def _nearness(at: int, stop: int, count: int) -> float:
    if at > stop + 2:
        return -3.0
    distance = stop - at
    return (
        4.0
        if distance <= 3
        else 3.0
        if distance <= 25
        else 2.0
        if distance <= 80
        else 1.0
        if distance * 5 <= count
        else 0.0
    )


def _choose(
    chosen: set[int], texts: Sequence[str], scores: Sequence[float], step: Step, most_chars: int, most_lines: int
) -> None:
    """Add the best lines to those chosen already: first the last ones before the end, then by score."""
    end = [at for at in range(max(step.first, step.last - LAST_LINES), step.last + 1) if texts[at].strip()]
    best = sorted((at for at in range(len(texts)) if scores[at] > 0), key=lambda at: (-scores[at], -at))
    room = most_chars - sum(min(len(texts[at]), WIDTH) + 1 for at in chosen)
    seen: Counter[str] = Counter()
    for at in [*end, *best]:
        if len(chosen) >= most_lines or room <= 0:
            break
        template = TEMPLATE.sub("#", texts[at].strip())
        if at in chosen or seen[template] >= 2:
            continue
        seen[template] += 1
        chosen.add(at)
        room -= min(len(texts[at]), WIDTH) + 1
