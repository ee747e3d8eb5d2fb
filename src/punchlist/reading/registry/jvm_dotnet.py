"""Registry rows: build tools, compilers, test runners and linters of the JVM and of .NET."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "maven",
        "tools.maven",
        commands=("mvn", "mvnDebug"),
        signs=(
            "[INFO] BUILD ",
            "[ERROR] Failed to execute goal",
            "[ERROR] COMPILATION ERROR",
            "<<< FAILURE!",
            "<<< ERROR!",
            "Tests run: ",
            "[INFO] Scanning for projects",
        ),
        sign=r"^\[INFO\] (?:BUILD (?:SUCCESS|FAILURE)|Scanning for projects)|^\[ERROR\] (?:Failed to execute goal|COMPILATION)"
        r"|Time elapsed: [\d.,]+ s(?:ec)? +<<< (?:FAILURE|ERROR)!|^(?:\[\w+\] +)?Tests run: ?\d+, Failures: ?\d+, Errors: ",
        anchors=(b"[ERROR]", b"[WARNING]", b"Tests run:", b"<<< ", b"BUILD ", b"Caused by:"),
        kind="build",
        formats="compiler, surefire, failsafe, checkstyle, PMD, SpotBugs and enforcer plugins, failed goals",
        aliases=("mvn", "surefire", "failsafe"),
    ),
    Parser(
        "javac",
        "tools.javac",
        commands=("javac", "ant", "javadoc"),
        signs=(".java:",),
        sign=r"\.java:\d+: (?:error|warning|Fehler|Warnung|erreur|avertissement|エラー|警告|错误) ?: ",
        anchors=(b".java:", b": error: ", b": warning: "),
        kind="compile",
        formats="text, behind ant",
    ),
)
