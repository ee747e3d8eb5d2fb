"""What `doctor` finds: engines run on a probe, entries started as their clients do, hooks fed their events."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from punchlist.agents import starting
from punchlist.agents.clients.entries import Entry
from punchlist.agents.clients.registry import client
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.registry import RUNTIMES, host

PUNCHLIST = [sys.executable, "-m", "punchlist.cli"]
SERVE = {"command": sys.executable, "args": ["-m", "punchlist.cli", "serve"]}


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return another project."""
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "punchlist.toml").write_text("", encoding="utf-8")
    return folder


def call(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PUNCHLIST, *words], cwd=project, capture_output=True, text=True, check=False, timeout=90)


def doctor(project: Path, *words: str) -> tuple[int, list[dict[str, str]]]:
    done = call(project, "doctor", "--json", *words)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def about(found: list[dict[str, str]], subject: str) -> dict[str, str]:
    return next(one for one in found if one["subject"].startswith(subject))


def entry(project: Path, file: str, key: str, value: Any) -> None:
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: {"punchlist": value}}), encoding="utf-8")


# -- Engines


@pytest.fixture
def python(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project of two files that ruff and mypy are asked for, both of them at hand."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    (project / "pyproject.toml").write_text("[tool.ruff]\n[tool.mypy]\n", encoding="utf-8")
    (project / "long.py").write_text("value = 1\n" * 50, encoding="utf-8")
    (project / "short.py").write_text("import os\n", encoding="utf-8")
    (project / "empty.py").write_text("", encoding="utf-8")
    return project


def test_each_engine_is_run_on_a_probe_and_nothing_is_left(python: Path, home: Path) -> None:
    status, found = doctor(python, "--run")
    assert status == 0, found
    ruff, mypy = about(found, "ruff"), about(found, "mypy")
    assert ruff["level"] == mypy["level"] == "ok"
    assert "looked at short.py in" in ruff["text"]
    assert "looked at a whole program" in mypy["text"]
    assert not (python / ".punchlist").exists()
    assert call(python, "runs").stdout.startswith("no runs yet")


def test_an_engine_that_fails_is_a_problem_with_the_command_to_look_at(python: Path, home: Path) -> None:
    (python / "pyproject.toml").write_text("[tool.ruff]\nselec = 3\n[tool.mypy]\n", encoding="utf-8")
    status, found = doctor(python, "--run")
    assert status == 1
    ruff = about(found, "ruff")
    assert (ruff["level"], "selec" in ruff["text"]) == ("problem", True)
    assert "ruff check" in ruff["remedy"]
    assert "short.py" in ruff["remedy"]
    assert about(found, "mypy")["level"] == "ok"


def test_a_whole_program_that_is_not_done_in_time_is_told(python: Path, home: Path) -> None:
    (python / "punchlist.toml").write_text("[engines.mypy]\ntimeout = '10ms'\n", encoding="utf-8")
    mypy = about(doctor(python, "--run")[1], "mypy")
    assert mypy["level"] == "note"
    assert "was not done within 0.01 s" in mypy["text"]


def test_an_engine_that_is_asked_for_and_missing_is_a_problem(project: Path, home: Path) -> None:
    (project / "punchlist.toml").write_text("[engines.eslint]\nenabled = true\n", encoding="utf-8")
    (project / "a.js").write_text("1\n", encoding="utf-8")
    status, found = doctor(project, "--run")
    assert status == 1
    assert "not installed" in about(found, "eslint")["text"]
    assert about(found, "engines")["text"] == "none of the project's engines works"


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("punchlist.toml", "[checks]\na = ]\n", "punchlist.toml:2:5"),
        ("signal.config.json", '{"projects": [,]}', "signal.config.json:1:15"),
        (".quiet-shell/config.yaml", "a: [\n", ".quiet-shell/config.yaml:2:1"),
    ],
)
def test_a_bad_configuration_fails_with_line_and_column(
    project: Path, home: Path, file: str, text: str, place: str
) -> None:
    (project / file).parent.mkdir(exist_ok=True)
    (project / file).write_text(text, encoding="utf-8")
    status, found = doctor(project)
    assert status == 1
    assert place in about(found, "configuration")["text"]


# -- Entries of clients


