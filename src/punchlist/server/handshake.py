"""Start a client's entry as the client would: initialise, list its tools, ping; say what came back."""

import json
import os
import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def greet(command: list[str], env: dict[str, str], cwd: str) -> dict[str, Any]:
    """Return server name, protocol, tools and the text of `ping` of a server started by an entry."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=env, cwd=cwd)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123  a device, opened once
        async with stdio_client(parameters, errlog=nowhere) as streams, ClientSession(*streams) as session:
            began = await session.initialize()
            tools = await session.list_tools()
            said = await session.call_tool("ping", {})
    text = "\n".join(str(getattr(block, "text", "")) for block in said.content)
    names = [tool.name for tool in tools.tools]
    return {"server": began.server_info.name, "tools": names, "ping": text}


def main() -> int:
    """Read one JSON object (command, env, cwd, seconds) from standard input; print what came back as JSON."""
    asked = json.loads(sys.stdin.read())

    async def bounded() -> dict[str, Any]:
        with anyio.fail_after(asked["seconds"]):
            return await greet(asked["command"], asked["env"], asked["cwd"])

    try:
        told = anyio.run(bounded)
    except BaseException as error:  # noqa: BLE001  whatever a foreign program does is an answer here
        print(json.dumps({"error": _cause(error)}))  # noqa: T201
        return 1
    print(json.dumps(told))  # noqa: T201
    return 0


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main())
