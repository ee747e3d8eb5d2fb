"""The tools as a client sees them, in both eras of the protocol."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from punchlist.server.protocol import INSTRUCTIONS, build
from punchlist.service.session import Session

FAILING = "import unittest\nclass Cart(unittest.TestCase):\n    def test_total(self): self.assertEqual(1, 2)\n"
ERAS = ("legacy", "auto")
Talk = Callable[[Client], Awaitable[None]]


@pytest.fixture(params=ERAS)
def talk(request: pytest.FixtureRequest, session: Session) -> Callable[[Talk], None]:
    """Return a way to let a client talk to a server of the session's project."""

    def run(conversation: Talk) -> None:
        async def whole() -> None:
            with anyio.fail_after(60):
                async with Client(build(session), mode=request.param) as client:
                    await conversation(client)

        anyio.run(whole)

    return run


async def text(client: Client, tool: str, /, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return str(result.content[0].text)  # type: ignore[union-attr]


def command(project: Path) -> str:
    (project / "test_cart.py").write_text(FAILING, encoding="utf-8")
    return f"{sys.executable} -m unittest"


def test_an_agent_runs_fixes_runs_again_and_sees_what_changed(talk: Callable[[Talk], None], project: Path) -> None:
    async def conversation(client: Client) -> None:
        line = command(project)
        first = await text(client, "execute_command", command=line)
        assert "1 failed" in first
        assert "1 != 2" in first
        (project / "test_cart.py").write_text(FAILING.replace("1, 2", "1, 1"), encoding="utf-8")
        assert "1 fixed" in await text(client, "execute_command", command=line)
        assert "fixed (1)" in await text(client, "diff_runs")

    talk(conversation)


def test_every_id_in_an_answer_stays_usable(talk: Callable[[Talk], None], project: Path) -> None:
    async def conversation(client: Client) -> None:
        answer = await text(client, "execute_command", command=command(project))
        run_id = answer.splitlines()[0].split(" · ")[-1]
        assert "1 != 2" in await text(client, "get_run_summary", run_id=run_id)
        assert "1 != 2" in await text(client, "get_run_summary", run_id=run_id, group="test_total")
        assert "Traceback" in await text(client, "get_log_slice", run_id=run_id, pattern="Traceback")
        assert "rerun of" in await text(client, "rerun_failed", run_id=run_id)
        assert run_id in await text(client, "list_runs", limit=5)
        assert run_id in await text(client, "stop_run", run_id=run_id)
        resource = await client.read_resource(f"punchlist://runs/{run_id}/merged?from=1&to=2")
        assert len(resource.contents[0].text.splitlines()) == 2  # type: ignore[union-attr]

    talk(conversation)


def test_a_long_run_answers_with_its_id_and_can_be_waited_for(talk: Callable[[Talk], None], project: Path) -> None:
    (project / "punchlist.toml").write_text('[checks.slow]\ncommand = "echo begun; sleep 1"\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        first = await text(client, "run_check", name="slow", max_wait_ms=100)
        assert first.startswith("RUNNING slow · slow-")
        assert "get_run_status" in first
        run_id = first.split(" · ")[1]
        assert "PASSED" in await text(client, "get_run_status", run_id=run_id, wait_ms=20_000)

    talk(conversation)


def test_several_checks_run_side_by_side(talk: Callable[[Talk], None], project: Path) -> None:
    toml = '[checks.a]\ncommand = "true"\n[checks.b]\ncommand = "exit 2"\n'
    (project / "punchlist.toml").write_text(toml, encoding="utf-8")

    async def conversation(client: Client) -> None:
        answer = await text(client, "run_checks", names=["a", "b"])
        assert "PASSED a" in answer
        assert "ERROR b" in answer

    talk(conversation)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("run_check", {}, "name: required"),
        ("run_check", {"name": "x", "bogus": 1}, "unknown key 'bogus'"),
        ("run_check", {"name": 3}, "name: expected string, received integer"),
        ("run_check", {"name": "nope"}, "unknown_check"),
        ("run_checks", {"names": []}, "at least 1"),
        ("get_run_summary", {"run_id": "../../etc"}, "unknown_run"),
        ("get_run_summary", {"run_id": "x-1", "sort_by": "size"}, "none of count, last, first"),
        ("execute_command", {"command": "true", "template": "nope"}, 'Template "nope" not found'),
        ("execute_command", {"command": "true", "output_file": "../out.txt"}, "path_outside_project"),
        ("execute_command", {"command": "true", "cwd": "/etc"}, "path_outside_project"),
        ("execute_command", {"command": "   "}, "empty"),
        ("get_log_slice", {"run_id": "x-1", "from_line": 0}, "at least 1"),
    ],
)
def test_bad_calls_are_refused_before_anything_runs(
    talk: Callable[[Talk], None], session: Session, name: str, arguments: dict[str, Any], said: str
) -> None:
    async def conversation(client: Client) -> None:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        assert said in result.content[0].text  # type: ignore[union-attr]

    talk(conversation)
    assert session.project.store.newest() == []


