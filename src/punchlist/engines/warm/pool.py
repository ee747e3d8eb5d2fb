"""Servers kept warm for the programs of a project, and who answers for edited files: one of them, or the command line.

The command line is the authority: it answers first, after a change of configuration, where a file came or went that
the server cannot be trusted with, where the server is dead, silent or of an unknown version, and every twentieth time,
when both are asked and the server is let go if they differ.
"""

import os
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from punchlist.engines.columns import in_characters
from punchlist.engines.record import Engine, EngineResult, Found, Unit
from punchlist.engines.runner import DEFECTS
from punchlist.engines.scope import Scope
from punchlist.engines.signatures import digest
from punchlist.engines.site import Site
from punchlist.engines.warm import basedpyright, tsc7, tsserver, ty
from punchlist.engines.warm.imports import Imports
from punchlist.engines.warm.lsp import Refused
from punchlist.engines.warm.record import Kind, Resident
from punchlist.engines.warm.watch import Watch
from punchlist.engines.warm.wire import Lost
from punchlist.model import Diagnostic, in_order
from punchlist.records import dataclass, field, replace

KINDS: tuple[Kind, ...] = (tsc7.KIND, tsserver.KIND, ty.KIND, basedpyright.KIND)
WORTH_S = 1.0
VERIFY_EVERY = 20
IDLE_S = 600.0
MOST_BYTES = 2 << 30
MOST_FILES = 200  # edited at once: from there on the command line is as quick
LEAST_WAIT_S = 3.0
MOST_LOSSES = 3
FIRST, STARTING, QUICK, VERIFYING = "first check", "its server is starting", "it is quick enough", "both are asked"
MANY, SEVERAL = "not a check of single files", "the files belong to several programs"
QUIET = frozenset({FIRST, STARTING, QUICK, VERIFYING, MANY, SEVERAL, ""})  # the usual course of things


@dataclass(slots=True, kw_only=True)
class Program:
    """One program of one engine: what the command line last said of it, and the server that holds it.

    `unsure` is what the server just said of which files, while the command line is asked for the same.
    """

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
    unsure: tuple[frozenset[str], set[tuple[object, ...]]] | None = None
    alone: threading.RLock = field(default_factory=threading.RLock)


