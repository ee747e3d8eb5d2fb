"""One-line formats of compilers of D, Vala, Pascal and Ada's projects, of hardware description, of C's checkers."""

from punchlist.reading.oneline import Row

EXCERPT = r"\s+\d+ \||\s+\|"

ROWS: tuple[Row, ...] = (
    # dmd and ldc 2.09x to 2.11x: notes repeat the place, two or more blanks behind it.
    Row(
        "d",
        r"(?P<file>[^\s()][^()]*\.di?)\((?P<line>\d+)(?:,(?P<column>\d+))?\): (?P<severity>Error|Warning|Deprecation): "
        r"(?P<message>.+)$",
        more=r"[^\s()][^()]*\.di?\(\d+(?:,\d+)?\): {2,}\S|import path\[\d+\] = |\s+\^|\s{2,}\S",
    ),
    Row(
        "d",
        r"(?P<file>[^\s()][^()]*\.d)\((?P<line>\d+)\): \[unittest\] (?P<message>.+)$",
        failed=r"^\d+/\d+ modules FAILED unittests$",
        passed=r"^\d+ modules passed unittests$",
        error=r"Error: (?P<message>(?:cannot find|unrecognized|no input|unable to|linker exited|module `).*)$",
    ),
    # valac 0.40 to 0.56: `file:2.22-2.29: error: text`
    Row(
        "vala",
        r"(?P<file>[^\s:][^:]*\.(?:vala|vapi|gs)):(?P<line>\d+)\.(?P<column>\d+)(?:-\d+\.\d+)?: "
        r"(?P<severity>error|warning|note): (?P<message>.+)$",
        more=EXCERPT,
        counts=r"^Compilation (?:failed|succeeded)(?:: | - )(?:(?P<errors>\d+) error\(s\), )?"
        r"(?P<warnings>\d+) warning\(s\)",
        error=r"error: (?P<message>\S.*(?:not found|not specified|Unknown option|not supported).*)$",
    ),
    # Free Pascal 3.0 to 3.2
    Row(
        "fpc",
        r"(?P<file>[^\s()][^()]*\.(?:pas|pp|lpr|dpr|inc|p))\((?P<line>\d+)(?:,(?P<column>\d+))?\) "
        r"(?P<severity>Error|Fatal|Warning|Note|Hint): (?P<message>(?!There were \d+ errors).+)$",
        counts=r"Fatal: There were (?P<errors>\d+) errors|^(?P<warnings>\d+) warning\(s\) issued",
        error=r"Fatal: (?P<message>(?!Compilation aborted).+)$",
    ),
    # GPRbuild: errors of a project file have no word in front of them.
    Row(
        "gprbuild",
        r"(?P<file>[^\s:][^:]*\.gpr):(?P<line>\d+):(?P<column>\d+): (?:(?P<severity>error|warning|info): )?"
        r"(?P<message>.+)$",
        failed=r"^gpr\w+: (?:\"[^\"]+\" processing failed|\*\*\* \w+ phase failed)",
        error=r"(?:gpr\w+|gnatmake): (?P<message>(?:\"[^\"]+\" not found|project file .* not found"
        r"|unknown option .*).*)$",
    ),
    # Icarus Verilog 10 to 12
    Row(
        "iverilog",
        r"(?P<file>[^\s:][^:]*\.(?:v|sv|vh|svh)):(?P<line>\d+): (?:(?P<severity>error|warning|sorry): )?"
        r"(?P<message>\S.*)$",
        more=r"[^\s:][^:]*\.s?vh?:\d+:  +: |\*\*\* These modules|\s+\S+ referenced \d+ times|\*\*\*$|\s+: ",
        severities={"sorry": "error"},
        counts=r"^(?P<errors>\d+) error\(s\) during elaboration",
        failed=r"^I give up\.$",
    ),
    # Verilator 4 and 5
    Row(
        "verilator",
        r"%(?P<severity>Error|Warning)(?:-(?P<rule>[A-Z0-9_]+))?: (?:(?P<file>[^\s:][^:]*):(?P<line>\d+):"
        r"(?P<column>\d+): )?"
        r"(?P<message>(?!Exiting due to|Command Failed).+)$",
        more=EXCERPT + r"|\s+\.\.\. |\s+: \.\.\. ",
        counts=r"%Error: Exiting due to (?P<errors>\d+) error\(s\)(?:, (?P<warnings>\d+) warning\(s\))?"
        r"|%Error: Exiting due to (?P<warnings2>\d+) warning\(s\)",
    ),
    # GHDL 1 to 4: an assertion of a simulation has its time behind the place.
    Row(
        "ghdl",
        r"(?P<file>[^\s:][^:]*\.vhdl?):(?P<line>\d+):(?P<column>\d+):@[^:]+:\((?:assertion|report) "
        r"(?P<severity>note|warning|error|failure)\): (?P<message>.+)$",
        failed=r"^\S*ghdl\S*:error: (?:assertion|simulation|bound check|index check|overflow) ?failed",
    ),
    Row(
        "ghdl",
        r"(?P<file>[^\s:][^:]*\.vhdl?):(?P<line>\d+):(?P<column>\d+):(?:(?P<severity>warning|error|note"
        r"|warning-[\w-]+):)? "
        r"(?P<message>.+)$",
        more=r"  |\s*\^",
        error=r"\S*ghdl\S*:error: (?P<message>(?!(?:assertion|simulation) failed|compilation error).+)$",
    ),
    # Splint 3.1: what it means and how to silence it stands indented below.
    Row(
        "splint",
        r"(?P<file>[^\s:][^:]*\.[ch]):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$",
        severity="warning",
        more=r"  ",
        counts=r"^Finished checking --- (?P<warnings>\d+) code warnings?",
        passed=r"^Finished checking --- no warnings",
    ),
    # flawfinder 2: the risk (0 to 5) in brackets
    Row(
        "flawfinder",
        r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)?  \[(?P<severity>\d)\] \((?P<rule>\w+)\) "
        r"(?P<message>.+?):?$",
        severity="warning",
        severities={"0": "info", "1": "info"},
        more=r"  ",
        counts=r"^Hits = (?P<warnings>\d+)",
    ),
)
