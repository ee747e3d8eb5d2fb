"""Engines: how each of a project's own linters and type checkers is found, started, cached and read."""
