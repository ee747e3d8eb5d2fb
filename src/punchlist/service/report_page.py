"""A run as a page for people, or in the format of another program; written to a file."""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from punchlist.analysis.delta import Delta
from punchlist.analysis.groups import unique
from punchlist.model import Report, Trouble
from punchlist.records import replace
from punchlist.service.checking.answers import engine_lines, in_scope
from punchlist.service.checking.compare import asked_only, covering, difference
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views.html import Past, page
from punchlist.views.verdict import Facts

FORMATS = ("html", "sarif", "junit", "github")
LAST_RUNS = 30
AROUND = 3
LARGEST = 2 << 20
# A file written in the same moment as the run ended was written by the run itself, or before it.
GRACE_S = 2.0
_NAMED = 5


def newest_finished(project: Project) -> Run:
    """Return the newest run that has a report; none yet is a Trouble."""
    for run in project.store.newest(limit=50):
        if run.state not in ("running", "pruned"):
            return run
    raise Trouble("no finished run yet; run a check first: `punchlist check`, or `punchlist run -- CMD`", "no_runs")


def exported(project: Project, run: Run, form: str) -> str:
    """Write a finished run in one of FORMATS."""
    if run.state == "running":
        raise Trouble(f"run {run.id} is still running; wait for it: punchlist show {run.id}", "running")
    report, _ = asked_only(project.store.report(run.id), run)
    if form == "html":
        return html(project, run, report)
    from punchlist.service import exports

    return exports.exported(project, run, report, form)


def html(project: Project, run: Run, report: Report) -> str:
    """Write a run as one page: with code from the project's files, the last runs of the check, and what changed."""
    frames = Frames(project.folder, run.ended or time.time())
    changed = sorted(frames.changed({d.file for d in report.diagnostics if d.file}))
    if changed:
        files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
        names = ", ".join(changed[:_NAMED]) + (" ..." if len(changed) > _NAMED else "")
        note = f"{files} changed after this run, their code is left out: {names}"
        report = replace(report, notes=(*report.notes, note))
    facts = Facts(title=run.title, run_id=run.id, duration_s=run.duration_s, since=_since(project, run, report))
    return page(
        report,
        facts=facts,
        history=_history(project, run),
        frame=frames.around,
        when=_when(run.ended or run.started),
        ran=engine_lines(run),
    )


def _since(project: Project, run: Run, shown: Report) -> Delta | None:
    engines = run.facts.get("engines") is not None
    before = covering(project, run) if engines else project.store.before(run)
    return in_scope(difference(project, before, run), shown, run) if before else None


def _history(project: Project, run: Run) -> Sequence[Past]:
    """Return the last runs of the same check up to this one, oldest first."""
    kept = [one for one in project.store.newest(key=run.key, limit=200) if one.started <= run.started]
    finished = [one for one in kept if one.state not in ("running", "pruned")][:LAST_RUNS]
    return [_past(project, one) for one in reversed(finished)]


def _past(project: Project, run: Run) -> Past:
    report, _ = asked_only(project.store.report(run.id), run)
    found = unique(report.diagnostics)
    return Past(
        run_id=run.id,
        outcome=report.outcome,
        errors=sum(d.severity == "error" for d in found),
        when=_when(run.started),
        duration_s=run.duration_s,
    )


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


class Frames:
    """Lines of the project's own files around a place, of those that are as the run saw them (it ended at `ended`)."""

    def __init__(self, root: Path, ended: float) -> None:
        self.root = os.path.realpath(root)
        self.ended = ended
        self._lines: dict[str, list[str]] = {}

    def around(self, file: str, line: int) -> list[tuple[int, str]]:
        """Return (number, text) of a line and those around it; nothing for what is not a file of the project."""
        if file not in self._lines:
            self._lines[file] = self._read(file)
        lines = self._lines[file]
        if not 0 < line <= len(lines):
            return []
        first = max(1, line - AROUND)
        return [(n, lines[n - 1]) for n in range(first, min(len(lines), line + AROUND) + 1)]

    def changed(self, files: Iterable[str]) -> set[str]:
        """Return those of the files that were written after the run."""
        return {file for file in files if (path := self._inside(file)) and self._is_newer(path)}

    def _inside(self, file: str) -> Path | None:
        try:
            path = Path(os.path.realpath(Path(self.root) / file))
            return path if path.is_relative_to(self.root) and path.is_file() else None
        except (OSError, ValueError):
            return None

    def _is_newer(self, path: Path) -> bool:
        return path.stat().st_mtime > self.ended + GRACE_S

    def _read(self, file: str) -> list[str]:
        path = self._inside(file)
        try:
            if path is None or self._is_newer(path) or path.stat().st_size > LARGEST:
                return []
            return path.read_bytes().decode("utf-8", "replace").removesuffix("\n").split("\n")
        except OSError:
            return []


def write(path: Path, text: str) -> None:
    """Write a report to a file, whole or not at all; into what is no plain file (a pipe, a device) directly."""
    raw = text.encode("utf-8", "replace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(raw)
            return
        target = Path(os.path.realpath(path))
        scratch = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            scratch.write_bytes(raw)
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as trouble:
        raise Trouble(f"{path} cannot be written: {trouble.strerror}; name another file", "not_written") from None