class Pool:
    """The warm servers of one project.

    `worth_s` is how long the command line has to take for a server to be worth it; 0 is worth it always.
    """

    def __init__(self, *, worth_s: float = WORTH_S) -> None:
        self.worth_s = worth_s
        self._programs: dict[tuple[str, str], Program] = {}
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._closed = False

    def ask(self, engine: Engine, site: Site, units: Sequence[Unit]) -> EngineResult | str:
        """Return what a server finds in the edited files of a scope and in those that depend on them.

        Where none can be asked: the reason why the command line has to answer, "" where there is none worth telling.
        """
        begin = time.monotonic()
        known = "" if site.scope.whole else self._program(engine, site, units)
        if isinstance(known, str):
            return known
        program, unit, found = known
        edited = tuple(site.scope.paths or ())
        with program.alone:
            program.used = begin
            try:
                why = self._obstacle(program, _signature(program.kind, site, found, unit), site.root, edited)
                result = why or self._warm(program, site, found, edited, begin)
            except (Lost, Refused, *DEFECTS) as trouble:
                program.losses += 1
                known_trouble = isinstance(trouble, Lost | Refused)
                result = str(trouble) if known_trouble else f"its server's answer could not be read: {trouble!r}"
                _let_go(program, result)
        self._tidy()
        return result

    def learned(
        self, engine: Engine, site: Site, units: Sequence[Unit], result: EngineResult, why: str
    ) -> EngineResult:
        """Take note of what the command line says, and how long it took; return it with who spoke and why.

        Where it took long enough, a server is started in the background for the next time.
        """
        known = self._program(engine, site, units)
        if isinstance(known, str):
            return result
        program, unit, found = known
        with program.alone:
            if result.checked:
                program.cold_s = result.duration_ms / 1000
                _keep_duration(program, unit, site)
            why = _held_against(program, result) or why
            program.signature = _signature(program.kind, site, found, unit)
            if result.state == "ok" and result.checked:
                self._start(program, site, found, unit, result.coverage)
        told = () if why in QUIET else (f"{engine.name}: the command line answered: {why}",)
        return replace(result, why=why, notes=(*result.notes, *told))

    def cached(self, engine: Engine, site: Site, units: Sequence[Unit], result: EngineResult) -> None:
        """Take note of a result that was kept: a server is started where the command line was known to be slow."""
        known = self._program(engine, site, units)
        if isinstance(known, str) or result.state != "ok":
            return
        program, unit, found = known
        with program.alone:
            if program.signature:
                return
            program.signature = _signature(program.kind, site, found, unit)
            program.cold_s = _duration(program, unit, site)
            self._start(program, site, found, unit, result.coverage)

    def close(self) -> None:
        """End all servers."""
        with self._lock:
            self._closed = True
            programs = list(self._programs.values())
            self._programs.clear()
            if self._timer is not None:
                self._timer.cancel()
        for program in programs:
            if program.resident is not None:
                program.resident.end()  # whoever waits for its answer is told that it is lost
        for program in programs:
            with program.alone:
                _let_go(program, "")

    def ready(self, engine: str, within_s: float) -> bool:
        """Wait until a server of this engine is ready; False where none is on its way."""
        for (name, _), program in list(self._programs.items()):
            if name == engine and program.starting is not None:
                program.starting.join(within_s)
                return program.resident is not None
        return False

    def _program(self, engine: Engine, site: Site, units: Sequence[Unit]) -> tuple[Program, Unit, Found] | str:
        """Return the one program that a scope belongs to, or why there is none to be kept warm."""
        kinds = [kind for kind in KINDS if kind.engine == engine.name]
        if not kinds or len(units) != 1:
            return SEVERAL if kinds and units and not site.scope.whole else ""
        found = engine.find(site, units[0].home)
        if not isinstance(found, Found):
            return ""
        kind = next((kind for kind in kinds if kind.known(found.version)), None)
        if kind is None:
            return f"no server of version {found.version} was tried"
        with self._lock:
            if self._closed:
                return ""
            fresh = Program(kind=kind, engine=engine, used=time.monotonic())
            return self._programs.setdefault((engine.name, units[0].name), fresh), units[0], found

    def _obstacle(self, program: Program, signature: bytes, root: Path, edited: tuple[str, ...]) -> str:
        """Return why the server cannot be asked, "" where it can."""
        if not program.signature:
            return FIRST
        if signature != program.signature:
            _let_go(program, "configuration changed")
            return "configuration, packages or version changed"
        if program.losses >= MOST_LOSSES:
            return f"its server was lost {program.losses} times"
        if program.starting is not None and program.starting.is_alive():
            return STARTING
        if program.resident is None or program.watch is None:
            return program.trouble or QUICK
        if not program.resident.alive:
            program.losses += 1
            _let_go(program, "")
            return "its server died"
        if not edited or len(edited) > MOST_FILES or any(os.path.isdir(root / path) for path in edited):
            return MANY
        if any(os.path.lexists(root / path) and not program.watch.knows(path) for path in edited):
            _let_go(program, "")
            return "a file is new to the program"
        return ""

    def _warm(
        self, program: Program, site: Site, found: Found, edited: tuple[str, ...], begin: float
    ) -> EngineResult | str:
        server, watch, imports = program.resident, program.watch, program.imports
        if server is None or watch is None or imports is None:
            raise Lost("there is no server")
        changes = watch.look(edited)
        if changes.created or (changes.deleted and not program.kind.comes_and_goes):
            raise Lost("files came or went")
        imports.update(changes.changed, changes.deleted)
        server.told(changes)
        known = set(watch.files)
        files = [file for file in dict.fromkeys((*edited, *imports.dependents(edited))) if file in known]
        said = server.ask(files, max(LEAST_WAIT_S, program.cold_s))
        if server.said:
            raise Lost(server.said[-1].strip().split("\n")[0][:200])
        program.answers += 1
        diagnostics = _finished(said, program.engine, site)
        if program.answers % VERIFY_EVERY == 0:
            program.unsure = frozenset(files), places(diagnostics)
            return VERIFYING
        kept = [d for d in diagnostics if not (d.file and site.scope.ignore(d.file))]
        return EngineResult(
            engine=program.engine.name,
            state="ok",
            version=found.version,
            origin=found.origin,
            path=found.path,
            whole=True,
            checked=len(files),
            hidden=len(diagnostics) - len(kept),
            duration_ms=round((time.monotonic() - begin) * 1000),
            diagnostics=in_order(kept),
            coverage=frozenset(file for file in files if not site.scope.ignore(file)).union(changes.deleted),
            spoke="warm",
        )

    def _start(self, program: Program, site: Site, found: Found, unit: Unit, coverage: frozenset[str]) -> None:
        """Start a server for the next time, in the background, where the command line is slow enough for it."""
        if program.resident is not None or program.losses >= MOST_LOSSES:
            return
        if self.worth_s and program.cold_s <= self.worth_s:
            return
        if program.starting is not None and program.starting.is_alive():
            return
        files = tuple(sorted(_files(program.engine, site, found, unit, coverage)))
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
                with program.alone:
                    if program.era != era or self._closed:
                        server.end()
                    else:
                        program.watch, program.imports, program.resident = watch, imports, server
            except (Lost, Refused) as trouble:
                with program.alone:
                    program.losses += 1
                    program.trouble = str(trouble)

        program.starting = threading.Thread(target=start, name=f"warm {program.engine.name}", daemon=True)
        program.starting.start()

    def _tidy(self) -> None:
        """Let go of servers that grew too large or that nobody asked for a while; look again later."""
        now = time.monotonic()
        with self._lock:
            programs = list(self._programs.values())
        for program in programs:
            if program.alone.acquire(blocking=False):  # one that is being asked is looked at another time
                try:
                    _let_go_of_large_or_idle(program, now)
                finally:
                    program.alone.release()
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None
            if not self._closed and any(program.resident is not None for program in programs):
                self._timer = threading.Timer(IDLE_S + 1, self._tidy)
                self._timer.daemon = True
                self._timer.start()


