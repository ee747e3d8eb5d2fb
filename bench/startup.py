"""What starting costs, as ratios in one run: to a bare interpreter, and to a bare server of the SDK."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE_SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
async def main():
    server = Server("bare", version="1")
    async with stdio_server() as (r, w):
        await server.run(r, w, server.create_initialization_options())
anyio.run(main)
"""
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


def seconds(command: list[str], folder: str) -> float:
    """Run a command and return how long it took."""
    begun = time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


def ready(command: list[str], folder: str) -> float:
    """Start a server and return how long it took to answer the first request."""
    begun = time.perf_counter()
    server = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin and server.stdout
    server.stdin.write(json.dumps(HELLO).encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    taken = time.perf_counter() - begun
    server.stdin.close()
    server.wait()
    return taken


def main() -> int:
    """Print the ratios: medians and minima of paired runs."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    script = str(Path(sys.executable).parent / "punchlist")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PUNCHLIST_ROOT"] = folder
        seconds([script, "run", "--", "true"], folder)
        pairs = [
            (seconds([sys.executable, "-I", "-c", "pass"], folder), seconds([script, "run", "--", "true"], folder))
            for _ in range(rounds)
        ]
        for name, pick in (("minimum", min), ("median", statistics.median)):
            bare, ours = pick(a for a, _ in pairs), pick(b for _, b in pairs)
            print(f"run -- true, {name}: {ours * 1000:.0f} ms, {ours / bare:.1f} times python -I -c pass (at most 5)")
        servers = [
            (ready([sys.executable, "-c", BARE_SERVER], folder), ready([script, "serve"], folder))
            for _ in range(max(3, rounds // 3))
        ]
        bare, ours = min(a for a, _ in servers), min(b for _, b in servers)
        print(f"server ready: {ours * 1000:.0f} ms, {ours / bare:.2f} times a bare SDK server (at most 1.3)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
