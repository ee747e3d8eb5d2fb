"""Find out what does not work: configuration, engines, client entries really started, hooks really fed, disk use."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from punchlist.agents.feeding import all_hooks
from punchlist.agents.findings import Finding, Level
from punchlist.agents.greeting import clients
from punchlist.engines.record import Found
from punchlist.model import Trouble
from punchlist.service.project import Project

if TYPE_CHECKING:
    from punchlist.engines.record import EngineResult
    from punchlist.service.probing import Probe

MUCH = 1 << 30
SHOWN = 12
NO_ENGINE = "no linter or type checker that is known shows here"
LONGEST = 240


def examined(project: Project, *, run: bool) -> Iterator[Finding]:
    """Yield every finding as it is made; with `run` the engines are run as well."""
    yield Finding("ok", "root", f"{project.folder} ({project.root.how})")
    yield from (Finding("note", "root", note) for note in project.root.notes)
    yield from configuration(project)
    yield from engines(project) if run else at_hand(project)
    yield from clients(project.folder, os.environ)
    yield from all_hooks(project.folder, os.environ)
    yield from state(project)


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
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield Finding("ok", "checks", ", ".join(names[:SHOWN]) + more)
    else:
        yield Finding(
            "note", "checks", "none found", "Declare one in punchlist.toml, or use `punchlist run -- COMMAND`"
        )


def at_hand(project: Project) -> Iterator[Finding]:
    """Tell which engines the project uses, and which of them are not there; none is run."""
    from punchlist.service.probing import used

    try:
        found = list(used(project))
    except Trouble:
        return  # a bad configuration was told already
    names = [f"{name} {there.version}".strip() for name, there in found if isinstance(there, Found)]
    if names:
        yield Finding("ok", "engines", ", ".join(names))
    for name, there in found:
        if not isinstance(there, Found):
            yield Finding("note", name, there.message)
    if not found:
        yield Finding("note", "engines", NO_ENGINE)


def engines(project: Project) -> Iterator[Finding]:
    """Run every engine of the project on a probe; one that fails is a problem."""
    from punchlist.service.probing import probes

    worked, seen = False, 0
    try:
        for probe in probes(project):
            seen += 1
            worked = worked or probe.result.state == "ok"
            yield probed(probe, project.folder)
    except Trouble:
        return  # a bad configuration was told already
    if seen and not worked:
        yield Finding("problem", "engines", "none of the project's engines works", "Install one of those named above")
    elif not seen:
        yield Finding("note", "engines", NO_ENGINE)


def probed(probe: "Probe", folder: Path) -> Finding:
    """Judge what came of one engine."""
    result, what = probe.result, probe.what
    if result.state == "disabled":
        level: Level = "problem" if probe.wanted else "note"
        return Finding(level, result.engine, result.message.rstrip(".") or "it has nothing to do here")
    if result.code == "engine_timeout" and probe.whole:
        text = f"it was started, and {what} was not done within {probe.limit_s:g} s"
        return Finding("note", result.engine, text, "Run punchlist check, which gives it more time")
    if result.state == "error":
        return Finding(
            "problem", result.engine, result.message, f"Run it by itself to see all it says: {_shown(result)}"
        )
    place = Path(result.path)
    where = place.relative_to(folder) if place.is_relative_to(folder) else place
    looked = f"looked at {what} in {result.duration_ms} ms" if result.coverage else "found nothing to look at"
    return Finding("ok", result.engine, f"{result.version} ({result.origin}: {where}) {looked}")


def _shown(result: "EngineResult") -> str:
    """Return the command that failed; one that is too long to be read, or keeps its files elsewhere, by its program."""
    from punchlist.service.probing import SCRATCH

    command = result.commands[0] if result.commands else ""
    readable = command and len(command) <= LONGEST and SCRATCH not in command
    return command if readable else result.path or result.engine


def state(project: Project) -> Iterator[Finding]:
    """Tell what went wrong in hooks, and how much disk the kept runs take."""
    from punchlist.agents.hooks.troubles import troubles

    try:
        folders = project.states()
    except Trouble as trouble:
        yield Finding("problem", "state", str(trouble))
        return
    if not folders:
        yield Finding("ok", "state", "none yet")
    for folder in folders:
        for one in troubles(folder)[-5:]:
            where = " ".join(str(one.get(key, "")) for key in ("runtime", "event")).strip()
            text = str(one.get("text", "")).strip().rpartition("\n")[2]
            yield Finding("note", f"hook {where}".strip(), text, "punchlist doctor --forget forgets it")
        used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        shown = f"{used / (1 << 20):.1f} MB in {folder}"
        if used > MUCH:
            yield Finding("note", "state", shown, "punchlist clean --all frees it")
        else:
            yield Finding("ok", "state", shown)
