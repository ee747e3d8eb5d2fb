"""Live diagnostics: what editors, language servers and other tools hand over, seen together with the newest check."""

import os
import time
from collections.abc import Iterable, Sequence
from typing import Any

from punchlist.analysis.fingerprint import rule_name, squash
from punchlist.model import Diagnostic, Outcome, Report, in_order
from punchlist.records import dataclass, replace
from punchlist.service import execute, supplied
from punchlist.service.checking import snapshot
from punchlist.service.checking.asked import holds
from punchlist.service.checking.compare import seen_by
from punchlist.service.files import private_folder
from punchlist.service.project import Project
from punchlist.store.live import MOST, Published, publish, published
from punchlist.store.runs import Run

EXTERNAL = "external-lsp"
EDITORS = ("vscode",)
_NAMED = 3
LAYERS = 20  # checks before the newest that are asked for what it did not look at


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What became of one batch: the run that keeps it, how many diagnostics it held, how many earlier ones it
    replaced or cleared, how many were too many for the batch (`dropped`) or for the store (`evicted`)."""

    run: Run
    held: int
    files: tuple[str, ...]
    replaced: int = 0
    dropped: int = 0
    evicted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Who says a finding: "check" and the check's engine, or a source with its server, when, and in which run."""

    kind: str
    name: str
    server: str
    at: float
    run_id: str

    @property
    def shown(self) -> str:
        """The name a reader knows it by."""
        return self.server or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One finding with everybody who says it."""

    diagnostic: Diagnostic
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All that is known now, in total order. `check` is the check that was merged, `old` are files written since.

    `severity` is the one that was asked for, `unseen` are the paths that were asked for and nobody looked at.
    """

    seen: tuple[Seen, ...]
    check: Run | None
    sources: tuple[str, ...]
    old: tuple[str, ...] = ()
    severity: str | None = None
    unseen: tuple[str, ...] = ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings alone."""
        return tuple(one.diagnostic for one in self.seen)


def ingest(
    project: Project,
    items: Sequence[Any] | None = None,
    *,
    report: str | None = None,
    form: str = "lsp",
    source: str = "",
    server: str = "",
    files: Iterable[str] = (),
) -> Batch:
    """Take a batch: `items` of the Language Server Protocol, or the text of a `report` in a format.

    What the source said before of the files that have findings here, and of `files`, is replaced; a batch that names
    no file clears all of the source. Raises Trouble where an item or the report cannot be read: nothing is changed.
    """
    root = project.folder
    source = source or (form if report is not None else "lsp")
    tool = source if source in EDITORS else EXTERNAL
    if report is not None:
        given = supplied.from_report(report, form, root)
    else:
        given = supplied.from_items(items or (), root, tool)
        given = _in_code_points(given, project)
    for file in files:
        given.setdefault(supplied.file_of(file, root) or file, [])
    given, dropped = _bounded(given)
    run = _begin(project, source, server)
    now = time.time()
    sets = [
        Published(
            source=source,
            server=server,
            file=file,
            at=now,
            run_id=run.id,
            diagnostics=tuple(d for d, _ in found),
            servers=tuple(name for _, name in found),
        )
        for file, found in given.items()
    ]
    replaced, evicted = publish(project.store, sets, source=source, server=server, everything=not given)
    done = _finish(project, run, sets, tool, server)
    return Batch(
        run=done,
        held=sum(len(one.diagnostics) for one in sets),
        files=tuple(given),
        replaced=replaced,
        dropped=dropped,
        evicted=evicted,
    )


Given = dict[str, list[tuple[Diagnostic, str]]]


def _in_code_points(given: Given, project: Project) -> Given:
    out: Given = {}
    for file, found in given.items():
        converted = supplied.in_code_points((d for d, _ in found), project.folder)
        out[file] = [(d, name) for d, (_, name) in zip(converted, found, strict=True)]
    return out


def _bounded(given: Given) -> tuple[Given, int]:
    """Keep at most as many as the store holds, the worst ones, each file's own order kept."""
    over = sum(map(len, given.values())) - MOST
    if over <= 0:
        return given, 0
    worst = {id(d) for d in in_order(d for found in given.values() for d, _ in found)[:MOST]}
    return {file: [pair for pair in found if id(pair[0]) in worst] for file, found in given.items()}, over


