"""The hosts by name; each module is imported when it is asked for, since a hook is waited for."""

import importlib

from punchlist.agents.hooks.host import Host

RUNTIMES = ("claude", "cursor", "codex", "vscode", "gemini", "copilot", "windsurf", "opencode", "qwen")


def host(name: str) -> Host:
    """Return the host of a name; an unknown one is a Trouble that lists what there is."""
    if name not in RUNTIMES:
        from punchlist.model import Trouble

        raise Trouble(f"no runtime {name!r}; known ones: {', '.join(RUNTIMES)}", "unknown_runtime")
    found: Host = importlib.import_module(f"punchlist.agents.hooks.{name}").HOST
    return found
