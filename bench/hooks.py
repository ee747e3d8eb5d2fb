"""What an agent's command waits for the decision of a hook, as a ratio to a bare interpreter in the same run."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = ("git status", "pytest -q", "cd web && npm test 2>&1 | tail -20", "cat <<'END' > notes\npytest\nEND")
ROUNDS = 15


def seconds(words: list[str], said: bytes, folder: str) -> float:
    """Run a program with this input and return how long it took."""
    begin = time.perf_counter()
    subprocess.run(words, input=said, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main() -> int:
    """Print the ratios for commands to leave alone and to take over."""
    hook = [str(Path(sys.executable).parent / "punchlist"), "hook", "claude"]
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            call = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": folder}
            said = json.dumps({"hook_event_name": "PreToolUse", **call}).encode()
            pairs = [
                (seconds([sys.executable, "-I", "-c", "pass"], b"", folder), seconds(hook, said, folder))
                for _ in range(ROUNDS)
            ]
            bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
            shown = command.splitlines()[0]
            print(f"{shown}: {ours * 1000:.0f} ms, {ours / bare:.1f} times a bare interpreter (at most 5)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
