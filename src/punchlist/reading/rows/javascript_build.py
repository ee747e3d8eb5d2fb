"""One-line formats of JavaScript's smaller checkers."""

from punchlist.reading.oneline import Row

_FILE = r"(?P<file>(?:[A-Za-z]:)?[^:\s][^:]*)"

ROWS: tuple[Row, ...] = (
    # standard 17: `  /path/file.js:1:1: Extra semicolon. (semi)`
    Row(
        "standard",
        rf" {{2}}{_FILE}:(?P<line>\d+):(?P<column>\d+): "
        r"(?P<message>.+?)(?: \((?:null|(?P<rule>[\w@/.-]+))\))?(?: \((?P<severity>warning)\))?$",
    ),
    # tslint 5 and 6: prose `ERROR: src/a.ts:1:5 - text`, verbose `ERROR: (rule) src/a.ts[1, 5]: text`
    Row(
        "tslint",
        rf"(?P<severity>ERROR|WARNING): {_FILE}:(?P<line>\d+):(?P<column>\d+) - (?P<message>.+)$",
    ),
    Row(
        "tslint",
        r"(?P<severity>ERROR|WARNING): (?:\((?P<rule>[\w/-]+)\) )?(?P<file>[^\[\s][^\[]*)"
        r"\[(?P<line>\d+), (?P<column>\d+)\]: (?P<message>.+)$",
    ),
    # markdownlint-cli 0.30 to 0.45 and markdownlint-cli2: `README.md:3:81 MD013/line-length Line length [...]`
    Row(
        "markdownlint",
        rf"{_FILE}:(?P<line>\d+)(?::(?P<column>\d+))?:? (?:(?P<severity>error|warning) )?"
        r"(?P<rule>MD\d{3}|[A-Z]{2,}\d{3})(?:/[\w/-]+)? (?P<message>.+)$",
        counts=r"^Summary: (?P<errors>\d+) error\(s\)",
        passed=r"^Summary: 0 error\(s\)",
    ),
    # cspell 4 to 9: `src/a.ts:3:7 - Unknown word (colour) fix: (color)`
    Row(
        "cspell",
        rf"{_FILE}:(?P<line>\d+):(?P<column>\d+) - "
        r"(?P<message>(?:Unknown word|Forbidden word|Misspelled word)\b.+?)(?: -- .*)?$",
        severity="error",
        passed=r"CSpell: Files checked: \d+, Issues found: 0\b",
        failed=r"CSpell: Files checked: \d+, Issues found: [1-9]",
    ),
    # babel 7: `SyntaxError: /path/file.js: Unexpected token (3:0)`
    Row(
        "babel",
        r"(?:\w*Error): (?P<file>(?:/|[A-Za-z]:[\\/])[^:]+): (?P<message>.+) \((?P<line>\d+):(?P<column>\d+)\)$",
        more=r"\s*$|\s*>?\s*\d* \| |\s+at |\{$",
        passed=r"^Successfully compiled \d+ files? with Babel",
    ),
)
