"""Real agents with a scripted model: commands are taken over, edits are answered, a turn does not end too soon."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from punchlist.agents.clients.record import own_shell
from tests.clients.agents import Turn, shell, talk, write
from tests.clients.programs import environment, punchlist, put, words

pytestmark = pytest.mark.timeout(150)
AGENTS = ("claude", "codex", "copilot", "gemini", "opencode", "qwen")
# What lets an agent work without a person who answers its questions.
FREE = {
    "claude": ("--allowedTools", "Bash,Write"),
    "codex": ("--sandbox", "danger-full-access"),
    "copilot": ("--allow-all-tools",),
    "gemini": ("--approval-mode", "yolo"),
    "opencode": (),
    "qwen": ("--approval-mode", "yolo"),
}
LEFT_ALONE = ("qwen",)  # its commands stay as they are
NOT_WAITED_FOR = ("opencode",)  # `opencode run` ends with the first turn
FAULT = "def total(items):\n    return sum(itms)\n"
RUFF = Path(sys.executable).parent / "ruff"


class Place:
    """A home and a project with one fault, and our hooks for one agent in it."""

    def __init__(self, name: str, folder: Path) -> None:
        words(name)
        if not RUFF.exists():
            pytest.skip("ruff is not beside this Python")
        self.name = name
        self.home, self.project = folder / "home", folder / "project"
        for made in (self.home, self.project / ".git"):
            made.mkdir(parents=True)
        for file, text in (("punchlist.toml", ""), ("ruff.toml", ""), ("old.py", "print(undefined_name)\n")):
            (self.project / file).write_text(text, encoding="utf-8")
        # Codex runs a command in a login shell, which does not find what is on our PATH alone.
        self.command = f"{RUFF} check ." if name == "codex" else "ruff check ."
        wanted = ["hooks", "install", "--runtime", name, "--fail-on-priority", "2", "--yes"]
        punchlist(self.project, environment(name, self.home), *wanted)

    def talk(self, turns: list[Turn], *arguments: str, **variables: str) -> Any:
        """Let the agent work with a model that plays these turns."""
        return talk(self.name, self.home, self.project, turns, *arguments, **variables)

    def runs(self) -> list[str]:
        """The ids of our runs of a command."""
        return sorted(run.name for run in (self.project / ".punchlist" / "runs").glob("ruff-*"))


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_reads_a_punch_list_hears_of_its_edit_and_goes_on(name: str, tmp_path: Path) -> None:
    place = Place(name, tmp_path)
    turns = [shell(name, place.command), write(name, place.project / "new.py", FAULT), {"text": "One."}]
    said = place.talk([*turns, {"text": "Two."}, {"text": "Three."}], *FREE[name])
    assert said.code == 0, said.printed
    assert len(said.requests) == (3 if name in NOT_WAITED_FOR else 4), said.printed
    ran = said.heard(1)
    assert "old.py:1 F821" in ran if name not in LEFT_ALONE else "Found 1 error" in ran
    assert place.runs() == ([] if name in LEFT_ALONE else ["ruff-1"])
    assert "new.py:2 F821" in said.heard(2)
    if name not in NOT_WAITED_FOR:
        assert re.search(r"FAILED check: 2 errors.*F821 Undefined name", said.heard(3), re.S)


def opencode_rules(place: Place) -> None:
    """Let OpenCode allow every command but one."""
    put(place.project / "opencode.json", {"permission": {"bash": {"*": "allow", "ruff*": "deny"}}})


def codex_rules(place: Place) -> None:
    """Let Codex forbid a program."""
    file = place.home / ".codex" / "rules" / "own.rules"
    file.parent.mkdir(parents=True)
    pattern = ", ".join(f'"{word}"' for word in place.command.split()[:1])
    file.write_text(f'prefix_rule(pattern = [{pattern}], decision = "forbidden")\n', encoding="utf-8")


def gemini_rules(word: str) -> Callable[[Place], None]:
    """Write a policy for one command."""
    rule = f'toolName = "run_shell_command"\ncommandPrefix = "ruff"\ndecision = "{word}"\npriority = 999\n'

    def written(place: Place) -> None:
        file = place.home / ".gemini" / "policies" / "own.toml"
        file.parent.mkdir(parents=True)
        file.write_text(f"[[rule]]\n{rule}", encoding="utf-8")

    return written


def claude_rules(word: str) -> Callable[[Place], None]:
    """Write a rule into the user's settings."""
    rules = {"permissions": {word: ["Bash(ruff:*)"]}}
    return lambda place: put(place.home / ".claude" / "settings.json", rules)


