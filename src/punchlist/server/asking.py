"""Ask the user, through the client, before something is written (elicitation), where the client can."""

from typing import Any

import mcp_types as types
from anyio import to_thread
from mcp.shared.exceptions import MCPError

from punchlist.server.tool import Tool
from punchlist.service.session import Session


async def asked(session: Session, ctx: Any, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with `confirm` as the user answered; as they are where there is nothing, or nobody, to ask.

    Clients of the handshake era may offer elicitation; where there is no way back to them they cannot be asked.
    """
    question = await to_thread.run_sync(tool.asks, session, arguments) if tool.asks is not None else None
    able = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    if question is None or not ctx.session.check_client_capability(able):
        return arguments
    try:
        answer = await ctx.session.elicit_form(question, {"type": "object", "properties": {}}, ctx.request_id)
    except MCPError:
        return arguments
    return {**arguments, "confirm": answer.action == "accept"}
