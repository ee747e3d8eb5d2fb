"""Start the server: stdio or HTTP on loopback, ended cleanly by its client or by a signal."""

import logging
import os
import secrets
import signal
import sys
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from punchlist.server.protocol import build
from punchlist.service.files import write_private
from punchlist.service.project import open_project
from punchlist.service.session import Session

TOKEN_FILE = "http-token"
STOPPED = 143


def serve(*, root: str | None = None, http: int | None = None) -> int:
    """Serve until the client goes away; every run still going is ended then. Returns the exit status."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="punchlist: %(message)s")
    session = Session(open_project(explicit=root, server=True), keeps_warm=True)
    session.recover()
    for note in session.notes:
        logging.getLogger("punchlist").warning(note)
    server = build(session, follows=http is None)
    try:
        if http is not None:
            return _over_http(session, server, http)
        return anyio.run(_over_stdio, session, server)
    finally:
        session.close()


async def _over_stdio(session: Session, server: Server[Any]) -> int:
    async with stdio_server() as (reading, writing):
        with anyio.CancelScope() as serving:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_stop_on_signal, serving)
                await server.run(reading, writing, server.create_initialization_options())
                tasks.cancel_scope.cancel()
        if serving.cancelled_caught:
            session.close()
            # The thread that reads standard input cannot be cancelled: it would keep the process for ever.
            os._exit(STOPPED)
    return 0


async def _stop_on_signal(serving: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            serving.cancel()
            return


def _over_http(session: Session, server: Server[Any], port: int) -> int:
    import uvicorn

    token = http_token(session)
    app = guarded(server.streamable_http_app(), token)
    print(  # noqa: T201  the person who starts it needs to know where it is
        f"punchlist: http://127.0.0.1:{port}/mcp, bearer token in {session.project.store.folder / TOKEN_FILE}",
        file=sys.stderr,
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
    return 0


def http_token(session: Session) -> str:
    """Return the project's bearer token, made when missing, in a file that only its owner may read."""
    path = session.project.store.folder / TOKEN_FILE
    if path.exists():
        return path.read_text(encoding="ascii").strip()
    token = secrets.token_urlsafe(32)
    write_private(path, token.encode("ascii"))
    return token


def guarded(app: Any, token: str) -> Any:
    """Refuse every HTTP request that does not carry the bearer token."""
    expected = f"Bearer {token}".encode("ascii")

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not secrets.compare_digest(given, expected):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"a bearer token is needed"})
                return
        await app(scope, receive, send)

    return guard
