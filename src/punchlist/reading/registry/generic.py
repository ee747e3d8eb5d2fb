"""Registry rows: what is tried last, where no parser of a known tool found an error."""

from punchlist.reading.registry.record import Parser

GENERIC = Parser("generic", "tools.generic", kind="report", formats="places with a message, shell errors")
PARSERS: tuple[Parser, ...] = (GENERIC,)
