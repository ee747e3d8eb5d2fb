"""One-line formats as data: one table of rows an ecosystem, read by `punchlist.reading.oneline`."""
