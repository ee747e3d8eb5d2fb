"""One-line formats of PHP's checkers."""

from punchlist.reading.oneline import Row

PHP = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.(?:php|inc|phtml|module|install))"

ROWS: tuple[Row, ...] = (
    # phpmd text: `file:line  Rule  message`, before 2.9 without the rule
    Row("phpmd", rf"{PHP}:(?P<line>\d+)[ \t]+(?P<rule>[A-Z]\w+)[ \t]+(?P<message>\S.*)", severity="warning"),
    Row("phpmd", rf"{PHP}:(?P<line>\d+)\t(?P<message>\S.*)", severity="warning"),
    Row("phpmd", rf"{PHP}\t-\t(?P<message>\S.*)"),
)
