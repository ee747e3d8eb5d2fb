"""Logs as resources: `punchlist://runs/ID/STREAM`, with a range of lines as `?from=A&to=B`."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import mcp_types as types
from anyio import to_thread
from mcp.shared.exceptions import MCPError

from punchlist.model import Trouble
from punchlist.service.logs import STREAMS, folder_of, take
from punchlist.service.session import Session
from punchlist.views.masking import mask

TEMPLATE = "punchlist://runs/{run_id}/{stream}{?from,to}"
NEWEST = 20


async def listed(session: Session, _ctx: Any, _params: Any) -> types.ListResourcesResult:
    """List the merged logs of the newest runs."""
    runs = await to_thread.run_sync(lambda: session.project.store.newest(limit=NEWEST))
    found = [
        types.Resource(name=run.id, uri=f"punchlist://runs/{run.id}/merged", mime_type="text/plain") for run in runs
    ]
    return types.ListResourcesResult(resources=found)


async def templates(_ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
    """Tell how a log, or a part of it, is addressed."""
    row = types.ResourceTemplate(name="log", uri_template=TEMPLATE, mime_type="text/plain")
    return types.ListResourceTemplatesResult(resource_templates=[row])


async def read(session: Session, _ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Return lines of a log; an unknown one is an error of the protocol that carries the address."""
    uri = str(params.uri)
    try:
        text = await to_thread.run_sync(text_of, session, uri)
    except (Trouble, ValueError) as error:
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {error}", {"uri": uri}) from error
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)])


def text_of(session: Session, uri: str) -> str:
    """Return the lines that a resource address names, secrets masked, at most as many as one slice holds."""
    parts = urlsplit(uri)
    path = parts.path.strip("/").split("/")
    if parts.scheme != "punchlist" or parts.netloc != "runs" or len(path) != 2 or path[1] not in STREAMS:
        raise ValueError(f"addresses look like {TEMPLATE}")
    run = session.project.store.get(path[0])
    query = parse_qs(parts.query)
    first = int(query.get("from", ["1"])[0])
    last = int(query["to"][0]) if "to" in query else None
    part = take(folder_of(session.project.runs_folder, run), path[1], first=max(1, first), last=last)
    text = mask("\n".join(line for _, line in part.lines))
    if part.more_from:
        text += f"\n[line {part.more_from} of {part.total} and on: ?from={part.more_from}]"
    return text
