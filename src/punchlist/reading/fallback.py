"""The best lines of a log that no parser understood, by evidence."""

import re
from collections.abc import Iterable

from punchlist.reading.log import Log

MOST_LINES = 40
EVIDENCE = re.compile(
    r"error|fail|fatal|exception|traceback|panic|not found|denied|cannot|can't|unable|undefined|✗|✖|×", re.I
)


def best_lines(logs: Iterable[Log], most: int = MOST_LINES) -> tuple[tuple[str, int, str], ...]:
    """Return up to `most` lines that best explain a failure as (stream, line number, text), in order."""
    lines = [
        (log.stream(i), abs(log.numbers[i]), line) for log in logs for i, line in enumerate(log.lines) if line.strip()
    ]
    if len(lines) <= most:
        return tuple(lines)
    scored = sorted(
        range(len(lines)),
        key=lambda at: (-(5 if EVIDENCE.search(lines[at][2]) else 0) - 3 * (at >= len(lines) - 15), -at),
    )
    return tuple(lines[at] for at in sorted(scored[:most]))
