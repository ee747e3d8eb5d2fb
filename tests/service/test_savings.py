"""What answers cost against plain logs."""

import sys
from typing import Any

import anyio
import pytest
from mcp import Client

from punchlist.server.protocol import build
from punchlist.service import savings
from punchlist.service.session import Session
from punchlist.store.sent import Sent, all_sent

LOUD = "import sys; print('word ' * 20_000); print('a.py:3: error: no'); sys.exit(1)"


def of(*answers: tuple[str, int, str | None, int | None]) -> dict[str, Any]:
    return savings.summary([Sent(at=1.0, tool=t, bytes=n, run_id=run, log_bytes=log) for t, n, run, log in answers])


def test_a_log_counts_once_for_the_tool_that_first_answered_and_follow_ups_count_as_sent() -> None:
    value = of(
        ("run_check", 300, "test-1", 0),
        ("get_run_status", 200, "test-1", 9_000),
        ("get_log_slice", 1_000, "test-1", 9_000),
        ("run_check", 100, "test-2", 60),
    )
    assert value["tools"] == {
        "get_log_slice": {"calls": 1, "sentBytes": 1_000, "logBytes": 0},
        "run_check": {"calls": 2, "sentBytes": 400, "logBytes": 9_060},
        "get_run_status": {"calls": 1, "sentBytes": 200, "logBytes": 0},
    }
    assert (value["runs"], value["logBytes"], value["sentAboutRunsBytes"]) == (2, 9_060, 1_600)
    assert value["longerThanLog"] == 1


def test_what_no_plain_log_stands_against_is_never_counted_as_saved() -> None:
    value = of(("check_project", 500, "check-1", None), ("tools/list", 9_000, None, None))
    assert (value["runs"], value["logBytes"], value["sentOtherwiseBytes"]) == (0, 0, 9_500)
    assert "saved" not in savings.text(value)


def test_an_answer_about_several_runs_is_one_call() -> None:
    value = of(("run_check", 300, "a-1", 10), ("run_check", 0, "b-1", 20))
    assert value["tools"]["run_check"] == {"calls": 1, "sentBytes": 300, "logBytes": 30}


@pytest.mark.parametrize(
    ("sent", "log", "said"),
    [
        (300, 3_000, "100 sent about them, follow-up calls included; 900 saved (90%)"),
        (600, 300, "200 sent about them, follow-up calls included; 100 lost (100%)"),
        (3, 0, "1 sent about them, follow-up calls included; 1 lost"),
    ],
)
def test_the_text_says_what_was_saved_or_lost(sent: int, log: int, said: str) -> None:
    assert said in savings.text(of(("run_check", sent, "test-1", log)))


def test_a_log_that_a_host_would_have_cut_is_held_against_what_it_would_have_shown() -> None:
    text = savings.text(of(("run_check", 3_000, "test-1", 300_000)))
    assert "99,000 saved (99%)" in text
    assert "10,000 instead; 9,000 saved (90%)" in text


def test_nothing_is_kept_of_a_project_without_a_state(session: Session) -> None:
    savings.note(session.project, "tools/list", 9_000)
    assert not session.project.has_state
    assert savings.text(savings.summary([])) == "Nothing was sent yet."


def test_every_answer_of_the_server_is_counted_as_it_was_sent(session: Session) -> None:
    sizes: dict[str, int] = {}

    async def call(client: Client, tool: str, **arguments: Any) -> str:
        result = await client.call_tool(tool, arguments)
        text = str(result.content[0].text)  # type: ignore[union-attr]
        sizes[tool] = sizes.get(tool, 0) + len(text.encode())
        return text

    async def conversation() -> None:
        with anyio.fail_after(60):
            async with Client(build(session), mode="legacy") as client:
                first = await call(client, "execute_command", command=f'{sys.executable} -c "{LOUD}"')
                run_id = first.splitlines()[0].split(" · ")[-1]
                await call(client, "get_log_slice", run_id=run_id, pattern="error")
                await call(client, "ping")
                await client.list_tools()

    anyio.run(conversation)
    value = savings.summary(all_sent(session.project.store))
    tools = value["tools"]
    assert {name: row["sentBytes"] for name, row in tools.items() if name != "tools/list"} == sizes
    assert tools["tools/list"]["sentBytes"] > 2_000
    log = len("word ") * 20_000 + len("\n") + len("a.py:3: error: no\n")
    assert (tools["execute_command"]["logBytes"], value["logBytes"]) == (log, log)
    assert value["sentAboutRunsBytes"] == sizes["execute_command"] + sizes["get_log_slice"]
