"""What Claude Code's permission rules say of a command, so that a rewritten one is never allowed more than it."""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH109, PTH111, PTH113, PTH118, PTH123, PTH208

import json
import os
import re
import sys

from punchlist.agents.hooks import above
from punchlist.agents.shell import texts_of, upward

FILES = (".claude/settings.json", ".claude/settings.local.json")
MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": "C:\\Program Files\\ClaudeCode",
}
DENIES, ALLOWS = ("--disallowedTools", "--disallowed-tools"), ("--allowedTools", "--allowed-tools")


def standing(command: str, cwd: str) -> str:
    """Return "deny", "ask" or "allow" where a rule says so, else an empty text (the host decides then).

    Rules that forbid or ask count from every settings file and from the host's command line; rules that allow count
    from the user's own file and the command line, and from a project's files where its user has trusted the folder. A
    command is allowed where all of its parts are.
    """
    own = os.path.join(_config(), "settings.json")
    place = cwd or os.getcwd()
    project = [os.path.join(folder, name) for folder in upward(place) for name in FILES]
    project = [file for file in dict.fromkeys(project) if file != own and os.path.isfile(file)]
    lines = above.command_lines()
    given = [words[at + 1] for words in lines for at, word in enumerate(words[:-1]) if word == "--settings"]
    parts = _parts(command)
    for word in ("deny", "ask"):
        rules = above.rules(lines, *DENIES) if word == "deny" else []
        rules += [rule for file in (own, *project, *_managed(), *given) for rule in _rules(file, word)]
        if any(matches(rule, part) for rule in rules for part in parts):
            return word
    allowed = above.rules(lines, *ALLOWS) + _rules(own, "allow")
    if _all_match(allowed, parts):
        return "allow"
    more = [rule for file in project for rule in _rules(file, "allow")]
    return "allow" if more and _all_match(allowed + more, parts) and _trusted(place) else ""


def _all_match(rules: list[str], parts: list[str]) -> bool:
    return bool(parts) and all(any(matches(rule, part) for rule in rules) for part in parts)


def _config() -> str:
    return os.environ.get("CLAUDE_CONFIG_DIR", "").strip() or os.path.join(os.path.expanduser("~"), ".claude")


def _managed() -> list[str]:
    """The settings that an organisation gives, which its users cannot change."""
    folder = MANAGED.get(sys.platform, "/etc/claude-code")
    try:
        more = sorted(os.listdir(os.path.join(folder, "managed-settings.d")))
    except OSError:
        more = []
    files = [os.path.join("managed-settings.d", name) for name in more if name.endswith(".json")]
    return [os.path.join(folder, name) for name in ("managed-settings.json", *files)]


def _trusted(place: str) -> bool:
    """Whether the user has answered yes to the question whether he trusts a folder or one above it."""
    moved = os.environ.get("CLAUDE_CONFIG_DIR", "").strip()
    file = os.path.join(moved or os.path.expanduser("~"), ".claude.json")
    try:
        with open(file, encoding="utf-8-sig") as stream:
            projects = json.load(stream)["projects"]
        return any(projects.get(folder, {}).get("hasTrustDialogAccepted") is True for folder in upward(place))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _parts(command: str) -> list[str]:
    texts = texts_of(command)
    return [command.strip()] if texts is None else texts


def _rules(file: str, word: str) -> list[str]:
    """Return the rules of a settings file, or of settings given as a text."""
    try:
        if file.lstrip().startswith("{"):
            value = json.loads(file)
        else:
            with open(file, encoding="utf-8-sig") as stream:
                value = json.load(stream)
        rules = value["permissions"][word]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [rule for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []


def matches(rule: str, command: str) -> bool:
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
