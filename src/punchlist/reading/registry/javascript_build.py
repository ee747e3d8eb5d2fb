"""Registry rows: javascript build."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
