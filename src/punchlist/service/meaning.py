"""What a finished run means: its logs read, report files taken in, notes on how it went."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from punchlist.model import Diagnostic, How, Outcome, Report, Span, in_order
from punchlist.project.records import expand
from punchlist.reading.command import Scripts
from punchlist.reading.reader import Parse, Piece, read
from punchlist.reading.registry import BY_NAME
from punchlist.records import replace
from punchlist.running.order import merged_lines
from punchlist.service.logs import mapped
from punchlist.service.own import wanted
from punchlist.service.plan import Plan
from punchlist.service.project import Project
from punchlist.store.runs import Run

MERGED_BELOW = 2_000_000
REPORT_BYTES = 64 << 20
# Signal's adapter names that are called otherwise here.
ADAPTERS = {
    "go_test": "go-test",
    "cargo_test": "cargo-test",
    "cargo_clippy": "cargo",
    "bun_test": "bun-test",
    "json_log": "json-log",
    "symfony_log": "json-log",
}


def meaning(project: Project, run: Run, plan: Plan, folder: Path, how: How, notes: Sequence[str]) -> Report:
    """Read the logs of a run in `folder` into its report; those of a pipeline step by step."""
    steps = [step for step in run.facts.get("steps", ()) if step.get("folder")]
    if steps:
        report = _of_steps(project, plan, folder, how, steps)
    else:
        step = plan.steps[0]
        report = _read(project, step.command, plan.parser or step.adapter, plan.cwd, folder, how)
        report = _stripped(report, plan.strip_path_prefix or step.strip_path_prefix)
    report = _with_report_files(project, plan, run, report)
    return replace(report, notes=(*report.notes, *notes))


def _read(project: Project, command: str, parser: str | None, cwd: Path, folder: Path, how: How) -> Report:
    own = wanted(project.settings()[0], command, parser)
    parser, notes = _known(parser, own)
    with mapped(folder / "stdout.log") as out, mapped(folder / "stderr.log") as err:
        small = len(out) + len(err) <= MERGED_BELOW
        report = read(
            out,
            err,
            command=expand(command, project.environ),
            how=how,
            root=str(project.folder),
            parser=parser,
            scripts=script_lookup(project.folder),
            merged=arrivals(folder) if small and len(out) and len(err) else None,
            directory=_below(project.folder, cwd),
            own=own,
        )
    return replace(report, notes=(*report.notes, *notes))


def _known(parser: str | None, own: Mapping[str, Parse]) -> tuple[str | None, tuple[str, ...]]:
    """The parser that a check's `parser` or `adapter` names; a name with no parser yet is said and read by the log."""
    if parser in (None, "", "auto", "generic"):
        return None, ()
    name = ADAPTERS.get(parser, parser)
    if name in BY_NAME or name in own:
        return name, ()
    return None, (f"no parser is called {parser!r}; the log itself was asked",)


def _of_steps(project: Project, plan: Plan, folder: Path, how: How, steps: Sequence[Mapping[str, Any]]) -> Report:
    """One report of a pipeline; the log span of a finding names its step: `2-lint:stdout`."""
    by_name = {step.name: step for step in plan.steps}
    reports = []
    for facts in steps:
        step = by_name[facts["name"]]
        if facts["status"] == "skipped":
            continue
        cwd = plan.cwd / expand(step.cwd, project.environ) if step.cwd else plan.cwd
        own = How(ending=facts["ending"] or "none", exit_code=facts["exit_code"], signal=facts["signal"])
        report = _read(project, step.command, step.adapter or plan.parser, cwd, folder / "steps" / facts["folder"], own)
        report = _stripped(report, step.strip_path_prefix or plan.strip_path_prefix)
        reports.append((facts["folder"], report))
    outcomes = [report.outcome for _, report in reports]
    outcome = next((word for word in ("failed", "error", "unknown") if word in outcomes), "passed")
    if how.ending != "exit" and outcome in ("passed", "unknown"):
        outcome = "error"
    counts: dict[str, int] = {}
    for _, report in reports:
        for name, value in report.counts.items():
            counts[name] = counts.get(name, 0) + value
    return Report(
        outcome=cast(Outcome, outcome),
        tools=tuple(dict.fromkeys(tool for _, report in reports for tool in report.tools)),
        counts=counts,
        diagnostics=in_order(_in_step(d, name) for name, report in reports for d in report.diagnostics),
        notes=tuple(dict.fromkeys(note for _, report in reports for note in report.notes)),
        excerpt=tuple((f"{name}:{s}", n, text) for name, report in reports for s, n, text in report.excerpt),
        partial=any(report.partial for _, report in reports),
        how=how,
    )


def _in_step(d: Diagnostic, name: str) -> Diagnostic:
    return replace(d, log=Span(f"{name}:{d.log.stream}", d.log.first, d.log.last)) if d.log else d


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

    return (tuple(re.findall(r"\w+", d.test)[-1:]), d.severity) if d.test else (d.file, d.line, d.rule, d.severity)


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
