"""One-line formats of linters and checkers of containers, configuration, workflows, schemas and prose."""

from punchlist.reading.oneline import Row

PATH = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:\n]*?)"
LC = r":(?P<line>\d+):(?P<column>\d+)"

HELM = r"Error: (?P<message>(?:INSTALLATION FAILED: |UPGRADE FAILED: )?"

ROWS: tuple[Row, ...] = (
    # hadolint 1.17 to 2.14: tty and gnu; a Dockerfile that cannot be parsed has no rule.
    Row(
        tool="hadolint",
        pattern=r"(?:hadolint:)?"
        + PATH
        + r":(?P<line>\d+):? (?P<rule>(?:DL|SC)\d{4}) (?P<severity>error|warning|info|style|igno"
        r"re): (?P<message>.+)$",
        severities={"style": "info", "ignore": "hint"},
    ),
    Row(
        tool="hadolint",
        pattern=r"(?P<file>\S*(?:Dockerfile|Containerfile|\.[Dd]ockerfile)\S*?)" + LC + r" (?P<message>\S.+)$",
        error=r"hadolint: (?P<message>\S.*)$|Invalid option `.*$",
    ),
    # actionlint 1.6, 1.7: default and -oneline.
    Row(
        tool="actionlint",
        pattern=r"(?P<file>[^\s:][^:\n]*\.ya?ml)" + LC + r": (?P<message>.+) \[(?P<rule>[a-z][a-z-]+)\]$",
        more=r" *\d* \|",
        error=r"actionlint: (?P<message>.+)$|(?P<message2>.*: no project was found in any parent directories.*)$",
    ),
    # buf 1.0 to 1.60: text (no blank after the place) and msvs.
    Row(
        tool="buf",
        pattern=r"(?P<file>[^\s:][^:\n]*\.(?:proto|yaml))" + LC + r":(?P<message>\S.*)$",
        error=r"Failure: (?P<message>.+)$",
    ),
    Row(
        tool="buf",
        pattern=r"(?P<file>\S.*\.proto)\((?P<line>\d+),(?P<column>\d+)\) : (?P<severity>error|wa"
        r"rning) (?P<rule>[A-Z_]+) : "
        r"(?P<message>.+)$",
    ),
    # nginx -t (1.10 to 1.27): on stderr, with or without a time stamp.
    Row(
        tool="nginx",
        pattern=r"(?:nginx: |\d{4}/\d\d/\d\d [\d:]+ )\[(?P<severity>emerg|alert|crit|error|warn)\] (?:\d+#\d+: )?"
        r"(?P<message>.+?)(?: in (?P<file>/\S+):(?P<line>\d+))?$",
        severities={"emerg": "error", "alert": "error", "crit": "error"},
        failed=r"^nginx: configuration file .+ test failed$",
        passed=r"^nginx: configuration file .+ test is successful$",
    ),
    # systemd-analyze verify (229 to 256).
    Row(
        tool="systemd-analyze",
        pattern=r"(?P<file>/?\S+\.(?:service|socket|timer|mount|target|path|slice|conf|link|netw"
        r"ork)):(?P<line>\d+): (?P<message>.+)$",
        severity="warning",
    ),
    Row(
        tool="systemd-analyze",
        pattern=r"(?P<file>[\w@.-]+\.(?:service|socket|timer|mount|target|path|slice)): (?P<mess"
        r"age>Command .+|.*(?:[Ff]ailed|lacks|not "
        r"found|refusing|Cannot).*)$",
    ),
    # jsonlint 1.6 -c, demjson, python -m json.tool, jq.
    Row(tool="jsonlint", pattern=r"(?P<file>\S.*): line (?P<line>\d+), col (?P<column>\d+), (?P<message>.+)$"),
    Row(
        tool="jsonlint",
        pattern=r"(?:jq: )?(?P<message>(?:parse )?error(?: \(at .+\))?: .+? at line (?P<line>\d+"
        r"), column (?P<column>\d+))$",
    ),
    Row(
        tool="jsonlint",
        pattern=r"(?P<message>[A-Z][\w' ,-]+): line (?P<line>\d+) column (?P<co"
        r"lumn>\d+) \(char \d+\)$",
    ),
    # vale --output=line.
    Row(tool="vale", pattern=PATH + LC + r":(?P<rule>[\w-]+\.[\w-]+):(?P<message>.+)$", severity="warning"),
    # tflint 0.20 to 0.55 --format=compact.
    Row(
        tool="tflint",
        pattern=PATH + LC + r": (?P<severity>Error|Warning|Notice) - (?P<message>.+?)(?: \((?P<rule>[a-z]\w+)\))?$",
        counts=r"^(?P<total>\d+) issue\(s\) found:",
    ),
    # kubeconform 0.4 to 0.7 and kubeval 0.16.
    Row(
        tool="kubeconform",
        pattern=r"(?P<file>\S.*?) - (?P<test>\w+ \S+) (?:is invalid|failed validation): (?P<message>.+)$",
        counts=r"Summary: \d+ resources? found.* - Valid: \d+, Invalid: \d+, Errors: (?P<errors>"
        r"\d+), Skipped: (?P<skipped>\d+)",
    ),
    Row(
        tool="kubeconform",
        pattern=r"(?P<file>\S.*?) - (?:failed validation|error while parsing|error unmarshalling"
        r" resource): (?P<message>.+)$",
    ),
    Row(
        tool="kubeconform",
        pattern=r"(?P<severity>WARN|ERR ) +- (?:(?P<file>\S+) contains an invalid (?P<test>\w+ "
        r"\(\S+\)) - )?(?P<message>.+)$",
        severities={"WARN": "error", "ERR": "error"},
    ),
    # dotenv-linter 3.
    Row(
        tool="dotenv-linter",
        pattern=r"(?P<file>\S*\.env\S*):(?P<line>\d+) (?P<rule>[A-Z]\w+): (?P<message>.+)$",
        severity="warning",
    ),
    # SwiftLint 0.30 to 0.57 (xcode reporter), swiftformat --lint.
    Row(
        tool="swiftlint",
        pattern=PATH
        + r":(?P<line>\d+)(?::(?P<column>\d+))?: (?P<severity>error|warning): (?P<message>.+?) \((?P<rule>\w+)\)\.?$",
        failed=r"^Done linting! Found [1-9]\d* violations?, [1-9]\d* serious",
        passed=r"^Done linting! Found \d+ violations?, 0 serious",
    ),
    # dart analyze (2.10 to 3.6), flutter analyze, --format=machine.
    Row(
        tool="dart-analyze",
        pattern=r"\s*(?P<severity>error|warning|info|hint|lint) [•-] (?P<file>[^\s:][^:\n]*\.(?:dart|yaml))"
        + LC
        + r" [•-] (?P<message>.+) [•-] (?P<rule>\w+)$",
        severities={"lint": "info", "hint": "info"},
    ),
    Row(
        tool="dart-analyze",
        pattern=r"\s*(?P<severity>error|warning|info|hint|lint) [•-] (?P<message>.+) [•-] (?P<fi"
        r"le>[^\s:][^:\n]*\.(?:dart|yaml))" + LC + r" [•-] (?P<rule>\w+)$",
        severities={"lint": "info", "hint": "info"},
        failed=r"^\d+ issues? found\.",
        passed=r"^No issues found!",
    ),
    Row(
        tool="dart-analyze",
        pattern=r"(?P<severity>ERROR|WARNING|INFO)\|[A-Z_]+\|(?P<rule>[A-Z_0-9]+)\|(?P<file>[^|"
        r"\n]+)\|(?P<line>\d+)\|(?P<column>\d+)\|\d+\|"
        r"(?P<message>.+)$",
    ),
    # helm lint and helm template 3.
    Row(
        tool="helm",
        pattern=r"\[(?P<severity>ERROR|WARNING|INFO)\] templates/: (?P<message>.*?\((?P<file>[^"
        r"\s:()]+):(?P<line>\d+)\b.*)$",
    ),
    Row(
        tool="helm",
        pattern=r"\[(?P<severity>ERROR|WARNING|INFO)\] (?P<file>[^\s:]+): (?P<message>.+)$",
        failed=r"^Error: \d+ chart\(s\) linted, [1-9]\d* chart\(s\) failed",
        passed=r"^\d+ chart\(s\) linted, 0 chart\(s\) failed",
    ),
    Row(tool="helm", pattern=HELM + r"template: (?P<file>[^\s:()]+):(?P<line>\d+)(?::(?P<column>\d+))?: .+)$"),
    Row(
        tool="helm",
        pattern=HELM + r"execution error at \((?P<file>[^\s:()]+):(?P<line>\d+):(?P"
        r"<column>\d+)\): .+)$",
    ),
    Row(tool="helm", pattern=HELM + r"parse error at \((?P<file>[^\s:()]+):(?P<line>\d+)\): .+)$"),
    Row(tool="helm", pattern=HELM + r"YAML parse error on (?P<file>[^\s:]+): .+)$"),
    Row(tool="helm", pattern="", error=r"Error: (?!\d+ chart\(s\))(?P<message>\S.+)$"),
    # kubectl 1.14 to 1.31.
    Row(
        tool="kubectl",
        pattern=r"error: (?P<message>error (?:parsing|validating) \"?(?P<file>[^\s\":]+)\"?: .+)$",
    ),
    Row(
        tool="kubectl",
        pattern=r"(?P<message>Error from server(?: \(\w+\))?: (?:error when \w+ \"(?P<file>[^\"]+)\": )?.+)$",
    ),
    Row(tool="kubectl", pattern=r"(?P<message>The \S+ \"\S+\" is invalid: ?.*)$", more=r"\* |  "),
    Row(tool="kubectl", pattern=r"(?:error|Error): (?P<message>.+)$"),
    # puppet-lint 2 to 4: with one file it names none
    Row(
        "puppet-lint",
        r"(?:(?P<file>\S.*?\.pp) - )?(?P<severity>ERROR|WARNING): (?P<message>.+?) on line (?P<line>\d+)"
        r"(?: col(?:umn)? (?P<column>\d+))?(?: \(check: (?P<rule>\w+)\))?$",
        sole=r"\.pp$",
    ),
)
