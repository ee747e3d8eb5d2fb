"""`python -m punchlist.cli`: the command line without its console script."""

import sys

from punchlist.cli.main import main

sys.exit(main())
