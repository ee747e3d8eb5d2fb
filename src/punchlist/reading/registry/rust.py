"""Registry rows: rust."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = ()
