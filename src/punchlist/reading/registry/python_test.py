"""Registry rows: Python's test runners and tracebacks."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "pytest",
        "tools.pytest",
        commands=("pytest", "py.test"),
        signs=(
            "= test session starts =",
            "short test summary info",
            "= FAILURES =",
            "= ERRORS =",
            "while loading conftest",
            "INTERNALERROR>",
            "[100%]",
            " passed in ",
            " failed in ",
            "no tests ran in ",
        ),
        sign=r"^=+ test session starts|^=+ (?:short test summary info|FAILURES|ERRORS) =+$|while loading conftest '"
        r"|^INTERNALERROR>|^(?:=+ )?(?:\d+ [a-z]+(?:, \d+ [a-z]+)*|no tests ran) in [\d.]+s",
        anchors=(b"short test summary", b"test session starts", b"E   ", b"warnings summary", b" in "),
        kind="test",
        formats="default, -q, -v, every --tb, xdist, reruns, subtests, timeouts, crashes, usage errors",
    ),
)
