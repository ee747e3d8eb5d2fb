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
    Parser(
        "minitest",
        "tools.minitest",
        commands=("minitest", "rails test", "rake test", "m", "testrb"),
        signs=(" assertions, ", "# Running:"),
        sign=r"^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors|^# Running:$",
        anchors=(b"Failure:", b"Error:", b" assertions, ", b" FAIL", b" ERROR"),
        kind="test",
        formats="minitest, Rails, minitest-reporters, test-unit",
        aliases=("test-unit", "rails-test"),
    ),
    Parser(
        "rubocop",
        "tools.rubocop",
        commands=("rubocop", "standardrb", "standard", "erb_lint", "erblint", "rake rubocop"),
        signs=(" inspected, ", ": C: ", ": W: ", ": E: ", ": F: ", '"rubocop_version"', "standard: Use Ruby"),
        sign=r"files? inspected, (?:\d+|no) offenses? detected|:\d+:\d+: [RCWEF]: (?:\[\w+\] )?[A-Z]\w*/\w+: "
        r"|\"rubocop_version\""
        r"|^standard: Use Ruby",
        anchors=(b" inspected, ", b": C: ", b": W: ", b": E: ", b": F: "),
        formats="progress, clang, emacs, simple, offenses, json, standardrb",
        aliases=("standardrb",),
    ),
    Parser(
        "phpcs",
        "tools.phpcs",
        commands=("phpcs",),
        signs=(
            " AFFECTING ",
            ": error - ",
            ": warning - ",
            "File,Line,Column,Type,Message,Source,Severity",
            '"fixable"',
            "PHP CODE SNIFFER REPORT",
        ),
        sign=r"^FOUND \d+ ERRORS?|\.\w+:\d+:\d+: (?:error|warning) - |^File,Line,Column|\"totals\"|^PHP CODE SNIFFER",
        anchors=(b"FILE: ", b"FOUND ", b" | ", b" - "),
        formats="full, emacs, csv, summary, json",
    ),
    Parser(
        "phpstan",
        "tools.phpstan",
        commands=("phpstan",),
        signs=("[ERROR] Found ", "[OK] No errors", '"file_errors"'),
        sign=r"^ *\[ERROR\] Found \d+ errors?|^ *\[OK\] No errors|\"file_errors\"\s*:",
        anchors=(b"  Line ", b" ------", b"[ERROR]", b"[OK]"),
        formats="table, raw, json",
    ),
    Parser(
        "pest",
        "tools.pest",
        commands=("pest", "php artisan test", "artisan test"),
        signs=("  Tests:  ", "  Tests: "),
        sign=r"^  Tests: +\d+ (?:failed|passed|skipped|todo|risky|incomplete)",
        anchors=(b" FAILED  ", b"  Tests: ", b"  at "),
        kind="test",
        formats="Pest 1 to 3, artisan test",
    ),
    Parser(
        "php-tools",
        "tools.php_tools",
        commands=("psalm", "php-cs-fixer", "composer", "phpspec", "behat"),
        signs=(
            "psalm.dev",
            "No errors found!",
            "PHP CS Fixer ",
            " scenarios (",
            " scenario (",
            " examples (",
            " example (",
        ),
        sign=r"^(?:ERROR|INFO): [A-Z]\w+ (?:-|at) |^ *No errors found!|^PHP CS Fixer \d|^\d+ (?:scenario"
        r"|example)s? \(\d+ \w+",
        anchors=(b"ERROR: ", b"INFO: ", b") ", b" scenarios (", b" examples ("),
        formats="psalm, php-cs-fixer, Composer, phpspec, Behat",
        aliases=("psalm", "php-cs-fixer", "composer", "phpspec", "behat"),
    ),
    Parser("phpmd", "rows:ruby_php", commands=("phpmd",), formats="text"),
)

LAST: tuple[Parser, ...] = (
    Parser(
        "php",
        "tools.php",
        commands=("php",),
        signs=(
            "PHP Parse error: ",
            "PHP Fatal error: ",
            "Parse error: ",
            "Fatal error: ",
            "PHP Warning: ",
            "No syntax errors detected",
            "Errors parsing ",
            "Warning</b>",
            "error</b>",
        ),
        sign=r"^(?:\[[^\]]+\] )?(?:PHP )?(?:Parse|Fatal) error: |^PHP (?:Warning|Notice|Deprecated): "
        r"|^(?:No syntax errors|Errors parsing )"
        r"|<b>(?:Warning|Fatal error|Parse error)</b>",
        anchors=(b"rror: ", b"Warning: ", b" on line "),
        kind="compile",
        formats="php -l, fatal errors, warnings",
    ),
    Parser(
        "ruby",
        "tools.ruby",
        commands=("ruby", "rake", "rails", "bundle", "bundler", "gem", "irb", "rackup"),
        signs=(
            "rake aborted!",
            "rails aborted!",
            "Error)",
            "\tfrom ",
            "syntax error",
            "Syntax OK",
            ": warning: ",
            "Gemfile",
            "Exception)",
        ),
        sign=r"^(?:rake|rails) aborted!$|\.r[bu]:\d+:in [`'].*[`']: .*|^\S+:\d+: syntax errors?"
        r"|^\S+\.rb:\d+: warning: |Could not (?:find gem|locate Gemfile)|^<internal:"
        r"|^bundler: |Rakefile:\d+:in [`']",
        anchors=(b"aborted!", b":in ", b"syntax error", b"\tfrom "),
        kind="report",
        formats="exceptions, syntax errors, rake, bundler",
        aliases=("rake", "bundler"),
    ),
)
"""Read after every other parser: a tool that shows a backtrace of its own reads it better."""
