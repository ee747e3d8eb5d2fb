"""One-line formats of the JVM's and .NET's compilers and checkers.

MSBuild's line is the same for all its languages: `file(line,column): error CODE: message [project]`, printed where it
happens and again at the end; `N>` stands in front of it in parallel builds.
"""

from punchlist.reading.oneline import Row

PATH = r"(?P<file>(?:file://)?(?:/?[A-Za-z]:)?[^:\n]*?"
KOTLIN = PATH + r"\.kts?)"
NODE = r"\s*(?:\d+(?::\d+)?>)?"
PLACE = (
    r"(?P<file>(?:[A-Za-z]:)?[^:(\n]+?)\((?P<line>\d+)(?:,(?P<column>\d+)"
    r"(?:,(?P<end_line>\d+),(?P<end_column>\d+))?)?(?:-\d+(?:,\d+)?)?\)"
)
WORD = r"(?P<severity>fatal error|error|warning|info|Fehler|Warnung|erreur|avertissement|advertencia|错误|警告|エラー)"
PROJECT = r"(?: \[(?P<project>[^\[\]]+(?:proj|\.sln|\.slnx|\.cs)[^\[\]]*)\])?$"
MSBUILD_COUNTS = r"^\s+(?P<errors>\d+) Error\(s\)$|^\s+(?P<warnings>\d+) Warning\(s\)$"
TERMINAL = r"^(?:Build|Restore) (?:failed|succeeded)(?: with (?:(?P<errors2>\d+) error\(s\))?)?"

ROWS: tuple[Row, ...] = (
    # checkstyle 8 to 10, plain
    Row(
        "checkstyle",
        r"\[(?P<severity>ERROR|WARN|INFO)\] "
        + PATH
        + r"):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<message>.*?)(?: \[(?P<rule>[A-Z]\w+)\])?$",
        failed=r"^Checkstyle ends with [1-9]\d* errors",
        error=r"(?:com\.puppycrawl\S+: )?(?P<message>(?:Unable to (?:find|create|parse)|Must specify a config"
        r"|Files to process must be|Could not find config|cannot initialize module"
        r"|Unable to instantiate).*)",
    ),
    # checkstyle before 8 (and ant's task): no level in front
    Row(
        "checkstyle",
        PATH + r"\.java):(?P<line>\d+)(?::(?P<column>\d+))?: (?:(?P<severity>error|warning"
        r"|info): )?(?P<message>\S.*?)(?: \[(?P<rule>[A-Z]\w+)\])$",
    ),
    # kotlinc; behind gradle `e: file:///x.kt:3:5 message`, before Kotlin 1.8 `e: /x.kt: (3, 5): message`
    Row(
        "kotlinc",
        KOTLIN + r":(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning|info): (?P<message>\S.*)",
        more=r"(?:\s+.*\S|\s*\^~*)$",
    ),
    Row("kotlinc", r"(?P<severity>[ewiv]): " + KOTLIN + r":(?P<line>\d+):(?P<column>\d+) (?P<message>\S.*)"),
    Row("kotlinc", r"(?P<severity>[ewiv]): " + KOTLIN + r": \((?P<line>\d+), (?P<column>\d+)\): (?P<message>\S.*)"),
    Row(
        "kotlinc",
        "",
        error=r"error: (?P<message>(?:source file or directory not found|no source files|invalid argument"
        r"|unable to).*)",
    ),
    # ktlint 0.40 to 1.5: `(standard:no-wildcard-imports)`, before 0.49 `(no-wildcard-imports)`
    Row("ktlint", KOTLIN + r":(?P<line>\d+):(?P<column>\d+): (?P<message>\S.*?) \((?P<rule>[\w-]+(?::[\w-]+)*)\)$"),
    # detekt 1.x
    Row(
        "detekt",
        KOTLIN + r":(?P<line>\d+):(?P<column>\d+): (?P<message>\S.*?) \[(?P<rule>[A-Z]\w+)\]$",
        failed=r"^(?:Analysis failed with|Build failed with) \d+ (?:weighted )?issues",
    ),
    Row(
        "detekt",
        r"\t(?P<rule>[A-Z]\w+) - (?P<message>.*?) ?(?:- \[.*\] )?at " + KOTLIN + r":(?P<line>\d+):(?P<column>\d+).*$",
    ),
    # PMD 6 and 7 text: tabs between place, rule and message
    Row("pmd", PATH + r"):(?P<line>\d+):\t(?P<rule>[A-Z]\w+):\t(?P<message>\S.*)", severity="warning"),
    Row("pmd", PATH + r"):(?P<line>\d+):\t(?P<message>\S.*)", severity="warning"),
    Row("pmd", "", error=r"(?P<message>(?:Cannot load ruleset|No such file|Can't find resource).*)"),
    # SpotBugs text: priority, category, pattern's short name
    Row(
        "spotbugs",
        r"(?P<severity>[HML]) (?:[A-Z] )?(?P<rule>[A-Z]\w+): "
        r"(?P<message>\S.*?)  (?:[A-Z][\w ]*? )?(?:[Aa]t|[Ii]n) (?P<file>[\w$.-]+\.(?:java|kt"
        r"|scala))(?::\[lines? (?P<line>\d+)(?:-\d+)?\])?.*$",
        severities={"H": "error", "M": "warning", "L": "info"},
    ),
    # MSBuild: compiler, analysers, restore
    Row(
        "msbuild",
        NODE
        + PLACE
        + r" ?: (?:\w+ )?"
        + WORD
        + r" (?P<rule>(?!(?:C|LNK|D|RC|CVT|A)\d{4,5}\b)[A-Za-z][\w-]*) ?: (?P<message>.*?)"
        + PROJECT,
        counts=MSBUILD_COUNTS,
        failed=r"^Build FAILED\.|^(?:Build|Restore) failed with |^(?:Build|Restore) failed in ",
        passed=r"^Build succeeded",
    ),
    Row(
        "msbuild",
        NODE
        + r"(?P<file>(?:[A-Za-z]:)?[^:(\n]*\.(?:\w*proj|sln|slnx|props|targets|config)) : "
        + WORD
        + r"(?: (?P<rule>[A-Z]+\d+))? ?: (?P<message>.*?)"
        + PROJECT,
    ),
    Row(
        "msbuild",
        NODE
        + r"(?:CSC|VBC|FSC|vbc|EXEC|MSBUILD|ILLINK|ILC|AL|SGEN|LC|ResGen|NuGet|[\w.]+) ?: "
        + WORD
        + r" (?P<rule>(?!(?:C|LNK|D|RC|CVT|A)\d{4,5}\b)[A-Z]+\d+) ?: (?P<message>.*?)"
        + PROJECT,
    ),
    Row(
        "msbuild",
        NODE + WORD + r" (?P<rule>(?:MSB|NU|NETSDK|CS|FS|BC|CA|TESTERROR)\d*) ?: (?P<message>\S.*?)" + PROJECT,
    ),
)
