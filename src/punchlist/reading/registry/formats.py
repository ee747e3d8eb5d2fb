"""Registry rows: report formats that no single tool owns, read wherever they appear."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "junit",
        "formats.junit",
        signs=("<testsuite",),
        sign=r"<testsuites?[\s>]",
        anchors=(b"<failure", b"<error", b"<testsuite"),
        kind="report",
        formats="JUnit XML",
    ),
)
