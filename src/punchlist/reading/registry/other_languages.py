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
    Parser(
        "busted",
        "tools.busted",
        commands=("busted",),
        signs=(" pending : ", "# Failure message: ", '"pendings"', "_spec.lua @ "),
        sign=r"\d+ success(?:es)? / \d+ failures? / |^# Failure message: |\"pendings\"\s*:|\] \S+_spec\.lua @ \d+: ",
        anchors=(b"Failure", b"Error", b" pending : ", b"not ok ", b"FAILED", b"ERROR"),
        kind="test",
        formats="utfTerminal, plainTerminal, TAP, gtest, json",
    ),
    Parser(
        "luacheck",
        "tools.luacheck",
        commands=("luacheck",),
        signs=("Checking ", ": (W", ": (E", " : warning W", " : error E"),
        sign=r"^Checking \S.*\s{2,}(?:OK|\d+ (?:warning|error))|: \([WE]\d{3}\) |\) : (?:warning W|error E)\d{3}: ",
        anchors=(b".lua:", b".lua(", b"Total: ", b" warning"),
        kind="lint",
        formats="default, plain, TAP, visual_studio",
    ),
    Parser(
        "eunit",
        "tools.erlang_tests",
        commands=("rebar3 eunit", "rebar3 ct", "ct_run", "erl"),
        signs=(
            "*failed*",
            "*timed out*",
            "Failure/Error: ",
            ".  Skipped: ",
            " failed on line ",
            "%%% ",
            "TEST COMPLETE",
        ),
        sign=r"\*(?:failed|timed out)\*$|^     Failure/Error: (?:\?\w|\{)|^     %% \S|^ *Failed: \d+\.  Skipped: "
        r"|^\w+:\w+ failed on line \d+$"
        r"|^%%% \w+.*: (?:FAILED|SKIPPED)|: TEST COMPLETE, ",
        anchors=(b"*failed*", b"Failure/Error", b"Failed: ", b" failed on line", b"TEST COMPLETE", b": FAILED"),
        kind="test",
        formats="EUnit, rebar3 eunit, Common Test, rebar3 ct",
        aliases=("common_test",),
    ),
)
"""Read before other test runners, whose TAP or failures look much the same."""

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
    Parser(
        "lua",
        "tools.lua",
        commands=("lua", "luac", "luajit"),
        signs=("lua: ", "lua5.", "luajit: ", "luac"),
        sign=r"^(?:lua[\d.]*|luac[\d.]*|luajit|texlua): \S.*:\d+: ",
        kind="compile",
        formats="errors with tracebacks",
    ),
    Parser(
        "erlc",
        "tools.erlang",
        commands=("erlc", "rebar3", "dialyzer", "typer", "erl", "escript"),
        signs=(".erl:", ".hrl:", "===> ", "done (warnings were emitted)"),
        sign=r"^\S+\.[eh]rl:\d+(?::\d+)?: |^===> |┌─ \S+\.[eh]rl:|done \(warnings were emitted\)",
        anchors=(b".erl:", b".hrl:", b"===> "),
        kind="compile",
        formats="erlc, rebar3 compile, dialyzer",
        aliases=("rebar3", "dialyzer"),
    ),
    Parser(
        "protoc",
        "tools.protoc",
        commands=("protoc",),
        signs=(".proto:", ".proto("),
        sign=r"^\S+\.proto(?::\d+:\d+|\(\d+\) ): |^\S+\.proto(?::\d+:\d+)?: ",
        anchors=(b".proto",),
        kind="compile",
        formats="gcc, msvs",
    ),
)
