"""One-line formats of Python's linters and type checkers."""

from punchlist.reading.oneline import Row

ROWS: tuple[Row, ...] = (
    # flake8 7: default format, and pycodestyle's
    Row(
        "flake8",
        r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<rule>[A-Z]{1,3}\d{1,4}) (?P<message>.+)",
        severity="error",
    ),
)
