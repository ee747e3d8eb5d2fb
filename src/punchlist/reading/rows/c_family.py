"""One-line formats of Microsoft's compiler, linker and MSBuild, and of autotools' configure.

MSBuild's line is the same for every language: `file(line,column): error CODE: message [project]`, with `N>` in front of
it in parallel builds. The codes tell whose it is: C, LNK, D, RC and MSB belong here.
"""

from punchlist.reading.oneline import Row

NODE = r"\s*(?:\d+>)?"
PLACE = (
    r"(?P<file>(?:[A-Za-z]:)?[^:(\n]+?)\((?P<line>\d+)"
    r"(?:,(?P<column>\d+)(?:,(?P<end_line>\d+),(?P<end_column>\d+))?)?(?:-\d+)?\)"
)
SEVERITY = r"(?P<severity>fatal error|error|warning|note|Fehler|erreur|Warnung|avertissement|message)"
PROJECT = r"(?: \[[^\]]+(?:proj|\.sln)[^\]]*\])?$"
CODES = r"(?:C|LNK|D|RC|MSB|CVT|A|BK|PRJ|CMD|MIDL|FTK|TRK)\d{4,5}"

MSBUILD = NODE + PLACE + r" ?: " + SEVERITY + r" (?P<rule>[A-Z]+\d+) ?: (?P<message>.*?)" + PROJECT

ROWS: tuple[Row, ...] = (
    # cpplint 1 and 2: `file:12:  message  [category/name] [5]`; its vs7 and eclipse formats
    Row(
        tool="cpplint",
        pattern=r"(?P<file>[^\s:][^:]*):(?P<line>\d+): (?:(?P<severity>warning|error):)? *(?P<message>\S.*?)"
        r" +\[(?P<rule>[\w+]+/[\w+]+)\] \[\d\]$",
        counts=r"^Total errors found: (?P<errors>\d+)$",
        passed=r"^Total errors found: 0$",
    ),
    Row(
        tool="cpplint",
        pattern=r"(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): error cpplint: \[(?P<rule>[\w+]+/[\w+]+)\] (?P<message>.+?)"
        r" \[\d\]$",
    ),
    Row(
        tool="msvc",
        pattern=NODE + PLACE + r" ?: " + SEVERITY + rf" (?P<rule>{CODES}) ?: (?P<message>.*?)" + PROJECT,
        more=NODE + r"(?:        |  \S.*note:|" + PLACE + r": note: )",
        counts=r"^\s+(?P<errors>\d+) Error\(s\)$|^\s+(?P<warnings>\d+) Warning\(s\)$",
        failed=r"^Build FAILED\.",
        passed=r"^Build succeeded\.",
    ),
    Row(
        tool="msvc",
        pattern=NODE
        + r"(?P<object>[\w .+@\\/:-]+?(?:\.(?:obj|lib|exe|dll|res|o))?(?:\([\w.-]+\))?) : "
        + SEVERITY
        + rf" (?P<rule>{CODES}) ?: (?P<message>.*?)"
        + PROJECT,
    ),
    Row(tool="msvc", pattern=NODE + SEVERITY + rf" (?P<rule>{CODES}) ?: (?P<message>.*?)" + PROJECT),
    Row(
        tool="msvc",
        pattern=r"(?P<project>MSBUILD|cl|LINK|link|NMAKE) ?: (?:(?:C|c)ommand line )?"
        + SEVERITY
        + r" (?P<rule>[A-Z]+\d+) ?: (?P<message>.*?)"
        + PROJECT,
    ),
)
