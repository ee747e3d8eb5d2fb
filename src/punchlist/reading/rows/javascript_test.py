"""One-line formats around JavaScript tests: coverage thresholds."""

from punchlist.reading.oneline import Row

ROWS: tuple[Row, ...] = (
    # c8 7 to 10, nyc 15 and 17: `ERROR: Coverage for lines (4.08%) does not meet global threshold (95%)`,
    # per file: `ERROR: Coverage for lines (50%) does not meet threshold (90%) for src/a.js`
    Row(
        "c8",
        r"(?P<message>ERROR: (?:Coverage for \w+ \([\d.]+%\) does not meet (?:global )?threshold \([\d.]+%\)"
        r"(?: for (?P<file>\S.*))?|Uncovered count for \w+ \(\d+\) exceeds .*))$",
    ),
)
