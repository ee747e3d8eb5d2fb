"""Read Microsoft's compiler, linker and MSBuild by the rows of the C family, looking only at lines that have a code."""

import re

from punchlist.reading import oneline
from punchlist.reading.log import Context, Log, Reading
from punchlist.reading.scan import only_near

WORTH = re.compile(
    r"(?:error|warning|message|note|Fehler|Warnung|erreur|avertissement) (?:C|LNK|D|RC|MSB|CVT|A|BK|PRJ"
    r"|CMD|MIDL|FTK|TRK|U)\d{4,5}"
    r"|Error\(s\)|Warning\(s\)|Build (?:FAILED|succeeded)"
)


def parse(log: Log, context: Context) -> Reading:
    """Read the lines with a code, and what goes on below each."""
    return oneline.parse(oneline.rows_of("c_family", "msvc"), only_near(log, WORTH, 6), context)
