"""What the command line of Copilot CLI says of a shell command: `--deny-tool`, `--allow-tool` (1.0.102 was run)."""

import re

from punchlist.agents.hooks import above
from punchlist.agents.shell import texts_of

ANY_PLACE = ("--allow-all-paths", "--allow-all", "--yolo")


def standing(command: str) -> str:
    """Return "deny" or "allow" where a rule names the command, else an empty text.

    A rule for every tool or every shell command says the same of the rewritten one, so nothing is said for it. Where
    the command cannot be taken apart, any rule that forbids a command counts.
    """
    lines = above.command_lines()
    texts = texts_of(command)
    denied = [rule for rule in above.rules(lines, "--deny-tool") if rule.startswith("shell(")]
    if texts is None:
        return "deny" if denied else ""
    if any(matches(rule, text) for rule in denied for text in texts):
        return "deny"
    allowed = above.rules(lines, "--allow-tool")
    return "allow" if texts and all(any(matches(rule, text) for rule in allowed) for text in texts) else ""


def refuses(new: str) -> bool:
    """Tell whether a new command would be refused for its program's place, with nobody there to be asked.

    A program that is named by a path outside of the project is asked for, which a run of one prompt answers by no.
    """
    if re.search(r"(?:^|[\s;&|])punchlist run ", new):
        return False
    asked = [words for words in above.command_lines() if re.search(r"copilot\b", " ".join(words[:2]))]
    once = any(word in ("-p", "--prompt") or word.startswith("--prompt=") for words in asked for word in words)
    return once and not any(word in ANY_PLACE for words in asked for word in words)


def matches(rule: str, text: str) -> bool:
    """Tell whether a rule covers a simple command: `shell(ruff)`, `shell(git push)`, `shell(git:*)`."""
    found = re.fullmatch(r"shell\((.+)\)", rule)
    if not found:
        return False
    words = found[1].strip().removesuffix(":*").split()
    return bool(words) and text.split()[: len(words)] == words
