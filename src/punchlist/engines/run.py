"""Run engines side by side over a scope, each by itself: one that fails loses nobody else's results."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from punchlist.engines.listed import listing_with
from punchlist.engines.record import Engine, EngineResult, Unit
from punchlist.engines.registry import ENGINES
from punchlist.engines.scope import Scope
from punchlist.engines.signatures import Signatures
from punchlist.engines.site import Site
from punchlist.engines.work import Stop, Worker
from punchlist.project.records import Config
from punchlist.records import dataclass
from punchlist.running.parallel import side_by_side
from punchlist.store.cache import Cache

__all__ = ["Checked", "Event", "Stop", "chosen", "run"]


class Warm(Protocol):
    """Servers that are kept warm, asked before the command line is; `units` are those of the site for the engine."""

    def ask(self, engine: Engine, site: Site, units: Sequence[Unit]) -> EngineResult | str:
        """Return what a server says of the files of a scope, or why the command line has to answer."""

    def cached(self, engine: Engine, site: Site, units: Sequence[Unit], result: EngineResult) -> None:
        """Take note of a result that was kept."""

    def learned(
        self, engine: Engine, site: Site, units: Sequence[Unit], result: EngineResult, why: str
    ) -> EngineResult:
        """Take note of what the command line says."""


class Event(NamedTuple):
    """What just happened: an engine started, or finished with its result; `elapsed_s` since the check began."""

    engine: str
    kind: Literal["started", "finished"]
    result: EngineResult | None
    elapsed_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What all engines say, in the order of the registry.

    `files` are the existing files that were asked for, `gone` those that were named, or that git still tracks, but are
    not there any more, `ignored` counts files passed over by the settings. `whole` is a check of the whole project.
    `skipped` are folders that could not be read, with the reason. `cache` says why the cache could not be used, "" for
    no trouble with it.
    """

    results: tuple[EngineResult, ...]
    files: tuple[str, ...]
    whole: bool
    gone: tuple[str, ...] = ()
    ignored: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    cache: str = ""
    duration_ms: int = 0

    @property
    def coverage(self) -> frozenset[tuple[str, str]]:
        """Which (engine, file) pairs were really looked at."""
        return frozenset((result.engine, file) for result in self.results for file in result.coverage)


def chosen(site: Site, config: Config, only: Collection[str] | None = None) -> list[tuple[Engine, bool]]:
    """Return the engines a check uses, in order, each with whether it is on; off are those the settings switch off.

    `only` names the ones to consider. An engine without a setting is on where the project shows its marker.
    """
    found = []
    for engine in ENGINES:
        if only is not None and engine.name not in only:
            continue
        setting = config.engines.get(engine.name)
        enabled = setting.enabled if setting else None
        if enabled is False:
            found.append((engine, False))
        elif enabled or engine.marked(site.with_setting(setting)):
            found.append((engine, True))
    names = {engine.name for engine, on in found if on}
    # The fork is chosen where both are at hand: what one says the other repeats.
    if {"pyright", "basedpyright"} <= names and not _is_set(config, "pyright"):
        found = [(engine, on) for engine, on in found if engine.name != "pyright"]
    return found


def _is_set(config: Config, name: str) -> bool:
    setting = config.engines.get(name)
    return setting is not None and setting.enabled is True


