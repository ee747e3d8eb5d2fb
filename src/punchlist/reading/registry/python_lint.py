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
        "flake8", "rows:python_lint", commands=("flake8", "pycodestyle", "pyflakes"), kind="lint", formats="default"
    ),
)
