"""How each agent program is made to talk to the scripted model, and what its tools are called."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.clients.programs import HERE, alone, environment, put, settle, words

SECONDS = 100
Turn = dict[str, Any]


def shell(name: str, command: str) -> Turn:
    """The turn in which a model wants a command run."""
    tools = {
        "claude": ("Bash", {"command": command, "description": "check"}),
        "codex": ("exec_command", {"cmd": command}),
        "copilot": ("bash", {"command": command, "description": "check"}),
        "gemini": ("run_shell_command", {"command": command, "description": "check"}),
        "opencode": ("bash", {"command": command, "description": "check"}),
        "qwen": ("run_shell_command", {"command": command, "description": "check", "is_background": False}),
    }
    tool, arguments = tools[name]
    return {"tool": tool, "arguments": arguments}


def write(name: str, path: Path, text: str) -> Turn:
    """The turn in which a model writes a new file."""
    added = "".join(f"+{line}\n" for line in text.splitlines())
    patch = f"*** Begin Patch\n*** Add File: {path.name}\n{added}*** End Patch\n"
    tools: dict[str, tuple[str, Any]] = {
        "claude": ("Write", {"file_path": str(path), "content": text}),
        "codex": ("apply_patch", patch),
        "copilot": ("create", {"path": str(path), "file_text": text}),
        "gemini": ("write_file", {"file_path": str(path), "content": text}),
        "opencode": ("write", {"filePath": str(path), "content": text}),
        "qwen": ("write_file", {"file_path": str(path), "content": text}),
    }
    tool, arguments = tools[name]
    return {"tool": tool, "arguments": arguments}


def start(name: str, home: Path, base: str) -> tuple[list[str], dict[str, str]]:
    """Return arguments and variables with which a program runs one prompt against a model at a place."""
    if name == "claude":
        return ["-p", "go"], {"ANTHROPIC_BASE_URL": base, "ENABLE_TOOL_SEARCH": "false"}
    if name == "codex":
        config = home / ".codex" / "config.toml"
        fake = f'[model_providers.fake]\nname = "fake"\nbase_url = "{base}/v1"\nwire_api = "responses"\n'
        model = 'model_provider = "fake"\nmodel = "gpt-5.5"\n'  # one that is offered a tool for patches
        config.write_text(f"{model}{config.read_text(encoding='utf-8')}\n{fake}", encoding="utf-8")
        return ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"], {}
    if name == "gemini":
        quiet = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}
        put(home / ".gemini" / "settings.json", {**quiet, "security": {"auth": {"selectedType": "gemini-api-key"}}})
        return ["-m", "gemini-2.5-flash", "-p", "go"], {"GOOGLE_GEMINI_BASE_URL": base}
    if name == "opencode":
        options = {"baseURL": f"{base}/v1", "apiKey": "none"}
        fake_one = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake": {"tool_call": True}}}
        file = home / ".config" / "opencode" / "config.json"
        there = json.loads(file.read_text(encoding="utf-8"))
        put(file, {**there, "provider": {"fake": fake_one}, "model": "fake/fake"})
        return ["run", "go"], {}
    if name == "qwen":
        return ["--auth-type", "openai", "-p", "go"], {"OPENAI_BASE_URL": f"{base}/v1", "OPENAI_MODEL": "fake"}
    at = {"COPILOT_PROVIDER_BASE_URL": f"{base}/v1", "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "fake"}
    return ["-p", "go", "--trust-folder"], at


class Talk:
    """One run of an agent: its exit code, what it printed, and each request that its model got."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.code: int | None = said["code"]
        self.printed: str = said["stdout"] + said["stderr"]
        self.requests: list[Any] = said["requests"]

    def heard(self, number: int) -> str:
        """What the model had been told by its request of a number, as one text."""
        return json.dumps(self.requests[number], ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')


def talk(name: str, home: Path, project: Path, turns: list[Turn], *arguments: str, **variables: str) -> Talk:
    """Let a program work on one prompt with a model that plays these turns."""
    program = words(name)
    settle(name, home, project)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    begin, more = start(name, home, f"http://127.0.0.1:{port}")
    asked = {
        "words": [*program, *begin, *arguments],
        "cwd": str(project),
        "env": environment(name, home, **more, **variables),
        "seconds": SECONDS,
        "port": port,
        "turns": turns,
        "alone": bool(alone()),
    }
    done = subprocess.run(
        [*alone(), sys.executable, "-m", "tests.clients.enclosed"],
        cwd=HERE.parent.parent,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=SECONDS + 10,
    )
    assert done.returncode == 0, done.stderr
    return Talk(json.loads(done.stdout))
