"""Registry rows: JavaScript and TypeScript test runners."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "vitest",
        "tools.vitest",
        commands=("vitest",),
        signs=(" RUN  v", " DEV  v", " Test Files  ", "⎯⎯ Failed Tests ", "⎯⎯ Failed Suites "),
        sign=r"^ (?:RUN|DEV)  v\d|^ Test Files  \d|⎯⎯ Failed (?:Tests|Suites) \d|^ Test Files  no tests",
        anchors=(b"FAIL ", " ×".encode(), "⎯⎯ ".encode(), b"Test Files ", b"      Tests ", b"RUN "),
        kind="test",
        formats="default, verbose, tree, dot, basic, agent, json, github-actions",
    ),
    Parser(
        "jest",
        "tools.jest",
        commands=("jest", "react-scripts test", "test-storybook", "craco test", "jest-cli"),
        signs=("Test Suites: ", "PASS ", "FAIL ", "● Validation Error:", "  ● "),
        sign=r"^Test Suites: +\d|^ ?(?:PASS|FAIL) {1,2}(?:\S+ +)?\S+\.[cm]?[jt]sx?(?: \(|$)|^● \w[\w ]+ Error:$",
        anchors=(b"FAIL ", "  ● ".encode(), b"Test Suites: ", b"Tests: ", "✕".encode(), b"Jest: "),
        kind="test",
        formats="default, verbose, --json",
    ),
)
