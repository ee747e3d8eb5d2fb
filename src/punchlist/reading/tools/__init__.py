"""Block formats of text: one module a tool, each with `parse(log, context) -> Reading`."""
