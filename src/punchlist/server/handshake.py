"""Start a client's entry as the client would: initialise, list its tools, ping; say what came back."""

import json
import re
import shutil
import sys
import tempfile
import time
from typing import Any, TextIO, cast

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

PONG = re.compile(r"pong: (.+) \([^()]*\)$")


async def greet(command: list[str], env: dict[str, str], cwd: str, errors: TextIO) -> dict[str, Any]:
    """Return name, tools, root (where `ping` tells one) and milliseconds until `ping` of a server."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=env, cwd=cwd)
    begin = time.monotonic()
    async with stdio_client(parameters, errlog=errors) as streams, ClientSession(*streams) as session:
        began = await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        told: dict[str, Any] = {"server": began.server_info.name, "tools": tools}
        if "ping" in tools:
            told |= _root(await session.call_tool("ping", {}))
        return told | {"ms": round((time.monotonic() - begin) * 1000)}


def _root(said: Any) -> dict[str, str]:
    value = said.structured_content
    if isinstance(value, dict) and isinstance(value.get("projectRoot"), str):
        return {"root": value["projectRoot"]}
    text = "\n".join(str(getattr(block, "text", "")) for block in said.content)
    found = PONG.match(text.partition("\n")[0])
    return {"root": found[1]} if found else {}


def main() -> int:
    """Read one JSON object (command, env, cwd, seconds) from standard input; print what came back as JSON."""
    asked = json.loads(sys.stdin.read())

    async def bounded(errors: TextIO) -> dict[str, Any]:
        with anyio.fail_after(asked["seconds"]):
            return await greet(asked["command"], asked["env"], asked["cwd"], errors)

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            told = anyio.run(bounded, cast(TextIO, errors))
        except BaseException as error:  # noqa: BLE001  whatever a foreign program does is an answer here
            errors.seek(0)
            print(json.dumps({"error": _cause(error, asked, errors.read())}))  # noqa: T201
            return 1
    print(json.dumps(told))  # noqa: T201
    return 0


def _cause(error: BaseException, asked: dict[str, Any], printed: str) -> str:
    """Say in words why there was no answer, with the last line that the program printed for people."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    last = next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "")
    if isinstance(error, TimeoutError):
        text = f"did not answer within {asked['seconds']:g} s"
    elif (
        isinstance(error, FileNotFoundError) or shutil.which(asked["command"][0], path=asked["env"].get("PATH")) is None
    ):
        return "cannot be found"
    elif isinstance(error, PermissionError):
        return "cannot be executed"
    elif isinstance(error, MCPError):
        text = f"ended or refused: {error}"
    else:
        text = f"could not be talked to: {type(error).__name__}: {error}"
    return f"{text} ({last[-200:]})" if last else text


if __name__ == "__main__":
    sys.exit(main())
