"""Registry rows: python test."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
