"""Setting up as a person does it: init, install, hooks, doctor, uninstall."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from punchlist.agents.hooks.registry import RUNTIMES
from punchlist.cli.main import main

Inside = Callable[..., tuple[int, str, str]]
PUNCHLIST = [sys.executable, "-m", "punchlist.cli"]
RECORDED = Path(__file__).parent.parent / "agents" / "payloads"


@pytest.fixture
def inside(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Inside:
    """Return what runs a verb in this process: exit status, output, errors."""
    monkeypatch.chdir(project)

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def call(project: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PUNCHLIST, *words], cwd=project, input=stdin, capture_output=True, text=True, check=False, timeout=90
    )


def test_install_writes_the_entry_and_uninstall_leaves_no_trace(project: Path, home: Path) -> None:
    before = '{\n\t// ours\n\t"servers": {},\n}\n'
    (project / ".vscode").mkdir()
    (project / ".vscode" / "mcp.json").write_text(before, encoding="utf-8")
    done = call(project, "install", "--client", "vscode", "--client", "claude-code", "--env", "A=b=c")
    assert (done.returncode, done.stderr) == (0, "")
    value = json.loads((project / ".mcp.json").read_text())["mcpServers"]["punchlist"]
    assert value["args"][-1] == "serve"
    assert Path(value["command"]).is_absolute()
    assert value["env"] == {"A": "b=c"}
    assert call(project, "hooks", "install", "--runtime", "claude", "--yes").returncode == 0
    call(project, "run", "--", "true")
    done = call(project, "uninstall", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / ".vscode" / "mcp.json").read_text(encoding="utf-8") == before
    left = sorted(path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file())
    assert left == [".vscode/mcp.json", "punchlist.toml"]
    assert "nothing of Punchlist" in call(project, "uninstall").stdout


def test_uninstall_shows_what_it_would_take_and_takes_nothing_unasked(
    project: Path, home: Path, inside: Inside
) -> None:
    inside("install", "--client", "codex", "--scope", "user")
    inside("hooks", "install", "cursor", "--yes")
    (project / ".qwen").mkdir()
    (project / ".qwen" / "settings.json").write_text("{,}", encoding="utf-8")
    status, said, errors = inside("uninstall")
    assert status == 125
    assert str(home / ".codex" / "config.toml") in said
    assert str(project / ".cursor" / "hooks.json") in said
    assert "add --yes" in errors
    status, said, _ = inside("uninstall", "--yes")
    assert (status, "Qwen Code: " in said) == (1, True)  # what cannot be read is left and told
    assert not (home / ".codex").exists()
    assert not (project / ".cursor").exists()


def test_uninstall_takes_nothing_while_a_run_is_going_on(project: Path, home: Path, inside: Inside) -> None:
    inside("install", "--client", "claude")
    going = subprocess.Popen([*PUNCHLIST, "run", "--", "sleep 60"], cwd=project, stdout=subprocess.DEVNULL)
    try:
        while "running" not in inside("runs")[1]:
            assert going.poll() is None
        status, _, errors = inside("uninstall", "--yes")
        assert (status, "nothing was taken away: sleep-1 is running" in errors) == (125, True)
        assert (project / ".mcp.json").exists()
        assert "sleep-1 error" in inside("stop", "sleep-1")[1]
        assert going.wait(20) == 128 + 15
    finally:
        going.kill()
    assert inside("uninstall", "--yes")[0] == 0
    assert not (project / ".punchlist").exists()


def test_hooks_come_and_go_by_name_and_from_both_files(project: Path, home: Path, inside: Inside) -> None:
    inside("hooks", "install", "gemini", "--scope", "user", "--yes")
    inside("hooks", "install", "claude", "--yes")
    assert "SessionStart" not in inside("hooks", "preview", "claude")[1]
    said = inside("hooks", "uninstall")[1]
    assert "Claude Code: " in said
    assert "Gemini CLI: " in said
    assert not (home / ".gemini").exists()
    assert "no hooks of Punchlist" in inside("hooks", "uninstall", "gemini")[1]
    assert "one runtime at a time" in inside("hooks", "install", "gemini", "claude")[2]


def test_the_example_that_init_left_goes_as_well(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    call(folder, "init")
    assert "held the example alone" in call(folder, "uninstall", "--yes").stdout
    assert list(folder.iterdir()) == []
    call(folder, "init")
    (folder / "punchlist.toml").write_text('[checks]\nt = "true"\n', encoding="utf-8")
    call(folder, "uninstall", "--yes")
    assert (folder / "punchlist.toml").exists()


def test_the_note_on_a_projects_file_is_not_told_of_a_users(project: Path, home: Path, inside: Inside) -> None:
    assert "approved" in inside("install", "--client", "claude")[1]
    assert "approved" not in inside("install", "--client", "claude", "--scope", "user")[1]


def test_print_shows_the_change_and_writes_nothing(home: Path, inside: Inside) -> None:
    _, said, _ = inside("install", "--client", "codex", "--scope", "user", "--print")
    assert "+[mcp_servers.punchlist]" in said
    assert not (home / ".codex").exists()


@pytest.mark.parametrize(
    ("file", "variable"), [("signal.config.json", "SIGNAL_CONFIG"), ("other.toml", "PUNCHLIST_CONFIG")]
)
def test_a_configuration_file_goes_into_the_entry(
    project: Path, home: Path, file: str, variable: str, inside: Inside
) -> None:
    (project / file).write_text("", encoding="utf-8")
    inside("install", "--client", "cursor", "--config", file)
    entry = json.loads((project / ".cursor" / "mcp.json").read_text())["mcpServers"]["punchlist"]
    assert entry["env"] == {variable: str(project / file)}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["install"], "name a client"),
        (["install", "--client", "emacs"], "no client 'emacs'"),
        (["install", "--client", "roo", "--scope", "user"], "use --scope project"),
        (["install", "--client", "claude", "--env", "novalue"], "NAME=VALUE"),
        (["install", "--client", "claude", "--config", "missing.json"], "no such file"),
        (["hooks", "install"], "name a runtime"),
        (["hooks", "install", "--runtime", "vim"], "no runtime 'vim'"),
        (["hooks", "install", "--runtime", "claude"], "--yes"),
        (["hooks", "run", "--runtime", "claude", "--payload", "{"], "no JSON"),
    ],
)
def test_wrong_usage_says_what_to_do(project: Path, home: Path, words: list[str], said: str, inside: Inside) -> None:
    status, _, errors = inside(*words)
    assert status == 125
    assert said in errors
    assert not (project / ".claude").exists()


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["hooks", "install", "--runtime", "codex"], ".codex/hooks.json"),
        (["install", "--client", "codex"], ".codex/config.toml"),
        (["init", "--client", "roo"], ".roo/mcp.json"),
    ],
)
def test_a_terminal_is_shown_the_change_and_asked(project: Path, home: Path, words: list[str], file: str) -> None:
    for answer, written in ((b"n\n", words[0] == "init"), (b"y\n", True)):
        ours, theirs = pty.openpty()
        os.write(ours, answer)
        subprocess.run([*PUNCHLIST, *words], cwd=project, stdin=theirs, stdout=theirs, timeout=60)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        os.close(theirs)
        assert (project / file).exists() is written
        assert words[0] == "init" or ("[y/N]" in shown and "+++" in shown and str(project / file) in shown)


def test_hooks_keep_what_stands_in_the_file_and_are_installed_once(project: Path, home: Path) -> None:
    before = (
        '{\n  // mine\n  "model": "opus",\n  "hooks": {\n    "PreToolUse": [\n'
        '      {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]} // first\n    ]\n  }\n}\n'
    )
    file = project / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(before, encoding="utf-8")
    assert "written" in call(project, "hooks", "install", "--runtime", "claude", "--confirm").stdout
    first = file.read_text(encoding="utf-8")
    for part in ("// mine", "// first", "./guard.sh", '"model": "opus"'):
        assert part in first
    assert "as it was" in call(project, "hooks", "install", "--runtime", "claude", "--confirm").stdout
    assert file.read_text(encoding="utf-8") == first
    assert "PreToolUse, PostToolUse, Stop" in call(project, "hooks", "status").stdout
    file.write_text(first.replace('"opus"', '"sonnet"'), encoding="utf-8")
    call(project, "hooks", "uninstall", "--runtime", "claude")
    assert file.read_text(encoding="utf-8") == before.replace('"opus"', '"sonnet"')


def test_the_priority_stays_in_the_entry(project: Path, home: Path, inside: Inside) -> None:
    inside("hooks", "install", "--runtime", "claude", "--yes", "--fail-on-priority", "3")
    assert "as it was" in inside("hooks", "install", "--runtime", "claude", "--yes")[1]
    assert (project / ".claude" / "settings.json").read_text().count("--fail-on-priority 3") == 3
    inside("hooks", "uninstall", "--runtime", "claude")
    assert not (project / ".claude" / "settings.json").exists()


def test_a_malformed_file_is_previewed_afresh_and_refused(project: Path, home: Path, inside: Inside) -> None:
    file = project / ".cursor" / "hooks.json"
    file.parent.mkdir()
    file.write_text('{"version": 1,, }', encoding="utf-8")
    status, said, errors = inside("hooks", "preview", "--runtime", "cursor")
    assert (status, json.loads(said)["version"]) == (0, 1)
    assert "line 1" in errors
    assert inside("hooks", "install", "--runtime", "cursor", "--yes")[0] == 125
    assert file.read_text(encoding="utf-8") == '{"version": 1,, }'


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_every_runtime_comes_and_goes(project: Path, home: Path, runtime: str, inside: Inside) -> None:
    assert inside("hooks", "install", "--runtime", runtime, "--yes")[0] == 0
    files = [path for path in project.rglob("*") if path.is_file() and path.name != "punchlist.toml"]
    assert len(files) == 1
    assert "punchlist" in files[0].read_text(encoding="utf-8")
    inside("hooks", "uninstall", "--runtime", runtime)
    assert not files[0].exists()


def test_a_fault_in_a_hook_never_stops_an_agent_and_doctor_tells_it(project: Path, home: Path) -> None:
    done = call(project, "hook", "claude", stdin="no json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = call(project, "hook", "vim", stdin="{}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (project / "punchlist.toml").write_text("[checks\n", encoding="utf-8")
    event = {"hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(project)}
    done = call(project, "hook", "claude", stdin=json.dumps(event))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    kept = project / ".punchlist" / "hook-troubles.jsonl"
    assert kept.stat().st_mode & 0o777 == 0o600
    done = call(project, "doctor", "--forget")
    assert done.returncode == 1
    for part in ("no JSON", "no runtime 'vim'", "punchlist.toml", "line 1"):
        assert part in done.stdout
    assert not kept.exists()


def test_an_edit_and_the_end_of_a_turn_are_judged_by_the_projects_engines(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # where ruff is
    (project / "pyproject.toml").write_text("[tool.ruff]\n", encoding="utf-8")
    (project / "a.py").write_text("def f() -> int:\n    return missing\n", encoding="utf-8")
    edited = {"hook_event_name": "PostToolUse", "tool_input": {"file_path": "a.py"}, "cwd": str(project)}
    said = json.loads(call(project, "hook", "claude", stdin=json.dumps(edited)).stdout)
    assert "F821" in said["hookSpecificOutput"]["additionalContext"]
    ended = {"hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(project), "session_id": "s"}
    words = ["hooks", "run", "--runtime", "claude", "--payload", json.dumps(ended)]
    assert json.loads(call(project, *words).stdout) == {}  # an error of priority 2, and the threshold is 1
    said = json.loads(call(project, *words, "--fail-on-priority", "2").stdout)
    assert said["decision"] == "block"
    assert "F821" in said["reason"]
    again = ["--payload", json.dumps({**ended, "stop_hook_active": True}), "--fail-on-priority", "2"]
    said = json.loads(call(project, "hooks", "run", "--runtime", "claude", *again).stdout)
    assert "decision" not in said
    assert "the same issues are left" in said["systemMessage"]
    (project / "a.py").write_text("def f() -> int:\n    return 1\n", encoding="utf-8")
    assert json.loads(call(project, "hook", "claude", stdin=json.dumps(edited)).stdout) == {}
    assert json.loads(call(project, *words, "--fail-on-priority", "5").stdout) == {}


def test_a_check_that_looked_at_nothing_approves_nothing(project: Path, home: Path) -> None:
    ended = {"hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(project)}
    done = call(project, "hooks", "run", "--runtime", "claude", "--payload", json.dumps(ended))
    assert "approves nothing" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.parametrize("name", ["README.md", "package-lock.json", "missing.py", "../outside.py"])
def test_no_check_is_made_for_what_is_no_code_of_the_project(project: Path, home: Path, name: str) -> None:
    if name != "missing.py":
        (project / name).write_text("x", encoding="utf-8")
    edited = {"hook_event_name": "PostToolUse", "tool_input": {"file_path": name}, "cwd": str(project)}
    assert json.loads(call(project, "hook", "claude", stdin=json.dumps(edited)).stdout) == {}
    assert call(project, "runs").stdout.startswith("no runs yet")


def test_a_rewritten_command_keeps_its_exit_code_in_the_agents_shell(project: Path, home: Path) -> None:
    payload = json.loads((RECORDED / "claude" / "PreToolUse-Bash.json").read_text(encoding="utf-8"))
    (project / "Makefile").write_text("test:\n\t@echo 'a.c:1:2: error: bad'; exit 3\n", encoding="utf-8")
    payload["tool_input"]["command"] = "A=1 make test | tail -1; echo code ${PIPESTATUS[0]}"
    payload["cwd"] = str(project)
    said = json.loads(call(project, "hook", "claude", stdin=json.dumps(payload)).stdout)
    command = said["hookSpecificOutput"]["updatedInput"]["command"]
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, timeout=60)
    assert "a.c" in done.stdout
    assert done.stdout.splitlines()[-1] == "code 2"


def test_the_shell_takes_checks_over_and_runs_everything_else_as_it_is(project: Path, home: Path) -> None:
    (project / "Makefile").write_text("test:\n\t@exit 3\n", encoding="utf-8")
    assert "FAILED make test" in (taken := call(project, "-c", "cd . && eval 'make test' < /dev/null && pwd")).stdout
    assert taken.returncode == 2
    assert call(project, "-c", "echo a; exit 4", stdin="x").stdout == "a\n"
    assert call(project, "-c", "exit 4").returncode == 4
    name, _, program = call(project, "hooks", "prefix", "--runtime", "claude").stdout.strip().partition("=")
    assert name == "export CLAUDE_CODE_SHELL_PREFIX"
    assert os.access(program, os.X_OK)  # one file: a host that starts servers by it would take arguments for its name


def test_init_shows_what_there_is_and_offers_the_clients_used_here(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "shop"
    (project / ".cursor").mkdir(parents=True)
    (project / "package.json").write_text('{"scripts": {"test": "node --test"}}', encoding="utf-8")
    done = call(project, "init")
    assert (done.returncode, done.stderr) == (0, "")
    assert "checks: test" in done.stdout
    assert "no linter or type checker" in done.stdout
    assert "punchlist install --client cursor" in done.stdout
    assert "next: punchlist init --yes" in done.stdout
    assert not (project / ".cursor" / "mcp.json").exists()
    assert not (project / "punchlist.toml").exists()
    assert (project / ".punchlist" / ".gitignore").read_text() == "*\n"
    assert "written" in call(project, "init", "--yes").stdout
    assert "punchlist" in (project / ".cursor" / "mcp.json").read_text()
    assert "Cursor has its entry" in call(project, "init", "--yes").stdout


def test_init_leaves_an_example_where_nothing_can_be_found(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "empty"
    project.mkdir()
    assert call(project, "init").returncode == 0
    assert "[checks]" in (project / "punchlist.toml").read_text()
    assert call(project, "checks").returncode == 0


def test_init_tells_a_bad_configuration_with_its_line(project: Path, home: Path) -> None:
    (project / "punchlist.toml").write_text("a = 1\nb = [\n", encoding="utf-8")
    done = call(project, "init")
    assert done.returncode == 1
    assert "punchlist.toml" in done.stdout
