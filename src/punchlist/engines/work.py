"""One engine's work in one check: its units looked up in the cache, run where they are not, put together."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from punchlist.engines import kept
from punchlist.engines.record import Engine, EngineResult, Found, Inputs, Missing, Output, Unit
from punchlist.engines.runner import CEILING, DEFECTS, Part, Runner, Stop
from punchlist.engines.signatures import Signatures, digest
from punchlist.engines.site import Site
from punchlist.model import Diagnostic, in_order
from punchlist.records import replace
from punchlist.running.parallel import side_by_side
from punchlist.store.cache import Cache

__all__ = ["Stop", "Worker"]

_MANY = 100  # files from which on their findings are kept once more, all together


class Worker:
    """Does one engine's part of a check."""

    def __init__(
        self, engine: Engine, site: Site, cache: Cache, signatures: Signatures, fresh: bool, stop: Stop
    ) -> None:
        self.engine, self.site, self.cache, self.signatures = engine, site, cache, signatures
        self.fresh, self.stop = fresh, stop
        self.runner = Runner(engine, site, stop)
        self.begin = time.monotonic()
        self.units: Sequence[Unit] = ()
        self.ready: dict[str, Part] = {}

    def cached(self) -> EngineResult | None:
        """Return the result where the cache has all of it, so that nothing has to be started; else None.

        What it has of it stays known for `result`.
        """
        self.begin = time.monotonic()
        try:
            self.units = self.engine.units(self.site)
            if not self.units:
                return self._nothing()
            self.ready = {unit.name: part for unit in self.units if (part := self._known(unit)) is not None}
            parts = [self.ready[unit.name] for unit in self.units if unit.name in self.ready]
            return self._together(parts, self.units) if len(parts) == len(self.units) else None
        except DEFECTS:  # what is kept cannot be read: do without it; anything else will be met, and told, again
            self.ready, self.fresh = {}, True
            return None

    def result(self, logs: Path) -> EngineResult:
        """Do what the cache has not (logs go to a folder) and put all together; called after `cached` gave None."""
        self.runner.logs = logs
        self.begin = time.monotonic()
        try:
            self.units = self.units or self.engine.units(self.site)
            jobs: list[Callable[[], Part]] = [lambda unit=unit: self._part(unit) for unit in self.units]  # type: ignore[misc]
            return self._together(side_by_side(jobs, os.cpu_count() or 2), self.units)
        except DEFECTS as defect:
            return self._failed("engine_execution_failed", f"its results could not be read: {defect!r}")

    def _nothing(self) -> EngineResult:
        """Nothing in the scope is for this engine; that it is missing is worth saying all the same."""
        found = self.engine.find(self.site, "")
        if isinstance(found, Missing):
            return EngineResult(engine=self.engine.name, state="disabled", message=found.message)
        if self.engine.entire and self.site.scope.whole and not self.engine.marked(self.site):
            message = f"{self.engine.name} has nothing to check: there is no configuration of it in the project."
            return EngineResult(engine=self.engine.name, state="disabled", message=message)
        gone = frozenset(file for file in self.site.scope.gone if file.endswith(self.engine.endings))
        return EngineResult(
            engine=self.engine.name, state="ok", version=found.version, origin=found.origin, path=found.path,
            duration_ms=self._ms(), coverage=gone,
        )  # fmt: skip

    def _failed(self, code: str, message: str) -> EngineResult:
        return EngineResult(
            engine=self.engine.name, state="error", code=code, message=self._sentence(code, message),
            duration_ms=self._ms(), next_step=_NEXT.get(code, ""), retryable=code == "engine_timeout",
        )  # fmt: skip

    def _ms(self) -> int:
        return round((time.monotonic() - self.begin) * 1000)

    # -- One unit

    def _part(self, unit: Unit) -> Part:
        if unit.name in self.ready:
            return self.ready[unit.name]
        found = self.engine.find(self.site, unit.home)
        if isinstance(found, Missing):
            return Part(diagnostics=[], coverage=frozenset(), missing=found.message)
        whole = bool(self.engine.whole(self.site, found, unit))
        part = self._program(found, unit) if whole else self._files(found, unit)
        part.found, part.whole = found, whole
        return part

    def _known(self, unit: Unit) -> Part | None:
        """Return what the cache has of a unit, or that its tool is missing."""
        found = self.engine.find(self.site, unit.home)
        if isinstance(found, Missing):
            return Part(diagnostics=[], coverage=frozenset(), missing=found.message)
        if self.fresh:
            return None
        whole = bool(self.engine.whole(self.site, found, unit))
        part = self._any_program(found, unit) if whole else self._all_files(found, unit)
        if part is not None:
            part.found, part.whole = found, whole
        return part

    def _program_keys(self, found: Found, unit: Unit) -> tuple[bytes, bytes]:
        """Return the keys of the whole unit's result and of what is asked for."""
        base = kept.unit_key(self.engine, self.site, found, unit, "program")
        whole = digest(base, "")
        narrow = unit.everything or self.engine.entire
        return whole, whole if narrow else digest(base, "\0".join(unit.files))

    def _any_program(self, found: Found, unit: Unit) -> Part | None:
        for key in dict.fromkeys(self._program_keys(found, unit)):
            if (part := self._known_program(key)) is not None:
                return self._narrowed(part, unit)
        return None

    def _program(self, found: Found, unit: Unit) -> Part:
        """Check a whole program, unless another process just did."""
        key = self._program_keys(found, unit)[1]
        with self.cache.alone(f"{self.engine.name}-{key.hex()}", self._stopped) as waited:
            if waited and not self.fresh and (part := self._known_program(key)) is not None:
                return self._narrowed(part, unit)
            started_ns = time.time_ns()
            if self.engine.before:
                self.engine.before(self.site, unit, self.signatures)
            part, outputs = self.runner.run(found, unit, self._looking_ahead(found, unit))
            if self.engine.after:
                self.engine.after(self.site, unit, self.signatures, started_ns)
            if not part.code:
                self._keep_program(key, found, unit, outputs, part, started_ns)
        return part

    def _known_program(self, key: bytes) -> Part | None:
        body = self.cache.get([key]).get(key)
        known = kept.unpack_program(body, self.signatures) if body else None
        if known is None:
            return None
        return Part(diagnostics=known[0], coverage=known[1], cached=len(known[1]))

    def _narrowed(self, part: Part, unit: Unit) -> Part:
        """Return of a linter's whole result what concerns the files asked for."""
        if self.engine.entire or unit.everything:
            return part
        part.coverage &= frozenset(unit.files)
        part.diagnostics = [d for d in part.diagnostics if d.file is None or d.file in part.coverage]
        part.cached = len(part.coverage)
        return part

    def _looking_ahead(self, found: Found, unit: Unit) -> Callable[[], None]:
        """Return the work to be done while the tool runs: what will be needed to keep its result."""

        def look() -> None:
            inputs = self.engine.inputs(self.site, found, unit, ())
            if not inputs.reason:
                self.signatures.digests([*inputs.files, *(self.site.path(file) for file in unit.files)])

        return look

    def _keep_program(
        self, key: bytes, found: Found, unit: Unit, outputs: Sequence[Output], part: Part, started_ns: int
    ) -> None:
        inputs: Inputs = self.engine.inputs(self.site, found, unit, outputs)
        body = kept.pack_program(inputs, part.diagnostics, part.coverage, self.signatures, started_ns)
        if body is not None:
            self.cache.put(self.engine.name, {key: body})

    def _all_files(self, found: Found, unit: Unit) -> Part | None:
        """Return the findings in all files of a unit where they are known.

        Where nothing can be known, the files are not even looked at: that is done while the tool runs.
        """
        if not self.cache.knows(self.engine.name):
            return None
        of = kept.FileKeys(self.engine, self.site, found, unit, self.signatures).of(unit.files)
        if (part := self._known_together(of)) is not None:
            return part
        known = self._known_files(of)
        return self._together_from(known, of) if len(known) == len(of) else None

    def _files(self, found: Found, unit: Unit) -> Part:
        """Check the files whose findings are not known."""
        keys = kept.FileKeys(self.engine, self.site, found, unit, self.signatures)
        look = not self.fresh and self.cache.knows(self.engine.name)
        of = keys.of(unit.files) if look else {}
        known = self._known_files(of)
        left = [file for file in of if file not in known] if look else list(unit.files)
        with self.cache.alone(f"{self.engine.name}-{digest(keys.base, *left).hex()}", self._stopped) as waited:
            if waited and not self.fresh:
                of = keys.of(left)
                more = self._known_files(of)
                known |= more
                left = [file for file in of if file not in more]
            if not left:
                return self._cached(known)
            part = self._run_files(found, unit, left, keys)
        old = self._cached(known)
        part.diagnostics += old.diagnostics
        part.coverage |= old.coverage
        part.cached = old.cached
        return part

    def _stopped(self) -> bool:
        return self.stop.cancelled

    def _known_together(self, of: dict[str, bytes]) -> Part | None:
        """Return the findings in exactly these files, where they were asked for before."""
        key = kept.all_key(of)
        body = self.cache.get([key]).get(key)
        if body is None:
            return None
        return Part(diagnostics=kept.unpack_findings(body), coverage=frozenset(of), cached=len(of))

    def _together_from(self, known: dict[str, bytes], of: dict[str, bytes]) -> Part:
        part = self._cached(known)
        if len(of) > _MANY:
            self.cache.put(self.engine.name, {kept.all_key(of): kept.pack_findings(part.diagnostics)})
        return part

    def _known_files(self, of: dict[str, bytes]) -> dict[str, bytes]:
        bodies = self.cache.get(list(of.values())) if of else {}
        return {file: bodies[key] for file, key in of.items() if key in bodies}

    def _cached(self, known: dict[str, bytes]) -> Part:
        diagnostics = [d for body in known.values() if body for d in kept.unpack_findings(body)]
        return Part(diagnostics=diagnostics, coverage=frozenset(known), cached=len(known))

    def _run_files(self, found: Found, unit: Unit, files: Sequence[str], keys: kept.FileKeys) -> Part:
        everything = unit.everything and len(files) * 2 >= len(unit.files)
        asked = unit if everything else replace(unit, files=tuple(files), everything=False)
        started_ns = time.time_ns()
        part, _ = self.runner.run(found, asked, lambda: (keys.of(files), None)[1])
        if part.code:
            return part
        of = keys.of(asked.files)
        part.coverage &= frozenset(of) | frozenset(d.file for d in part.diagnostics if d.file)
        wanted = frozenset(files)
        part.diagnostics = [d for d in part.diagnostics if d.file in wanted or d.file not in of]
        part.coverage = frozenset(file for file in part.coverage if file in wanted)
        part.checked = len(part.coverage)
        self._keep_files(part, of, [file for file in files if file in of], started_ns, keys)
        return part

    def _keep_files(
        self, part: Part, of: dict[str, bytes], files: Iterable[str], started_ns: int, keys: kept.FileKeys
    ) -> None:
        if any(d.file is None for d in part.diagnostics):
            return
        configs = keys.configs()
        if len(self.signatures.unchanged_since(configs, started_ns)) != len(configs):
            return
        paths = {self.site.path(file): file for file in files}
        same = [paths[path] for path in self.signatures.unchanged_since(paths, started_ns)]
        by_file: dict[str, list[Diagnostic]] = {}
        for d in part.diagnostics:
            by_file.setdefault(d.file or "", []).append(d)
        bodies = {of[file]: kept.pack_findings(by_file.get(file, ())) for file in same if file in part.coverage}
        if len(bodies) == len(of) > _MANY:
            bodies[kept.all_key(of)] = kept.pack_findings(part.diagnostics)
        self.cache.put(self.engine.name, bodies)

    # -- All together

    def _together(self, parts: Sequence[Part], units: Sequence[Unit]) -> EngineResult:
        name = self.engine.name
        there = [part for part in parts if part.found]
        missing = next((part.missing for part in parts if part.missing), "")
        if not there:
            return EngineResult(engine=name, state="disabled", message=missing, duration_ms=self._ms())
        wrong = [(part, unit) for part, unit in zip(parts, units, strict=True) if part.code or part.missing]
        code, message = "", ""
        if wrong:
            part, unit = wrong[0]
            code, message = part.code or "engine_execution_failed", part.message or part.missing
            if len(units) > 1:
                message = f"{unit.name}: {message}" + (
                    f" ({len(wrong)} of {len(units)} programs)" if len(wrong) > 1 else ""
                )
        diagnostics, hidden = self._wanted(d for part in parts for d in part.diagnostics)
        # A file that is not there any more has been looked at: nothing is wrong in it.
        gone = [f for f in self.site.scope.gone if f.endswith(self.engine.endings)] if not code else []
        coverage = frozenset(f for part in parts for f in part.coverage if not self.site.scope.ignore(f)).union(gone)
        asked = {file for unit in units for file in unit.files}
        first = there[0].found
        return EngineResult(
            engine=name,
            state="error" if code else "ok",
            code=code,
            message=self._sentence(code, message) if code else "",
            version=first.version if first else "",
            origin=first.origin if first else "",
            path=first.path if first else "",
            whole=any(part.whole for part in there),
            checked=sum(part.checked for part in parts),
            cached=sum(part.cached for part in parts),
            skipped=len(asked - coverage),
            hidden=hidden,
            duration_ms=self._ms(),
            retryable=code == "engine_timeout",
            next_step=_NEXT.get(code, ""),
            diagnostics=diagnostics,
            coverage=coverage,
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            commands=tuple(command for part in parts for command in part.commands),
        )

    def _sentence(self, code: str, message: str) -> str:
        name = self.engine.name
        if code == "engine_timeout":
            seconds = self.site.setting.timeout_s or self.engine.timeout_s
            limit = f"{seconds:g}s" if seconds == int(seconds) else f"{round(seconds * 1000)}ms"
            return f"{name} did not complete within {limit}"
        if code == "output_limit_exceeded":
            return f"{name} output exceeded the {CEILING >> 20} MiB limit"
        if code == "cancelled":
            return f"{name} was cancelled"
        return f"{name} failed: {message}"

    def _wanted(self, diagnostics: Iterable[Diagnostic]) -> tuple[tuple[Diagnostic, ...], int]:
        """Return the findings that no setting ignores, in order and each once, and how many others there are."""
        ignore = self.site.scope.ignore
        kept_ones: dict[tuple[object, ...], Diagnostic] = {}
        ignored: dict[str, bool] = {}
        hidden = 0
        for d in diagnostics:
            file = d.file
            if file and (ignored[file] if file in ignored else ignored.setdefault(file, ignore(file))):
                hidden += d.times
                continue
            # Two programs that share a file both tell of it.
            key = (file, d.line, d.column, d.rule, d.message, d.severity, d.end_line, d.end_column)
            kept_ones.setdefault(key, d)
        return in_order(kept_ones.values()), hidden


_NEXT = {
    "engine_timeout": "Raise the engine's timeout in punchlist.toml ([engines.NAME] timeout), or look for what hangs.",
    "output_limit_exceeded": "Narrow the paths, or exclude generated files in the tool's own configuration.",
    "engine_execution_failed": "Run the tool by itself to see all it says, and mend its configuration or installation.",
}
