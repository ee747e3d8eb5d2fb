"""Registry rows: Python's linters, formatters, type checkers and package tools."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "ruff",
        "tools.ruff",
        commands=("ruff",),
        signs=("[*] ", "Would reformat: ", "ruff failed", "All checks passed!", "invalid-syntax: ", '"noqa_row"'),
        sign=r"^\[\*\] \d+ fixable with|^Would reformat: |^ruff failed$|^All checks passed!$|noqa_row|invalid-syntax: "
        r"|[A-Z]+\d{3,4} \[\*\] ",
        anchors=(b" --> ", b"[*]", b": [", b"Found "),
        kind="lint",
        formats="full, concise, grouped, pylint, json, json-lines, statistics; format --check and --diff",
    ),
    Parser(
        "mypy",
        "tools.mypy",
        commands=("mypy", "dmypy"),
        signs=("Success: no issues found in ", "source file", "import-untyped", "[attr-defined]", "[arg-type]"),
        sign=r"^Found \d+ errors? in \d+ files? \((?:checked|errors prevented)|^Success: no issues found in \d+ source"
        r"|: error: .*  \[[a-z-]+\]$",
        anchors=(b": error: ", b": note: ", b"Found "),
        kind="types",
        formats="text (columns, ends, pretty), json; dmypy",
    ),
    Parser(
        "pylint",
        "tools.pylint",
        commands=("pylint",),
        signs=("************* Module ", "Your code has been rated at ", '"message-id": ', '"messageId": '),
        anchors=(b"): ", b": C", b": E", b": W", b": R", b"Module "),
        kind="lint",
        formats="text, colorized, parseable, msvs, json, json2",
    ),
    Parser(
        "pyright",
        "tools.pyright",
        commands=("pyright", "basedpyright"),
        signs=(" - error: ", "warnings, ", '"generalDiagnostics"'),
        sign=r":\d+:\d+ - (?:error|warning): .*\(report[A-Z]|^\d+ errors?, \d+ warnings?, \d+ (?:informations?|notes?)"
        r"|generalDiagnostics",
        anchors=(b" - error", b" - warning", b" errors, "),
        kind="types",
        formats="text, --outputjson",
    ),
    Parser(
        "ty",
        "tools.ty",
        commands=("ty",),
        signs=("error[", "warning["),
        sign=r"^(?:error|warning)\[[a-z]+(?:-[a-z]+)+\]: .*\n *--> |:\d+:\d+: (?:error|warning)\[[a-z]+(?:-[a-z]+)+\] ",
        anchors=(b"error[", b"warning[", b"Found "),
        kind="types",
        formats="full, concise",
    ),
    Parser(
        "pyrefly",
        "tools.pyrefly",
        commands=("pyrefly",),
        signs=("ERROR ",),
        sign=r"^ ?ERROR .*\[[a-z]+(?:-[a-z]+)*\]\n *--> |^ ?ERROR \S+\.pyi?:\d+:\d+-[\d:]+: .*\[[a-z-]+\]$",
        anchors=(b"ERROR ", b"INFO "),
        kind="types",
        formats="full-text, min-text, json",
    ),
    Parser(
        "flake8",
        "rows:python_lint",
        commands=("flake8",),
        signs=("flake8: error: ", "error during execution of Flake8"),
        anchors=(b": E", b": F", b": W"),
        kind="lint",
        formats="default, pylint, --show-source",
    ),
    Parser(
        "pycodestyle", "rows:python_lint", commands=("pycodestyle", "pep8"), anchors=(b": E", b": W"), formats="default"
    ),
    Parser("pyflakes", "rows:python_lint", commands=("pyflakes",), formats="default"),
    Parser(
        "vulture",
        "rows:python_lint",
        commands=("vulture",),
        signs=("% confidence)",),
        sign=r":\d+: un(?:used|reachable) .*\(\d+% confidence",
        anchors=(b"% confidence",),
        formats="default",
    ),
    Parser(
        "codespell",
        "rows:python_lint",
        commands=("codespell",),
        signs=(" ==> ",),
        sign=r"^[^\s:]+:\d+: \S+ ==> \S",
        anchors=(b" ==> ",),
        formats="default",
    ),
)
