"""One-line formats of other languages' compilers and linters."""

from punchlist.reading.oneline import Row

PLACE = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*?):(?P<line>\d+):(?P<column>\d+)"

ROWS: tuple[Row, ...] = (
    # Zig 0.9 to 0.15: an excerpt of two lines below, `referenced by:` with its frames, notes.
    Row(
        tool="zig",
        pattern=r"(?P<file>[^\s:][^:\n]*\.zig):(?P<line>\d+):(?P<column>\d+): (?P<severity>error): (?P<message>.+)$",
        more=r"(?!\S+\.zig:\d+:\d+: error: )(?:\S*\.zig:\d+:\d+: note: |\s|[^\s:]+ .*[;{}(),]$|r"
        r"eferenced by:|(?:pub|const|var|fn|test) )",
        failed=r"^(?:error: the following (?:build )?command|\d+ errors?$|Build Summary: .* failed)",
    ),
    # perlcritic 1.1: default and -verbose 1 to 3.
    Row(
        tool="perlcritic",
        pattern=r"(?:(?P<file>\S[^:]*): ?)?(?P<message>.+?) at line (?P<line>\d+), column (?P<column>\d+)\.  "
        r"(?P<more>.+?)\.?  \(Severity: \d\)$",
        severity="warning",
        sole=r"\.(?:pl|pm|t|psgi)$",
    ),
    # -verbose 5 to 9: the policy in front, no explanation behind
    Row(
        tool="perlcritic",
        pattern=r"(?:(?P<file>\S[^:\[]*): ?)?\[(?P<rule>\w+(?:::\w+)+)\] (?P<message>.+?) at line "
        r"(?P<line>\d+), column "
        r"(?P<column>\d+)\.  ?(?:.*?)?\(Severity: \d\)$",
        severity="warning",
    ),
    Row(
        tool="perlcritic",
        pattern=r"(?P<file>[^\s:][^:\n]*\.(?:pl|pm|t)):(?P<line>\d+):(?P<column>\d+):(?P<message>.+)$",
        severity="warning",
    ),
    Row(tool="perlcritic", pattern="", passed=r" source OK$"),
    # lintr 2, 3 (R).
    Row(
        tool="lintr",
        pattern=PLACE + r": (?P<severity>style|warning|error): (?:\[(?P<rule>\w+)\] )?(?P<message>.+)$",
        severities={"style": "info"},
        more=r"\s|.*(?:<-|\(|\{|=)",
    ),
    # Nim 1.0 to 2.2.
    Row(
        tool="nim",
        pattern=r"(?P<file>\S.*\.nims?)\((?P<line>\d+), (?P<column>\d+)\) (?P<severity>Error|Warning|Hint): "
        r"(?P<message>.+?)(?: \[(?P<rule>\w+)\])?$",
        more=r"but expected |proc |func |template |macro |method |iterator |  \S|expression: |candidates \(|"
        r" \(\d+, \d+\): |template/generic instantiation|\s+\^",
        passed=r"^Hint: .*\[SuccessX\]$",
        error=r"(?:command line\(\d+, \d+\) )?Error: (?P<message>(?:cannot open |invalid command line|unknown "
        r"|command missing|invalid command|arguments can only).*)$",
    ),
)
