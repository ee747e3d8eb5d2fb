"""The checking tools as a client sees them, with the documented examples of schema 1.4 replayed by real engines."""

import json
import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from punchlist.server.protocol import build
from punchlist.server.table import TOOLS
from punchlist.service.checking.asked import of_project
from punchlist.service.session import Session
from tests.service.checking.conftest import git, own_tools, python

__all__ = ["own_tools", "python"]
NODE = Path(__file__).parent.parent / "node" / "node_modules"
Talk = Callable[[Client], Awaitable[None]]
HEX = re.compile(r"[0-9a-f]{12,64}")


def talk(session: Session, conversation: Talk) -> None:
    async def whole() -> None:
        with anyio.fail_after(100):
            async with Client(build(session)) as client:
                await conversation(client)

    anyio.run(whole)


async def text(client: Client, tool: str, /, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return str(result.content[0].text)  # type: ignore[union-attr]


def payload(project: Path, mode: str) -> None:
    path = project / "punchlist.toml"
    path.write_text(f'payload = "{mode}"\n{path.read_text(encoding="utf-8")}', encoding="utf-8")


@pytest.fixture
def typescript(project: Path) -> Path:
    """Return a project whose 21 strings in 11 files should be numbers, as the documentation's example tells."""
    if not (NODE / "typescript-7").is_dir():
        pytest.skip("tools/node_tools.py installs what this needs")
    (project / "node_modules" / "@typescript").mkdir(parents=True)
    (project / "node_modules" / "typescript").symlink_to(NODE / "typescript-7")
    for native in (NODE / "@typescript").iterdir():
        (project / "node_modules" / "@typescript" / native.name).symlink_to(native)
    (project / "package.json").write_text('{"devDependencies": {"typescript": "7.0.2"}}', encoding="utf-8")
    options = {"compilerOptions": {"strict": True, "noEmit": True, "types": []}, "include": ["src"]}
    (project / "tsconfig.json").write_text(json.dumps(options), encoding="utf-8")
    (project / "src").mkdir()
    for n in range(1, 12):
        lines = ["// a", "", f'export const a{n}: number = "a";', f'export const b{n}: number = "b";']
        (project / "src" / f"file{n:02}.ts").write_text("\n".join(lines[: 4 if n < 11 else 3]) + "\n", encoding="utf-8")
    return project


def test_the_documented_check_and_detail_come_back_by_the_real_compiler(session: Session, typescript: Path) -> None:
    payload(typescript, "both")

    async def conversation(client: Client) -> None:
        result = await client.call_tool("check_project", {"paths": ["."]})
        value = result.structured_content
        assert value is not None
        assert json.loads(result.content[0].text) == value  # type: ignore[union-attr]
        (cluster,) = value["clusters"]
        samples = cluster.pop("sampleIssueIds")
        assert value == {
            "schemaVersion": "1.4",
            "status": "issues_found",
            "projectRoot": str(typescript.resolve()),
            "engines": {"tsc": {"status": "ok"}},
            "totalIssues": 21,
            "clusters": [
                {
                    "clusterId": "c4588ddaf",
                    "rootCauseSummary": "21 TS2322 issues across 11 files",
                    "ruleIds": ["TS2322"],
                    "issueCount": 21,
                    "fileCount": 11,
                    "priority": 1,
                }
            ],
            "remainingIssues": [],
            "omittedIssueCount": 0,
            "truncated": False,
            "checkId": "check-1",
        }
        assert all(HEX.fullmatch(sample) for sample in samples)
        detail = await client.call_tool("get_issue_detail", {"issueId": samples[0], "checkId": "check-1"})
        assert detail.structured_content is not None
        assert list(detail.structured_content) == ["issues"]
        (issue,) = detail.structured_content["issues"]
        full = issue.pop("issueId")
        assert full.startswith(samples[0])
        assert len(full) == 64
        assert issue == {
            "file": "src/file01.ts",
            "line": 3,
            "col": 14,
            "engine": "tsc",
            "rule": "TS2322",
            "severity": "error",
            "message": "Type 'string' is not assignable to type 'number'.",
            "fixable": False,
            "clusterId": "c4588ddaf",
        }

    talk(session, conversation)


def test_a_file_check_counts_what_it_filters_and_an_edit_elsewhere_is_seen(session: Session, typescript: Path) -> None:
    payload(typescript, "both")

    async def conversation(client: Client) -> None:
        await client.call_tool("check_project", {})
        value = (await client.call_tool("check_files", {"files": ["src/file11.ts"]})).structured_content
        assert value is not None
        assert (value["totalIssues"], value["filteredOutCount"], value["filteredOutIssueCount"]) == (1, 20, 20)
        assert "check_project" in value["nextStep"]
        (typescript / "src/file11.ts").write_text("export const a11 = 1;\n", encoding="utf-8")
        arguments = {"files": ["src/file11.ts"], "baselineCheckId": "check-1"}
        after = (await client.call_tool("after_edit_check", arguments)).structured_content
        assert after is not None
        delta = after["delta"]
        assert (after["status"], after["totalIssues"]) == ("clean", 0)
        assert [issue["file"] for issue in delta["resolved"]] == ["src/file11.ts"]
        assert (delta["errorsIntroduced"], delta["errorsResolved"], delta["netDelta"]) == (0, 1, -1)
        assert (len(delta["unchanged"]), delta["introduced"]) == (20, [])

    talk(session, conversation)


def test_a_deleted_module_breaks_its_importers_and_that_is_seen(session: Session, typescript: Path) -> None:
    (typescript / "src/use.ts").write_text('import { a1 } from "./file01";\nexport const c = a1;\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        await text(client, "check_project")
        (typescript / "src/file01.ts").unlink()
        answer = await text(client, "after_edit_check", files=["src/file01.ts"])
        assert answer.startswith("WORSE: 2 fixed, 1 broke")
        assert "src/use.ts:1 TS2307" in answer.partition("broke (1)")[2]

    talk(session, conversation)


@pytest.mark.parametrize("mode", ["text", "structured", "both"])
def test_the_payload_modes_have_their_documented_channels(session: Session, python: Path, mode: str) -> None:
    payload(python, mode)

    async def conversation(client: Client) -> None:
        result = await client.call_tool("check_project", {})
        value = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert value["totalIssues"] == 1
        assert (result.structured_content is None) == (mode == "text")
        assert len(result.content) == (2 if mode == "structured" else 1)
        sample = value["remainingIssues"][0]["issueId"]
        detail = await client.call_tool("get_issue_detail", {"checkId": value["checkId"], "issueId": sample})
        issues = json.loads(detail.content[0].text)  # type: ignore[union-attr]
        assert isinstance(issues, list) == (mode == "text")
        refused = await client.call_tool("get_issue_detail", {"issueId": sample})
        assert refused.is_error
        assert "invalid_arguments" in refused.content[0].text  # type: ignore[union-attr]
        for tool, arguments in (
            ("get_issue_detail", {"checkId": "check-99", "issueId": "x"}),
            ("get_diagnostic_snapshot", {"checkId": "check-99"}),
            ("compare_diagnostics", {"baselineCheckId": "check-99", "currentCheckId": value["checkId"]}),
        ):
            stale = await client.call_tool(tool, arguments)
            assert not stale.is_error
            assert json.loads(stale.content[0].text)["status"] == "stale"  # type: ignore[union-attr]

    talk(session, conversation)


def test_compact_keys_hold_for_checks_and_leave_snapshots_whole(
    session: Session, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (python / "punchlist.toml").write_text('payload = "text"\ncompact = true\n', encoding="utf-8")

    async def conversation(client: Client) -> None:
        value = json.loads(await text(client, "check_project"))
        assert (value["v"], value["total"], len(value["remaining"]), value["omitted"]) == ("1.4", 1, 1, 0)
        kept = json.loads(await text(client, "get_diagnostic_snapshot", checkId=value["checkId"]))
        assert (kept["totalIssues"], kept["source"], kept["scope"]) == (1, "project", ["."])
        assert kept["cache"] == {"hits": 0, "misses": 3}

    talk(session, conversation)


def test_an_agent_checks_edits_and_sees_the_effect_in_a_few_words(session: Session, python: Path) -> None:
    async def conversation(client: Client) -> None:
        first = await text(client, "check_project")
        assert "a.py:1 F401" in first
        (python / "a.py").write_text("def total(x):\n    return x\n", encoding="utf-8")
        answer = await text(client, "after_edit_check", files=["a.py"])
        assert answer.startswith("CLEAN: 1 fixed")
        assert "compared with check-1" in answer
        compared = await text(client, "compare_diagnostics", baselineCheckId="check-1", currentCheckId="check-2")
        assert compared.startswith("clean: check-1 (failed) -> check-2 (passed): 1 fixed")
        assert await text(client, "get_loop_status") == "no loops, no churn"
        assert "F401" in await text(client, "get_issue_detail", checkId="check-1", clusterId="F401")
        assert "F401" in await text(client, "get_run_summary", run_id="check-1")

    talk(session, conversation)


def test_a_baseline_that_is_not_kept_is_said_and_the_newest_one_used(session: Session, python: Path) -> None:
    async def conversation(client: Client) -> None:
        await text(client, "check_project")
        answer = await text(client, "after_edit_check", files=["a.py"], baselineCheckId="check-77")
        assert "check-77 is no longer kept; compared with check-1 instead" in answer

    talk(session, conversation)


def test_after_an_edit_without_an_earlier_check_the_issues_are_listed(session: Session, python: Path) -> None:
    async def conversation(client: Client) -> None:
        answer = await text(client, "after_edit_check", files=["a.py"])
        assert "F401" in answer
        assert "nothing to compare with yet" in answer

    talk(session, conversation)


@pytest.mark.parametrize("tool", ["check_project", "after_edit_check"])
def test_a_base_marks_what_is_new(session: Session, python: Path, tool: str) -> None:
    (python / "b.py").write_text("import sys\n", encoding="utf-8")

    async def conversation(client: Client) -> None:
        arguments: dict[str, Any] = {"base": "HEAD"} | ({} if tool == "check_project" else {"files": ["a.py", "b.py"]})
        assert "base HEAD" in (answer := await text(client, tool, **arguments))
        assert "1 new, 1 old" in answer

    talk(session, conversation)


def test_run_check_takes_a_base(session: Session, python: Path) -> None:
    (python / "punchlist.toml").write_text("[checks.lint]\ncommand = 'ruff check'\n", encoding="utf-8")
    (python / "b.py").write_text("import sys\n", encoding="utf-8")

    async def conversation(client: Client) -> None:
        answer = await text(client, "run_check", name="lint", base="HEAD")
        assert "1 new, 1 old, 0 gone" in answer

    talk(session, conversation)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("check_files", {}, "files: required"),
        ("check_files", {"files": []}, "at least one file"),
        ("check_files", {"files": ["/etc/passwd"]}, "path_outside_project"),
        ("check_files", {"files": ["../x"]}, "path_outside_project"),
        ("check_files", {"files": ["-x"]}, "invalid_path"),
        ("check_files", {"files": ["a\0b"]}, "invalid_path"),
        ("check_files", {"files": ["nope.py"]}, "path_not_found"),
        ("check_files", {"files": [f"{n}.py" for n in range(513)]}, "too_many_paths"),
        ("check_project", {"paths": "src"}, "paths: expected array, received string"),
        ("check_project", {"bogus": 1}, "unknown key 'bogus'"),
        ("check_project", {"base": "nowhere"}, "invalid_revision"),
        ("get_issue_detail", {"clusterId": "a", "issueId": "b"}, "not both"),
        ("compare_diagnostics", {"baselineCheckId": "x"}, "currentCheckId: required"),
    ],
)
def test_bad_calls_are_refused_before_anything_runs(
    session: Session, python: Path, name: str, arguments: dict[str, Any], said: str
) -> None:
    async def conversation(client: Client) -> None:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        assert said in result.content[0].text  # type: ignore[union-attr]

    talk(session, conversation)
    assert session.project.store.newest() == []


def test_a_long_check_answers_with_its_id_tells_how_far_it_is_and_can_be_waited_for(
    session: Session, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_tool(python, tmp_path, monkeypatch, "sleep 2")
    monkeypatch.setattr("punchlist.server.protocol.ANSWER_WITHIN_S", 0.8)

    async def conversation(client: Client) -> None:
        seen: list[str] = []

        async def note(_progress: float, _total: float | None, message: str | None) -> None:
            seen.append(message or "")

        result = await client.call_tool("check_project", {}, progress_callback=note)
        first = str(result.content[0].text)  # type: ignore[union-attr]
        assert first.startswith("RUNNING check · check-1")
        assert "mypy running" in first
        assert any("ruff ok: 1 in 3 files" in message for message in seen)
        assert "F401" in await text(client, "get_run_status", run_id="check-1", wait_ms=20_000)

    talk(session, conversation)


def test_a_check_that_is_taken_back_ends_its_engines(
    session: Session, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_tool(python, tmp_path, monkeypatch, "exec sleep 60")

    async def conversation(client: Client) -> None:
        with anyio.move_on_after(1.5):
            await client.call_tool("check_project", {})
        run = await anyio.to_thread.run_sync(session.wait, "check-1", 15)
        assert (run.how.ending, run.outcome) == ("cancelled", "error")

    talk(session, conversation)


def slow_tool(python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Let mypy be a program that takes its time."""
    (python / "punchlist.toml").write_text("[engines.mypy]\nenabled = true\n", encoding="utf-8")
    tool = tmp_path / "bin" / "mypy"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'mypy 1.13.0 (compiled: yes)' && exit 0\n{body}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")


def test_checks_are_read_only_and_belong_to_their_set(session: Session, python: Path) -> None:
    names = [tool.name for tool in TOOLS.values() if tool.toolset == "check"]
    assert names == [
        "check_project",
        "check_files",
        "after_edit_check",
        "get_issue_detail",
        "get_diagnostic_snapshot",
        "compare_diagnostics",
        "get_loop_status",
    ]
    assert all(TOOLS[name].read_only for name in names)


def test_commits_are_left_alone(session: Session, python: Path) -> None:
    before = git(python, "status", "--porcelain=v2", "--branch")
    session.wait(session.check(of_project(session.project)).id, 60)
    assert git(python, "status", "--porcelain=v2", "--branch") == before
