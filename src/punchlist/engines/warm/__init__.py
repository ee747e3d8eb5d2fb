"""Engines kept warm: language servers that answer for an edited file in milliseconds."""
