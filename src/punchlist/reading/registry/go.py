"""Registry rows: Go's build, vet, tests, their runners and linters."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "go-json",
        "tools.go_test_json",
        signs=('"Action":"output"', '"Action":"build-output"', '"Action":"run"'),
        sign=r'\{(?:"Time":|"ImportPath":|"Action":|"Package":)',
        anchors=(b'"Action":"fail"', b'"OutputType":"error"', b'"Action":"build-', b"--- FAIL", b"panic: "),
        kind="test",
        formats="go test -json, go build -json",
    ),
    Parser(
        "go-test",
        "tools.go_test",
        commands=("go test", "richgo test"),
        signs=("--- FAIL: ", "\t[no test files]", "FAIL\t", "ok  \t", "WARNING: DATA RACE", "\ngoroutine "),
        sign=r"--- FAIL: \S|(?:FAIL|ok  |\?   )\t\S+|WARNING: DATA RACE$|goroutine \d+ \[",
        anchors=(
            b"--- FAIL", b"--- SKIP", b"FAIL\t", b"\nok  \t", b"panic: ", b"fatal error: ", b"DATA RACE", b"goroutine ",
            b".go:", b"?   \t", b"exit status",
        ),
        kind="test",
        formats="plain, -v, examples, fuzzing, panics, timeouts, -race",
    ),
    Parser(
        "go-build",
        "tools.go_build",
        commands=("go",),
        signs=("\n# ", "# ", "go: ", ".go:"),
        sign=r"# \[?[\w.~/@+-]+\]?(?: \[[\w.~/@+-]+\])?$\n(?:.*# .*\n)?.*\S+:\d+:\d+: |(?:^|\s)go: (?!downloading)\S+",
        anchors=(b"\n# ", b".go:", b"\ngo: "),
        kind="compile",
        formats="build, vet, module and usage errors",
        aliases=("go", "go-vet"),
    ),
)  # fmt: skip
