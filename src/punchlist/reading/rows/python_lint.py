"""One-line formats of Python's linters and spelling checkers."""

from punchlist.reading.oneline import Row

FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]*)"
CODE = r"(?P<rule>[A-Z]{1,5}\d{1,5})"

ROWS: tuple[Row, ...] = (
    # flake8 7: default format, and with --show-source the line and its caret
    Row("flake8", rf"{FILE}:(?P<line>\d+):(?P<column>\d+): {CODE} (?P<message>.+)", more=r" *\^$"),
    # flake8 --format=pylint
    Row("flake8", rf"{FILE}:(?P<line>\d+): \[{CODE}\] (?P<message>.+)"),
    # flake8 -q names only the files
    Row("flake8", r"(?P<file>[\w.@+-][\w./\\@+-]*\.pyi?)$"),
    Row("flake8", "", error=r"flake8: error: (?P<message>.+)"),
    Row("flake8", "", error=r"There was a (?:critical )?error during execution of Flake8:"),
    Row(
        "flake8",
        "",
        error=r"(?P<message>(?:plugin code for|Error code|\"?.+\"? failed during execution due to|Option )\b.*)",
    ),
    Row("pycodestyle", rf"{FILE}:(?P<line>\d+):(?P<column>\d+): {CODE} (?P<message>.+)"),
    Row("pycodestyle", "", error=r"pycodestyle(?:\.py)?: error: (?P<message>.+)"),
    # pyflakes 3; 1 and 2 printed no column
    Row("pyflakes", rf"{FILE}:(?P<line>\d+):(?:(?P<column>\d+):?)? (?P<message>\S.+)"),
    # vulture 2
    Row(
        "vulture",
        rf"{FILE}:(?P<line>\d+): (?P<message>(?:unused |unreachable |unsatisfiable |redundant |invalid syntax"
        rf"|.+ at \").*)",
    ),
    Row("vulture", "", error=r"(?P<message>(?:vulture: error: |Error: )\S.+)"),
    # codespell 2: `file:line: wrong ==> right`, without a line for file names and standard input
    Row("codespell", rf"{FILE}:(?:(?P<line>\d+):)? (?P<message>\S+ ==> .+)"),
    Row("codespell", r"(?P<severity>WARNING|ERROR): (?P<message>.+)"),
    Row("codespell", "", error=r"codespell: error: (?P<message>.+)"),
    # interrogate 1
    Row(
        "interrogate",
        r"(?P<message>RESULT: FAILED .+)",
        passed=r"^RESULT: PASSED",
        failed=r"^RESULT: FAILED",
    ),
)
