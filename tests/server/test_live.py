"""The tools for live diagnostics as a client sees them."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from punchlist.server.protocol import build
from punchlist.server.table import TOOLS
from punchlist.service.session import Session

Talk = Callable[[Client], Awaitable[None]]
ITEM = {
    "file": "src/main.ts",
    "range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 7}},
    "severity": 1,
    "code": "example-rule",
    "message": "Example diagnostic",
}


@pytest.fixture
def talk(session: Session) -> Callable[[Talk], None]:
    def run(conversation: Talk) -> None:
        async def whole() -> None:
            with anyio.fail_after(60):
                async with Client(build(session), mode="legacy") as client:
                    await conversation(client)

        anyio.run(whole)

    return run


async def text(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return str(result.content[0].text)  # type: ignore[union-attr]


def test_a_batch_is_seen_until_its_file_is_clean(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        taken = await text(client, "ingest_diagnostics", diagnostics=[ITEM], source="lsp", serverName="demo")
        assert taken == "1 diagnostic in 1 file · lsp-1 (lsp demo)"
        seen = await text(client, "get_live_diagnostics")
        assert "src/main.ts:1 example-rule Example diagnostic" in seen
        assert "Example" in await text(client, "get_live_diagnostics", files=["src"], severity="error")
        assert "Example" not in await text(client, "get_live_diagnostics", severity="hint")
        arguments = {"diagnostics": [], "files": ["src/main.ts"], "source": "lsp", "serverName": "demo"}
        assert "cleared" in await text(client, "ingest_diagnostics", **arguments)
        assert "Example" not in await text(client, "get_live_diagnostics")

    talk(conversation)


def test_a_batch_can_be_looked_at_like_a_check(talk: Callable[[Talk], None]) -> None:
    async def conversation(client: Client) -> None:
        await text(client, "ingest_diagnostics", diagnostics=[ITEM])
        assert "Example diagnostic" in await text(client, "get_issue_detail", checkId="lsp-1")
        assert "external-lsp 1 file" in await text(client, "get_diagnostic_snapshot", checkId="lsp-1")

    talk(conversation)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "diagnostics: required"),
        ({"report": "x"}, "goes with format"),
        ({"report": "x", "format": "ruff", "diagnostics": []}, "without diagnostics"),
        ({"diagnostics": [], "format": "ruff"}, "as text in report"),
        ({"diagnostics": [{**ITEM, "file": None}]}, "diagnostics.0.file"),
        ({"diagnostics": ["x"]}, "diagnostics.0: expected object"),
        ({"diagnostics": [], "files": ["../x"]}, "outside"),
        ({"diagnostics": [], "bogus": 1}, "unknown key 'bogus'"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(talk: Callable[[Talk], None], arguments: dict[str, Any], words: str) -> None:
    async def conversation(client: Client) -> None:
        result = await client.call_tool("ingest_diagnostics", arguments)
        assert result.is_error
        assert words in result.content[0].text  # type: ignore[union-attr]

    talk(conversation)


@pytest.mark.parametrize("mode", ["both", "text", "structured"])
def test_payload_modes_give_the_documented_json(talk: Callable[[Talk], None], project: Path, mode: str) -> None:
    (project / "punchlist.toml").write_text(f'payload = "{mode}"\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        taken = json.loads(await text(client, "ingest_diagnostics", diagnostics=[ITEM, {**ITEM, "severity": 3}]))
        assert taken["snapshotId"] == taken["checkId"] == "lsp-1"
        assert taken["source"] == "lsp"
        assert taken["engines"] == {"external-lsp": {"status": "ok"}}
        live = json.loads(await text(client, "get_live_diagnostics", severity="warning"))
        assert {"clusters", "remainingIssues", "issues"} <= set(live)
        (issue,) = live["issues"]
        expected = {"file": "src/main.ts", "line": 1, "col": 3, "engine": "external-lsp", "rule": "example-rule"}
        assert {name: issue[name] for name in expected} == expected
        assert (issue["severity"], issue["fixable"], issue["sourceKind"]) == ("warning", False, "lsp")

    talk(conversation)


def test_both_tools_take_few_tokens() -> None:
    tools = [TOOLS[name] for name in ("ingest_diagnostics", "get_live_diagnostics")]
    listed = json.dumps([{"name": t.name, "description": t.description, "inputSchema": t.schema} for t in tools])
    assert len(listed) / 3.2 < 350
