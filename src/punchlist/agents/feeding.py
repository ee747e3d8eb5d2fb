"""Feed every installed hook the events it is there for, in its host's shape, and judge what it answers.

The events happen in a folder of their own that is removed afterwards: nothing of the project is checked or kept.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from punchlist.agents.clients.record import SCOPES
from punchlist.agents.findings import Finding
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.event import PHASES, read
from punchlist.agents.hooks.host import POST_S, PRE_S, STOP_S, Host
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.agents.hooks.troubles import troubles
from punchlist.model import Trouble
from punchlist.project.root import START_VARIABLES, existing_state
from punchlist.records import dataclass, replace

# A command that every hook leaves alone, and one that those that can take over.
LEFT, TAKEN = "git status", "pytest -q"
EDITED = "edited.py"
LIMITS = {"pre": PRE_S, "post": POST_S, "stop": STOP_S}
_COMMAND = re.compile(r'^const COMMAND = (\["(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*\])$', re.M)
_QUIETLY = re.compile(r"\s*2>\s*/dev/null\s*\|\|\s*:\s*$")
KNOWN = ("pre", "post", "stop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a hook answered to one event: what went wrong (""), else its answer, and how long it took."""

    wrong: str = ""
    text: str = ""
    ms: int = 0


def all_hooks(folder: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each host's file of hooks."""
    for name in RUNTIMES:
        one = host(name)
        for scope in SCOPES:
            subject = f"{one.name} hooks ({scope})"
            try:
                found = _installed(one, scope, folder, environ)
                if found:
                    yield _fed(one, scope, found, subject, environ)
                    if name == "copilot" and shutil.which("punchlist", path=environ.get("PATH", "")) is None:
                        text = "punchlist is not on PATH: it asks before each rewritten command, or leaves it alone"
                        yield Finding("note", subject, text, "Put punchlist on PATH")
            except Trouble as trouble:
                place = str(hooks.place(one, scope, folder, environ))
                yield Finding("problem", subject, str(trouble) if place in str(trouble) else f"{place}: {trouble}")
    if environ.get("PUNCHLIST") == "off":
        yield Finding("note", "hooks", "PUNCHLIST=off is set here: commands are left alone", "Unset it")


def _installed(one: Host, scope: str, folder: Path, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return event and command of each hook; of a plugin the command that stands in it."""
    found = hooks.installed(one, scope, folder, environ)
    if found and one.whole is not None:
        text = hooks.place(one, scope, folder, environ).read_text(encoding="utf-8", errors="replace")
        if words := _COMMAND.search(text):
            return [(event, hooks.shell_text(json.loads(words[1]))) for event, _ in found]
    return found


def _fed(one: Host, scope: str, found: list[tuple[str, str]], subject: str, environ: Mapping[str, str]) -> Finding:
    again = f"Run punchlist hooks install --runtime {one.id} --scope {scope}"
    told = []
    for event, command in found:
        for name in _events(one, event):
            with tempfile.TemporaryDirectory(prefix="punchlist-hook-") as scratch:
                place = Path(os.path.realpath(scratch))
                (place / "punchlist.toml").write_text("", encoding="utf-8")
                (place / EDITED).write_text("value = 1\n", encoding="utf-8")
                said = _judged(one, name, command, place, environ)
            if said.wrong:
                return Finding("problem", subject, f"{name}: {said.wrong}", again)
            told.append(f"{name} {said.ms} ms" + (f" ({said.text})" if said.text else ""))
    there = {event for event, _ in found}
    missing = [] if one.whole is not None else [event for event in one.entries("") if event not in there]
    return Finding(
        "ok", subject, f"fed {', '.join(told)}" + (f"; none for {', '.join(missing)}" if missing else ""), one.note
    )


def _events(one: Host, event: str) -> list[str]:
    """Return the events to feed: a plugin of ours asks for all three by the same names."""
    return ["PreToolUse", "PostToolUse", "Stop"] if one.whole is not None else [event]


def _judged(one: Host, event: str, command: str, place: Path, environ: Mapping[str, str]) -> Said:
    """Feed one event, a command hook once more with what it has to leave alone."""
    phase = PHASES.get(event, "")
    if phase not in KNOWN:
        return Said(text="not known to this version")
    said = _answer(one, command, payload(one.id, event, place, TAKEN), place, environ, LIMITS[phase])
    if said.wrong or phase != "pre":
        return replace(said, text="")
    left = _answer(one, command, payload(one.id, event, place, LEFT), place, environ, LIMITS[phase])
    if left.wrong:
        return left
    if "punchlist" in left.text:
        return Said(wrong=f"it does not leave `{LEFT}` alone")
    if one.rewrite is None:
        return replace(said, text="")
    if "punchlist" in said.text:
        return replace(said, text="takes over tests")
    if one.rewrite(read(payload(one.id, event, place, TAKEN)), f"punchlist run -- {TAKEN}") is None:
        return replace(said, text=f"your own rules ask for `{TAKEN}`, so it is left alone")
    return Said(wrong=f"it does not take over `{TAKEN}`")


def _answer(one: Host, command: str, event: str, place: Path, environ: Mapping[str, str], limit_s: float) -> Said:
    # What the entry does so that a program that is gone disturbs nobody would hide here why it does not answer.
    command = _QUIETLY.sub("", command)
    plain = {
        name: value for name, value in environ.items()
        if not name.startswith(("PUNCHLIST", "SIGNAL")) and name not in START_VARIABLES
    }  # fmt: skip
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S602  the command is a text for the shell, as it stands in the host's file
            command, shell=True, input=event, capture_output=True, text=True, encoding="utf-8", errors="replace",
            timeout=limit_s, check=False, cwd=place, env=plain,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Said(wrong=f"`{command}` did not answer within its {limit_s:g} s")
    ms = round((time.monotonic() - began) * 1000)
    if done.returncode or done.stderr.strip():
        why = done.stderr.strip()[-200:] or f"exit status {done.returncode}"
        return Said(wrong=f"`{command}` failed: {why}")
    faults = [one for state in existing_state(place, plain) for one in troubles(state) if one.get("runtime")]
    kept = [str(one.get("text", "")) for one in faults]
    if kept and not done.stdout.strip():
        return Said(wrong=kept[-1].strip().rpartition("\n")[2])
    return Said(wrong=_misshapen(one, done.stdout.strip()), text=done.stdout.strip(), ms=ms)


def _misshapen(one: Host, text: str) -> str:
    """Return what is wrong with the form of an answer, "" where its host understands it."""
    if one.quiet is None and not text:
        return ""
    if one.tell is not None and one.warn is one.tell:  # what it prints is shown as it is
        return ""
    try:
        value = json.loads(text)
    except ValueError:
        return f"its answer is no JSON: {text[:80]!r}"
    return "" if isinstance(value, dict) else f"its answer is no JSON object: {text[:80]!r}"


def payload(runtime: str, event: str, place: Path, command: str) -> str:
    """Return an event of a host as the host tells it, happening in a folder."""
    file = str(place / EDITED)
    phase = PHASES.get(event, "")
    common: dict[str, Any] = {"session_id": "punchlist-doctor", "cwd": str(place), "hook_event_name": event}
    if runtime == "cursor":
        common = {"conversation_id": "punchlist-doctor", "hook_event_name": event, "workspace_roots": [str(place)]}
        edit = {"file_path": file, "edits": [{"old_string": "0", "new_string": "1"}]}
        return json.dumps({**common, **(edit if phase == "post" else {"status": "completed", "loop_count": 0})})
    if runtime == "windsurf":
        told = {"file_path": file, "edits": [{"old_string": "0", "new_string": "1"}]}
        common = {"agent_action_name": event, "trajectory_id": "punchlist-doctor", "cwd": str(place)}
        return json.dumps({**common, "tool_info": told})
    if phase == "stop":
        return json.dumps({**common, "stop_hook_active": False})
    shell = {"gemini": "run_shell_command", "qwen": "run_shell_command", "opencode": "bash"}.get(runtime, "Bash")
    editor = {"gemini": "write_file", "qwen": "write_file", "opencode": "edit"}.get(runtime, "Edit")
    if runtime == "vscode":
        common = {"sessionId": "punchlist-doctor", "cwd": str(place), "hookEventName": event}
        shell, editor = "run_in_terminal", "replace_string_in_file"
    if phase == "pre":
        return json.dumps({**common, "tool_name": shell, "tool_input": {"command": command}})
    if runtime == "codex":
        patch = f"*** Begin Patch\n*** Update File: {file}\n@@\n-value = 0\n+value = 1\n*** End Patch"
        return json.dumps({**common, "tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": ""})
    path = {"filePath": file} if runtime in ("vscode", "opencode") else {"file_path": file}
    return json.dumps({**common, "tool_name": editor, "tool_input": path, "tool_response": {}})