def _let_go_of_large_or_idle(program: Program, now: float) -> None:
    if program.resident is not None and now - program.used > IDLE_S:
        _let_go(program, "its server was idle")
    elif program.resident is not None and memory(program.resident.pid) > MOST_BYTES:
        _let_go(program, "its server took too much memory")


def _files(engine: Engine, site: Site, found: Found, unit: Unit, coverage: frozenset[str]) -> frozenset[str]:
    """Return the files of a program: what the command line says it looked at, else what its settings choose."""
    whole = Site(site.root, Scope(site.root, site.scope.ignore.patterns), site.state, site.environ, site.setting)
    named = next((one for one in engine.units(whole) if one.name == unit.name), None)
    if named is None or engine.name == "tsc":
        return coverage
    jobs = engine.jobs(whole, found, named)
    looked = engine.looked_at(whole, named, jobs[0], b"") if engine.looked_at else None
    return frozenset(named.files) if looked is None else looked


def _held_against(program: Program, result: EngineResult) -> str:
    """Compare what the server said with what the command line says of the same files; let it go where they differ."""
    unsure, program.unsure = program.unsure, None
    if unsure is None or result.state != "ok":
        return ""
    files, said = unsure
    if said == places(d for d in result.diagnostics if d.file in files):
        return ""
    program.losses += 1
    _let_go(program, "its server said otherwise")
    return "its server said otherwise"


def _let_go(program: Program, why: str) -> None:
    program.era += 1  # a server that is being started meanwhile ends itself
    program.starting = None
    if program.resident is not None:
        program.resident.end()
    program.resident = program.watch = program.unsure = None
    program.trouble = why


def _duration_key(program: Program, unit: Unit) -> bytes:
    return digest("command line takes", program.engine.name, unit.name)


def _keep_duration(program: Program, unit: Unit, site: Site) -> None:
    if site.cache is not None:
        took = b"%d" % round(program.cold_s * 1000)
        site.cache.put(program.engine.name, {_duration_key(program, unit): took})


def _duration(program: Program, unit: Unit, site: Site) -> float:
    """Return how many seconds the command line last took, as far as that is kept."""
    key = _duration_key(program, unit)
    took = site.cache.get([key]).get(key, b"") if site.cache is not None else b""
    return int(took) / 1000 if took.isdigit() else 0.0


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