def test_entries_are_started_and_hooks_are_fed(project: Path, home: Path) -> None:
    call(project, "install", "--client", "claude")
    call(project, "hooks", "install", "--runtime", "gemini", "--yes")
    done = call(project, "doctor")
    assert done.returncode == 0, done.stdout
    assert "Claude Code (project): .mcp.json: started in" in done.stdout
    assert "26 tools, works in this root" in done.stdout
    assert "Gemini CLI hooks (project): fed BeforeTool" in done.stdout
    assert done.stdout.endswith("PASSED\n")
    assert not (project / ".punchlist").exists()


@pytest.mark.parametrize(
    ("name", "file", "key", "value", "level", "said", "remedy"),
    [
        ("Claude", ".mcp.json", "mcpServers", {"command": "/no/such/punchlist"}, "problem", "cannot be found", "again"),
        ("Claude", ".mcp.json", "mcpServers", {"args": ["serve"]}, "problem", "names no command", "again"),
        (
            "Claude", ".mcp.json", "mcpServers",
            {"command": sys.executable, "args": ["-c", "import sys; sys.exit('boom')"]}, "problem", "(boom)", "again",
        ),
        (
            "Claude", ".mcp.json", "mcpServers", {"command": sys.executable, "args": ["-c", "print('hello')"]},
            "problem", "ended or refused", "again",
        ),
        ("Claude", ".mcp.json", "mcpServers", {**SERVE, "cwd": "{other}"}, "ok", "works in this root", ""),
        ("Copilot", ".github/mcp.json", "mcpServers", {**SERVE, "cwd": "{other}"}, "problem", "WRONG REPO", "Take cwd"),
        (
            "Gemini", ".gemini/settings.json", "mcpServers", {**SERVE, "env": {"PUNCHLIST_ROOT": "$OTHER"}},
            "problem", "WRONG REPO", "Take PUNCHLIST_ROOT",
        ),
        (
            "Cursor", ".cursor/mcp.json", "mcpServers",
            {"command": sys.executable, "args": [*SERVE["args"], "--root", "${workspaceFolder}"]},
            "ok", "works in this root", "",
        ),
        (
            "OpenCode", "opencode.json", "mcp",
            {"command": [sys.executable, *SERVE["args"], "--root", "{env:OTHER}"]}, "problem", "WRONG", "Take --root",
        ),
        (
            "VS Code", ".vscode/mcp.json", "servers", {**SERVE, "env": {"KEY": "${input:key}"}},
            "note", "asks its user for ${input:key}", "",
        ),
        (
            "Qwen", ".qwen/settings.json", "mcpServers", {**SERVE, "env": {"PUNCHLIST_CONFIG": "/no/such.toml"}},
            "problem", "PUNCHLIST_CONFIG names /no/such.toml", "Every check fails",
        ),
        ("Kiro", ".kiro/settings/mcp.json", "mcpServers", {**SERVE, "disabled": True}, "note", "switched off", ""),
        ("Roo", ".roo/mcp.json", "mcpServers", {"url": "http://127.0.0.1:9"}, "note", "server at http", ""),
    ],
)  # fmt: skip
def test_every_entry_is_judged_as_its_client_starts_it(
    project: Path, home: Path, other: Path, monkeypatch: pytest.MonkeyPatch,
    name: str, file: str, key: str, value: dict[str, Any], level: str, said: str, remedy: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("OTHER", str(other))
    entry(project, file, key, json.loads(json.dumps(value).replace("{other}", str(other))))
    status, found = doctor(project)
    one = about(found, name)
    assert (one["level"], said in one["text"]) == (level, True), one
    assert status == (level == "problem")
    assert ("punchlist install --client" if remedy == "again" else remedy) in one["remedy"]


def test_a_root_that_the_project_answers_with_in_json_is_read(project: Path, home: Path) -> None:
    (project / "punchlist.toml").write_text('payload = "text"\n', encoding="utf-8")
    entry(project, ".mcp.json", "mcpServers", SERVE)
    assert "works in this root" in about(doctor(project)[1], "Claude")["text"]


def test_a_users_entry_that_is_tied_to_one_project_is_noted(project: Path, home: Path) -> None:
    entry(home, ".cursor/mcp.json", "mcpServers", {**SERVE, "env": {"PUNCHLIST_ROOT": str(project)}})
    status, found = doctor(project)
    assert status == 0
    assert "ties the server to one project" in found[-2]["text"]


@pytest.mark.parametrize(
    ("name", "text", "expected", "unset"),
    [
        ("claude", "${A}/${B:-b}/${C}", "1/b/${C}", ["C"]),
        ("copilot", "${A}", "1", []),
        ("cursor", "${workspaceFolder}/${env:A}${env:C}", "/p/1", []),
        ("vscode", "${workspaceFolderBasename}${pathSeparator}${input:x}", f"p{os.sep}${{input:x}}", ["input:x"]),
        ("gemini", "$A-${A}-$C", "1-1-$C", ["C"]),
        ("opencode", "{env:A}{env:C}$A", "1$A", []),
        ("codex", "$A ${A}", "$A ${A}", []),
        ("zed", "${A}", "${A}", []),
    ],
)
def test_variables_are_put_in_as_each_client_does(name: str, text: str, expected: str, unset: list[str]) -> None:
    missing: list[str] = []
    assert starting.expanded(client(name).id, text, Path("/p"), {"A": "1", "HOME": "/h"}, missing) == expected
    assert missing == unset


def test_codex_passes_only_what_it_names(project: Path) -> None:
    value = {"command": "x", "env": {"GIVEN": "1"}, "env_vars": ["ASKED"]}
    one = Entry(client("codex"), "project", project / "c.toml", value)
    start = starting.start_of(one, project, {"PATH": "p", "ASKED": "2", "SECRET": "3", "PUNCHLIST_ROOT": "/x"})
    assert {"PATH": "p", "ASKED": "2", "GIVEN": "1"}.items() <= start.env.items()
    assert not {"SECRET", "PUNCHLIST_ROOT"} & set(start.env)


# -- Hooks


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_every_hook_of_every_runtime_is_fed_its_own_events(project: Path, home: Path, runtime: str) -> None:
    call(project, "hooks", "install", "--runtime", runtime, "--yes")
    status, found = doctor(project)
    one = about(found, f"{host(runtime).name} hooks")
    assert (status, one["level"]) == (0, "ok"), one
    events = list(host(runtime).entries("x")) or ["PreToolUse", "PostToolUse", "Stop"]
    assert all(event in one["text"] for event in events)
    assert ("takes over tests" in one["text"]) is (host(runtime).rewrite is not None)
    assert not (project / ".punchlist").exists()


@pytest.mark.parametrize("runtime", ["claude", "opencode"])
def test_a_hook_whose_program_is_gone_is_a_problem(project: Path, home: Path, runtime: str) -> None:
    call(project, "hooks", "install", "--runtime", runtime, "--yes")
    file = hooks.place(host(runtime), "project", project, os.environ)
    text = file.read_text(encoding="utf-8")
    for program in (str(Path(sys.executable).parent / "punchlist"), sys.executable):
        text = text.replace(program, "/no/such/punchlist")
    file.write_text(text, encoding="utf-8")
    status, found = doctor(project)
    one = about(found, host(runtime).name)
    assert (status, one["level"]) == (1, "problem")
    assert "/no/such/punchlist" in one["text"]
    assert f"hooks install --runtime {runtime}" in one["remedy"]


@pytest.mark.parametrize(
    ("replaced", "said"),
    [("; echo nothing", "no JSON"), ("; exit 3", "exit status 3"), ("> /dev/null; echo '[]'", "no JSON object")],
)
def test_a_hook_that_answers_what_its_host_cannot_read_is_a_problem(
    project: Path, home: Path, replaced: str, said: str
) -> None:
    call(project, "hooks", "install", "--runtime", "gemini", "--yes")
    file = project / ".gemini" / "settings.json"
    file.write_text(file.read_text(encoding="utf-8").replace("hook gemini", f"hook gemini {replaced}"), "utf-8")
    status, found = doctor(project)
    assert status == 1
    assert said in about(found, "Gemini CLI hooks")["text"]


def test_a_hook_that_the_users_rules_hold_back_is_no_problem(project: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    rules = {"permissions": {"ask": ["Bash(pytest:*)"]}}
    (home / ".claude" / "settings.json").write_text(json.dumps(rules), encoding="utf-8")
    call(project, "hooks", "install", "--runtime", "claude", "--yes")
    status, found = doctor(project)
    assert status == 0
    assert "your own rules ask" in about(found, "Claude Code hooks")["text"]


def test_a_file_of_hooks_that_cannot_be_read_is_named_with_its_place(project: Path, home: Path) -> None:
    (project / ".qwen").mkdir()
    (project / ".qwen" / "settings.json").write_text('{"hooks": {,}}', encoding="utf-8")
    status, found = doctor(project)
    one = about(found, "Qwen Code hooks")
    assert status == 1
    assert str(project / ".qwen" / "settings.json") in one["text"]
    assert "line 1, column" in one["text"]
