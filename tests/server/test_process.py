"""The server as a process: started over stdio, ended by its client, a signal, or by force."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SERVE = [sys.executable, "-m", "punchlist.cli", "serve"]


def gone(pid: int, seconds: float = 10) -> bool:
    """Whether a process is gone (or a zombie) within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


async def _start_a_long_command(project: Path, mark: Path, then: str) -> tuple[int, int]:
    parameters = StdioServerParameters(command=SERVE[0], args=SERVE[1:], cwd=str(project))
    async with Client(stdio_client(parameters), mode="legacy") as client:
        await client.call_tool("run_check", {"name": "long", "max_wait_ms": 700})
        child = int(mark.read_text())
        server = int(Path(f"{mark}.server").read_text())
        if then == "kill":
            os.kill(server, signal.SIGKILL)
        elif then == "term":
            os.kill(server, signal.SIGTERM)
        if then != "close":
            assert gone(server)
    return server, child


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at /proc")
@pytest.mark.parametrize("then", ["close", "term", "kill"])
def test_nothing_is_left_behind_however_the_server_ends(project: Path, tmp_path: Path, then: str) -> None:
    mark = tmp_path / "pid"
    command = f"echo $$ > {mark}; echo $PPID > {mark}.server; sleep 60; sleep 60"
    (project / "punchlist.toml").write_text(f"[checks.long]\ncommand = '{command}'\n", encoding="utf-8")
    try:
        server, child = anyio.run(_start_a_long_command, project, mark, then)
    except BaseExceptionGroup:
        server, child = int(Path(f"{mark}.server").read_text()), int(mark.read_text())
    assert gone(child)
    assert gone(server)
    runs = subprocess.run(
        [sys.executable, "-m", "punchlist.cli", "runs", "--root", str(project)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert ("interrupted" in runs or "error" in runs) and "running" not in runs


def test_stray_prints_do_not_disturb_the_protocol(project: Path) -> None:
    async def whole() -> None:
        parameters = StdioServerParameters(command=SERVE[0], args=SERVE[1:], cwd=str(project))
        async with Client(stdio_client(parameters), mode="auto") as client:
            result = await client.call_tool("execute_command", {"command": "echo loud; echo louder >&2"})
            assert not result.is_error
            assert str(project) in (await client.call_tool("ping", {})).content[0].text  # type: ignore[union-attr]

    anyio.run(whole)


def test_the_command_line_does_not_import_the_protocol(project: Path) -> None:
    code = (
        "import sys; from punchlist.cli.main import main; status = main(['run', '--', 'true']);"
        "heavy = {'mcp', 'asyncio', 'pydantic', 'anyio', 'yaml', 'tomlkit', 'regex'} & set(sys.modules);"
        "assert not heavy, heavy; sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