def run(
    root: Path,
    config: Config,
    paths: Sequence[str] | None = None,
    *,
    state: Path,
    environ: Mapping[str, str] | None = None,
    engines: Collection[str] | None = None,
    fresh: bool = False,
    folder: Path | None = None,
    stop: Stop | None = None,
    on_event: Callable[[Event], None] | None = None,
    cache: Cache | None = None,
    warm: Warm | None = None,
) -> Checked:
    """Check the whole project (`paths` None), or root-relative files and folders, with the project's own tools.

    `paths` are taken as they are: check them by `scope.resolve`. `state` is the state folder (cache, the engines' own
    files); logs go to `folder` as `<engine>.stdout.log` and so on (None: nowhere). `engines` are the names to use,
    None all that are on. `fresh` believes no cached result and asks no server. `stop` ends all from another thread.
    `on_event` is called from the engines' threads, one call at a time. `warm` are servers to be asked about single
    files. Nothing here raises but OSError where `folder` cannot be written.
    """
    begin = time.monotonic()
    root = Path(os.path.realpath(root))
    own_cache = cache is None
    cache = cache or Cache(state)
    scope = Scope(root, config.ignore, paths, lambda ask: listing_with(cache, root, ask))
    site = Site(root, scope, state, os.environ if environ is None else environ, cache=cache)
    signatures = Signatures(cache)
    tell = _teller(on_event, begin)
    stop = stop or Stop()
    workers = [
        (Worker(engine, site.with_setting(config.engines.get(engine.name)), cache, signatures, fresh, stop), on)
        for engine, on in chosen(site, config, engines)
    ]
    # What the cache has costs less one after the other than in threads that wait for each other.
    found = {worker.engine.name: _without_running(worker, on, tell) for worker, on in workers}
    if warm is not None:
        for worker, on in workers:
            if on and (result := found[worker.engine.name]) is not None:
                warm.cached(worker.engine, worker.site, worker.units, result)
    left = [worker for worker, _ in workers if found[worker.engine.name] is None]
    ran = _together(left, folder, tell, warm) if left else {}
    results = [found[worker.engine.name] or ran[worker.engine.name] for worker, _ in workers]
    files, gone = _there(scope, signatures)
    signatures.save()
    note = cache.note
    if own_cache:
        cache.close()
    return Checked(
        results=tuple(results),
        files=files,
        whole=scope.whole,
        gone=gone,
        ignored=scope.ignored,
        skipped=tuple(scope.skipped),
        cache=note,
        duration_ms=round((time.monotonic() - begin) * 1000),
    )


def _there(scope: Scope, signatures: Signatures) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of a scope that exist, and those that do not any more."""
    prefix = f"{scope.root}/"
    deleted = signatures.missing(prefix + file for file in scope.files)  # by hand, while git still tracks them
    files = tuple(file for file in scope.files if prefix + file not in deleted) if deleted else scope.files
    return files, scope.gone + tuple(sorted(path[len(prefix) :] for path in deleted))


def _teller(on_event: Callable[[Event], None] | None, begin: float) -> Callable[[str, EngineResult | None], None]:
    lock = threading.Lock()

    def tell(engine: str, result: EngineResult | None) -> None:
        if on_event is not None:
            with lock:
                on_event(Event(engine, "finished" if result else "started", result, time.monotonic() - begin))

    return tell


def _without_running(worker: Worker, on: bool, tell: Callable[[str, EngineResult | None], None]) -> EngineResult | None:
    name = worker.engine.name
    if not on:
        return EngineResult(engine=name, state="disabled")
    tell(name, None)
    result = worker.cached()
    if result is not None:
        tell(name, result)
    return result


def _together(
    workers: Sequence[Worker], folder: Path | None, tell: Callable[[str, EngineResult | None], None], warm: Warm | None
) -> dict[str, EngineResult]:
    """Run what is left side by side; logs go to `folder`, or are thrown away."""
    with tempfile.TemporaryDirectory(prefix="punchlist-") as scratch:
        results = side_by_side([_job(worker, folder or Path(scratch), tell, warm) for worker in workers], len(workers))
    return {result.engine: result for result in results}


def _job(
    worker: Worker, logs: Path, tell: Callable[[str, EngineResult | None], None], warm: Warm | None
) -> Callable[[], EngineResult]:
    def job() -> EngineResult:
        result = worker.result(logs) if warm is None else _asked(worker, logs, warm)
        tell(worker.engine.name, result)
        return result

    return job


def _asked(worker: Worker, logs: Path, warm: Warm) -> EngineResult:
    """Let a warm server answer, else the command line."""
    said = "" if worker.fresh else warm.ask(worker.engine, worker.site, worker.units)
    if isinstance(said, EngineResult):
        return said
    return warm.learned(worker.engine, worker.site, worker.units, worker.result(logs), said)