def test_an_unknown_tool_is_an_error_of_the_protocol(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("no_such_tool", {})
        assert caught.value.error.code == -32602

    talk(conversation)


def test_a_failing_check_is_a_normal_result_without_structure(talk: Callable[[Talk], None], project: Path) -> None:
    async def conversation(client: Client) -> None:
        result = await client.call_tool("execute_command", {"command": command(project)})
        assert (result.is_error, result.structured_content, len(result.content)) == (False, None, 1)
        assert all(tool.output_schema is None for tool in (await client.list_tools()).tools)

    talk(conversation)


def test_a_template_filters_and_the_whole_output_goes_to_the_file_asked_for(
    talk: Callable[[Talk], None], project: Path
) -> None:
    async def conversation(client: Client) -> None:
        line = "printf 'ok 1\\nsrc/a.ts(1,2): error TS2322: bad\\nok 2\\n'; exit 2"
        answer = await text(client, "execute_command", command=line, template="tsc", output_file="out/log.txt")
        assert "error TS2322" in answer
        assert (project / "out" / "log.txt").read_text(encoding="utf-8").startswith("ok 1\n")

    talk(conversation)


@pytest.mark.parametrize("mode", ["both", "text", "structured"])
def test_payload_modes_give_the_documented_json(talk: Callable[[Talk], None], project: Path, mode: str) -> None:
    (project / "punchlist.toml").write_text(f'payload = "{mode}"\n[checks.t]\ncommand = "exit 3"\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        result = await client.call_tool("run_check", {"name": "t"})
        value = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert {"run_id", "check", "status", "exit_code", "summary", "top_groups"} <= set(value)
        assert (value["status"], value["exit_code"]) == ("failed", 3)
        assert result.structured_content == (None if mode == "text" else value)
        assert (await client.call_tool("ping", {})).content[0].text == "pong"  # type: ignore[union-attr]

    talk(conversation)


def test_a_configuration_that_is_wrong_is_said_at_each_call_until_it_is_mended(
    talk: Callable[[Talk], None], project: Path
) -> None:
    async def conversation(client: Client) -> None:
        (project / "punchlist.toml").write_text("[checks.t]\ncomand = 'true'\n", encoding="utf-8")
        for _ in range(2):
            result = await client.call_tool("list_checks", {})
            assert result.is_error
            assert "punchlist.toml:2" in result.content[0].text  # type: ignore[union-attr]
        (project / "punchlist.toml").write_text("[checks.t]\ncommand = 'true'\n", encoding="utf-8")
        assert "PASSED" in await text(client, "run_check", name="t")

    talk(conversation)


def test_progress_is_told_while_a_check_runs(session: Session, project: Path) -> None:
    (project / "punchlist.toml").write_text('[checks.slow]\ncommand = "echo a; sleep 1.4"\n', encoding="utf-8")
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)

    async def whole() -> None:
        with anyio.fail_after(60):
            async with Client(build(session), mode="legacy") as client:
                await client.call_tool("run_check", {"name": "slow"}, progress_callback=progress)

    anyio.run(whole)
    assert seen
    assert seen == sorted(set(seen))


def test_a_call_taken_back_ends_what_it_started(session: Session, project: Path) -> None:
    (project / "punchlist.toml").write_text('[checks.slow]\ncommand = "sleep 30"\n', encoding="utf-8")

    async def whole() -> None:
        async with Client(build(session), mode="legacy") as client:
            with anyio.move_on_after(1):
                await client.call_tool("run_check", {"name": "slow"})

    anyio.run(whole)
    assert session.wait("slow-1", 10).how.ending == "cancelled"


@pytest.mark.parametrize(("tools", "most"), [("", 3800), ('tools = ["run"]', 1500), ('tools = ["check"]', 1000)])
def test_the_tool_list_and_the_instructions_are_short(
    talk: Callable[[Talk], None], project: Path, tools: str, most: int
) -> None:
    (project / "punchlist.toml").write_text(f"{tools}\n", encoding="utf-8")

    async def conversation(client: Client) -> None:
        listed = (await client.list_tools()).tools
        text = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in listed], separators=(",", ":"))
        assert len(text) / 3.9 < most  # characters of such text in a token of o200k, measured

    talk(conversation)
    assert len(INSTRUCTIONS) < 480


def test_a_project_can_show_fewer_tools(talk: Callable[[Talk], None], project: Path) -> None:
    (project / "punchlist.toml").write_text('tools = ["run_check"]\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"run_check", "ping"}

    talk(conversation)


@pytest.mark.parametrize(("setting", "code"), [("off", "commands_off"), ("declared", "command_not_declared")])
def test_a_project_bounds_what_execute_command_runs(
    talk: Callable[[Talk], None], project: Path, setting: str, code: str
) -> None:
    (project / "punchlist.toml").write_text(f'commands = "{setting}"\n[checks.t]\ncommand = "true"\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        result = await client.call_tool("execute_command", {"command": "touch made"})
        assert result.is_error
        assert code in result.content[0].text  # type: ignore[union-attr]

    talk(conversation)
    assert not (project / "made").exists()
