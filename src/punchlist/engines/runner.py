"""Start an engine's processes and read what they print; end them all when asked."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from punchlist.engines import output
from punchlist.engines.columns import in_characters
from punchlist.engines.find import environment
from punchlist.engines.record import Engine, Found, Job, Output, Unit
from punchlist.engines.site import Site
from punchlist.model import Diagnostic, How
from punchlist.records import dataclass, replace
from punchlist.running.capture import Command, Finished, Handle, capture
from punchlist.running.environment import composed

CEILING = 128 << 20
DEFECTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # of our own reading; told, not raised
_GRACE_S = 1.0


class Stop:
    """A way to end all engines of a check from another thread or a signal handler."""

    def __init__(self) -> None:
        self._handles: set[Handle] = set()
        self._lock = threading.RLock()
        self.cancelled = False
        self._signal: int | None = None

    def cancel(self, signum: int | None = None) -> None:
        """Ask all that runs to end; what has not begun will not."""
        self.cancelled, self._signal = True, signum
        for handle in list(self._handles):
            handle.cancel(signum)

    def handle(self) -> Handle:
        """Return a new handle that ends with the others."""
        handle = Handle()
        with self._lock:
            self._handles.add(handle)
        if self.cancelled:
            handle.cancel(self._signal)
        return handle


@dataclass(slots=True, kw_only=True)
class Part:
    """What came of one unit."""

    diagnostics: list[Diagnostic]
    coverage: frozenset[str]
    checked: int = 0
    cached: int = 0
    code: str = ""
    message: str = ""
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    found: Found | None = None
    missing: str = ""
    whole: bool = False


class Runner:
    """Runs one engine's processes."""

    def __init__(self, engine: Engine, site: Site, stop: Stop) -> None:
        self.engine, self.site, self.stop = engine, site, stop
        self.logs = Path()
        self._number = 0
        self._lock = threading.Lock()

    def run(self, found: Found, unit: Unit, meanwhile: Callable[[], None]) -> tuple[Part, list[Output]]:
        """Start the unit's processes one after the other and read what they print."""
        jobs = self.engine.jobs(self.site, found, unit)
        helper = threading.Thread(target=_quietly, args=(meanwhile,), name=f"punchlist-{self.engine.name}")
        helper.start()
        try:
            part, outputs = self._run_all(jobs, unit)
        finally:
            helper.join()
        return part, outputs

    def _run_all(self, jobs: Sequence[Job], unit: Unit) -> tuple[Part, list[Output]]:
        diagnostics: list[Diagnostic] = []
        outputs: list[Output] = []
        coverage: set[str] = set()
        part = Part(diagnostics=[], coverage=frozenset())
        deadline = time.monotonic() + (self.site.setting.timeout_s or self.engine.timeout_s)
        notes: list[str] = []
        for job in jobs:
            verdict, one = self._process(job, unit, max(0.05, deadline - time.monotonic()))
            outputs.append(one)
            diagnostics += one.diagnostics
            notes += verdict.notes
            if not verdict.code:
                coverage |= set(unit.files if one.looked_at is None else one.looked_at)
            elif not part.code:
                part.code, part.message = verdict.code, verdict.message
            if verdict.code in ("engine_timeout", "cancelled"):
                break
        part.diagnostics = in_characters(diagnostics, self.engine.columns, self._bytes)
        part.coverage = frozenset(coverage)
        part.checked = len(coverage)
        part.notes = tuple(dict.fromkeys(notes))
        part.commands = tuple(_shown(job) for job in jobs)
        return part, outputs

    def _process(self, job: Job, unit: Unit, timeout_s: float) -> tuple[output.Verdict, Output]:
        root = str(self.site.root)
        with self._lock:
            self._number += 1
            prefix = f"{self.engine.name}." if self._number == 1 else f"{self.engine.name}-{self._number}."
        env = composed(self.site.environ, {**environment(self.site, unit.home), **job.env})
        command = Command(
            run=job.argv, cwd=self.site.path(job.cwd), env=env, timeout_s=timeout_s, ceiling=CEILING, grace_s=_GRACE_S,
            keep_background=False,
        )  # fmt: skip
        finished = capture(command, str(self.logs), handle=self.stop.handle(), prefix=prefix)
        stdout, stderr = (_log(self.logs / f"{prefix}{name}.log") for name in ("stdout", "stderr"))
        verdict = output.read(self.engine, job, _how(finished, timeout_s), stdout, stderr, root)
        looked_at = frozenset[str]() if verdict.empty else None
        if looked_at is None and self.engine.looked_at is not None:
            looked_at = self.engine.looked_at(self.site, unit, job, stdout)
        if looked_at is None and job.files is not None:
            looked_at = frozenset(job.files)
        return verdict, Output(list(verdict.diagnostics), looked_at, stdout, stderr)

    def _bytes(self, file: str) -> bytes | None:
        try:
            return Path(self.site.path(file)).read_bytes()
        except (OSError, ValueError):
            return None


def _quietly(work: Callable[[], None]) -> None:
    """Do what only saves time later; what goes wrong there will be met, and told, where it is needed."""
    try:
        work()
    except (OSError, *DEFECTS):
        return


def _how(finished: Finished, timeout_s: float) -> How:
    how = finished.how
    return replace(how, message=f"out of time after {timeout_s:g} s") if how.ending == "timeout" else how


def _log(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _shown(job: Job) -> str:
    import shlex

    return shlex.join(job.argv if len(job.argv) < 30 else (*job.argv[:29], f"... {len(job.argv) - 29} more"))
