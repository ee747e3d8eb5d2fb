"""A host's event in one form, whatever its payload looks like."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from punchlist.records import dataclass

# Every name that a host gives to the same moment.
PHASES = {
    "PreToolUse": "pre",
    "preToolUse": "pre",
    "BeforeTool": "pre",
    "beforeShellExecution": "pre",
    "pre_run_command": "pre",
    "PostToolUse": "post",
    "postToolUse": "post",
    "AfterTool": "post",
    "afterFileEdit": "post",
    "post_write_code": "post",
    "Stop": "stop",
    "stop": "stop",
    "agentStop": "stop",
    "AfterAgent": "stop",
    "post_cascade_response": "stop",
}
SHELLS = frozenset(
    {"Bash", "bash", "Shell", "shell", "run_shell_command", "runTerminalCommand", "run_in_terminal", "runInTerminal"}
)
EDITS = frozenset(
    {"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "write_file", "replace", "edit", "write", "create"}
    | {"editFiles", "createFile", "create_file", "replace_string_in_file", "multi_replace_string_in_file"}
    | {"insert_edit_into_file", "str_replace_editor", "patch", "edit_file", "apply_diff"}
)
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened or is about to: `phase` is pre, post, stop or empty (nothing for us).

    `name` is the event as the host calls it. `again` is true where the turn goes on because a hook asked for it, None
    where the host does not tell.
    `limit_s` is the time limit of a command, None where the host tells none. `camel` marks payloads whose own fields
    are written in camel case, where one host has two dialects.
    """

    phase: str
    name: str = ""
    tool: str = ""
    arguments: Mapping[str, Any]
    command: str = ""
    files: tuple[str, ...] = ()
    cwd: str = ""
    session: str = ""
    mode: str = ""
    again: bool | None = None
    background: bool = False
    limit_s: float | None = None
    camel: bool = False


def read(text: str) -> Event:
    """Read a payload; raises `Trouble` (`invalid_payload`) for what is no JSON object."""
    try:
        payload = json.loads(text)
    except ValueError as error:
        raise _refused(f"the payload is no JSON: {error}") from None
    if not isinstance(payload, dict):
        raise _refused("the payload is no JSON object")
    return event_of(payload)


def _refused(text: str) -> Exception:
    from punchlist.model import Trouble

    return Trouble(text, "invalid_payload")


def event_of(payload: Mapping[str, Any]) -> Event:
    """Return the event of a payload; fields that are missing or of another type count as empty."""
    name = _text(payload, "hook_event_name", "hookEventName", "agent_action_name", "event", "hookName")
    tool = _text(payload, "tool_name", "toolName")
    arguments = _arguments(payload)
    phase = PHASES.get(name, "") if name else _phase_by_shape(payload, tool)
    roots = payload.get("workspace_roots")
    cwd = _text(payload, "cwd") or (_text(arguments, "cwd") if name.endswith("run_command") else "")
    if not cwd and isinstance(roots, list) and roots and isinstance(roots[0], str):
        cwd = roots[0]
    shell = tool in SHELLS or (not tool and phase == "pre")
    return Event(
        phase=phase,
        name=name,
        tool=tool,
        arguments=arguments,
        command=_text(arguments, "command", "command_line") if shell else "",
        files=tuple(dict.fromkeys(_files(tool, arguments))) if phase == "post" else (),
        cwd=cwd,
        session=_text(payload, "session_id", "sessionId", "conversation_id", "trajectory_id", "sessionID"),
        mode=_text(payload, "permission_mode"),
        again=_again(payload),
        background=any(arguments.get(key) is True for key in ("run_in_background", "is_background", "isBackground")),
        limit_s=_limit(arguments),
        camel="hookEventName" in payload or "toolName" in payload or "stopReason" in payload,
    )


def _phase_by_shape(payload: Mapping[str, Any], tool: str) -> str:
    """Name the moment of a payload that does not: Copilot's camel case ones hold no event name."""
    if tool:
        return "post" if "toolResult" in payload or "error" in payload else "pre"
    return "stop" if "stopReason" in payload or "stop_hook_active" in payload else ""


def _arguments(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("tool_input", "toolArgs", "tool_info", "args"):
        found = payload.get(key)
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except ValueError:
                continue
        if isinstance(found, dict):
            return found
    return {key: payload[key] for key in ("command", "file_path", "edits") if key in payload}


def _files(tool: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    if tool and tool not in EDITS:
        return
    for key in _PATHS:
        if isinstance(arguments.get(key), str):
            yield arguments[key]
    several = arguments.get("files") or arguments.get("replacements")
    for item in several if isinstance(several, list) else ():
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from (item[key] for key in _PATHS if isinstance(item.get(key), str))
    for key in ("command", "patch", "input", "patchText"):
        text = arguments.get(key)
        if isinstance(text, str) and "*** " in text:
            yield from (found[1] or found[2] for found in _PATCHED.finditer(text))


def _limit(arguments: Mapping[str, Any]) -> float | None:
    for key in ("timeout", "timeout_ms", "timeoutMs"):
        found = arguments.get(key)
        if isinstance(found, (int, float)) and not isinstance(found, bool) and found > 0:
            return found / 1000
    return None


def _again(payload: Mapping[str, Any]) -> bool | None:
    told, count = payload.get("stop_hook_active"), payload.get("loop_count")
    if isinstance(told, bool):
        return told
    return count > 0 if isinstance(count, int) else None


def _text(payload: Mapping[str, Any], *keys: str) -> str:
    return next((payload[key] for key in keys if isinstance(payload.get(key), str)), "")
