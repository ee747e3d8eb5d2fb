"""The client's roots: asked for in the background, followed where nobody named the root, told where they disagree."""

import logging
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from punchlist.project.elsewhere import preferred
from punchlist.service.project import open_project
from punchlist.service.session import Session
from punchlist.service.where import notes

ANSWER_S = 10.0
# The first call waits that long for the roots, counted from when they were asked for: clients answer in milliseconds.
WAIT_S = 0.25
KEY = "roots"


class ClientRoots:
    """What is known of one client's roots. `settled` is set by the first tool that works: the root stays from then."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.settled = False
        self._answered: anyio.Event | None = None
        self._until = 0.0
        self._asked_in_call = False
        self._told = ""

    def listen(self, server: Server[Any]) -> None:
        """Ask once the client is ready, and again when it says that its roots are others."""
        for method in ("notifications/initialized", "notifications/roots/list_changed"):
            server.add_notification_handler(method, types.NotificationParams, self._ask)

    async def _ask(self, ctx: Any, _params: Any) -> None:
        if not _offered(ctx):
            return
        if self._answered is not None and self._answered.is_set():
            self._answered = None
        event = self._expect()
        try:
            found = await ctx.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=ANSWER_S
            )
            await self._take(found.roots)
        except (MCPError, ValidationError) as error:
            logging.getLogger("punchlist").info("the client told no roots: %s", error)
        finally:
            event.set()

    def _expect(self) -> anyio.Event:
        """Return what is set with the answer to the newest question; a call that comes before it may wait as well."""
        if self._answered is None:
            self._answered, self._until = anyio.Event(), time.monotonic() + WAIT_S
        return self._answered

    async def ready(self, ctx: Any, tool: str = "") -> None:
        """Wait for the answer as long as it is worth it, before the root is worked in or told."""
        sure = self.settled or self.session.project.root.named
        if (sure and tool != "ping") or not _offered(ctx) or _modern(ctx):
            return
        event = self._expect()
        with anyio.move_on_after(max(0.0, self._until - time.monotonic())):
            await event.wait()

    async def asked(self, ctx: Any, params: types.CallToolRequestParams) -> types.InputRequiredResult | None:
        """Return the question to answer a call with, where the protocol lets a server ask in no other way.

        That costs the client a second call, so it is done once, and only by `ping` or where no project was found.
        """
        answer = (params.input_responses or {}).get(KEY)
        if isinstance(answer, types.ListRootsResult):
            await self._take(answer.roots)
        wanted = params.name == "ping" or not self.session.project.root.marked
        if self._asked_in_call or not wanted or not _offered(ctx) or not _modern(ctx):
            return None
        self._asked_in_call = True
        return types.InputRequiredResult(input_requests={KEY: types.ListRootsRequest(method="roots/list")})

    async def _take(self, roots: Iterable[types.Root]) -> None:
        await to_thread.run_sync(self._follow, folders_of(str(root.uri) for root in roots))

    def _follow(self, folders: tuple[Path, ...]) -> None:
        """Work where the client does, unless somebody named the root or something was done in it already."""
        session = self.session
        session.client_roots = folders
        project = session.project
        found = None if self.settled else preferred(project.root, folders, project.environ)
        if found is None:
            return
        session.project = open_project(start=folders[0], environ=project.environ, origin="the client's root")
        session.recover()

    def news(self) -> str:
        """Return the notes about the root that were not told yet; each is told once."""
        said = "\n".join(notes(self.session))
        if said == self._told:
            return ""
        self._told = said
        return said


def folders_of(uris: Iterable[str]) -> tuple[Path, ...]:
    """Return the folders that file addresses name, those that are there, links resolved, each once."""
    found = []
    for uri in uris:
        parts = urlsplit(uri)
        path = unquote(parts.path)
        if os.name == "nt":
            path = path.lstrip("/") if path[2:3] == ":" else f"//{parts.netloc}{path}"
        if parts.scheme == "file" and "\0" not in path and Path(path).is_dir():
            found.append(Path(os.path.realpath(path)))
    return tuple(dict.fromkeys(found))


def _offered(ctx: Any) -> bool:
    known = ctx.session.client_capabilities
    return known is not None and known.roots is not None


def _modern(ctx: Any) -> bool:
    return ctx.session.protocol_version in MODERN_PROTOCOL_VERSIONS
