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
