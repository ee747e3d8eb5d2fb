"""The MCP front door: a table of tools, strict arguments, payload modes, logs as resources."""
