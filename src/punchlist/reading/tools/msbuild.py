"""Read MSBuild and the .NET command line by the rows for its one-line messages, only where a line can be one."""

import re

from punchlist.reading import oneline
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import only_near

TELLING = re.compile(
    r"\) ?: |: (?:error|warning|info|Fehler|Warnung|erreur|avertissement|advertencia)\b|^(?:error|warning) |"
    r" (?:Error|Warning)\(s\)|^(?:Build|Restore) ",
    re.M,
)


def parse(log: Log, context: Context) -> Reading:
    """Read messages, totals and the verdict."""
    return oneline.parse(oneline.rows_of("jvm_dotnet", "msbuild"), only_near(log, TELLING, 0), context)
