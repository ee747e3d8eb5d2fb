"""Registry rows: c family."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
