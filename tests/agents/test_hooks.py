"""Hooks answer what each host sends, in the form that each host's documentation gives."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from punchlist.agents.hooks import install
from punchlist.agents.hooks.answer import answer, printed
from punchlist.agents.hooks.event import event_of, read
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.model import Trouble

HERE = Path(__file__).parent
PAYLOADS = sorted((HERE / "payloads").rglob("*.json"))
GOLDEN = HERE / "golden"
# Of the hosts without recorded payloads: what their documents show.
WRITTEN: dict[str, dict[str, Any]] = {
    "vscode": {
        "hookEventName": "PreToolUse",
        "sessionId": "s",
        "cwd": "/home/dev/shop",
        "tool_name": "runTerminalCommand",
        "tool_input": {"command": "echo ok", "explanation": "x", "isBackground": False},
    },
    "cursor": {
        "hook_event_name": "beforeShellExecution",
        "conversation_id": "c",
        "workspace_roots": ["/home/dev/shop"],
        "command": "echo ok",
        "cwd": "",
    },
    "windsurf": {
        "agent_action_name": "pre_run_command",
        "trajectory_id": "t",
        "tool_info": {"command_line": "echo ok", "cwd": "/home/dev/shop"},
    },
    "opencode": {
        "hook_event_name": "PreToolUse",
        "cwd": "/home/dev/shop",
        "tool_name": "bash",
        "tool_input": {"command": "echo ok", "description": "x"},
    },
}
PRE = {
    "claude": "claude/PreToolUse-Bash",
    "codex": "codex/PreToolUse-Bash",
    "copilot": "copilot/PASCAL-PreToolUse-Bash",
    "gemini": "gemini/BeforeTool-run_shell_command",
    "qwen": "qwen/PreToolUse-run_shell_command",
}


@pytest.fixture(autouse=True)
def plain_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("punchlist.agents.hooks.answer.program", lambda _: "punchlist")
    return home


def pre_payload(runtime: str, command: str, cwd: str = "/home/dev/shop", **arguments: Any) -> dict[str, Any]:
    value = json.loads((HERE / "payloads" / f"{PRE[runtime]}.json").read_text()) if runtime in PRE else WRITTEN[runtime]
    value = json.loads(json.dumps(value))
    value["cwd"] = cwd
    for key in ("tool_input", "tool_info"):
        if key in value:
            name = "command_line" if "command_line" in value[key] else "command"
            value[key] = {**value[key], name: command, **arguments}
    if "command" in value:
        value["command"] = command
    return value


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_test_command_is_answered_as_the_host_documents(runtime: str) -> None:
    said = answer(runtime, json.dumps(pre_payload(runtime, "cd api && pytest -q 2>&1 | tail -5")), {})
    golden = GOLDEN / f"{runtime}.pre.json"
    assert json.loads(printed(said) or "null") == json.loads(golden.read_text(encoding="utf-8"))


def test_copilot_hears_of_an_edit_at_the_top_of_the_answer_and_vs_code_in_its_own_place() -> None:
    edited = {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}
    keys = ("hook_event_name", "hookEventName")
    told = [host("copilot").tell(event_of({**edited, key: "PostToolUse"}), "x") for key in keys]
    assert [set(one) for one in told] == [{"additionalContext", "hookSpecificOutput"}, {"hookSpecificOutput"}]


@pytest.mark.parametrize("runtime", ["codex", "vscode"])
def test_a_host_whose_shell_makes_its_own_path_gets_the_whole_place(
    runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    here = os.path.dirname(sys.executable)
    said = printed(answer(runtime, json.dumps(pre_payload(runtime, "pytest")), {"PATH": here}))
    assert f'"command":"{here}/punchlist run -- pytest"' in said
    plain = printed(answer("gemini", json.dumps(pre_payload("gemini", "pytest")), {"PATH": here}))
    assert '"command":"punchlist run -- pytest"' in plain


@pytest.mark.parametrize("runtime", [name for name in RUNTIMES if name != "opencode"])
def test_an_entry_whose_program_is_gone_does_nothing(runtime: str, tmp_path: Path) -> None:
    file = install.place(host(runtime), "project", tmp_path, {})
    install.install(install.planned(host(runtime), "project", tmp_path, {}), "project")
    file.write_text(
        file.read_text(encoding="utf-8").replace(os.path.dirname(sys.executable), "/gone"), encoding="utf-8"
    )
    for inner in re.findall(r'"command": "(.*)"', file.read_text(encoding="utf-8")):
        done = subprocess.run(inner, shell=True, capture_output=True, text=True, input="{}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    told = install.installed(host(runtime), "project", tmp_path, {})
    assert told
    assert all(subprocess.run(one, shell=True, capture_output=True).returncode == 127 for _, one in told)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("command", ["echo ok-cmd", "pytest > out.txt", "PUNCHLIST=off pytest"])
def test_any_other_command_is_left_alone(runtime: str, command: str) -> None:
    assert answer(runtime, json.dumps(pre_payload(runtime, command)), {}) == host(runtime).quiet


@pytest.mark.parametrize(
    ("runtime", "arguments"),
    [
        ("claude", {"run_in_background": True}),
        ("gemini", {"is_background": True}),
        ("vscode", {"isBackground": True}),
    ],
)
def test_what_runs_in_the_background_stays_so(runtime: str, arguments: dict[str, Any]) -> None:
    assert answer(runtime, json.dumps(pre_payload(runtime, "pytest", **arguments)), {}) == host(runtime).quiet


def test_a_time_limit_and_all_other_arguments_stay() -> None:
    said = answer("claude", json.dumps(pre_payload("claude", "pytest", timeout=1_200_000)), {})
    assert isinstance(said, dict)
    assert said["hookSpecificOutput"]["updatedInput"] == {
        "command": "punchlist run --timeout inf -- pytest",
        "description": "x",
        "timeout": 1_200_000,
    }


@pytest.mark.parametrize(
    ("where", "rules", "command", "decision"),
    [
        ("home", {"allow": ["Bash(pytest:*)"]}, "pytest -q", "allow"),
        ("home", {"allow": ["Bash(pytest:*)"]}, "cd a && pytest -q", "as usual"),
        ("home", {"allow": ["Bash(pytest:*)", "Bash(cd *)"]}, "cd a && pytest -q", "allow"),
        ("home", {"allow": ["Bash"]}, "mypy .", "allow"),
        ("home", {"allow": ["Bash(npm run *)"]}, "npm run lint", "allow"),
        ("home", {"allow": ["Bash(pytest)"]}, "pytest -q", "as usual"),
        ("home", {"allow": ["Bash(pyte:*)"]}, "pytest", "as usual"),
        ("home", {"deny": ["Bash(pytest:*)"]}, "pytest", "left alone"),
        ("home", {"allow": ["Bash"], "ask": ["Bash(mypy *)"]}, "mypy .", "left alone"),
        ("project", {"deny": ["Bash(cargo *)"]}, "cargo test", "left alone"),
        ("project", {"allow": ["Bash(pytest:*)"]}, "pytest", "as usual"),
        ("project", {"allow": "Bash"}, "pytest", "as usual"),
    ],
)
def test_nothing_is_granted_that_claude_would_have_asked(
    where: str, rules: dict[str, Any], command: str, decision: str, plain_home: Path, project: Path
) -> None:
    folder = (plain_home if where == "home" else project) / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"permissions": rules}), encoding="utf-8")
    said = answer("claude", json.dumps(pre_payload("claude", command, str(project))), {})
    if decision == "left alone":
        assert said == {}
        return
    assert isinstance(said, dict)
    output = said["hookSpecificOutput"]
    assert output.get("permissionDecision") == ("allow" if decision == "allow" else None)
    assert "punchlist run --" in output["updatedInput"]["command"]


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_recorded_payload_is_understood(path: Path) -> None:
    event = read(path.read_text(encoding="utf-8"))
    name = path.stem.removeprefix("PASCAL-")
    moment = name.partition("-")[0]
    phases = {"pre": ("PreToolUse", "preToolUse", "BeforeTool"), "stop": ("Stop", "agentStop", "AfterAgent")}
    phases["post"] = ("PostToolUse", "postToolUse", "AfterTool")
    expected = next((phase for phase, names in phases.items() if moment in names), "")
    if moment == "postToolUseFailure":
        expected = "post"
    assert event.phase == expected
    shell = any(word in name for word in ("-Bash", "-bash", "run_shell_command"))
    assert bool(event.command) == shell
    edit = any(word in name for word in ("Edit", "Write", "edit", "create", "write_file", "replace"))
    assert event.files == (("/home/dev/shop/new.txt",) if edit and expected == "post" else event.files)
    assert bool(event.files) == (edit and expected == "post")
    assert event.cwd == ("/home/dev/shop" if expected else event.cwd)


@pytest.mark.parametrize(
    ("payload", "files"),
    [
        ({"hook_event_name": "PostToolUse", "tool_input": {"file_path": "src/main.ts"}}, ("src/main.ts",)),
        (
            {
                "hook_event_name": "PostToolUse",
                "tool_name": "apply_patch",
                "tool_input": {
                    "command": "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"
                },
            },
            ("a.py", "b.py"),
        ),
        ({"hook_event_name": "afterFileEdit", "file_path": "/p/a.ts", "edits": []}, ("/p/a.ts",)),
        ({"agent_action_name": "post_write_code", "tool_info": {"file_path": "/p/a.ts", "edits": []}}, ("/p/a.ts",)),
        ({"hookEventName": "PostToolUse", "tool_name": "editFiles", "tool_input": {"files": ["a", "b"]}}, ("a", "b")),
        ({"toolName": "edit", "toolArgs": '{"path": "/p/x"}', "toolResult": {}}, ("/p/x",)),
        ({"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "a"}}, ()),
        ({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": None}, ()),
        ({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": 3, "files": "x"}}, ()),
    ],
)
def test_edited_files_are_found_in_every_shape(payload: dict[str, Any], files: tuple[str, ...]) -> None:
    assert event_of(payload).files == files


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '"x"'])
def test_a_payload_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(Trouble, match="payload"):
        read(text)


@pytest.mark.parametrize("value", [{}, {"hook_event_name": 3}, {"cwd": ["x"]}, {"tool_input": [1]}, {"toolArgs": "{"}])
def test_a_payload_of_another_shape_is_nothing_for_us(value: dict[str, Any]) -> None:
    for runtime in RUNTIMES:
        assert answer(runtime, json.dumps(value), os.environ) == host(runtime).quiet