def _begin(project: Project, source: str, server: str) -> Run:
    title = f"lsp {server}".rstrip() if source == "lsp" else " ".join(filter(None, [source, server]))
    return project.store.begin(
        name="lsp",
        kind="lsp",
        key=f"lsp:{source}:{server}",
        title=title,
        command="",
        cwd=str(project.folder),
        owner=os.getpid(),
        owner_start="",
    )


def _finish(project: Project, run: Run, sets: Sequence[Published], tool: str, server: str) -> Run:
    """Keep the batch as a check of the files it names, so that it can be looked at and compared like any other."""
    diagnostics = in_order(d for one in sets for d in one.diagnostics)
    outcome: Outcome = "failed" if any(d.severity in ("error", "warning") for d in diagnostics) else "passed"
    tools = tuple(sorted({d.tool for d in diagnostics})) or (tool,)
    files = frozenset(one.file for one in sets if one.file)
    folder = project.runs_folder / run.id
    private_folder(folder)
    seen = snapshot.Snapshot(
        covered=frozenset((name, file) for name in tools for file in files),
        files=files,
        finished=frozenset(tools),
        lines=snapshot.lines_of(project.folder, diagnostics),
    )
    snapshot.save(folder, seen)
    facts = {
        "source": "lsp",
        "server": server,
        "scope": sorted(files),
        "engines": {name: {"state": "ok", "checked": len(files)} for name in tools},
    }
    report = Report(outcome=outcome, tools=tools, diagnostics=diagnostics)
    done = project.store.finish(run.id, report, size=0, facts=facts)
    execute.prune(project)
    return done


def view(project: Project, *, files: Sequence[str] = (), severity: str | None = None, two: bool = False) -> View:
    """Merge the newest checks by engines (without any: the newest run) with everything that was handed over.

    Of a file an engine looked at, the newest check that did so counts. Findings that several sources report stand
    once. `files` are root-relative files and folders, `severity` one of the four words; with `two` warning means
    everything below an error.
    """
    check = newest_check(project)
    found = [*_of_checks(project, check), *(one for s in published(project.store) for one in _of_set(s))]
    merged = merge(found)
    kept = [
        one
        for one in merged
        if (not files or (one.diagnostic.file is not None and holds(files, one.diagnostic.file)))
        and (severity is None or _is(one.diagnostic, severity, two=two))
    ]
    order = {id(d): n for n, d in enumerate(in_order(one.diagnostic for one in kept))}
    kept.sort(key=lambda one: order[id(one.diagnostic)])
    names = dict.fromkeys(source.shown for one in found for source in one.sources if source.kind != "check")
    return View(
        seen=tuple(kept),
        check=check,
        sources=tuple(names),
        old=_old(project, kept),
        severity=severity,
        unseen=_unseen(project, check, files),
    )


def _unseen(project: Project, newest: Run | None, paths: Sequence[str]) -> tuple[str, ...]:
    """Return those of some files and folders in which no engine and no source has looked at any file."""
    left = list(dict.fromkeys(paths))
    sets = (run for run in project.store.newest(kind="lsp", limit=LAYERS) if run.state == "done")
    for run in (*_checks_from(project, newest), *sets):
        if not left:
            break
        seen = seen_by(project, run)
        files = {file for _, file in seen.covered} if seen is not None else set()
        left = [path for path in left if not any(holds([path], file) for file in files)]
    return tuple(left)


def _is(d: Diagnostic, severity: str, *, two: bool) -> bool:
    return d.severity != "error" if two and severity == "warning" else d.severity == severity


def newest_check(project: Project) -> Run | None:
    """Return the newest finished check by engines, else the newest finished run of anything that ran here."""
    for kind in ("engines", None):
        for run in project.store.newest(kind=kind, limit=50):
            if run.state == "done" and run.kind not in ("lsp", "read", "base") and not run.facts.get("code"):
                return run
    return None


