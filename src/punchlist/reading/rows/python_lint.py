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
    # pymarkdown 0.9: `file:2:1: MD004: message (rule-name)`
    Row(
        "pymarkdown",
        rf"{FILE}:(?P<line>\d+):(?P<column>\d+): (?P<rule>(?:MD|PML)\d{{3}}): (?P<message>.+?)(?: \([\w,-]+\))?$",
    ),
    # doc8 1 and 2
    Row(
        "doc8",
        rf"{FILE}:(?P<line>\d+): (?P<rule>D\d{{3}}) (?P<message>.+)",
        counts=r"^Total accumulated errors = (?P<errors>\d+)",
    ),
    # deptry 0.1x to 0.2x: without a line where the project's file is meant
    Row(
        "deptry",
        rf"{FILE}:(?:(?P<line>\d+):(?P<column>\d+):)? (?P<rule>DEP\d{{3}}) (?P<message>.+)",
        counts=r"^Found (?P<errors>\d+) dependency issues?\.",
        passed=r"^Success! No dependency issues found",
    ),
    # refurb 1 and 2
    Row("refurb", rf"{FILE}:(?P<line>\d+):(?P<column>\d+) \[(?P<rule>[A-Z]+\d+)\]: (?P<message>.+)"),
    # unimport 0.x and 1: `name at file:line`
    Row("unimport", r"(?P<message>\S.*? at (?P<file>[^\s:][^:]*):(?P<line>\d+)(?:-\d+)?)$", passed=r"All good!"),
    # autoflake 1 and 2
    Row("autoflake", rf"{FILE}: (?P<message>Unused imports/variables detected)", passed=r"No issues detected!"),
    Row("mdformat", r'Error: (?P<message>File "(?P<file>[^"]+)" is not formatted\.)'),
    # check-jsonschema 0.2x and 0.3x: the file, then the place within it as a path
    Row(
        "check-jsonschema",
        r"  (?P<file>\S[^:]*)::(?P<message>\$\S*: .+)",
        more=r"    \S",
        passed=r"^ok -- validation done",
        failed=r"^Schema validation errors were encountered",
    ),
    Row("check-jsonschema", r"  (?P<message>Failed to parse (?P<file>\S.*))$"),
)
