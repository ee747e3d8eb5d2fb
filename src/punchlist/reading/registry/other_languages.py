"""Registry rows: other languages."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
