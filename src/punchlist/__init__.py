"""Turn the output of tests, linters, compilers and builds into exact diagnostics."""
