"""`python -m punchlist.cli`: the command line without its console script."""

from punchlist.cli.main import console

console()
