"""Registry rows: shell, containers, infrastructure as code, configuration and text linters."""

from punchlist.reading.registry.record import Parser

FIRST: tuple[Parser, ...] = (
    Parser(
        "bats",
        "tools.bats",
        commands=("bats",),
        signs=("in test file ", " ✗ ", ".bats"),
        sign=r"\((?:from function [`'].+|in test file \S.*), line \d+[,)]|\.bats: line \d+",
        anchors=(b"not ok ", b"in test file", "✗".encode(), b" failed", b"1.."),
        kind="test",
        formats="tap, tap13, pretty",
    ),
)
"""Read before JavaScript's test runners, whose TAP looks much the same."""

PARSERS: tuple[Parser, ...] = (
    Parser(
        "shellcheck",
        "tools.shellcheck",
        commands=("shellcheck",),
        signs=(" SC1", " SC2", " SC3", "[SC1", "[SC2", "[SC3", '"code":', '"code" :'),
        sign=r"\^-*[\^ ] ?SC\d{4}|\[SC\d{4}\]$"
        r"|\"level\"\s*:\s*\"(?:error|warning|info|style)\"\s*,\s*\"code\"\s*:\s*\d{4}\b",
        anchors=(b"In ", b"SC1", b"SC2", b"SC3", b"openBinaryFile"),
        kind="lint",
        formats="tty, gcc, json, json1, diff, quiet",
    ),
)
