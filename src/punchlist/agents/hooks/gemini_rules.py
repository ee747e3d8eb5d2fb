"""What Gemini CLI's rules say of a command: it asks them after the hook, of the new command alone (0.61.0 was run)."""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH109, PTH111, PTH118, PTH123, PTH208

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from punchlist.agents.hooks import above
from punchlist.agents.shell import texts_of, upward

TOOL = "run_shell_command"
SYSTEM = ("/etc/gemini-cli", "/Library/Application Support/GeminiCli", "C:\\ProgramData\\gemini-cli")


def differs(command: str, new: str, cwd: str) -> bool:
    """Tell whether rules that name commands say something else of a command than of the one that stands for it."""
    rules = list(_rules(cwd))
    return bool(rules) and _met(rules, command) != _met(rules, new)


def _met(rules: list[tuple[str, str, str]], command: str) -> set[str]:
    parts = texts_of(command)
    texts = [command.strip()] if parts is None else parts
    return {decision for decision, kind, value in rules for text in texts if _matches(kind, value, text)}


def _matches(kind: str, value: str, text: str) -> bool:
    if kind == "prefix":
        return text == value or text.startswith(value.rstrip() + " ")
    try:
        subject = text if kind == "regex" else json.dumps({"command": text}, separators=(",", ":"))
        return re.search(value, subject) is not None
    except re.error:
        return True


def _rules(cwd: str) -> Iterator[tuple[str, str, str]]:
    """Yield decision, kind (prefix, regex, arguments) and text of every rule that names commands."""
    own = os.path.join(os.environ.get("GEMINI_CLI_HOME", "").strip() or os.path.expanduser("~"), ".gemini")
    homes = [own, *SYSTEM, *(os.path.join(place, ".gemini") for place in upward(cwd or os.getcwd()))]
    lines = above.command_lines()
    for home in dict.fromkeys(homes):
        for file in _policies(os.path.join(home, "policies")):
            yield from _of_policy(file)
        yield from _of_settings(os.path.join(home, "settings.json"))
    for words in lines:
        for at, word in enumerate(words[:-1]):
            if word in ("--policy", "--admin-policy"):
                yield from _of_policy(words[at + 1])
    for decision, flags in (("allow", ("--allowed-tools",)), ("deny", ("--exclude-tools",))):
        yield from _of_tools(decision, above.rules(lines, *flags))


def _policies(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".toml")]
    except OSError:
        return []


def _of_policy(file: str) -> Iterator[tuple[str, str, str]]:
    import tomllib

    try:
        with open(file, "rb") as stream:
            rules = tomllib.load(stream).get("rule", [])
    except (OSError, ValueError):
        return
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict) and (TOOL in _texts(rule, "toolName") or "toolName" not in rule):
            for kind, key in (("prefix", "commandPrefix"), ("regex", "commandRegex"), ("arguments", "argsPattern")):
                for text in _texts(rule, key):
                    yield str(rule.get("decision", "deny")), kind, text


def _of_settings(file: str) -> Iterator[tuple[str, str, str]]:
    try:
        with open(file, encoding="utf-8-sig") as stream:
            tools = json.load(stream).get("tools", {})
    except (OSError, ValueError, AttributeError):
        return
    if isinstance(tools, dict):
        for decision, key in (("allow", "allowed"), ("deny", "exclude"), ("core", "core")):
            yield from _of_tools(decision, _texts(tools, key))


def _of_tools(decision: str, names: list[str]) -> Iterator[tuple[str, str, str]]:
    for name in names:
        if found := re.fullmatch(r"(?:run_shell_command|ShellTool)\((.+)\)", name.strip()):
            yield decision, "prefix", found[1]


def _texts(value: Mapping[str, Any], key: str) -> list[str]:
    found = value.get(key)
    several = found if isinstance(found, list) else [found]
    return [one for one in several if isinstance(one, str)]
