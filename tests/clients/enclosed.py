"""Run an agent program beside a scripted model, both in the network that this process was started in.

Standard input is JSON: `words`, `cwd`, `env`, `seconds`, `port`, `turns`, and `alone` where the network is one of its
own. Standard output is JSON: `code` (None where the time was up), `stdout`, `stderr`, and the `requests` of the model.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import Any

from tests.clients.model import Script, model


def bring_up_loopback() -> None:
    """Set the flag that a new network's loopback device lacks."""
    import fcntl
    import socket
    import struct

    up, set_flags = 1, 0x8914
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, set_flags, struct.pack("16sh14x", b"lo", up))


def run(wanted: dict[str, Any]) -> dict[str, Any]:
    """Run the program to its end, or end it with all it started."""
    script = Script(wanted["turns"])
    with model(script, wanted["port"]):
        program = subprocess.Popen(
            wanted["words"],
            cwd=wanted["cwd"],
            env=wanted["env"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        code: int | None = None
        try:
            out, err = program.communicate(timeout=wanted["seconds"])
            code = program.returncode
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            out, err = program.communicate()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)
    return {"code": code, "stdout": out, "stderr": err, "requests": script.requests}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    if asked["alone"]:
        bring_up_loopback()
    json.dump(run(asked), sys.stdout)
