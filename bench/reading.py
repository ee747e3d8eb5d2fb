"""What reading a very large log costs, as ratios to `grep` over the same file in the same run.

A 300 MB log of passing tests with 3 failures, the same with colours and carriage returns, and one 50 MB line, each read
with 200 MB of data memory. Usage: python bench/reading.py [MEGABYTES]
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 200 << 20
HEAD = b"""============================= test session starts ==============================
platform linux -- Python 3.12.3, pytest-8.3.0, pluggy-1.5.0 -- /usr/bin/python
rootdir: /home/dev/shop
collected 3000003 items

"""
TAIL = b"""tests/test_cart.py::test_a FAILED                                        [100%]

=================================== FAILURES ===================================
____________________________________ test_a ____________________________________

    def test_a():
>       assert 1 == 2
E       assert 1 == 2

tests/test_cart.py:3: AssertionError
____________________________________ test_b ____________________________________

    def test_b():
>       assert 1 == 3
E       assert 1 == 3

tests/test_cart.py:6: AssertionError
____________________________________ test_c ____________________________________

    def test_c():
>       raise KeyError("x")
E       KeyError: 'x'

tests/test_cart.py:9: KeyError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_a - assert 1 == 2
FAILED tests/test_cart.py::test_b - assert 1 == 3
FAILED tests/test_cart.py::test_c - KeyError: 'x'
================== 3 failed, 3000000 passed in 99.00s (0:01:39) ================
"""


def write(path: Path, megabytes: int, *, coloured: bool) -> None:
    """Write a log of passing tests."""
    with path.open("wb") as file:
        file.write(HEAD)
        number = 0
        while file.tell() < megabytes * 1_000_000:
            rows = []
            for number in range(number, number + 10_000):  # noqa: B020  the counter goes on
                name = b"tests/test_module_%04d.py::test_case_%07d" % (number % 1000, number)
                if coloured:
                    rows.append(b"\r\x1b[32m%s \x1b[0m\x1b[32mPASSED\x1b[0m [ 50%%]\r%d done\r" % (name, number))
                    rows.append(b"\n" if number % 2 else b"")
                else:
                    rows.append(b"%s PASSED              [ 50%%]\n" % name)
            file.write(b"".join(rows))
        file.write(b"\n" + TAIL)


def seconds(command: list[str], *, limited: bool = False) -> float:
    """Run a command and return how long it took."""
    before = (lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))) if limited else None
    begun = time.perf_counter()
    done = subprocess.run(
        command, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}, preexec_fn=before, check=False
    )
    taken = time.perf_counter() - begun
    if limited and b"3 failed" not in done.stdout and b"xxx" not in done.stdout and b"x" * 10 not in done.stdout:
        print(f"unexpected answer: {done.stdout[:200]!r}")
    return taken


def main() -> int:
    """Print the ratios."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    punchlist = [sys.executable, "-m", "punchlist.cli", "read", "--command", "pytest -v", "--exit-code", "1"]
    with tempfile.TemporaryDirectory() as scratch:
        for name, coloured, most in (("plain", False, 10), ("colours and carriage returns", True, 30)):
            log = Path(scratch) / "log"
            write(log, megabytes, coloured=coloured)
            grep = min(seconds(["grep", "-cE", "FAILED|error", str(log)]) for _ in range(3))
            ours = min(seconds([*punchlist, str(log)], limited=True) for _ in range(3))
            print(f"{name}: {ours:.2f} s, {ours / grep:.1f} times grep (at most {most})")
        long = Path(scratch) / "long"
        long.write_bytes(b"x" * 50_000_000)
        print(f"one line of 50 MB: {seconds([*punchlist, str(long)], limited=True):.2f} s (at most 3)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
