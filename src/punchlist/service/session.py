"""What a front door holds: one project, the runs it is making in it, and the servers it keeps warm for it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from punchlist.model import How, Report, Trouble
from punchlist.records import dataclass, field
from punchlist.service import execute, plan
from punchlist.service.files import private_folder, write_private
from punchlist.service.live import Lives
from punchlist.service.project import Project
from punchlist.store.runs import Run

if TYPE_CHECKING:
    from punchlist.engines.warm.pool import Pool
    from punchlist.service.checking.asked import Asked


@dataclass(slots=True)
class Session:
    """The runs of one front door in one project; one that lives long may keep language servers warm."""

    project: Project
    lives: Lives = field(default_factory=Lives)
    notes: list[str] = field(default_factory=list)
    client_roots: tuple[Path, ...] = ()
    keeps_warm: bool = False
    _warm: "Pool | None" = None
    _warm_root: Path | None = None

    def recover(self) -> list[Run]:
        """Look for runs whose owner died, and for files it left half written; done once when a front door starts.

        Where there is no state yet, none is made: what is only looked at stays as it is.
        """
        if not self.project.has_state:
            return []
        if (self.project.store.folder / "edits" / "journal").exists():
            from punchlist.service import fixing

            self.notes += filter(None, [fixing.recover(self.project)])
        return execute.recover(self.project) if self.project.store.running() else []

    def start(self, what: plan.Plan) -> Run:
        """Start a run, or join the one of the same check that is under way."""
        return execute.start(self.project, self.lives, what)

    def start_checks(self, names: Sequence[str]) -> list[Run]:
        """Start several checks at once; all names are looked up before the first one starts."""
        plans = [plan.of_check(self.project, name) for name in names]
        return [self.start(one) for one in plans]

    def check(self, asked: "Asked") -> Run:
        """Start a check by the project's engines, or join the one that is under way."""
        from punchlist.service.checking.making import start

        return start(self.project, self.lives, asked, self.warm())

    def warm(self) -> "Pool | None":
        """Return the servers kept warm for the project, None where there are to be none."""
        wanted = self.project.settings()[0].warm if self.keeps_warm else "off"
        if self._warm is not None and (wanted == "off" or self._warm_root != self.project.folder):
            self._warm.close()
            self._warm = None
        if wanted == "off":
            return None
        from punchlist.engines.warm.pool import WORTH_S, Pool

        if self._warm is None:
            self._warm, self._warm_root = Pool(), self.project.folder
        self._warm.worth_s = WORTH_S if wanted == "auto" else 0.0
        return self._warm

    def close(self) -> None:
        """End every run that is still going, and every server."""
        self.lives.end_all()
        if self._warm is not None:
            self._warm.close()

    def base(self, revision: str, what: plan.Plan, asked: "Asked | None" = None) -> Run:
        """Start the same check on another commit, or return the run that has its report already."""
        from punchlist.service.base.making import start

        return start(self.project, self.lives, revision, what, asked)

    def wait(self, run_id: str, seconds: float | None = None) -> Run:
        """Wait for a run at most `seconds` and return it as it then stands."""
        return execute.wait(self.project, self.lives, run_id, seconds)

    def stop(self, run_id: str) -> Run:
        """End a run and its whole process tree, whoever started it."""
        run = self.project.store.get(run_id)
        if run.state != "running":
            return run
        live = self.lives.by_id.get(run_id)
        if live is not None:
            live.handle.cancel()
        else:
            execute.stop_foreign(self.project, run)
        return self.wait(run_id, 10)

    def store_reading(
        self, stdout: bytes, stderr: bytes, *, command: str, how: How, root: str, parser: str | None
    ) -> Run:
        """Keep a log that came through a pipe as a run, so that everything it says stays reachable."""
        from punchlist.reading.reader import read
        from punchlist.service.own import wanted

        title = command or parser or "read"
        run = execute.begin_reading(self.project, command, title)
        folder = self.project.runs_folder / run.id
        private_folder(folder)
        for name, raw in (("stdout.log", stdout), ("stderr.log", stderr)):
            write_private(folder / name, raw)
        own = wanted(self.project.settings()[0], command, parser)
        report = read(stdout, stderr, command=command, how=how, root=root, parser=parser, own=own)
        done = self.project.store.finish(run.id, report, size=len(stdout) + len(stderr))
        execute.prune(self.project)
        return done

    def report(self, run_id: str) -> Report:
        """Return what a finished run meant."""
        return self.project.store.report(run_id)

    def clean(self, *, everything: bool = False, run_ids: Sequence[str] = ()) -> list[Run]:
        """Remove runs on demand: the named ones, all neither pinned nor running, or what retention lets go."""
        store = self.project.store
        if run_ids:
            gone = [store.get(run_id) for run_id in run_ids]
            busy = [run.id for run in gone if run.state == "running"]
            if busy:
                raise Trouble(f"{busy[0]} is running; stop it first", "running")
        elif everything:
            gone = [run for run in store.newest(limit=1_000_000) if run.state != "running" and not run.pinned]
        else:
            return execute.prune(self.project)
        execute.remove(self.project, gone)
        return gone
