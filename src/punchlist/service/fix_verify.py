"""What a check says of a change that was made: the check itself, the comparison, and whether something got worse."""

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from punchlist.editing.transactions import Transaction
from punchlist.model import Diagnostic, Trouble
from punchlist.records import dataclass
from punchlist.service.fix_watch import Watch
from punchlist.service.project import Project
from punchlist.store.runs import Run

if TYPE_CHECKING:
    from punchlist.analysis.delta import Delta
    from punchlist.service.checking.asked import Asked
    from punchlist.service.session import Session

OnRegression = Literal["keep", "revert"]
_LONGEST_S = 600.0
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Checker:
    """How files are checked: `start` begins a check, `finish` waits for it, `compare` tells what changed."""

    start: Callable[[Sequence[str]], Run]
    finish: Callable[[str, Watch], Run]
    compare: Callable[[Run, Run], "Delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of applying or taking back. `files` are those that are changed now.

    `check` is the check made afterwards, `delta` what changed since `baseline`; `unverified` says why there is no
    check, or no comparison, though one was asked for. `more` counts the safe fixes that the check offers.
    """

    status: Literal["success", "rolled_back"]
    transaction: Transaction
    files: tuple[str, ...]
    code: str = ""
    message: str = ""
    check: Run | None = None
    baseline: str | None = None
    delta: "Delta | None" = None
    unverified: str = ""
    more: int = 0


def checker_of(session: "Session") -> Checker:
    """Return the checker of a session: its engines, on files and on what depends on them."""
    from punchlist.service.checking.compare import difference

    def finish(run_id: str, watch: Watch) -> Run:
        until = time.monotonic() + _LONGEST_S
        run = session.wait(run_id, _LOOK_S)
        while run.state == "running" and not watch.called_off and time.monotonic() < until:
            run = session.wait(run_id, _LOOK_S)
        if watch.called_off and (live := session.lives.by_id.get(run_id)) is not None:
            live.handle.cancel()
        return run

    return Checker(
        start=lambda files: session.check(_asked(session.project, files)),
        finish=finish,
        compare=lambda before, after: difference(session.project, before, after),
    )


def _asked(project: Project, files: Sequence[str]) -> "Asked":
    """Ask for files; for one that is gone, and that neither git nor an earlier check knew, ask for its folder."""
    from punchlist.service.checking.asked import of_files

    try:
        return of_files(project, files, dependents_too=True)
    except Trouble as trouble:
        if trouble.code != "path_not_found":
            raise
    here = [_nearest(project, file) for file in files]
    return of_files(project, dict.fromkeys(here), dependents_too=True)


def _nearest(project: Project, file: str) -> str:
    while file and not os.path.lexists(project.folder / file):
        file = file.rpartition("/")[0]
    return file or "."


def check_of(checker: Checker, files: Sequence[str], watch: Watch) -> tuple[Run | None, str]:
    """Check files; return the check, and why it does not count."""
    if not files:
        return None, "no file to check"
    try:
        run = checker.start(files)
        watch.run_id = run.id
        run = checker.finish(run.id, watch)
    except Trouble as trouble:
        return None, str(trouble)
    return run, f"{run.id} is still running" if run.state == "running" else ""


def verified(project: Project, one: Transaction, before: Run | None, checker: Checker, watch: Watch) -> Applied:
    """Check the files of an applied transaction and compare with a run from before, where there is one."""
    files = tuple(f.file for f in one.files)
    run, why = check_of(checker, files, watch)
    delta, more = None, 0
    if run is not None and not why:
        report = project.store.report(run.id)
        more = sum(d.fix is not None and d.fix.safe for d in report.diagnostics)
        if report.how.ending == "cancelled":
            why = f"{run.id} was ended before it had looked at everything"
        elif run.facts.get("code") == "nothing_checked":
            why = str(run.facts.get("message"))
    if run is not None and not why and before is not None:
        try:
            delta = checker.compare(before, run)
        except Trouble as trouble:
            why = str(trouble)
    if delta is not None and not delta.before.complete:
        why = why or f"{delta.before.run_id} did not come to its end, so what is new is not known"
    return Applied(
        status="success", transaction=one, files=files, check=run, baseline=before.id if before else None, delta=delta,
        unverified=why, more=more,
    )  # fmt: skip


def regression(found: Applied) -> str:
    """Say what a change made worse, "" where it did not: new errors, or a check that does not come to its end now."""
    delta = found.delta
    if delta is None or found.unverified:
        return ""
    worse = broken(found.transaction, delta)
    if worse:
        return f"{len(worse)} new error{'s' * (len(worse) != 1)}"
    return "" if delta.after.complete else f"{delta.after.run_id} does not come to its end any more"


def broken(one: Transaction, delta: "Delta") -> list[Diagnostic]:
    """Return the new errors of a comparison; a file that the transaction made was not there to be looked at before."""
    made = {f.file for f in one.files if f.before is None}
    return [d for d in delta.added if d.severity == "error"] + [
        d for d in delta.first_seen if d.severity == "error" and d.file in made
    ]
