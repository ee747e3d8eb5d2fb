"""Registry rows: Ruby's and PHP's test runners, linters, build tools and interpreters."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "rspec",
        "tools.rspec",
        commands=("rspec", "bundle exec rspec", "rake spec", "parallel_rspec", "turbo_tests", "rspec-queue"),
        signs=(" example", "An error occurred ", "Failed examples:", '"summary_line"', "Failure/Error: "),
        sign=r"^\d+ examples?, \d+ failures?|An error occurred while loading \.?/|^rspec \./\S+ # |\"summary_line\"\s*:"
        r"|^ +(?:[\d.]+\) )?Failure/Error: ",
        anchors=(b"Failures:", b"Failure/Error", b"An error occurred ", b" examples, ", b"rspec ./", b"     # "),
        kind="test",
        formats="progress, documentation, json, failures",
    ),
    Parser(
        "phpunit",
        "tools.phpunit",
        commands=("phpunit", "paratest", "simple-phpunit", "composer test"),
        signs=(" by Sebastian Bergmann", " ✘ ", "There was 1 ", "There were "),
        sign=r"^PHPUnit \d+\.\S+ by Sebastian|^(?:FAILURES|ERRORS|WARNINGS)!$|^OK \(\d+ tests?, \d+ assertions?\)",
        anchors=(b" by Sebastian", b"There w", b"Tests: ", b"OK (", b"triggered ", b".php:", b") "),
        kind="test",
        formats="default, testdox",
    ),
)

LAST: tuple[Parser, ...] = ()
"""Read after every other parser: a tool that shows a backtrace of its own reads it better."""
