"""Registry rows: go."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
