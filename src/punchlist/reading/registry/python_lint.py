"""Registry rows: Python's linters, formatters, type checkers and package tools."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "flake8", "rows:python_lint", commands=("flake8", "pycodestyle", "pyflakes"), kind="lint", formats="default"
    ),
)
