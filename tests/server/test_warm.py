"""Language servers kept warm behind the checking tools: who answers is said, and none outlives the server."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from punchlist.service.project import open_project
from punchlist.service.session import Session
from tests.server.test_checks import talk, text, typescript
from tests.server.test_process import SERVE, gone
from tests.service.checking.conftest import own_tools

__all__ = ["own_tools", "typescript"]
pytestmark = [pytest.mark.tools, pytest.mark.timeout(120)]
FILE = "src/e01.ts"


@pytest.fixture
def warm(typescript: Path) -> Iterator[Session]:
    """Return a session that keeps the compiler warm, however quick it is."""
    config = typescript / "punchlist.toml"
    config.write_text(f'warm = "on"\n{config.read_text(encoding="utf-8")}', encoding="utf-8")
    sources = {
        "shared": "export const size: number = 1;\n",
        "e01": 'import { size } from "./shared";\nexport { size };\n',
    }
    for name, source in sources.items():
        (typescript / "src" / f"{name}.ts").write_text(source, encoding="utf-8")
    session = Session(open_project(explicit=str(typescript)), keeps_warm=True)
    yield session
    session.close()
    session.project.store.close()


def ready(session: Session) -> None:
    pool = session.warm()
    assert pool is not None
    assert pool.ready("tsc", 60)


def server_of(session: Session) -> int:
    pool = session.warm()
    assert pool is not None
    return next(p.resident.pid for p in pool._programs.values() if p.resident is not None)


def test_after_the_first_check_the_server_answers_for_an_edit_and_what_depends_on_it(
    warm: Session, typescript: Path
) -> None:
    async def conversation(client: Client) -> None:
        assert "warm server" not in await text(client, "after_edit_check", files=["src/shared.ts"])
        ready(warm)
        (typescript / "src" / "shared.ts").write_text('export const sizes: number = "1";\n', encoding="utf-8")
        said = await text(client, "after_edit_check", files=["src/shared.ts"])
        assert "tsc 7.0.2 2 files (warm server)" in said
        assert said.startswith("WORSE: 2 broke")
        assert "src/e01.ts:1" in said
        assert "TS2322" in said

    talk(warm, conversation)


def test_the_whole_project_is_always_told_by_the_command_line(warm: Session) -> None:
    async def conversation(client: Client) -> None:
        await text(client, "check_project")
        ready(warm)
        assert "warm server" not in await text(client, "check_project", fresh=True)
        assert "warm server" not in await text(client, "check_files", files=[FILE], fresh=True)

    talk(warm, conversation)


def test_a_lost_server_is_told_with_the_answer_of_the_command_line(warm: Session, typescript: Path) -> None:
    async def conversation(client: Client) -> None:
        await text(client, "check_project")
        ready(warm)
        lost = server_of(warm)
        os.kill(lost, signal.SIGKILL)
        assert gone(lost)
        (typescript / FILE).write_text("export const late: number = 1;\n", encoding="utf-8")
        said = await text(client, "after_edit_check", files=[FILE])
        # Whether the process or its pipe is seen to end first is chance.
        assert re.search("note: tsc: the command line answered: (its server died|the server ended)", said)

    talk(warm, conversation)


@pytest.mark.parametrize("setting", ["auto", "off"])
def test_a_quick_compiler_is_not_kept_warm_by_itself(warm: Session, typescript: Path, setting: str) -> None:
    config = typescript / "punchlist.toml"
    config.write_text(config.read_text(encoding="utf-8").replace('"on"', f'"{setting}"'), encoding="utf-8")

    async def conversation(client: Client) -> None:
        await text(client, "check_project")
        pool = warm.warm()
        assert (pool is None) == (setting == "off")
        assert pool is None or not pool.ready("tsc", 0)

    talk(warm, conversation)


def children(pid: int) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[1]) == pid:
                found[int(folder.name)] = (folder / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at /proc")
@pytest.mark.parametrize("then", ["close", "term", "kill"])
def test_no_language_server_outlives_the_server(warm: Session, typescript: Path, then: str) -> None:
    found: dict[str, Any] = {}

    async def talk_and_end() -> None:
        parameters = StdioServerParameters(command=SERVE[0], args=SERVE[1:], cwd=str(typescript))
        async with Client(stdio_client(parameters), mode="legacy") as client:
            await client.call_tool("check_project", {})
            with anyio.fail_after(60):
                while not found:
                    await anyio.sleep(0.05)
                    mine = [pid for pid, words in children(os.getpid()).items() if b"punchlist.cli" in words]
                    found.update({"pids": pids} if (pids := [p for one in mine for p in _servers(one)]) else {})
            found["server"] = mine[-1]
            if then != "close":
                os.kill(mine[-1], signal.SIGKILL if then == "kill" else signal.SIGTERM)
                assert gone(mine[-1])

    try:
        anyio.run(talk_and_end)
    except BaseExceptionGroup:
        assert then != "close"
    assert gone(found["server"])
    assert found["pids"]
    assert all(gone(pid) for pid in found["pids"])


def _servers(pid: int) -> list[int]:
    return [child for child, words in children(pid).items() if b"--lsp" in words]
