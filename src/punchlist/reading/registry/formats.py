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
        signs=("::error", "::warning", "##[error]", "##[warning]", "##vso[task.logissue"),
        anchors=(b"::error", b"::warning", b"##["),
        kind="report",
        formats="GitHub and Azure annotations",
    ),
)
