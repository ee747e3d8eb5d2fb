"""Servers kept warm for the programs of a project, and who answers: one of them, or the command line.

The command line is the authority: it answers first, after a change of configuration, where a file came or went that
the server cannot be trusted with, where the server is dead, silent or of an unknown version, and every twentieth time,
when both are asked and the server is let go if they differ.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from punchlist.engines.columns import in_characters
from punchlist.engines.record import Engine, EngineResult, Found, Unit
from punchlist.engines.registry import BY_NAME
from punchlist.engines.run import run
from punchlist.engines.scope import Scope
from punchlist.engines.signatures import digest
from punchlist.engines.site import Site
from punchlist.engines.warm import basedpyright, tsc7, tsserver, ty
from punchlist.engines.warm.imports import Imports
from punchlist.engines.warm.lsp import Refused
from punchlist.engines.warm.record import Answer, Kind, Resident
from punchlist.engines.warm.watch import Watch
from punchlist.engines.warm.wire import Lost
from punchlist.model import Diagnostic
from punchlist.project.records import Config
from punchlist.records import dataclass

KINDS: tuple[Kind, ...] = (tsc7.KIND, tsserver.KIND, ty.KIND, basedpyright.KIND)
WORTH_S = 1.0
VERIFY_EVERY = 20
IDLE_S = 600.0
MOST_BYTES = 2 << 30
LEAST_WAIT_S = 3.0
MOST_LOSSES = 3

Cold = Callable[[Sequence[str] | None], EngineResult]


@dataclass(slots=True, kw_only=True)
class Program:
    """One program of one engine: what the command line last said of it, and the server that holds it."""

    kind: Kind
    engine: Engine
    signature: bytes = b""
    cold_s: float = 0.0
    watch: Watch | None = None
    imports: Imports | None = None
    resident: Resident | None = None
    starting: threading.Thread | None = None
    trouble: str = ""
    answers: int = 0
    losses: int = 0
    used: float = 0.0
    era: int = 0


class Pool:
    """The warm servers of one project. `worth_s` is how long the command line must take for a server to be worth it."""

    def __init__(
        self, root: Path, config: Config, *, state: Path, environ: Mapping[str, str], worth_s: float = WORTH_S
    ) -> None:
        self.root, self.config, self.state, self.environ = Path(os.path.realpath(root)), config, state, environ
        self.worth_s = worth_s
        self._programs: dict[tuple[str, str], Program] = {}
        self._alone = threading.RLock()
        self._timer: threading.Timer | None = None

    def answer(self, engine: str, edited: Sequence[str], dependents: Sequence[str] | None = None) -> Answer:
        """Say what an engine finds in edited files (root-relative, also deleted ones) and those that depend on them.

        `dependents` None: they are found by the imports. One call at a time; who spoke stands in the answer.
        """
        with self._alone:
            begin = time.monotonic()
            found = self._answer(BY_NAME[engine], tuple(dict.fromkeys(edited)), dependents, begin)
            self._tidy()
            return found

    def cold(self, engine: str, edited: Sequence[str], why: str = "asked for") -> Answer:
        """Let the command line say what it finds, whatever servers there are."""
        with self._alone:
            return self._cold(BY_NAME[engine], None, tuple(edited), why, time.monotonic())

    def close(self) -> None:
        """End all servers."""
        with self._alone:
            if self._timer is not None:
                self._timer.cancel()
            for program in self._programs.values():
                _let_go(program, "")
            self._programs.clear()

    def warm(self, engine: str, within_s: float) -> bool:
        """Wait until a server of this engine is ready; False where none is on its way."""
        for (name, _), program in list(self._programs.items()):
            if name == engine and program.starting is not None:
                program.starting.join(within_s)
                return program.resident is not None
        return False

    def _answer(
        self, engine: Engine, edited: tuple[str, ...], dependents: Sequence[str] | None, begin: float
    ) -> Answer:
        site = Site(self.root, Scope(self.root, self.config.ignore, edited), self.state, self.environ)
        site = site.with_setting(self.config.engines.get(engine.name))
        units = engine.units(site)
        if len(units) != 1:
            why = "the files belong to several programs" if units else "the files belong to no program"
            return self._cold(engine, None, edited, why, begin)
        found = engine.find(site, units[0].home)
        kind = next((k for k in KINDS if k.engine == engine.name and _fits(k, found)), None)
        if kind is None or not isinstance(found, Found):
            return self._cold(engine, None, edited, "no server is known for it, or not for its version", begin)
        program = self._programs.setdefault(
            (engine.name, units[0].name), Program(kind=kind, engine=engine, used=time.monotonic())
        )
        program.used = time.monotonic()
        signature = _signature(kind, site, found, units[0])
        why = self._obstacle(program, signature, edited)
        if not why:
            try:
                return self._warm(program, site, edited, dependents, begin)
            except (Lost, Refused) as trouble:
                why = f"{trouble}"
                program.losses += 1
                _let_go(program, why)
        answer = self._cold(engine, program, edited, why, begin)
        program.signature = signature
        if not answer.failed:
            self._start(program, site, found, units[0], answer)
        return answer

    def _obstacle(self, program: Program, signature: bytes, edited: Sequence[str]) -> str:
        """Return why the server cannot be asked, "" where it can."""
        if not program.signature:
            return "first check"
        if signature != program.signature:
            _let_go(program, "configuration changed")
            return "configuration, packages or version changed"
        if program.losses >= MOST_LOSSES:
            return f"its server was lost {program.losses} times"
        if program.starting is not None and program.starting.is_alive():
            return "its server is starting"
        if program.resident is None or program.watch is None:
            return program.trouble or f"the command line takes {program.cold_s:.1f} s"
        if not program.resident.alive:
            program.losses += 1
            _let_go(program, "")
            return "its server died"
        known = set(program.watch.files)
        if any(file not in known and os.path.lexists(self.root / file) for file in edited):
            _let_go(program, "")
            return "a file is new to the program"
        return ""

    def _warm(
        self, program: Program, site: Site, edited: tuple[str, ...], dependents: Sequence[str] | None, begin: float
    ) -> Answer:
        server, watch, imports = program.resident, program.watch, program.imports
        if server is None or watch is None or imports is None:
            raise Lost("there is no server")
        changes = watch.look(edited)
        if changes.created or (changes.deleted and not program.kind.comes_and_goes):
            raise Lost("files came or went")
        imports.update(changes.changed, changes.deleted)
        more = imports.dependents(edited) if dependents is None else dependents
        server.told(changes)
        known = set(watch.files)
        files = [file for file in dict.fromkeys((*edited, *more)) if file in known]
        found = server.ask(files, max(LEAST_WAIT_S, program.cold_s))
        if server.said:
            raise Lost(server.said[-1].strip().split("\n")[0][:200])
        program.answers += 1
        diagnostics = tuple(_finished(found, program.engine, site))
        if program.answers % VERIFY_EVERY == 0 and (answer := self._verified(program, edited, files, diagnostics)):
            return answer
        return Answer(
            engine=program.engine.name,
            diagnostics=diagnostics,
            spoke="warm",
            why="",
            files=frozenset(files),
            ms=round((time.monotonic() - begin) * 1000),
        )

    def _verified(
        self, program: Program, edited: tuple[str, ...], files: Sequence[str], warm: Sequence[Diagnostic]
    ) -> Answer | None:
        """Ask the command line as well; return its answer where the server differs, which is then let go."""
        asked = frozenset(files)
        answer = self._cold(program.engine, program, edited, "its server said otherwise", time.monotonic())
        same = places(warm) == places(d for d in answer.diagnostics if d.file in asked)
        if answer.failed or same:
            return None
        program.losses += 1
        _let_go(program, answer.why)
        return answer

    def _cold(self, engine: Engine, program: Program | None, edited: tuple[str, ...], why: str, begin: float) -> Answer:
        started = time.monotonic()
        paths = [file for file in edited if os.path.lexists(self.root / file)] or None
        checked = run(self.root, self.config, paths, state=self.state, environ=self.environ, engines=[engine.name])
        result = next(iter(checked.results), None)
        if program is not None and result is not None and result.checked:
            program.cold_s = time.monotonic() - started
        failed = "it is not on here" if result is None else "" if result.state == "ok" else result.message
        return Answer(
            engine=engine.name,
            diagnostics=result.diagnostics if result else (),
            spoke="cold",
            why=why,
            files=result.coverage if result else frozenset(),
            ms=round((time.monotonic() - begin) * 1000),
            failed=failed,
        )

    def _start(self, program: Program, site: Site, found: Found, unit: Unit, answer: Answer) -> None:
        """Start a server for the next time, in the background, where the command line is slow enough for it."""
        if program.resident is not None or program.cold_s <= self.worth_s or program.losses >= MOST_LOSSES:
            return
        if program.starting is not None and program.starting.is_alive():
            return
        files = tuple(sorted(self._files(program.engine, site, found, unit, answer)))
        era = program.era

        def start() -> None:
            try:
                watch = Watch(str(site.root), files, program.engine.endings)
                imports = Imports(str(site.root), program.kind.imports, files)
                server = program.kind.start(site, found, unit)
                try:
                    server.ask(files[:1], max(30.0, program.cold_s * 4))
                except BaseException:
                    server.end()
                    raise
                with self._alone:
                    if program.era != era:
                        server.end()
                    else:
                        program.watch, program.imports, program.resident = watch, imports, server
            except (Lost, Refused) as trouble:
                with self._alone:
                    program.losses += 1
                    program.trouble = str(trouble)

        program.starting = threading.Thread(target=start, name=f"warm {program.engine.name}", daemon=True)
        program.starting.start()

    def _files(self, engine: Engine, site: Site, found: Found, unit: Unit, answer: Answer) -> frozenset[str]:
        """Return the files of a program: what the command line says it looked at, else what its settings choose."""
        whole = Site(self.root, Scope(self.root, self.config.ignore), self.state, self.environ, site.setting)
        named = next((one for one in engine.units(whole) if one.name == unit.name), None)
        if named is None or engine.name == "tsc":
            return answer.files
        jobs = engine.jobs(whole, found, named)
        looked = engine.looked_at(whole, named, jobs[0], b"") if engine.looked_at else None
        return frozenset(named.files) if looked is None else looked

    def _tidy(self) -> None:
        """Let go of servers that grew too large or that nobody asked for a while; look again later."""
        now = time.monotonic()
        for program in self._programs.values():
            if program.resident is not None and now - program.used > IDLE_S:
                _let_go(program, "its server was idle")
            elif program.resident is not None and memory(program.resident.pid) > MOST_BYTES:
                _let_go(program, "its server took too much memory")
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if any(program.resident is not None for program in self._programs.values()):
            self._timer = threading.Timer(IDLE_S + 1, self._idle)
            self._timer.daemon = True
            self._timer.start()

    def _idle(self) -> None:
        with self._alone:
            self._tidy()


def _fits(kind: Kind, found: object) -> bool:
    return isinstance(found, Found) and kind.known(found.version)


def _let_go(program: Program, why: str) -> None:
    program.era += 1  # a server that is being started meanwhile ends itself
    program.starting = None
    if program.resident is not None:
        program.resident.end()
    program.resident = program.watch = None
    program.trouble = why


def _signature(kind: Kind, site: Site, found: Found, unit: Unit) -> bytes:
    """Return a digest of the version and of what is in the files that configure the program."""
    parts = [found.version, found.path]
    for path in kind.configs(site, unit):
        try:
            parts += [path, Path(path).read_bytes().decode("latin-1")]
        except OSError:
            parts.append(path)
    return digest(*parts)


def _finished(found: Iterable[Diagnostic], engine: Engine, site: Site) -> list[Diagnostic]:
    """Findings with columns in code points, in the order of the command line, each once."""

    def read(file: str) -> bytes | None:
        try:
            return (site.root / file).read_bytes()
        except OSError:
            return None

    accepted = [one for d in found if (one := engine.accept(d) if engine.accept else d) is not None]
    return list(dict.fromkeys(in_characters(accepted, "utf16", read)))


def places(diagnostics: Iterable[Diagnostic]) -> set[tuple[object, ...]]:
    """Return what two answers must have in common: file, line, column and rule of every finding."""
    return {(d.file, d.line, d.column, d.rule) for d in diagnostics}


def memory(pid: int) -> int:
    """Return the resident bytes of a process, 0 where that cannot be told."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
