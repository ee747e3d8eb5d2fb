"""Registry rows: infrastructure."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
