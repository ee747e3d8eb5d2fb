"""One-line formats of Ruby's and PHP's checkers."""

from punchlist.reading.oneline import Row

FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*)"
PLACE = rf"{FILE}:(?P<line>\d+)"
PHP = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*\.(?:php|inc|phtml|module|install))"

ROWS: tuple[Row, ...] = (
    # phpcs --report=emacs
    Row("phpcs", rf"{PHP}:(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning) - (?P<message>.*)"),
    # phpmd text: `file:line  Rule  message`, before 2.9 without the rule
    Row("phpmd", rf"{PHP}:(?P<line>\d+)[ \t]+(?P<rule>[A-Z]\w+)[ \t]+(?P<message>\S.*)", severity="warning"),
    Row("phpmd", rf"{PHP}:(?P<line>\d+)\t(?P<message>\S.*)", severity="warning"),
    Row("phpmd", rf"{PHP}\t-\t(?P<message>\S.*)"),
    # parallel-lint
    Row(
        "parallel-lint",
        rf"Parse error: {PHP}:(?P<line>\d+)$",
        more=r"(?: +> ? *\d+\||   +\d+\||.+ in .+\.php:\d+$|[^-].*syntax error)",
    ),
    # reek: `  [1, 5]:Smell: message [url]` stands below `file -- n warnings`: --single-line has the file
    Row(
        "reek",
        rf"  {FILE}:(?P<line>\d+): (?P<rule>[A-Z]\w+): (?P<message>.*?)(?: \[https?://\S+\])?$",
        severity="warning",
    ),
)
