"""What Claude Code's permission rules say of a command, so that a rewritten one is never allowed more than it."""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH109, PTH111, PTH118, PTH123

import json
import os
import re

from punchlist.agents.shell import split, upward

FILES = (".claude/settings.json", ".claude/settings.local.json")


def standing(command: str, cwd: str) -> str:
    """Return "deny", "ask" or "allow" where a rule says so, else an empty text (the host decides then).

    Rules that forbid or ask count from every settings file; rules that allow count from the user's own file alone,
    since a project's do not count before its folder is trusted. A command is allowed where all of its parts are.
    """
    own = os.path.join(os.path.expanduser("~"), ".claude", "settings.json")
    files = [own, *(os.path.join(place, name) for place in upward(cwd or os.getcwd()) for name in FILES)]
    parts = _parts(command)
    for word in ("deny", "ask"):
        if any(_matches(rule, part) for file in dict.fromkeys(files) for rule in _rules(file, word) for part in parts):
            return word
    allowed = _rules(own, "allow")
    return "allow" if parts and all(any(_matches(rule, part) for rule in allowed) for part in parts) else ""


def _parts(command: str) -> list[str]:
    found = split(command)
    if found is None:
        return [command.strip()]
    return [" ".join(word.raw for word in part.words) for part in found if part.words]


def _rules(file: str, word: str) -> list[str]:
    try:
        with open(file, encoding="utf-8-sig") as stream:
            value = json.load(stream)
        rules = value["permissions"][word]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [rule for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []


def _matches(rule: str, command: str) -> bool:
    """Tell whether a rule covers a simple command: `Bash`, `Bash(npm test)`, `Bash(npm run test:*)`, `Bash(npm *)`."""
    if rule in ("Bash", "Bash(*)", "*"):
        return True
    found = re.fullmatch(r"Bash\((.*)\)", rule, re.S)
    if not found:
        return False
    wanted = found[1].strip()
    if wanted.endswith(":*"):
        start = wanted[:-2]
        return command == start or command.startswith(start + " ")
    if wanted.endswith(" *") and command == wanted[:-2]:
        return True
    pattern = ".*".join(re.escape(piece) for piece in wanted.split("*"))
    return re.fullmatch(pattern, command, re.S) is not None
