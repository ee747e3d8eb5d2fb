"""Turn the output of tests, linters, compilers and builds into exact diagnostics."""

__version__ = "0.1.0"
