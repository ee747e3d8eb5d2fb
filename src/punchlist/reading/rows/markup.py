"""One-line formats of checkers of TeX, XML and HTML."""

from punchlist.reading.oneline import Row

ROWS: tuple[Row, ...] = (
    # ChkTeX 1.7: the text form with an excerpt below, and `-v0`
    Row(
        "chktex",
        r"(?P<severity>Warning|Error|Message) (?P<rule>\d+) in (?P<file>\S.*) line (?P<line>\d+): (?P<message>.+)$",
        more=r"(?!(?:Warning|Error|Message) \d+ in |ChkTeX v|No errors printed|\d+ errors? printed).*\S",
        caret=True,
    ),
    Row(
        "chktex",
        r"(?P<file>[^\s:][^:]*\.(?:tex|ltx|sty|cls)):(?P<line>\d+):(?P<column>\d+):(?P<rule>\d+):(?P<message>.+)$",
        severity="warning",
        counts=r"(?P<errors>\d+) errors? printed; (?P<warnings>\d+) warnings? printed"
        r"|No errors printed; (?P<warnings2>\d+) warnings? printed",
    ),
    # libxml2 2.9 to 2.14: the line itself and a caret below it
    Row(
        "xmllint",
        r"(?P<file>[^\s:][^:]*):(?P<line>\d+): (?P<message>(?:element \S+: )?(?:[\w.]+ )+(?P<severity>error"
        r"|warning) : .+)$",
        more=r"(?![^\s:][^:]*:\d+: |.* (?:validates|fails to validate|does not validate)).*\S",
        failed=r"^(?:Document .* does not validate against|.* fails to validate$)",
        passed=r"^.* validates$",
        error=r"(?:warning|I/O warning : |I/O error : )(?:: )?(?P<message>failed to load .*)$",
    ),
    # tidy 5: no file but with --gnu-emacs
    Row(
        "tidy",
        r"line (?P<line>\d+) column (?P<column>\d+) - (?P<severity>Error|Warning|Info|Config|Document): "
        r"(?P<message>.+)$",
        counts=r"^Tidy found (?P<warnings>\d+) warnings? and (?P<errors>\d+) errors?!|^"
        r"(?P<warnings2>\d+) warnings?, (?P<errors2>\d+) errors? were found!",
        passed=r"^No warnings or errors were found\.",
        sole=r"\.(?:x?html?|xml|svg)$",
    ),
    Row(
        "tidy",
        r"(?P<file>[^\s:][^:]*\.(?:x?html?|xml|svg)):(?P<line>\d+):(?P<column>\d+): (?P<severity>Error|Warning"
        r"|Info): (?P<message>.+)$",
    ),
)
