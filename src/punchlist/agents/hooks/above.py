"""What the programs above a hook were started with: rules given on a command line stand in no file."""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH123

import os
import re
import sys

MOST = 8
_RULE = re.compile(r"[\w*.-]+(?:\([^)]*\))?")


def command_lines() -> list[list[str]]:
    """Return the words that each program above this one was started with, nearest first; none on Windows."""
    if sys.platform == "win32":
        return []
    if os.path.isdir("/proc/self"):  # noqa: PTH112
        return _from_proc()
    return _from_ps()


def rules(lines: list[list[str]], *flags: str) -> list[str]:
    """Return the rules (`Bash(git *)`, `shell(git push)`) that stand behind any of these flags."""
    found = []
    for words in lines:
        taking = False
        for word in words:
            name, joined, value = word.partition("=")
            if word.startswith("-"):
                taking = name in flags
                word = value if joined else ""
            if taking and word:
                found += _RULE.findall(word)
    return found


def _from_proc() -> list[list[str]]:
    found: list[list[str]] = []
    pid = os.getppid()
    while pid > 1 and len(found) < MOST:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                found.append(file.read().decode("utf-8", "replace").split("\0")[:-1])
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
    return found


def _from_ps() -> list[list[str]]:
    """Ask `ps`, which gives no quotes: a rule with spaces is told by its brackets alone."""
    import subprocess

    try:
        told = subprocess.run(
            ["ps", "-axwwo", "pid=,ppid=,command="], capture_output=True, text=True, timeout=2, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return []
    table = {}
    for line in told.stdout.splitlines():
        pid, parent, *command = line.split(None, 2)
        table[pid] = (parent, command[0] if command else "")
    found: list[list[str]] = []
    at = str(os.getppid())
    while at in table and at != "1" and len(found) < MOST:
        at, command_line = table[at]
        found.append(re.findall(r"(?:[^\s(]|\([^)]*\))+", command_line))
    return found
