"""Registry rows: jvm dotnet."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
