"""Every tool there is, and those that a project shows."""

from punchlist.model import Trouble
from punchlist.server import checks, fixes, live, runs
from punchlist.server.tool import Tool
from punchlist.service.session import Session

TOOLS: dict[str, Tool] = {tool.name: tool for tool in (*runs.TOOLS, *checks.TOOLS, *fixes.TOOLS, *live.TOOLS)}


def tools_of(session: Session) -> dict[str, Tool]:
    """Return the tools by name that the project's `tools` setting leaves (sets or single names); all without one."""
    try:
        wanted = session.project.config.tools
    except Trouble:
        wanted = None
    if not wanted:
        return TOOLS
    return {name: tool for name, tool in TOOLS.items() if tool.toolset in wanted or name in wanted or name == "ping"}
