"""Find out what does not work: configuration, engines, client entries really started, hooks really fed, disk use."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from punchlist.agents.clients import entries
from punchlist.agents.clients.record import SCOPES
from punchlist.agents.clients.registry import CLIENTS
from punchlist.agents.findings import Finding
from punchlist.agents.hooks import install as hooks
from punchlist.agents.hooks.registry import RUNTIMES, host
from punchlist.model import Trouble
from punchlist.service.project import Project

SERVER_S = 20.0
MUCH = 1 << 30
SHOWN = 12
# A command that every hook leaves alone, and one that those that can take over.
PROBES = ("git status", "pytest -q")


def examined(project: Project, *, run: bool, folder: Path | None) -> Iterator[Finding]:
    """Yield every finding; with `run` the engines are run as well. `folder` is the state folder where there is one."""
    yield Finding("ok", "root", f"{project.folder} ({project.root.how})")
    yield from (Finding("note", "root", note) for note in project.root.notes)
    yield from configuration(project)
    if run:
        yield from engines(project)
    yield from clients(project)
    yield from all_hooks(project)
    yield from state(folder)


def configuration(project: Project) -> Iterator[Finding]:
    """A configuration that cannot be read is a problem, with its file, line and column."""
    try:
        config = project.config
    except Trouble as trouble:
        yield Finding("problem", "configuration", str(trouble))
        return
    yield Finding("ok", "configuration", ", ".join(config.sources) or "none needed")
    yield from (Finding("note", "configuration", notice) for notice in config.notices)
    names = list(project.checks())
    if names:
        yield Finding(
            "ok", "checks", ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        )
    else:
        yield Finding(
            "note", "checks", "none found", "Declare one in punchlist.toml, or use `punchlist run -- COMMAND`"
        )


def engines(project: Project) -> Iterator[Finding]:
    """Run every engine of the project on it; one that fails is a problem."""
    from punchlist.service.checking.asked import of_project
    from punchlist.service.session import Session

    session = Session(project)
    try:
        run = session.wait(session.check(of_project(project, fresh=True)).id, 300)
    except Trouble as trouble:
        yield Finding("problem", "engines", str(trouble))
        return
    finally:
        session.lives.end_all()
    told: Mapping[str, Mapping[str, Any]] = run.facts.get("engines", {})
    for name, facts in told.items():
        said = str(facts.get("message") or facts["state"])
        if facts["state"] == "error":
            yield Finding("problem", name, said, str(facts.get("next") or f"punchlist show {run.id} tells more"))
        elif facts["state"] == "ok":
            yield Finding("ok", name, f"{facts.get('version', '')} ran ({facts.get('origin', 'found')})".strip())
        elif facts.get("message"):
            yield Finding("note", name, said, str(facts.get("next") or ""))
    if not any(facts["state"] == "ok" for facts in told.values()):
        yield Finding("note", "engines", str(run.facts.get("message") or "none ran"))


def clients(project: Project) -> Iterator[Finding]:
    """Start every entry found as its client would, and compare the root that the server answers with ours."""
    count = 0
    told: dict[str, Mapping[str, Any]] = {}
    for one in CLIENTS:
        for scope in SCOPES:
            subject = f"{one.name} ({scope})"
            try:
                entry = entries.found(one, scope, project.folder, os.environ)
            except Trouble as trouble:
                yield Finding("problem", subject, str(trouble))
                continue
            if entry is not None:
                count += 1
                same = json.dumps([entry.command, dict(entry.env)], sort_keys=True)
                if same not in told and entry.command and entry.command[0] and not switched_off(entry):
                    told[same] = greeted(entry, project.folder)  # equal entries are started once
                yield started(entry, project, subject, told.get(same, {}))
                if one.note and scope == "project":
                    yield Finding("note", subject, one.note)
    if not count:
        yield Finding("note", "clients", "no client has an entry", "punchlist install --client NAME")


def switched_off(entry: entries.Entry) -> bool:
    """Whether its client does not start an entry."""
    return entry.value.get("enabled") is False or entry.value.get("disabled") is True


def started(entry: entries.Entry, project: Project, subject: str, told: Mapping[str, Any]) -> Finding:
    """Judge what an entry's server answered: it must have initialised and pinged, and be in the same root."""
    again = f"punchlist install --client {entry.client.id} --scope {entry.scope}"
    if switched_off(entry):
        return Finding("note", subject, f"the entry in {entry.file} is switched off")
    if not entry.command or not entry.command[0]:
        return Finding("problem", subject, f"the entry in {entry.file} names no command", again)
    if "error" in told:
        return Finding("problem", subject, f"{entry.file}: {entry.command[0]} {told['error']}", f"Run {again}")
    root = str(project.folder)
    if root not in str(told["ping"]):
        first = str(told["ping"]).partition("\n")[0]
        return Finding(
            "problem", subject, f"its server works in another root: {first}", "Take PUNCHLIST_ROOT out of the entry"
        )
    return Finding("ok", subject, f"{entry.file}: started, {len(told['tools'])} tools, root {root}")


