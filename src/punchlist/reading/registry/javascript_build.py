"""Registry rows: JavaScript and TypeScript linters, type checkers, bundlers, package managers and task runners."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "tsc",
        "tools.tsc",
        commands=("tsc", "vue-tsc", "tsgo", "ts-node", "tspc", "ttsc", "glint"),
        signs=("error TS", "warning TS", "This is not the tsc command you are looking for"),
        sign=r"(?:^|: |- )(?:error|warning) TS\d{4,5}: |not the tsc command you are looking",
        anchors=(b"error TS", b"Found "),
        kind="types",
        formats="plain, pretty, build, watch",
    ),
    Parser(
        "oxlint",
        "tools.oxlint",
        commands=("oxlint",),
        signs=(" warnings and ", " warning and ", '"number_of_rules"'),
        sign=r'^Found \d+ warnings? and \d+ errors?\.$|"number_of_rules"',
        anchors=(b"  x ", b"  \xc3\x97 ", b"Found "),
        kind="lint",
        formats="default, stylish, unix, json",
    ),
    Parser(
        "biome",
        "tools.biome",
        commands=("biome", "rome", "ultracite"),
        signs=("━━━", '"diagnosticsNotPrinted"', "No fixes applied."),
        sign=r"^(?:\S.*? )?[a-zA-Z]\S*(?: +[A-Z]+)? +━{3,}$|^Checked \d+ files? in \S+\. No fixes|"
        r'"suggestedFixesSkipped"',
        anchors=("━━━".encode(), b"Found "),
        kind="lint",
        formats="default, json",
    ),
    Parser(
        "prettier",
        "tools.prettier",
        commands=("prettier", "pretty-quick"),
        signs=("Checking formatting...", "[warn] Code style issues", "Code style issues found in"),
        sign=r"^Checking formatting\.\.\.$|^\[warn\] Code style issues",
        anchors=(b"[warn] ", b"[error] "),
        kind="format",
        formats="check, list-different, write",
    ),
    Parser(
        "stylelint",
        "tools.stylelint",
        commands=("stylelint",),
        signs=(" ✖  ", " ×  ", "stylelint", "invalidOptionWarnings"),
        sign=r"^ +\d+:\d+ +[✖×⚠] +\S.* {2,}[\w/@-]+$|invalidOptionWarnings|^ConfigurationError: ",
        anchors=("✖".encode(), b" problems ("),
        kind="lint",
        formats="string, verbose, compact, unix, json, tap",
    ),
    Parser(
        "eslint",
        "tools.eslint",
        commands=("eslint", "eslint_d", "next lint", "ng lint", "vue-cli-service lint", "xo", "expo lint"),
        signs=(
            ", Error - ",
            ", Warning - ",
            "problems (",
            "problem (",
            "Oops! Something went wrong! :(",
            '"filePath":',
        ),
        sign=r"^[✖×x!]? ?\d+ problems? \(\d+ errors?, |: line \d+, col \d+, (?:Error|Warning) - |"
        r'^Oops! Something went wrong! :\(|"errorCount":',
        anchors=(b" error  ", b" problems (", b" problem (", b"Oops!"),
        kind="lint",
        formats="stylish, pretty, compact, unix, codeframe, json, json-with-metadata",
    ),
)
