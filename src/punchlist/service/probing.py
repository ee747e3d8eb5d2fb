"""Run each engine of the project on the least it can be run on, to see that it works; no run is recorded."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from punchlist.engines.listed import listing_with
from punchlist.engines.record import Engine, EngineResult, Found, Missing, Unit
from punchlist.engines.run import chosen, run
from punchlist.engines.runner import DEFECTS
from punchlist.engines.scope import Scope
from punchlist.engines.site import Site
from punchlist.project.settings import EngineSetting
from punchlist.records import dataclass, replace
from punchlist.service.project import Project
from punchlist.store.cache import Cache

FILE_S, WHOLE_S = 60.0, 120.0
TRIES = 3
LOOKED_AT = 2000
SCRATCH = "punchlist-probe-"  # how the name of the folder begins that engines keep their own files in


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What came of one engine: `what` it was asked to look at in words ("" nothing fits), `limit_s` its time.

    `whole` says that it looked at a whole program, since it knows nothing less; `wanted` that the settings switch it on
    by name.
    """

    result: EngineResult
    what: str
    whole: bool
    wanted: bool
    limit_s: float


def probes(project: Project) -> Iterator[Probe]:
    """Run one engine after the other, each uncached; engines that are switched off are left out.

    State is kept where there is a state folder already; else nothing is left behind.
    """
    with _site(project) as site:
        for engine, on in chosen(site, project.config):
            if on:
                yield _probe(project, engine, site)


def used(project: Project) -> Iterator[tuple[str, Found | Missing]]:
    """Yield the name of each engine that is on, and where it was found; none is run."""
    with _site(project) as site:
        for engine, on in chosen(site, project.config):
            if on:
                yield engine.name, engine.find(site.with_setting(project.config.engines.get(engine.name)), "")


@contextmanager
def _site(project: Project) -> Iterator[Site]:
    """Give the project as engines see it; its state is thrown away where there was none."""
    states = project.states()
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch:
        state = states[0] if states else Path(scratch)
        cache = Cache(state)
        ignore, root = project.config.ignore, project.folder
        scope = Scope(root, ignore, None, lambda ask: listing_with(cache, root, ask))
        try:
            yield Site(root, scope, state, project.environ, cache=cache)
        finally:
            cache.close()


def _probe(project: Project, engine: Engine, site: Site) -> Probe:
    config = project.config
    setting = config.engines.get(engine.name) or EngineSetting()
    files, program = _files(engine, site.with_setting(setting))
    limit = min(setting.timeout_s or engine.timeout_s, WHOLE_S if engine.entire else FILE_S)
    narrow = replace(setting, enabled=True, timeout_s=limit)
    settings = replace(config, engines={**config.engines, engine.name: narrow})
    for file in files[:TRIES] or [""]:
        paths = [file] if file else None
        checked = run(
            project.folder,
            settings,
            paths,
            state=site.state,
            environ=project.environ,
            engines={engine.name},
            fresh=True,
        )
        result = checked.results[0]
        if (
            file in result.coverage or result.state != "ok"
        ):  # else its own configuration leaves the file out: take another
            break
    what = f"a whole program ({program})" if program and file else file
    return Probe(result=result, what=what, whole=engine.entire, wanted=setting.enabled is True, limit_s=limit)


def _files(engine: Engine, site: Site) -> tuple[list[str], str]:
    """Return the files to try, the smallest first, and the program they make where the engine knows nothing less.

    That is the smallest of its programs. Empty files come last: some tools pass them over.
    """
    try:
        units: Sequence[Unit] = [unit for unit in engine.units(site) if unit.files]
    except DEFECTS:
        return [], ""  # it will be met again, and told, when the engine runs
    program = ""
    if engine.entire and units:
        units = [min(units, key=lambda unit: (len(unit.files), unit.name))]
        program = units[0].name if units[0].name != "." else "the root's"
    files = [file for unit in units for file in unit.files if file.endswith(engine.endings)]
    sizes = {file: _size(Path(site.path(file))) for file in files[:LOOKED_AT]}
    return sorted(sizes, key=lambda file: (not sizes[file], sizes[file], file)), program


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
