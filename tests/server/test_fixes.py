"""The tools that change files, as a client sees them."""

import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from punchlist.analysis.delta import compare
from punchlist.model import Diagnostic, Edit, Fix, Report, Trouble
from punchlist.server import fixes, protocol
from punchlist.server.fixes import TOOLS
from punchlist.server.protocol import build
from punchlist.service import fix_predict, fixing
from punchlist.service.fix_verify import Checker
from punchlist.service.fix_watch import Watch
from punchlist.service.session import Session
from punchlist.store.runs import Run

Talk = Callable[[Client], Awaitable[None]]


@pytest.fixture
def talk(session: Session, project: Path) -> Callable[[Talk], None]:
    """Return a way to let a client talk to a server of the session's project, which has one file and no engine."""
    (project / "a.py").write_text("one\ntwo\n", encoding="utf-8")
    past = time.time() - 5
    os.utime(project / "a.py", (past, past))

    def run(conversation: Talk) -> None:
        async def whole() -> None:
            with anyio.fail_after(60):
                async with Client(build(session), mode="auto") as client:
                    await conversation(client)

        anyio.run(whole)

    return run


PATCH = {"file": "a.py", "originalContent": "one\ntwo\n", "patchedContent": "one\n2\n"}


async def call(client: Client, tool: str, /, failed: bool = False, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error is failed, result.content
    return str(result.content[0].text)  # type: ignore[union-attr]


def test_an_agent_previews_applies_and_takes_back(talk: Callable[[Talk], None], project: Path) -> None:
    async def conversation(client: Client) -> None:
        shown = await call(client, "preview_diagnostic_fix", patches=[PATCH])
        name = shown.split(" ")[1]
        assert "-two\n+2" in shown
        assert (project / "a.py").read_text(encoding="utf-8") == "one\ntwo\n"
        again = await call(client, "preview_diagnostic_fix", transactionId=name)
        assert again == shown
        done = await call(client, "apply_diagnostic_fix", transactionId=name, confirm=True)
        assert done.startswith(f"APPLIED {name} · 1 file: a.py")
        assert (project / "a.py").read_text(encoding="utf-8") == "one\n2\n"
        assert "is applied" in await call(client, "apply_diagnostic_fix", failed=True, transactionId=name, confirm=True)
        assert "UNDONE" in await call(client, "apply_diagnostic_fix", transactionId=name, undo=True, confirm=True)
        assert (project / "a.py").read_text(encoding="utf-8") == "one\ntwo\n"

    talk(conversation)


def test_an_agent_fixes_a_group_of_a_check(talk: Callable[[Talk], None], session: Session, project: Path) -> None:
    fix = Fix((Edit("a.py", 2, 1, 2, 4, "2"),), safe=True)
    found = Diagnostic(message="bad", file="a.py", line=2, rule="R1", tool="ruff", fix=fix)
    unsafe = Diagnostic(
        message="worse", file="a.py", line=1, rule="R2", tool="ruff", fix=Fix((Edit("a.py", 1, 1, 1, 4, "1"),), False)
    )
    store = session.project.store
    run = store.begin(name="l", kind="check", key="l", title="l", command="l", cwd="/", owner=1, owner_start="")
    store.finish(run.id, Report(outcome="failed", diagnostics=(found, unsafe)), size=0)

    async def conversation(client: Client) -> None:
        shown = await call(client, "preview_diagnostic_fix", clusterId="R1", checkId=run.id)
        assert "1 safe fix of l-1" in shown
        assert "1 safe fix of l-1" in await call(client, "preview_diagnostic_fix", checkId=run.id)
        refused = await call(client, "preview_diagnostic_fix", failed=True, clusterId="R2", checkId=run.id)
        assert refused.startswith("no_safe_fix: ")
        assert "unsafe: true" in refused
        assert "1 fix of l-1" in await call(
            client, "preview_diagnostic_fix", clusterId="R2", checkId=run.id, unsafe=True
        )
        await call(client, "apply_diagnostic_fix", transactionId=shown.split(" ")[1], confirm=True)
        assert (project / "a.py").read_text(encoding="utf-8") == "one\n2\n"

    talk(conversation)


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "said"),
    [
        ("preview_diagnostic_fix", {}, "invalid_arguments", "patches: required"),
        ("preview_diagnostic_fix", {"patches": []}, "invalid_arguments", "at least 1"),
        ("preview_diagnostic_fix", {"patches": "x"}, "invalid_arguments", "expected array"),
        ("preview_diagnostic_fix", {"patches": [{**PATCH, "originalHash": "x"}]}, "invalid_arguments", "unknown key"),
        ("preview_diagnostic_fix", {"patches": [{"file": "a.py"}]}, "invalid_arguments", "originalContent"),
        ("preview_diagnostic_fix", {"patches": [{**PATCH, "file": "../a"}]}, "path_outside_project", "outside"),
        ("preview_diagnostic_fix", {"patches": [{**PATCH, "file": "/etc/passwd"}]}, "invalid_path", "Absolute"),
        ("preview_diagnostic_fix", {"patches": [{**PATCH, "file": ""}]}, "invalid_path", "non-empty"),
        ("preview_diagnostic_fix", {"clusterId": ""}, "invalid_arguments", "must not be empty"),
        ("preview_diagnostic_fix", {"issueIds": [""]}, "unknown_issue", "no issue"),
        ("preview_diagnostic_fix", {"transactionId": ""}, "transaction_unknown", "no transaction"),
        ("preview_diagnostic_fix", {"diff": ""}, "invalid_diff", "no file"),
        ("preview_diagnostic_fix", {"diff": "nothing"}, "invalid_diff", "no file"),
        ("preview_diagnostic_fix", {"issueIds": ["abcdef"]}, "unknown_issue", "abcdef"),
        ("preview_diagnostic_fix", {"transactionId": "fix-00000000"}, "transaction_unknown", "none"),
        ("apply_diagnostic_fix", {"transactionId": "nope", "confirm": True}, "transaction_unknown", "nope"),
        ("apply_diagnostic_fix", {"confirm": True}, "invalid_arguments", "transactionId: required"),
        ("apply_diagnostic_fix", {"transactionId": "x", "confirm": "yes"}, "invalid_arguments", "expected boolean"),
        ("apply_diagnostic_fix", {"transactionId": "x", "onRegression": "no"}, "invalid_arguments", "keep, revert"),
        ("discard_diagnostic_fix", {}, "invalid_arguments", "transactionId: required"),
    ],
)
def test_bad_calls_are_refused_with_a_code(
    talk: Callable[[Talk], None], project: Path, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    async def conversation(client: Client) -> None:
        text = await call(client, tool, failed=True, **arguments)
        assert text.startswith(f"{code}: ")
        assert said in text

    talk(conversation)
    assert (project / "a.py").read_text(encoding="utf-8") == "one\ntwo\n"


@pytest.mark.parametrize("said", [{}, {"confirm": True}])
@pytest.mark.parametrize(("answer", "written"), [("accept", True), ("decline", False), ("cancel", False)])
def test_a_client_that_can_is_asked_whatever_the_call_says(
    session: Session, project: Path, answer: Any, written: bool, said: dict[str, Any]
) -> None:
    (project / "a.py").write_text("one\ntwo\n", encoding="utf-8")
    questions: list[str] = []

    async def elicit(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert context is not None
        questions.append(params.message)
        return types.ElicitResult(action=answer)

    async def whole() -> None:
        with anyio.fail_after(60):
            async with Client(build(session), mode="legacy", elicitation_callback=elicit) as client:
                name = (await call(client, "preview_diagnostic_fix", patches=[PATCH])).split(" ")[1]
                refused = await call(client, "apply_diagnostic_fix", failed=True, transactionId=name, confirm=False)
                assert refused.startswith("not_confirmed")
                assert not questions
                text = await call(client, "apply_diagnostic_fix", failed=not written, transactionId=name, **said)
                assert text.startswith("APPLIED" if written else "not_confirmed")
                assert questions == [f"Write {name} (1 file, +1 -1)? a.py +1 -1"]
                if written:
                    await call(client, "apply_diagnostic_fix", transactionId=name, undo=True, confirm=True)
                    assert questions[1:] == [f"Take back {name} (1 file, +1 -1)? a.py +1 -1"]

    anyio.run(whole)


def test_a_client_that_cannot_ask_is_told_to_confirm(talk: Callable[[Talk], None], project: Path) -> None:
    async def conversation(client: Client) -> None:
        name = (await call(client, "preview_diagnostic_fix", patches=[PATCH])).split(" ")[1]
        assert "confirm: required" in await call(client, "apply_diagnostic_fix", failed=True, transactionId=name)
        (project / "punchlist.toml").write_text('writes = "on"\n', encoding="utf-8")
        assert "APPLIED" in await call(client, "apply_diagnostic_fix", transactionId=name)

    talk(conversation)


def test_clients_that_parse_get_the_documented_shapes(talk: Callable[[Talk], None], project: Path) -> None:
    (project / "punchlist.toml").write_text('payload = "both"\n', encoding="utf-8")

    async def value(client: Client, tool: str, failed: bool = False, **arguments: Any) -> dict[str, Any]:
        return dict(json.loads(await call(client, tool, failed, **arguments)))

    async def conversation(client: Client) -> None:
        shown = await value(client, "preview_diagnostic_fix", patches=[PATCH | {"description": "d"}])
        name = shown["transactionId"]
        assert (shown["filesCount"], shown["status"]) == (1, "previewed")
        assert shown["patchesPreview"] == [
            {"file": "a.py", "description": "d", "originalLength": 8, "patchedLength": 6}
        ]
        refused = await value(client, "apply_diagnostic_fix", True, transactionId=name, confirm=False)
        assert {k: refused[k] for k in ("status", "transactionId", "filesModified", "code")} == {
            "status": "error", "transactionId": name, "filesModified": [], "code": "not_confirmed",
        }  # fmt: skip
        refused = await value(
            client, "apply_diagnostic_fix", True, transactionId=name, confirm=True, baselineCheckId="check-9"
        )
        assert (refused["code"], refused["filesModified"]) == ("baseline_check_unknown", [])
        done = await value(client, "apply_diagnostic_fix", transactionId=name, confirm=True)
        assert (done["status"], done["filesModified"]) == ("success", ["a.py"])
        assert done["message"] == "No baselineCheckId provided; baseline delta was not requested."
        gone = await value(client, "discard_diagnostic_fix", transactionId=name)
        assert gone == {"transactionId": name, "discarded": False}

    talk(conversation)


def test_the_fix_tools_are_few_words_and_honestly_annotated() -> None:
    listed = json.dumps(
        [{"name": t.name, "description": t.description, "inputSchema": t.schema} for t in TOOLS], separators=(",", ":")
    )
    assert len(listed) / 4 < 450
    hints = {t.name.split("_")[0]: (t.read_only, t.destructive, t.idempotent) for t in TOOLS}
    assert hints["apply"] == (False, True, False)
    assert hints["preview"][2] is False


class Slow:
    """Checks that go on until they are let go, or called off; how many were begun."""

    def __init__(self, session: Session, monkeypatch: pytest.MonkeyPatch, *, held: int) -> None:
        self.session, self.held, self.begun = session, held, 0
        self.free = threading.Event()
        monkeypatch.setattr(fixes, "checker_of", lambda _: Checker(self.start, self.finish, self.compare))
        monkeypatch.setattr(protocol, "LOOK_EVERY_S", 0.02)

    def start(self, _files: Sequence[str]) -> Run:
        self.begun += 1
        store = self.session.project.store
        run = store.begin(name="c", kind="check", key="c", title="c", command="c", cwd="/", owner=1, owner_start="")
        return store.finish(run.id, Report(outcome="passed"), size=0)

    def finish(self, run_id: str, watch: Watch) -> Run:
        while self.begun == self.held and not watch.called_off and not self.free.wait(0.01):
            pass
        return self.session.project.store.get(run_id)

    def compare(self, before: Run, after: Run) -> Any:
        return compare(Report(outcome="passed"), Report(outcome="passed"), before_id=before.id, after_id=after.id)


async def until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(10):
        while not true():
            await anyio.sleep(0.01)


@pytest.mark.parametrize(("held", "written"), [(1, False), (2, True)])
def test_a_call_taken_back_writes_nothing_before_and_finishes_after_the_writing_began(
    talk: Callable[[Talk], None],
    session: Session,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    held: int,
    written: bool,
) -> None:
    slow = Slow(session, monkeypatch, held=held)
    kept = fixing.transactions(session.project)

    async def conversation(client: Client) -> None:
        name = (await call(client, "preview_diagnostic_fix", patches=[PATCH])).split(" ")[1]
        arguments: dict[str, Any] = {"transactionId": name, "confirm": True, "onRegression": "revert"}
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "apply_diagnostic_fix", arguments)
            await until(lambda: slow.begun == held)
            tasks.cancel_scope.cancel()
        slow.held = 0
        if written:
            slow.free.set()
            await until(lambda: bool(kept.get(name).notes))
            assert (project / "a.py").read_text(encoding="utf-8") == "one\n2\n"
            shown = await call(client, "preview_diagnostic_fix", transactionId=name)
            assert shown.startswith(f"APPLIED {name}")
            assert "note: c-2: since c-1" in shown
        else:
            assert (project / "a.py").read_text(encoding="utf-8") == "one\ntwo\n"
            assert kept.get(name).state == "previewed"
        assert "APPLIED" in await call(client, "apply_diagnostic_fix", **arguments)
        assert (project / "a.py").read_text(encoding="utf-8") == "one\n2\n"

    talk(conversation)


@pytest.mark.parametrize(("held", "word"), [(1, "WAITING"), (2, "APPLIED")])
def test_a_caller_hears_of_progress_and_is_let_go_before_a_long_check_ends(
    talk: Callable[[Talk], None],
    session: Session,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    held: int,
    word: str,
) -> None:
    slow = Slow(session, monkeypatch, held=held)
    monkeypatch.setattr(protocol, "ANSWER_WITHIN_S", 0.2)
    heard: list[str | None] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        assert progress > 0 >= (total or 0)
        heard.append(message)

    async def conversation(client: Client) -> None:
        name = (await call(client, "preview_diagnostic_fix", patches=[PATCH])).split(" ")[1]
        arguments: dict[str, Any] = {"transactionId": name, "confirm": True, "onRegression": "revert"}
        result = await client.call_tool("apply_diagnostic_fix", arguments, progress_callback=progressed)
        text = result.content[0].text  # type: ignore[union-attr]
        assert text.startswith(f"{word} {name}")
        assert "the same call again waits on" in text
        stage = "checking what was written" if held == 2 else "nothing is written yet"
        assert f"{name}: {stage}" in heard
        assert (project / "a.py").read_text(encoding="utf-8") == ("one\n2\n" if held == 2 else "one\ntwo\n")
        other: dict[str, Any] = {"transactionId": name, "confirm": True, "undo": True}
        assert (await call(client, "apply_diagnostic_fix", failed=True, **other)).startswith("busy: ")
        slow.free.set()
        again = await call(client, "apply_diagnostic_fix", **arguments)
        assert again.startswith(f"APPLIED {name} · 1 file: a.py\nc-2: since c-1")
        assert slow.begun == 2

    talk(conversation)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (["predicted: 1 new", "new: a.py:2 E1 bad"], "note: predicted: 1 new; new: a.py:2 E1 bad"),
        (Trouble("too many files", "too_large"), "not predicted: too many files"),
        (None, "checking a copy; later: preview_diagnostic_fix"),
    ],
)
def test_a_preview_tells_what_a_check_would_say_where_that_is_asked_for(
    talk: Callable[[Talk], None], monkeypatch: pytest.MonkeyPatch, said: list[str] | Trouble | None, shown: str
) -> None:
    free = threading.Event()

    def predicted(_project: Any, _one: Any, _changes: Any, watch: Watch) -> list[str]:
        watch.stage = "checking a copy"
        if isinstance(said, Trouble):
            raise said
        if said is None:
            free.wait(10)
        return said or []

    monkeypatch.setattr(fix_predict, "predicted", predicted)
    monkeypatch.setattr(protocol, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(protocol, "ANSWER_WITHIN_S", 0.1)

    async def conversation(client: Client) -> None:
        text = await call(client, "preview_diagnostic_fix", patches=[PATCH], predict=True)
        assert shown in text
        assert "-two\n+2" in text
        free.set()

    talk(conversation)
