"""Registry rows: formats."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
