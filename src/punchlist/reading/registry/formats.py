"""Registry rows: report formats that no single tool owns, read wherever they appear."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "junit",
        "formats.junit",
        signs=("<testsuite",),
        sign=r"<testsuites?[\s>]",
        anchors=(b"<failure", b"<error", b"<testsuite"),
        kind="report",
        formats="JUnit XML",
    ),
    Parser(
        "checkstyle-xml",
        "formats.checkstyle",
        signs=("<checkstyle", "<pmd"),
        anchors=(b"<error", b"<file"),
        kind="report",
        formats="checkstyle XML, PMD XML",
    ),
    Parser(
        "cppcheck-xml",
        "formats.cppcheck_xml",
        signs=("<cppcheck version=",),
        anchors=(b"<error", b"<location"),
        kind="report",
        formats="--xml",
    ),
    Parser(
        "hlint-json",
        "formats.hlint_json",
        signs=('"refactorings"',),
        sign=r'"hint"\s*:\s*"',
        kind="report",
        formats="--json",
    ),
    Parser(
        "sarif",
        "formats.sarif",
        signs=('"runs"',),
        sign=r'"\$schema"\s*:\s*"[^"]*sarif|"version"\s*:\s*"2\.[01]',
        kind="report",
        formats="SARIF 2.0, 2.1",
    ),
    Parser(
        "rdjson",
        "formats.rdjson",
        signs=('"location"',),
        sign=r'"location"\s*:\s*\{(?=[^{}]*"path")[^{}]*"range"\s*:|"location"\s*:\s*\{\s*"path"\s*:\s*"[^"]*"\s*\}\s*,\s*"message"',
        kind="report",
        formats="RDJSON, RDJSONL",
    ),
    Parser(
        "codequality",
        "formats.codequality",
        signs=('"check_name"', '"fingerprint"'),
        kind="report",
        formats="GitLab code quality, Code Climate",
    ),
    Parser(
        "ctrf", "formats.ctrf", signs=('"CTRF"', '"summary"'), sign=r'"results"\s*:\s*\{', kind="report", formats="CTRF"
    ),
    Parser(
        "lsp",
        "formats.lsp",
        signs=('"diagnostics"',),
        sign=r'"uri"\s*:\s*"[a-z]',
        kind="report",
        formats="LSP publishDiagnostics",
    ),
    Parser(
        "dotnet-xml",
        "formats.dotnet_xml",
        signs=("<TestRun", "<test-run", "<test-results", "<assemblies", "<assembly "),
        sign=r"<UnitTestResult|<test-case|<test [^>]*\bresult=",
        anchors=(b"<UnitTestResult", b"<test-case", b"<failure", b"ErrorInfo"),
        kind="report",
        formats="TRX, NUnit 2 and 3, xUnit 2 XML",
    ),
    Parser(
        "teamcity",
        "formats.teamcity",
        signs=("##teamcity[",),
        anchors=(b"##teamcity[testFailed", b"##teamcity[test", b"##teamcity[inspection", b"##teamcity[buildProblem"),
        kind="report",
        formats="TeamCity service messages",
    ),
)

# Read after all tools: what a tool prints beside its own report only repeats it.
LAST: tuple[Parser, ...] = (
    Parser(
        "annotations",
        "formats.annotations",
        signs=("::error", "::warning", "::notice ", "##[error]", "##[warning]", "##vso[task.logissue"),
        anchors=(b"::error", b"::warning", b"##["),
        kind="report",
        formats="GitHub and Azure annotations",
    ),
    Parser(
        "tap",
        "formats.tap",
        signs=("TAP version 1", "not ok ", "1.."),
        sign=r"^TAP version 1[234]$|^1\.\.\d+(?: |$)",
        anchors=(b"not ok ", b"Bail out!", b"1..", b"# "),
        kind="report",
        formats="TAP 12, 13, 14",
    ),
    Parser(
        "json-log",
        "formats.json_log",
        signs=('"level":', '"severity":', '"levelname":', '"log.level":', '"@l":', '"lvl":', '"level" :'),
        sign=r'^\{.*"(?:level|severity|levelname|log\.level|lvl|@l)"\s*:\s*(?:[56]0\b|"(?i:error|err|fatal|crit|alert|emerg|panic|severe))',
        anchors=(b'"level":50', b'"level":60', b'"error"', b'"fatal"', b'"ERROR"'),
        kind="report",
        formats="JSON log lines",
    ),
)
