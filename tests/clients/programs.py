"""The real agent programs that tools/node_tools.py installs here, and how each is started without a network.

Every start has a home folder of its own and, where the system lets it, a network of its own with nothing in it.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
# Native programs by themselves, the others by Node.
PLACES = {
    "claude": "@anthropic-ai/claude-code-linux-x64/claude",
    "codex": "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    "copilot": "@github/copilot-linux-x64/copilot",
    "gemini": "@google/gemini-cli/bundle/gemini.js",
    "opencode": "opencode-linux-x64/bin/opencode",
    "qwen": "@qwen-code/qwen-code/cli.js",
}
# Nothing of these programs calls home, updates itself or loads what it might like to have.
OFFLINE = {
    "claude": {
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",  # else it looks for its maker's host for twenty seconds
    },
    "codex": {},
    "copilot": {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"},
    "gemini": {"GEMINI_TELEMETRY_ENABLED": "false", "GEMINI_CLI_NO_RELAUNCH": "1", "GEMINI_API_KEY": "none"},
    "opencode": {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    },
    "qwen": {"QWEN_TELEMETRY_ENABLED": "false", "OPENAI_API_KEY": "none"},
}


def words(name: str) -> list[str]:
    """Return the words that start a program; the test is skipped, with the reason, where it is not to be had."""
    place = MODULES / PLACES[name]
    if not (MODULES / ".installed").is_file() or not place.is_file():
        pytest.skip(f"{name} is not here; tools/node_tools.py installs it on Linux with an x64 processor")
    if place.suffix != ".js":
        return [str(place)]
    node = shutil.which("node")
    if node is None:
        pytest.skip(f"{name} needs Node.js")
    return [node, str(place)]


@functools.cache
def alone() -> tuple[str, ...]:
    """Return the words that start a program in an empty network of its own; none where the system forbids it."""
    for tried in (("unshare", "--net"), ("unshare", "--net", "--map-root-user")):
        try:
            if subprocess.run([*tried, "true"], capture_output=True, timeout=10).returncode == 0:
                return tried
        except (OSError, subprocess.SubprocessError):
            continue
    return ()


def environment(name: str, home: Path, **more: str) -> dict[str, str]:
    """Return the variables of a start: a private home, our own programs on PATH, nothing else of this machine's."""
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    if node := shutil.which("node"):
        path += os.pathsep + str(Path(node).parent)
    plain = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "SHELL": "/bin/bash", "TERM": "dumb", "USER": "dev"}
    return {**plain, **OFFLINE[name], **more}


def settle(name: str, home: Path, project: Path) -> None:
    """Write what makes a program trust a project, approve its server and stay at home."""
    if name == "claude":
        approved = {"enabledMcpjsonServers": ["punchlist"], "hasTrustDialogAccepted": True}
        put(home / ".claude.json", {"projects": {str(project): approved}})
    elif name == "copilot":
        put(home / ".copilot" / "config.json", {"trustedFolders": [str(project)]})
    elif name == "gemini":
        put(home / ".gemini" / "trustedFolders.json", {str(project): "TRUST_FOLDER"})
    elif name == "opencode":
        put(home / ".config" / "opencode" / "config.json", {"autoupdate": False, "share": "disabled"})
        # A plugin makes it fetch a package, and wait for that.
        (home / ".npmrc").write_text("offline=true\nfetch-retries=0\n", encoding="utf-8")
    elif name == "codex":
        config = home / ".codex" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        trusted = f'[projects."{project}"]\ntrust_level = "trusted"\n'
        quiet = "check_for_update_on_startup = false\n\n[analytics]\nenabled = false\n\n"
        config.write_text(quiet + trusted, encoding="utf-8")


def put(path: Path, value: object) -> None:
    """Write a JSON file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def punchlist(project: Path, environ: Mapping[str, str], *arguments: str) -> str:
    """Run our own command line in a project, and return what it printed."""
    words = [sys.executable, "-m", "punchlist.cli", *arguments]
    done = subprocess.run(words, cwd=project, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
