"""Start every entry found as its client would: initialise, list the tools, ping, compare the root with ours."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from punchlist.agents import starting
from punchlist.agents.clients import entries
from punchlist.agents.clients.record import SCOPES
from punchlist.agents.clients.registry import CLIENTS
from punchlist.agents.findings import Finding
from punchlist.agents.starting import Start
from punchlist.model import Trouble
from punchlist.project.paths import home_folder

SERVER_S = 20.0


def clients(folder: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is found of each client; entries that come to the same start are started once."""
    count = 0
    told: dict[str, Mapping[str, Any]] = {}
    for one in CLIENTS:
        for scope in SCOPES:
            subject = f"{one.name} ({scope})"
            try:
                entry = entries.found(one, scope, folder, environ)
            except Trouble as trouble:
                yield Finding("problem", subject, str(trouble))
                continue
            if entry is not None:
                count += 1
                yield from _judged(entry, subject, folder, environ, told)
    if not count:
        yield Finding("note", "clients", "no client has an entry", "Run punchlist install --client NAME")


def _judged(
    entry: entries.Entry, subject: str, folder: Path, environ: Mapping[str, str], told: dict[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    unstarted = _unstarted(entry, subject, folder)
    if unstarted is not None:
        yield unstarted
        return
    start = starting.start_of(entry, folder, environ)
    if start.asks:
        asked = ", ".join(f"${{{name}}}" for name in start.asks)
        yield Finding(
            "note", subject, f"{_file(entry, folder)}: the client asks its user for {asked}, so it was not started"
        )
        return
    same = json.dumps([start.command, dict(start.env), str(start.cwd)], sort_keys=True)
    if same not in told:
        told[same] = greeted(start)
    yield _compared(entry, start, subject, folder, told[same])
    yield from _remarks(entry, start, subject)


def _unstarted(entry: entries.Entry, subject: str, folder: Path) -> Finding | None:
    """Return what is said of an entry that its client would not start."""
    if starting.switched_off(entry):
        return Finding("note", subject, f"{_file(entry, folder)}: the entry is switched off")
    if entry.command and entry.command[0]:
        return None
    if address := starting.address_of(entry):
        return Finding(
            "note", subject, f"{_file(entry, folder)}: the entry is a server at {address}, which was not asked"
        )
    return Finding("problem", subject, f"{_file(entry, folder)}: the entry names no command", _again(entry))


def _compared(entry: entries.Entry, start: Start, subject: str, folder: Path, told: Mapping[str, Any]) -> Finding:
    """Judge what an entry's server answered: it must have initialised and pinged, and be in the same root."""
    if "error" in told:
        unset = f"; not set: {', '.join(start.unset)}" if start.unset else ""
        return Finding(
            "problem", subject, f"{_file(entry, folder)}: {start.command[0]} {told['error']}{unset}", _again(entry)
        )
    if "root" not in told and told.get("server") == "punchlist":
        return Finding(
            "note", subject, f"{_file(entry, folder)}: started, but its ping tells no root (PUNCHLIST_PAYLOAD)"
        )
    if "root" not in told:
        text = f"{_file(entry, folder)}: it is another server, {told.get('server') or 'without a name'}"
        return Finding("problem", subject, text, _again(entry))
    root = str(told["root"])
    if root != str(folder):
        text = f"{_file(entry, folder)}: WRONG REPOSITORY, its server works in {root} and not in {folder}"
        return Finding("problem", subject, text, _elsewhere(entry))
    if unread := _unread_configuration(entry, start, folder):
        return Finding("problem", subject, f"{_file(entry, folder)}: {unread}", "Every check fails until it is mended")
    text = f"{_file(entry, folder)}: started in {told['ms']} ms, {len(told['tools'])} tools, works in this root"
    return Finding("ok", subject, text, entry.client.note if entry.scope == "project" else "")


def _unread_configuration(entry: entries.Entry, start: Start, folder: Path) -> str:
    """Return what is wrong with a configuration file that the entry itself names: its server starts all the same."""
    from punchlist.service.project import open_project

    if not any(name.endswith("_CONFIG") for name in entry.env):
        return ""
    try:
        open_project(explicit=str(folder), environ=start.env).config  # noqa: B018  read for its mistakes
    except Trouble as trouble:
        return str(trouble)
    return ""


def _file(entry: entries.Entry, folder: Path) -> str:
    """Return an entry's file as a person would write it."""
    for base, mark in ((folder, ""), (home_folder(os.environ), "~/")):
        if entry.file.is_relative_to(base):
            return mark + entry.file.relative_to(base).as_posix()
    return str(entry.file)


def _elsewhere(entry: entries.Entry) -> str:
    pin = starting.pin_of(entry)
    if pin:
        return f"Take {pin} out of the entry"
    return "Put PUNCHLIST_ROOT into the entry, or start the client in the project"


def _remarks(entry: entries.Entry, start: Start, subject: str) -> Iterator[Finding]:
    """Yield what is no problem here and now, and may be one elsewhere."""
    pin = starting.pin_of(entry)
    if entry.scope == "user" and pin:
        text = f"{pin} in a user's entry ties the server to one project, whichever the client is opened in"
        yield Finding("note", subject, text, f"Take {pin} out of the entry, or use --scope project")
    if starting.cwd_of(entry) and not starting.obeys_cwd(entry):
        yield Finding("note", subject, f"{entry.client.name} does not heed cwd", "Use PUNCHLIST_ROOT instead")
    if start.unset:
        yield Finding("note", subject, f"not set: {', '.join(start.unset)}", "Set it, or take it out of the entry")


def _again(entry: entries.Entry) -> str:
    return f"Run punchlist install --client {entry.client.id} --scope {entry.scope}"


def greeted(start: Start) -> Mapping[str, Any]:
    """Return what a server answers (root, tools, ms), or its error; the handshake runs in a process of its own."""
    asked = {
        "command": start.command, "env": dict(start.env), "cwd": os.fspath(start.cwd), "seconds": SERVER_S,
    }  # fmt: skip
    if not start.cwd.is_dir():
        return {"error": f"cannot be started in {start.cwd}, which is no folder"}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "punchlist.server.handshake"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=SERVER_S + 10,
            check=False,
        )
        told = json.loads(done.stdout.strip().rpartition("\n")[2] or "{}")
    except subprocess.TimeoutExpired:
        return {"error": f"did not answer within {SERVER_S:g} s"}
    except ValueError:
        return {"error": "answered something else than the protocol"}
    if not isinstance(told, dict) or not told:
        return {"error": f"ended: {done.stderr.strip()[-300:]}"}
    return {"ms": round((time.monotonic() - began) * 1000), **told}
