"""A rewritten command is never allowed more than the one it stands for: what hosts' rules say of a command."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from punchlist.agents.hooks import above, claude_rules, codex_rules, copilot_rules, gemini_rules


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with nothing in it, under no program."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(above, "command_lines", list)
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return tmp_path


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "flags", "found"),
    [
        (["claude", "--disallowedTools", "Bash(git *)", "Write"], claude_rules.DENIES, ["Bash(git *)", "Write"]),
        (["claude", "--disallowedTools", "Bash(a:*),Bash(b c)", "-p"], claude_rules.DENIES, ["Bash(a:*)", "Bash(b c)"]),
        (["claude", "--disallowed-tools=Bash(a)", "go"], claude_rules.DENIES, ["Bash(a)"]),
        (["claude", "--allowedTools", "Bash", "--model", "x"], claude_rules.DENIES, []),
        (["x", "--deny-tool", "shell(a b)", "--deny-tool=shell(c)"], ("--deny-tool",), ["shell(a b)", "shell(c)"]),
        (["copilot", "-p", "--deny-tool"], ("--deny-tool",), []),
    ],
)  # fmt: skip
def test_rules_are_read_from_a_command_line(words: list[str], flags: tuple[str, ...], found: list[str]) -> None:
    assert [rule for rule in above.rules([["sh", "-c", "x"], words], *flags) if "(" in rule or rule == "Write"] == found


def test_the_programs_above_are_told_in_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    if not Path("/proc/self").is_dir() or shutil.which("ps") is None:
        pytest.skip("neither /proc nor ps tells of other programs here")
    by_proc, by_ps = above._from_proc(), above._from_ps()
    assert by_proc == above.command_lines()
    assert [words[0] for words in by_proc if words] == [words[0] for words in by_ps][: len(by_proc)]
    assert os.getppid() == 1 or by_proc


@pytest.mark.parametrize(
    ("started", "standing"),
    [
        (["claude", "--disallowedTools", "Bash(pytest:*)"], "deny"),
        (["claude", "--allowedTools", "Bash(pytest:*)"], "allow"),
        (["claude", "--settings", '{"permissions": {"ask": ["Bash(pytest *)"]}}'], "ask"),
        (["claude", "--allowedTools", "Bash(mypy)"], ""),
    ],
)
def test_claude_s_command_line_counts(started: list[str], standing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(above, "command_lines", lambda: [["/bin/sh"], started])
    assert claude_rules.standing("pytest -q", "/") == standing


@pytest.mark.parametrize(("trusted", "standing"), [(True, "allow"), (False, ""), (None, "")])
def test_a_project_s_rules_allow_once_its_folder_is_trusted(trusted: bool | None, standing: str, place: Path) -> None:
    project = place / "project"
    put(project / ".claude" / "settings.json", {"permissions": {"allow": ["Bash(pytest:*)"]}})
    if trusted is not None:
        put(place / "home" / ".claude.json", {"projects": {str(project): {"hasTrustDialogAccepted": trusted}}})
    assert claude_rules.standing("pytest -q", str(project)) == standing
    put(project / ".claude" / "settings.local.json", {"permissions": {"deny": ["Bash(pytest *)"]}})
    assert claude_rules.standing("pytest -q", str(project)) == "deny"


def test_rules_of_an_organisation_and_of_a_moved_home_count(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_rules, "MANAGED", dict.fromkeys(("linux", "darwin", "win32"), str(place / "all")))
    put(place / "all" / "managed-settings.d" / "10.json", {"permissions": {"deny": ["Bash(pytest *)"]}})
    put(place / "moved" / "settings.json", {"permissions": {"allow": ["Bash"]}})
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place / "moved"))
    assert claude_rules.standing("pytest -q", "/") == "deny"
    assert claude_rules.standing("mypy .", "/") == "allow"


@pytest.mark.parametrize(
    ("started", "command", "standing"),
    [
        (["--deny-tool", "shell(ruff)"], "ruff check .", "deny"),
        (["--deny-tool", "shell(ruff)"], "cd a && ruff check .", "deny"),
        (["--deny-tool", "shell(npm test:*)"], "npm test -- -x", "deny"),
        (["--deny-tool", "shell(npm run)"], "npm test", ""),
        (["--deny-tool", "shell(x)"], "(pytest; x)", "deny"),
        (["--allow-tool", "shell(ruff)"], "ruff check .", "allow"),
        (["--allow-tool", "shell(ruff)"], "cd a && ruff check .", ""),
        (["--allow-tool", "shell(ruff:*)", "--deny-tool", "shell(ruff check)"], "ruff check .", "deny"),
        (["--allow-tool", "shell"], "ruff check .", ""),
        ([], "ruff check .", ""),
    ],
)
def test_copilot_s_command_line_counts(
    started: list[str], command: str, standing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(above, "command_lines", lambda: [["copilot", *started]])
    assert copilot_rules.standing(command) == standing


@pytest.mark.parametrize(
    ("started", "new", "refused"),
    [
        (["-p", "go"], "/x/bin/punchlist run -- ruff check .", True),
        (["--prompt=go"], "cd a && '/x y/punchlist' run -- ruff", True),
        (["-p", "go"], "cd a && punchlist run -- ruff check .", False),
        (["-p", "go", "--allow-all-paths"], "/x/bin/punchlist run -- ruff check .", False),
        ([], "/x/bin/punchlist run -- ruff check .", False),
    ],
)
def test_copilot_is_given_no_place_of_a_program_that_it_would_refuse(
    started: list[str], new: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(above, "command_lines", lambda: [["/bin/sh", "-c", "x"], ["/opt/copilot", *started]])
    assert copilot_rules.refuses(new) == refused


@pytest.mark.parametrize(
    ("rules", "command", "bounded"),
    [
        ('prefix_rule(pattern = ["pytest"], decision = "forbidden")', "pytest -q", True),
        ("prefix_rule(\n  pattern=['npm', ['test', 'run']],\n  decision='prompt',\n)", "npm test", True),
        ('prefix_rule(pattern = ["pytest"], decision = "prompt", justification = "so (it) is")', "a/pytest -q", True),
        ('prefix_rule(pattern = ["pytest"], decision = "allow")', "pytest -q", True),
        ('prefix_rule(pattern = ["pytest"])', "pytest -q", True),
        ('prefix_rule(pattern = ["npm", "pytest"])', "pytest -q", False),
        ('prefix_rule(pattern=["pytest"])\nprefix_rule(pattern=["punchlist", "run"])', "pytest -q", False),
        ('prefix_rule(pattern=["rm"], decision="forbidden", not_match=["pytest"])', "pytest", False),
        ('prefix_rule(pattern=["a"], decision="prompt")\nprefix_rule(pattern=["b"], decision="allow")', "c", False),
        ("", "pytest", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("owner", ["home", "project"])
def test_codex_s_rules_bound_a_command(owner: str, rules: str, command: str, bounded: bool, place: Path) -> None:
    put(place / owner / ".codex" / "rules" / "own.rules", rules)
    assert codex_rules.bounded(command, str(place / "project")) == bounded


RUFF = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "ruff"\ndecision = "{}"\npriority = 9\n'
PUNCHLIST = RUFF.replace("ruff", "punchlist")


@pytest.mark.parametrize(
    ("policy", "command", "differs"),
    [
        (RUFF.format("deny"), "ruff check .", True),
        (RUFF.format("ask_user"), "cd a && ruff check .", True),
        (RUFF.format("allow"), "ruff check .", True),
        (RUFF.format("deny"), "pytest", False),
        (RUFF.format("deny"), "ruffian", False),
        (RUFF.format("allow") + PUNCHLIST.format("allow"), "ruff check .", False),
        (PUNCHLIST.format("deny"), "ruff check .", True),
        (RUFF.format("deny").replace("run_shell_command", "write_file"), "ruff check .", False),
        ('[[rule]]\ntoolName = ["run_shell_command"]\ncommandRegex = "^ruff"\ndecision = "deny"\n', "ruff", True),
        ('[[rule]]\nargsPattern = "command.:.ruff"\ndecision = "deny"\n', "ruff check", True),
        ('[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\n', "ruff", False),
        ("[[rule", "ruff", False),
    ],
)
@pytest.mark.parametrize("owner", ["home", "project"])
def test_gemini_s_policies_say_the_same_of_both_commands(
    owner: str, policy: str, command: str, differs: bool, place: Path
) -> None:
    put(place / owner / ".gemini" / "policies" / "own.toml", policy)
    new = command.replace("ruff", "punchlist run -- ruff").replace("pytest", "punchlist run -- pytest")
    assert gemini_rules.differs(command, new, str(place / "project")) == differs


@pytest.mark.parametrize(
    ("tools", "started", "differs"),
    [
        ({"allowed": ["run_shell_command(ruff)"]}, [], True),
        ({"exclude": ["ShellTool(ruff check)"]}, [], True),
        ({"allowed": ["run_shell_command", "run_shell_command(git)"]}, [], False),
        ({}, ["--allowed-tools", "run_shell_command(ruff)"], True),
        ({}, ["--allowed-tools=run_shell_command(git status)"], False),
    ],
)
def test_gemini_s_settings_and_command_line_count(
    tools: dict[str, Any], started: list[str], differs: bool, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(above, "command_lines", lambda: [["gemini", *started]])
    put(place / "home" / ".gemini" / "settings.json", {"tools": tools})
    assert gemini_rules.differs("ruff check .", "punchlist run -- ruff check .", str(place)) == differs
