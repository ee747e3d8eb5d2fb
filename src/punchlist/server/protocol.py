"""The tools as protocol: list, call, wait, report progress, cancel; logs as resources."""

import json
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from punchlist import __version__
from punchlist.model import Trouble
from punchlist.records import replace
from punchlist.server import resources
from punchlist.server.arguments import checked
from punchlist.server.asking import asked
from punchlist.server.roots import ClientRoots
from punchlist.server.table import tools_of
from punchlist.server.tool import Answer, Tool, Work
from punchlist.service import savings
from punchlist.service.checking import values
from punchlist.service.session import Session
from punchlist.store.runs import Run

INSTRUCTIONS = (
    "Runs this project's tests, linters, type checkers and builds and answers with a punch list: every failure with "
    "its place, exact counts, what changed. Use run_check for known checks, check_project and after_edit_check to lint "
    "and type-check, execute_command for any other command, instead of a shell with head, tail or grep: the whole log "
    "is kept (get_log_slice). A RUNNING answer names the call that waits on."
)
ANSWER_WITHIN_S = 45.0
LOOK_EVERY_S = 0.5
MODES = ("both", "structured")


def build(session: Session, *, follows: bool = False) -> Server[Any]:
    """Return the server for a session; one that `follows` has a client of its own and looks at its roots."""
    roots = ClientRoots(session) if follows else None

    async def list_tools(ctx: Any, _params: Any) -> types.ListToolsResult:
        if roots is not None:
            await roots.ready(ctx)
        found = types.ListToolsResult(
            tools=[_described(tool, _payload(session)) for tool in tools_of(session).values()]
        )
        await to_thread.run_sync(_noted, session, "tools/list", found, ())
        return found

    async def call_tool(
        ctx: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if roots is not None:
            await roots.ready(ctx, params.name)
            if (question := await roots.asked(ctx, params)) is not None:
                return question
            roots.settled = roots.settled or params.name != "ping"
        tool = tools_of(session).get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        answer = await answered(session, ctx, tool, params.arguments or {})
        news = "" if roots is None else await to_thread.run_sync(roots.news)
        if news and tool.name != "ping":
            answer = replace(answer, text=f"{answer.text}\n{news}")
        result = _result(tool, answer, _payload(session))
        await to_thread.run_sync(_noted, session, tool.name, result, answer.about)
        return result

    server: Server[Any] = Server(
        "punchlist",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=partial(resources.listed, session),
        on_list_resource_templates=resources.templates,
        on_read_resource=partial(resources.read, session),
    )
    if roots is not None:
        roots.listen(server)
    return server


def _described(tool: Tool, payload: str) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=_short(tool.schema),
        output_schema={"type": "object"} if payload in MODES else None,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            # Of what only reads the protocol says that the other two mean nothing.
            destructive_hint=None if tool.read_only else tool.destructive,
            idempotent_hint=None if tool.read_only else tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


def _short(schema: Any) -> Any:
    """Return a schema without what only our own check of arguments needs to know: that no text may be empty."""
    if isinstance(schema, dict):
        return {key: _short(value) for key, value in schema.items() if key != "minLength"}
    return schema


def _payload(session: Session) -> str:
    try:
        return session.project.config.payload
    except Trouble:
        return "brief"


async def answered(session: Session, ctx: Any, tool: Tool, arguments: dict[str, Any]) -> Answer:
    """Call a tool's operations in a thread; expected trouble becomes an answer that says what to do."""
    started: list[Run] = []
    try:
        arguments = checked(arguments, tool.schema)
        if tool.asks is not None:
            arguments = await asked(session, ctx, tool, arguments)
        if tool.work is not None:
            return await _worked(session, ctx, tool.work, arguments)
        runs: Sequence[Run] = ()
        if tool.begin is not None:
            started = await to_thread.run_sync(tool.begin, session, arguments)
            runs = await _waited(session, ctx, started, _patience(tool, arguments))
        assert tool.answer is not None
        answer = await to_thread.run_sync(tool.answer, session, arguments, runs)
        told = [run.id for run in runs] or [str(arguments[name]) for name in ("run_id", "checkId") if name in arguments]
        return replace(answer, about=tuple(told))
    except Trouble as trouble:
        return Answer(
            f"{trouble.code}: {trouble}", {"status": "error", "code": trouble.code, "message": str(trouble)}, True
        )
    except anyio.get_cancelled_exc_class():
        # The caller took the call back: what it started is ended, what it only looked at goes on.
        if not tool.looks:
            for run in started:
                if (live := session.lives.by_id.get(run.id)) is not None:
                    live.handle.cancel()
        raise
    except Exception as fault:
        logging.getLogger("punchlist").exception("%s failed", tool.name)
        return Answer(
            f"fault: {type(fault).__name__} in {tool.name}; the traceback is on the server's stderr", None, True
        )


def _patience(tool: Tool, arguments: dict[str, Any]) -> float:
    if tool.name == "get_run_status":
        return min(float(arguments.get("wait_ms", 0)) / 1000, 600.0)
    asked = arguments.get("max_wait_ms")
    return ANSWER_WITHIN_S if asked is None else min(asked / 1000, 600.0)


async def _worked(session: Session, ctx: Any, begin: Callable[..., Work], arguments: dict[str, Any]) -> Answer:
    """Wait for a tool's work and answer; a call that is taken back withdraws it."""
    work = await to_thread.run_sync(begin, session, arguments)
    begun = time.monotonic()
    try:
        while not await to_thread.run_sync(work.wait, LOOK_EVERY_S, abandon_on_cancel=True):
            elapsed = time.monotonic() - begun
            if elapsed >= ANSWER_WITHIN_S:
                break
            await ctx.session.report_progress(round(elapsed, 2), None, work.so_far())
        return await to_thread.run_sync(work.answer)
    except anyio.get_cancelled_exc_class():
        work.withdraw()
        raise


async def _waited(session: Session, ctx: Any, runs: Sequence[Run], seconds: float) -> list[Run]:
    until = time.monotonic() + seconds
    done: list[Run] = []
    for run in runs:
        current = run
        while True:
            left = until - time.monotonic()
            current = await to_thread.run_sync(
                session.wait, run.id, max(0.0, min(LOOK_EVERY_S, left)), abandon_on_cancel=True
            )
            if current.state != "running" or left <= 0:
                break
            await _progress(session, ctx, runs, seconds - left)
        done.append(current)
    return done


async def _progress(session: Session, ctx: Any, runs: Sequence[Run], elapsed: float) -> None:
    texts = [f"{run.id}: {live.so_far()}" for run in runs if (live := session.lives.by_id.get(run.id)) is not None]
    await ctx.session.report_progress(round(elapsed, 2), None, " | ".join(texts) or None)


def _noted(session: Session, tool: str, result: types.ListToolsResult | types.CallToolResult, about: Any) -> None:
    """Keep how much was sent, for `punchlist stats`."""
    if isinstance(result, types.ListToolsResult):
        size = len(result.model_dump_json(exclude_none=True, by_alias=True).encode("utf-8", "replace"))
    else:
        texts = [one.text for one in result.content if isinstance(one, types.TextContent)]
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        if result.structured_content is not None:
            size += values.size(result.structured_content)
    savings.note(session.project, tool, size, about)


def _result(tool: Tool, answer: Answer, payload: str) -> types.CallToolResult:
    if payload == "brief" or answer.value is None:
        return types.CallToolResult(content=[types.TextContent(type="text", text=answer.text)], is_error=answer.failed)
    text = "pong" if tool.name == "ping" else json.dumps(answer.value, ensure_ascii=False, separators=(",", ":"))
    value = answer.value if isinstance(answer.value, dict) else {"items": answer.value}
    content = [types.TextContent(type="text", text=text)]
    if payload == "structured":
        line = answer.text.split("\n", 1)[0]
        note = types.Annotations(audience=["user"])
        content.append(types.TextContent(type="text", text=line, annotations=note))
    structured = value if payload in MODES else None
    return types.CallToolResult(content=list(content), structured_content=structured, is_error=answer.failed)