RULES: list[tuple[str, tuple[str, ...], Callable[[Place], None] | None, bool]] = [
    ("claude", (), None, False),
    ("claude", ("--allowedTools", "Bash(ruff:*)"), None, True),
    ("claude", ("--allowedTools", "Bash", "--disallowedTools", "Bash(ruff:*)"), None, False),
    ("claude", (), claude_rules("allow"), True),
    ("claude", ("--allowedTools", "Bash"), claude_rules("deny"), False),
    ("codex", FREE["codex"], codex_rules, False),
    ("copilot", (), None, False),
    ("copilot", ("--allow-tool", "shell(ruff)"), None, True),
    ("copilot", ("--allow-all-tools", "--deny-tool", "shell(ruff)"), None, False),
    ("gemini", FREE["gemini"], gemini_rules("deny"), False),
    ("gemini", ("--approval-mode", "auto_edit"), gemini_rules("allow"), True),  # and the command stays as it is
    ("opencode", (), opencode_rules, False),
]


@pytest.mark.parametrize(("name", "arguments", "settings", "allowed"), RULES)
def test_a_command_is_allowed_exactly_where_its_user_allows_it(
    name: str, arguments: tuple[str, ...], settings: Callable[[Place], None] | None, allowed: bool, tmp_path: Path
) -> None:
    place = Place(name, tmp_path)
    if settings is not None:
        settings(place)
    said = place.talk([shell(name, place.command), {"text": "One."}], *arguments)
    assert ("F821" in said.heard(1)) == allowed, said.heard(1)[-1000:]
    assert place.runs() == (["ruff-1"] if allowed and name != "gemini" else [])


@pytest.mark.parametrize("name", AGENTS)
def test_a_hook_whose_program_is_gone_stops_nobody(name: str, tmp_path: Path) -> None:
    place = Place(name, tmp_path)
    ours = str(Path(sys.executable).parent / "punchlist")
    written = [path for path in place.project.rglob("*") if path.suffix in (".json", ".js")]
    for path in written:
        path.write_text(path.read_text(encoding="utf-8").replace(ours, "/gone/punchlist"), encoding="utf-8")
    turns = [shell(name, "echo it''worked"), write(name, place.project / "new.py", FAULT), {"text": "One."}]
    said = place.talk(turns, *FREE[name])
    assert said.code == 0, said.printed
    assert "itworked" in said.heard(1)
    assert (place.project / "new.py").read_text(encoding="utf-8") == FAULT
    assert len(said.requests) == 3
    assert any("/gone/punchlist" in path.read_text(encoding="utf-8") for path in written)


def test_claude_s_shell_prefix_takes_over_commands_and_lets_hooks_and_servers_work(tmp_path: Path) -> None:
    place = Place("claude", tmp_path)
    heard = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "THE HOOK SPOKE"}}
    put(tmp_path / "heard.json", heard)
    hook = {"type": "command", "command": f"cat {tmp_path / 'heard.json'}"}
    put(place.project / ".claude" / "settings.json", {"hooks": {"PostToolUse": [{"matcher": "*", "hooks": [hook]}]}})
    environ = environment("claude", place.home)
    punchlist(place.project, environ, "install", "--client", "claude", "--scope", "project", "--yes")
    turns = [shell("claude", "cd . && ruff check .; echo code $?"), {"tool": "mcp__punchlist__ping", "arguments": {}}]
    tools = ("--allowedTools", "Bash,mcp__punchlist")
    said = place.talk([*turns, {"text": "One."}], *tools, CLAUDE_CODE_SHELL_PREFIX=own_shell())
    assert said.code == 0, said.printed
    assert re.search(r"FAILED ruff check.*old.py:1 F821.*code 1", said.heard(1), re.S)
    assert "THE HOOK SPOKE" in said.heard(1)
    assert "pong" in said.heard(2)


@pytest.mark.parametrize("name", ["claude", "copilot", "gemini", "opencode"])
def test_a_command_works_where_our_program_is_not_on_path(name: str, tmp_path: Path) -> None:
    place = Place(name, tmp_path)
    only = tmp_path / "bin"
    only.mkdir()
    (only / "ruff").symlink_to(RUFF)
    path = environment(name, place.home)["PATH"].replace(str(RUFF.parent), str(only))
    said = place.talk([shell(name, place.command), {"text": "One."}], *FREE[name], PATH=path)
    assert "F821" in said.heard(1), said.heard(1)[-1000:]
    assert place.runs() == ([] if name == "copilot" else ["ruff-1"])  # Copilot would have refused it
