"""Registry rows: R, D, Vala, Pascal, Crystal and other languages, hardware description, and programs that die."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "r",
        "tools.r_language",
        commands=("Rscript", "R", "littler"),
        signs=("[ FAIL ", "[ OK: ", "Execution halted", "── Failure", "── Error", "* checking ", ". Failure ("),
        sign=r"^ *\[ FAIL \d+ \| WARN|^ *\[ OK: \d+ \| SKIPPED|^ *Execution halted$|^── (?:\d+\. )?(?:Failure|Error) \("
        r"|^\* checking .* \.\.\. (?:ERROR|WARNING|NOTE)$",
        anchors=(b"Failure (", b"Error", b"[ FAIL ", b"* checking ", b"halted", b"Status: "),
        kind="test",
        formats="testthat (progress, check, summary), R CMD check, errors of scripts",
        aliases=("testthat",),
    ),
)

LAST: tuple[Parser, ...] = (
    Parser(
        "uncaught",
        "tools.uncaught",
        signs=(
            "Fortran runtime error: ",
            "ERROR STOP",
            "raised ",
            "Error: unhandled exception: ",
            ".d(",
            "Runtime error ",
            "An unhandled exception occurred at ",
            "Fatal error: exception ",
            "CallStack (from HasCallStack):",
            "Unhandled exception",
            "Unhandled Exception",
            "error: called from",
            "escript: exception ",
            "init terminating in ",
        ),
        sign=r"^Fortran runtime error: |^ERROR STOP\b|^raised [A-Z][\w.]+ : |Error: unhandled exception: "
        r"|^[a-z]\w*(?:\.\w+)+@\S+\.d\(\d+\): |^Runtime error \d+ at \$|^An unhandled exception occurred at \$"
        r"|^Fatal error: exception |^CallStack \(from HasCallStack\):|^Unhandled [Ee]xception[:.]"
        r"|^error: called from$|^escript: exception |^init terminating in ",
        anchors=(
            b"rror: ",
            b"ERROR STOP",
            b"raised ",
            b"xception",
            b"CallStack",
            b"Runtime error",
            b"init terminating",
        ),
        kind="report",
        formats="uncaught errors of Fortran, Ada, Nim, D, Pascal, OCaml, Haskell, Crystal, .NET, Octave and Erlang",
    ),
)
"""Read after the test runners and compilers, which tell the same deaths better."""