def greeted(entry: entries.Entry, folder: Path) -> Mapping[str, Any]:
    """Return what a server answers, or its error; the handshake runs in a process of its own."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PUNCHLIST_", "SIGNAL"))}
    asked = {
        "command": entry.command,
        "env": {**env, **{key: os.path.expandvars(value) for key, value in entry.env.items()}},
        "cwd": str(folder),
        "seconds": SERVER_S,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", "punchlist.server.handshake"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SERVER_S + 10,
            check=False,
        )
        told = json.loads(done.stdout.strip().rpartition("\n")[2] or "{}")
    except subprocess.TimeoutExpired:
        return {"error": "no answer in time"}
    except ValueError:
        return {"error": "answered something else than the protocol"}
    return told if isinstance(told, dict) and told else {"error": f"ended: {done.stderr.strip()[-300:]}"}


def all_hooks(project: Project) -> Iterator[Finding]:
    """Feed every installed hook two commands: one to leave alone, one to take over where the host can."""
    for name in RUNTIMES:
        one = host(name)
        for scope in SCOPES:
            subject = f"{one.name} hooks ({scope})"
            try:
                found = hooks.installed(one, scope, project.folder, os.environ)
            except Trouble as trouble:
                yield Finding("problem", subject, str(trouble))
                continue
            if found:
                yield fed(name, found[0][1], project, subject, can_rewrite=one.rewrite is not None)
                if one.note:
                    yield Finding("note", subject, one.note)


def fed(runtime: str, command: str, project: Project, subject: str, *, can_rewrite: bool) -> Finding:
    """Feed an installed hook its own host's payload and look at what it answers."""
    remedy = f"Run punchlist hooks install --runtime {runtime}"
    said = []
    for probe in PROBES:
        payload = {
            "hook_event_name": "BeforeTool" if runtime == "gemini" else "PreToolUse",
            "tool_name": "run_shell_command" if runtime in ("gemini", "qwen") else "Bash",
            "tool_input": {"command": probe},
            "cwd": str(project.folder),
        }
        try:
            done = subprocess.run(  # noqa: S602  the command is a text for the shell, as it stands in the host's file
                command,
                shell=True,
                input=json.dumps(payload),
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=20,
                check=False,
                cwd=project.folder,
            )
        except subprocess.TimeoutExpired:
            return Finding("problem", subject, "the hook did not answer in 20 s", remedy)
        if done.returncode or done.stderr.strip():
            return Finding(
                "problem", subject, f"`{command}` failed: {done.stderr.strip()[-200:] or done.returncode}", remedy
            )
        said.append(done.stdout.strip())
    if can_rewrite and ("punchlist" not in said[1] or "punchlist" in said[0]):
        return Finding("problem", subject, "the hook does not take over a test command", remedy)
    return Finding("ok", subject, "answered" + (", takes over tests" if can_rewrite else ""))


def state(folder: Path | None) -> Iterator[Finding]:
    """Tell what went wrong in hooks, and how much disk the kept runs take."""
    from punchlist.agents.hooks.troubles import troubles

    if folder is None:
        yield Finding("ok", "state", "none yet")
        return
    for one in troubles(folder)[-5:]:
        where = " ".join(str(one.get(key, "")) for key in ("runtime", "event")).strip()
        text = str(one.get("text", "")).strip().rpartition("\n")[2]
        yield Finding("note", f"hook {where}".strip(), text, "punchlist doctor --forget forgets it")
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    shown = f"{used / (1 << 20):.1f} MB in {folder}"
    yield (
        Finding("note", "state", shown, "punchlist clean --all frees it")
        if used > MUCH
        else Finding("ok", "state", shown)
    )
