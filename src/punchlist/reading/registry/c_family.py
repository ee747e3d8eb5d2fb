"""Registry rows: C, C++ and Fortran compilers, linkers, build tools, test frameworks and run-time checkers."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "gcc-json",
        "tools.gcc_json",
        signs=('"column-origin"', '"caret": {', '"byte-column"'),
        kind="compile",
        formats="-fdiagnostics-format=json",
    ),
    Parser(
        "gcc",
        "tools.gcc",
        commands=(
            "gcc", "g++", "clang", "clang++", "gfortran", "ld", "clang-tidy", "run-clang-tidy", "cppcheck", "clang-cl",
            "ld.lld", "nvcc", "emcc", "em++", "icx", "icpx", "zig cc", "zig c++", "clang-format", "f95", "flang",
        ),
        signs=(
            ": error: ", ": fatal error: ", ": warning: ", "undefined reference to", "multiple definition of", "cannot find -l",
            "collect2: ", ": Fehler: ", ": Warnung: ", ": erreur: ", ": avertissement: ", "ld: ", "Error: ",
            ": (error) ", ": (warning) ", "：", "ld.lld: ", "mold: ", "Undefined symbols for architecture",
        ),
        sign=
            r"\.[A-Za-z+]{1,4}\d{0,2}[:.]\d+(?:[:.]\d+)?: ?|undefined reference to|multiple definition of"
            r"|\bld[\w.]*: |\[\S+:\d+\]: \(|Undefined symbols|(?:cc1|clang|gcc|g\+\+)\S*: ",
        anchors=(b"error", b"warning", b"undefined reference", b"multiple definition", b"ld: ", b"Error", b"note:", b"***", b"Fehler"),
        kind="compile",
        formats="text of gcc, clang, gfortran, clang-tidy, cppcheck and linkers, any locale",
        aliases=("g++", "clang", "clang-tidy", "ld", "cppcheck", "gfortran"),
    ),
    Parser(
        "make",
        "tools.make",
        commands=("make", "gmake", "bmake", "scons", "mingw32-make", "colormake"),
        signs=("make: ", "make[", ": *** ", "scons: "),
        sign=r"(?:^|\s)(?:[\w-]*make(?:\.exe)?(?:\[\d+\])?|scons): |\S+:\d+: \*\*\* ",
        anchors=(b"*** ", b"ake: ", b"ake["),
        kind="build",
        formats="text",
        aliases=("gmake", "scons"),
    ),
)  # fmt: skip
