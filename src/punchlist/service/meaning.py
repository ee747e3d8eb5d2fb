"""What a finished run means: its logs read, report files taken in, notes on how it went."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from punchlist.model import Diagnostic, How, Report, in_order
from punchlist.project.records import expand
from punchlist.reading.command import Scripts
from punchlist.reading.reader import Piece, read
from punchlist.running.order import merged_lines
from punchlist.running.records import Finished
from punchlist.service.logs import mapped
from punchlist.service.plan import Plan
from punchlist.service.project import Project
from punchlist.store.runs import Run

MERGED_BELOW = 2_000_000
REPORT_BYTES = 64 << 20


def meaning(project: Project, run: Run, plan: Plan, folder: Path, how: How, notes: Sequence[str]) -> Report:
    """Read the logs of a run in `folder` into its report."""
    root = str(project.folder)
    scripts = script_lookup(project.folder)
    with mapped(folder / "stdout.log") as out, mapped(folder / "stderr.log") as err:
        small = len(out) + len(err) <= MERGED_BELOW
        report = read(
            out,
            err,
            command=expand(plan.command, project.environ),
            how=how,
            root=root,
            parser=plan.parser,
            scripts=scripts,
            merged=arrivals(folder) if small and len(out) and len(err) else None,
            directory=_below(project.folder, plan.cwd),
        )
    report = _with_report_files(project, plan, run, report)
    report = _stripped(report, plan.strip_path_prefix)
    return replace(report, notes=(*report.notes, *notes))


def arrivals(folder: Path) -> list[Piece]:
    """Return the log of a run as pieces of one stream each, in the order of arrival."""
    pieces: list[Piece] = []
    lines: list[bytes] = []
    stream, first = "", 0
    for line in merged_lines(str(folder)):
        if line.stream != stream:
            if lines:
                pieces.append((stream, first, b"\n".join(lines)))
            stream, first, lines = line.stream, line.number, []
        lines.append(line.text)
    if lines:
        pieces.append((stream, first, b"\n".join(lines)))
    return pieces


def notes_of(finished: Finished) -> tuple[str, ...]:
    """Return what has to be said about how a command ran, beside its verdict."""
    notes = []
    if finished.write_trouble:
        room = "the disk is full" if finished.disk_full else finished.write_trouble
        notes.append(f"the log could not be kept whole ({room}): {finished.dropped:,} bytes are missing")
    if finished.prompt and finished.how.ending != "exit":
        notes.append(f"it may have waited for an answer: {finished.prompt}")
    if finished.never_ends:
        notes.append(f"it looks like a watcher or a server that never ends: {finished.never_ends}")
    left = [one for one in finished.left_behind if not one.daemon]
    if left:
        notes.append("still running in the background: " + ", ".join(f"{one.name} ({one.pid})" for one in left[:5]))
    return tuple(notes)


def _below(root: Path, folder: Path) -> str:
    try:
        relative = folder.resolve().relative_to(root)
    except ValueError:
        return ""
    return "" if str(relative) == "." else relative.as_posix()


def _stripped(report: Report, prefix: str | None) -> Report:
    if not prefix:
        return report
    start = prefix.rstrip("/") + "/"

    def own(d: Diagnostic) -> Diagnostic:
        return replace(d, file=d.file[len(start) :]) if d.file and d.file.startswith(start) else d

    return replace(report, diagnostics=in_order(own(d) for d in report.diagnostics))


def _with_report_files(project: Project, plan: Plan, run: Run, report: Report) -> Report:
    """Take in the machine-readable reports that the check names and that this run wrote."""
    found: list[Diagnostic] = []
    notes: list[str] = []
    for path in sorted({path for pattern in plan.reports for path in plan.cwd.glob(pattern)}):
        facts = path.stat()
        if facts.st_mtime < run.started - 1 or facts.st_size > REPORT_BYTES:
            continue
        inner = read(path.read_bytes(), command="", how=How(), root=str(project.folder))
        if not inner.tools:
            notes.append(f"{path.name}: not a report that can be read")
        found += [replace(d, log=None) for d in inner.diagnostics]
    if not found and not notes:
        return report
    known = {_same(d) for d in report.diagnostics}
    new = [d for d in found if _same(d) not in known]
    outcome = "failed" if report.outcome == "passed" and any(d.severity == "error" for d in new) else report.outcome
    return replace(
        report, outcome=outcome, diagnostics=in_order((*report.diagnostics, *new)), notes=(*report.notes, *notes)
    )


def _same(d: Diagnostic) -> tuple[object, ...]:
    """What the text and the report file of one run share: the test's last name, or the place."""
    import re

    return (re.findall(r"\w+", d.test)[-1:], d.severity) if d.test else (d.file, d.line, d.rule, d.severity)


def script_lookup(root: Path) -> Scripts:
    """Return a lookup of what `npm run NAME` stands for in this project."""

    def lookup(runner: str, name: str) -> str | None:
        if runner not in ("npm", "pnpm", "yarn", "bun"):
            return None
        try:
            scripts = json.loads((root / "package.json").read_text(encoding="utf-8")).get("scripts", {})
        except (OSError, ValueError, AttributeError):
            return None
        found = scripts.get(name) if isinstance(scripts, dict) else None
        return found if isinstance(found, str) else None

    return lookup
