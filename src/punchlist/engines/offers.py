"""The safe fixes that an engine knows and its output does not tell, asked for when somebody wants them.

Biome's rdjson (2.6) has every edit, but only its text says which are safe; oxlint (1.94) tells edits to editors alone.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from punchlist.engines import biome, oxlint
from punchlist.engines.columns import in_characters
from punchlist.engines.record import Found, Unit
from punchlist.engines.registry import BY_NAME
from punchlist.engines.runner import DEFECTS, Runner, Stop
from punchlist.engines.scope import Scope
from punchlist.engines.site import Site
from punchlist.engines.warm.lsp import Lsp, Refused, uri
from punchlist.engines.warm.wire import Lost
from punchlist.model import Diagnostic, Edit, Fix
from punchlist.project.records import Config
from punchlist.records import replace

Place = tuple[str | None, int | None, int | None, str | None]
WITHIN_S = 30.0
READY_S = 5.0  # a server may say nothing of a file until it has read its configuration
LOOK_S = 0.05
ALL_SAFE = "source.fixAll.oxc"
ACTION = "textDocument/codeAction"


def offered(
    root: Path, config: Config, diagnostics: Sequence[Diagnostic], *, state: Path, environ: Mapping[str, str]
) -> list[Diagnostic]:
    """Return the same findings, with the safe fixes that their engines offer for the files as they are now.

    An engine that is not there, or does not answer, offers none.
    """
    fixes: dict[tuple[str, Place], Fix | None] = {}
    for name, ask in ASKED.items():
        engine = BY_NAME[name]
        files = sorted({d.file for d in diagnostics if d.tool == name and d.file})
        site = Site(root, Scope(root, config.ignore, files), state, environ)
        site = site.with_setting(config.engines.get(name))
        for unit in engine.units(site) if files else ():
            found = engine.find(site, unit.home)
            if isinstance(found, Found):
                fixes |= {(name, place): fix for place, fix in ask(site, found, unit).items()}
    return [_with(d, fixes) for d in diagnostics]


def _with(d: Diagnostic, fixes: Mapping[tuple[str, Place], Fix | None]) -> Diagnostic:
    """Return a finding with its safe fix; None in `fixes` says that the edits it has are safe ones."""
    key = (d.tool, place_of(d))
    if key not in fixes:
        return d
    fix = fixes[key] or (replace(d.fix, safe=True) if d.fix else None)
    return replace(d, fix=fix) if fix else d


def place_of(d: Diagnostic) -> Place:
    """Return where a finding is and its rule: what two outputs of one tool have in common."""
    return d.file, d.line, d.column, d.rule


def _biome(site: Site, found: Found, unit: Unit) -> dict[Place, Fix | None]:
    """Read Biome's text, which says of each finding whether its fix is safe."""
    jobs = biome.ENGINE.jobs(site, found, unit)
    text = [replace(job, argv=tuple(word for word in job.argv if word != "--reporter=rdjson")) for job in jobs]
    engine = replace(biome.ENGINE, jobs=lambda *_: text, parser="tools.biome")
    runner = Runner(engine, site, Stop())
    with tempfile.TemporaryDirectory(prefix="punchlist-") as logs:
        runner.logs = Path(logs)
        part, _ = runner.run(found, unit, lambda: None)
    return {place_of(d): None for d in part.diagnostics if "Safe fix: " in d.detail and "Unsafe fix: " not in d.detail}


def _oxlint(site: Site, found: Found, unit: Unit) -> dict[Place, Fix | None]:
    """Ask oxlint as an editor would; safe are the edits that it would make all at once."""
    if site.setting.config:
        return {}  # its server looks for the configuration by itself
    fixes: dict[Place, Fix | None] = {}
    try:
        lsp = Lsp((*found.argv, "--lsp"), site.path(unit.home), site.environ)
    except (Lost, Refused):
        return {}
    try:
        for file in unit.files:
            fixes |= {place_of(d): d.fix for d in _of_file(lsp, site, file)}
    except (Lost, Refused, *DEFECTS):
        return {}
    finally:
        lsp.end()
    return fixes


def _of_file(lsp: Lsp, site: Site, file: str) -> list[Diagnostic]:
    """Return the findings in a file that have a safe fix."""
    document = {"textDocument": {"uri": uri(site.path(file))}}
    items: list[dict[str, Any]] = []
    until = time.monotonic() + READY_S
    while not items and time.monotonic() < until:
        items = lsp.request("textDocument/diagnostic", document, WITHIN_S)["items"]
        if not items:
            time.sleep(LOOK_S)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 30, "character": 0}}
    every = {**document, "range": whole, "context": {"diagnostics": [], "only": [ALL_SAFE]}}
    safe = {edit for one in lsp.request(ACTION, every, WITHIN_S) or () for edit in _edits(one, file)}
    asked = [(ACTION, {**document, "range": one["range"], "context": {"diagnostics": [one]}}) for one in items]
    answers = lsp.ask(asked, WITHIN_S) if safe else []
    found = [_finding(item, file, fix) for item, given in zip(items, answers) if (fix := _safe(given, safe, file))]  # noqa: B905  no answers where nothing is safe
    return in_characters(found, "utf16", lambda name: Path(site.path(name)).read_bytes())


def _safe(actions: Any, safe: set[Edit], file: str) -> Fix | None:
    """Return the first action all edits of which are safe."""
    for action in actions if isinstance(actions, list) else ():
        edits = _edits(action, file)
        if edits and safe.issuperset(edits):
            return Fix(edits, safe=True, title=str(action.get("title", "")))
    return None


def _finding(item: Mapping[str, Any], file: str, fix: Fix) -> Diagnostic:
    line, column = _at(item["range"]["start"])
    d = Diagnostic(message="", file=file, line=line, column=column, rule=str(item.get("code")), fix=fix)
    return oxlint.accept(d)


def _edits(action: Mapping[str, Any], file: str) -> tuple[Edit, ...]:
    """Return the edits of one action in this file, none where it would change another one too."""
    changes: Mapping[str, Any] = (action.get("edit") or {}).get("changes") or {}
    given = list(changes.values())
    if len(given) != 1:
        return ()
    return tuple(Edit(file, *_at(e["range"]["start"]), *_at(e["range"]["end"]), e["newText"]) for e in given[0])


def _at(place: Mapping[str, int]) -> tuple[int, int]:
    return place["line"] + 1, place["character"] + 1


ASKED = {"biome": _biome, "oxlint": _oxlint}