def _of_checks(project: Project, newest: Run | None) -> Iterable[Seen]:
    """Yield what the newest check says, and of what it did not look at, what the ones before it say.

    Those before a check that looked at the whole project are not asked.
    """
    known: set[tuple[str, str]] = set()
    gone: set[str] = set()
    for run in _checks_from(project, newest):
        seen = seen_by(project, run)
        for d in project.store.report(run.id).diagnostics:
            before = run is not newest
            if (d.tool, d.file or "") in known or d.file in gone or (before and not _is_there(project, d.file)):
                continue
            source = Source(kind="check", name=d.tool, server="", at=run.started, run_id=run.id)
            yield Seen(diagnostic=d, sources=(source,))
        if seen is None or (seen.whole and run.outcome != "error"):
            return
        known |= seen.covered
        gone |= seen.gone


def _is_there(project: Project, file: str | None) -> bool:
    return file is not None and os.path.lexists(project.folder / file)


def _checks_from(project: Project, newest: Run | None) -> Iterable[Run]:
    if newest is None:
        return
    yield newest
    if newest.kind == "engines":
        for run in project.store.newest(kind="engines", limit=LAYERS):
            if run.state == "done" and run.started < newest.started and not run.facts.get("code"):
                yield run


def _of_set(one: Published) -> Iterable[Seen]:
    for n, d in enumerate(one.diagnostics):
        server = one.server or (one.servers[n] if n < len(one.servers) else "")
        kind = "editor" if one.source in EDITORS else "lsp"
        source = Source(kind=kind, name=one.source, server=server, at=one.at, run_id=one.run_id)
        yield Seen(diagnostic=d, sources=(source,))


def merge(found: Iterable[Seen]) -> list[Seen]:
    """Put together what several sources say: one place, one rule (2322 is TS2322), or one message where a rule lacks.

    The first that says it stays, with a fix where any of them has one. Two findings of one source never become one.
    """
    out: list[Seen] = []
    by_line: dict[tuple[str | None, int | None], list[int]] = {}
    for one in found:
        d = one.diagnostic
        near = by_line.setdefault((d.file, d.line), [])
        at = next((n for n in near if _same(out[n], one)), None)
        if at is None:
            near.append(len(out))
            out.append(one)
        else:
            first = out[at].diagnostic
            kept = replace(first, fix=first.fix or d.fix, severity=min(first, d, key=_weight).severity)
            out[at] = Seen(diagnostic=kept, sources=(*out[at].sources, *one.sources))
    return out


def _weight(d: Diagnostic) -> int:
    return ("error", "warning", "info", "hint").index(d.severity)


def _same(known: Seen, other: Seen) -> bool:
    a, b = known.diagnostic, other.diagnostic
    if a.test or b.test or any(_who(one) == _who(two) for one in known.sources for two in other.sources):
        return False
    if a.column and b.column and a.column != b.column:
        return False
    if a.rule and b.rule:
        return _rule(a.rule) == _rule(b.rule)
    return squash(a.message) == squash(b.message)


def _who(source: Source) -> tuple[str, ...]:
    return (source.kind, source.name) if source.kind == "check" else (source.kind, source.name, source.server)


def _rule(rule: str) -> str:
    """Return what two names of a rule have in common: `TS2322` and `2322`, `eslint(no-var)` and `no-var`."""
    last = rule_name(rule).rpartition("/")[2]
    return last[2:] if last.startswith("ts") and last[2:].isdecimal() else last


def _old(project: Project, seen: Iterable[Seen]) -> tuple[str, ...]:
    """Return files that were written after everybody who says something of them said it."""
    newest: dict[str, float] = {}
    for one in seen:
        if one.diagnostic.file:
            at = max(source.at for source in one.sources)
            newest[one.diagnostic.file] = max(at, newest.get(one.diagnostic.file, 0.0))
    return tuple(file for file, at in sorted(newest.items()) if _written(project, file) > at)


def _written(project: Project, file: str) -> float:
    try:
        return (project.folder / file).stat().st_mtime
    except (OSError, ValueError):
        return 0.0
