"""Machine-readable reports that many tools write: one module a format, each with `parse(log, context) -> Reading`."""
