"""Registry rows: Perl, Elixir, Erlang, Haskell, Lua, Swift, Dart and other languages with their test runners."""

from punchlist.reading.registry.record import Parser

FIRST: tuple[Parser, ...] = (
    Parser(
        "prove",
        "tools.prove",
        commands=("prove",),
        signs=("(Wstat: ", "Result: FAIL", "#   Failed test ", "Dubious, test returned", "All tests successful."),
        sign=r"\(Wstat: \d+|^Result: (?:PASS|FAIL)$|^\s*#   Failed (?:\(TODO\) )?test |^Dubious, test returned \d",
        anchors=(b"Failed ", b"(Wstat: ", b"Result: ", b"Looks like you", b" line ", b"Parse errors"),
        kind="test",
        formats="default, -v, -j, --timer, -q, -Q",
    ),
)
"""Read before JavaScript's test runners, whose TAP looks much the same."""

PARSERS: tuple[Parser, ...] = (
    Parser(
        "perl",
        "tools.perl",
        commands=("perl",),
        signs=(
            "BEGIN failed--compilation aborted",
            "aborted due to compilation errors",
            "had compilation errors",
            "Compilation failed in require",
        ),
        anchors=(b" line ",),
        kind="compile",
        formats="perl -c, uncaught exceptions",
    ),
    Parser(
        "mix",
        "tools.mix",
        commands=("mix", "elixir", "elixirc"),
        signs=("** (", "s async, ", ".ex:", ".exs:", "Running ExUnit"),
        sign=r"^ {5}\S+\.exs:\d+$|^\*\* \([A-Z][\w.]*\) |^ {2,}(?:└─ )?\S+\.exs?:\d+|^Running ExUnit|[\d.]+s async, ",
        anchors=(b") test ", b"** (", b" failure", b"warning: ", b"error: ", b".ex:", b".exs:", b"== Compilation"),
        kind="test",
        formats="test, test --trace, compile, format, deps",
        aliases=("exunit", "elixir"),
    ),
)
