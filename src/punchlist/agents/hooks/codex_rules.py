"""What Codex's rules say of a command: one that stands for it would not meet them.

They forbid a command, want it asked for, or let it run outside of the sandbox.
"""

# A hook is waited for, and pathlib costs some milliseconds to import.
# ruff: noqa: PTH109, PTH111, PTH118, PTH123, PTH208

import os
import re

from punchlist.agents.shell import split, upward

_BLOCK = re.compile(r"prefix_rule\s*\(((?:[^()\"']|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*)\)", re.S)
_TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'")
SYSTEM = "/etc/codex"


def bounded(command: str, cwd: str) -> bool:
    """Tell whether a rule may speak of a command, and not of the one that stands for it.

    Rules are programs; here they are only looked at: one that forbids or asks counts where any word of its pattern is a
    word of the command, one that allows where its first is, unless there is one that allows Punchlist.
    """
    rules = [rule for file in _files(cwd) for rule in _rules(file)]
    spoken = _spoken(command) if rules else set()
    allowed = {words[0] for strict, words in rules if words and not strict}
    if any(spoken & set(words) for strict, words in rules if strict):
        return True
    return bool(spoken & allowed) and not any(word.endswith("punchlist") for word in allowed)


def _spoken(command: str) -> set[str]:
    """The words of a command, each also without its folder."""
    parts = split(command)
    words = command.split() if parts is None else [word.raw for part in parts for word in part.words]
    plain = {word.strip("'\"") for word in words}
    return plain | {word.rsplit("/", 1)[-1] for word in plain}


def _files(cwd: str) -> list[str]:
    own = os.environ.get("CODEX_HOME", "").strip() or os.path.join(os.path.expanduser("~"), ".codex")
    homes = [own, SYSTEM, *(os.path.join(place, ".codex") for place in upward(cwd or os.getcwd()))]
    found = []
    for folder in dict.fromkeys(os.path.join(home, "rules") for home in homes):
        try:
            found += [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".rules")]
        except OSError:
            continue
    return found


def _rules(file: str) -> list[tuple[bool, list[str]]]:
    """Return of each rule whether it forbids or asks, and the texts of its pattern."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError:
        return []
    found = []
    for block in _BLOCK.finditer(text):
        strict = re.search(r"decision\s*=\s*[\"'](?:forbidden|prompt)[\"']", block[1]) is not None
        pattern = re.search(r"pattern\s*=\s*(\[.*?\])\s*(?:,\s*\w+\s*=|,?\s*$)", block[1], re.S)
        found.append((strict, [one[0] or one[1] for one in _TEXT.findall(pattern[1] if pattern else block[1])]))
    return found
