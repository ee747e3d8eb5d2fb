"""Changes from the tools' own fixes: which findings of which run are meant, and which still hold."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from punchlist.analysis.fingerprint import rule_name
from punchlist.analysis.groups import find, group
from punchlist.analysis.ranking import ranked
from punchlist.editing.changes import Change, fixed
from punchlist.editing.places import read
from punchlist.model import Diagnostic, Report, Trouble
from punchlist.records import dataclass
from punchlist.service.project import Project
from punchlist.store.runs import Run

_LOOKED_AT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which findings are to be fixed; what is left empty bounds nothing.

    `issues` are issue ids or their beginnings, `cluster` names a group (cluster id, fingerprint, rank, rule, file),
    `paths` are root-relative files and folders. Without `run_id` it is the newest run that has such fixes. `unsafe`
    takes also what the tool does not call safe.
    """

    run_id: str | None = None
    issues: tuple[str, ...] = ()
    cluster: str | None = None
    engine: str | None = None
    rule: str | None = None
    paths: tuple[str, ...] = ()
    unsafe: bool = False


class Sourced(NamedTuple):
    """Changes, what they are, what a reader should know of them, and the run they come from."""

    changes: list[Change]
    title: str
    notes: list[str]
    run_id: str = ""


def from_run(project: Project, wanted: Wanted) -> Sourced:
    """Return the changes that the fixes of a run make now.

    Troubles: `unknown_run`, `unknown_issue`, `unknown_group`, `no_safe_fix`, and `file_drift_detected` where every
    file that has a fix changed since the run.
    """
    run, meant = _meant(project, wanted)
    usable = [d for d in meant if d.fix and (d.fix.safe or wanted.unsafe)]
    if not usable:
        raise Trouble(_none(run, meant), "no_safe_fix")
    unchanged = _unchanged(project, run)
    fresh = [d for d in usable if d.fix and all(unchanged(edit.file) for edit in d.fix.edits)]
    if not fresh:
        files = ", ".join(sorted({edit.file for d in usable if d.fix for edit in d.fix.edits})[:5])
        raise Trouble(f"{files} changed since {run.id}; check again and use that one", "file_drift_detected")
    changes, met, unfit = fixed(project.folder, (d.fix for d in fresh if d.fix))
    left = [
        (len(meant) - len(usable), "have no safe fix"),
        (len(usable) - len(fresh), f"are in files that changed since {run.id}: check again"),
        (met, "overlap another fix: check again after this one"),
        (unfit, "do not fit their file"),
    ]
    count = len(fresh) - met - unfit
    if not count:
        raise Trouble(f"the fixes of {run.id} do not fit the files; check again", "file_drift_detected")
    kind = "fix" if wanted.unsafe else "safe fix"
    title = f"{count} {kind}{'es' * (count != 1)} of {run.id}"
    return Sourced(changes, title, [f"{number} {what}" for number, what in left if number], run.id)


def _none(run: Run, meant: Sequence[Diagnostic]) -> str:
    unsafe = sum(d.fix is not None for d in meant)
    if unsafe:
        return f"{run.id} has no safe fix here; {unsafe} of {len(meant)} have one that its tool does not call safe"
    return f"no tool offers a fix for these {len(meant)} of {run.id}; send patches or a diff"


def _meant(project: Project, wanted: Wanted) -> tuple[Run, list[Diagnostic]]:
    """Return the run and its findings that are meant."""
    store = project.store
    if wanted.run_id is not None:
        run = store.get(wanted.run_id)
        found = _selected(store.report(run.id), wanted)
        if not found:
            raise _unknown(wanted, run.id)
        return run, found
    first: tuple[Run, list[Diagnostic]] | None = None
    for run in store.newest(limit=_LOOKED_AT):
        if run.state != "running":
            found = _selected(store.report(run.id), wanted)
            if any(d.fix and (d.fix.safe or wanted.unsafe) for d in found):
                return run, found
            first = first or ((run, found) if found else None)
    if first is None:
        raise _unknown(wanted, "any kept run")
    return first


def _unknown(wanted: Wanted, where: str) -> Trouble:
    if wanted.issues:
        return Trouble(f"no issue {', '.join(wanted.issues)[:80]} in {where}; take ids from a check", "unknown_issue")
    if wanted.cluster is not None:
        return Trouble(f"no group {wanted.cluster[:80]!r} in {where}; take its id from a check", "unknown_group")
    return Trouble(f"nothing to fix in {where}; check first: punchlist check", "no_safe_fix")


def _selected(report: Report, wanted: Wanted) -> list[Diagnostic]:
    found: Iterable[Diagnostic] = report.diagnostics
    if wanted.issues:
        found = _of_issues(report, wanted.issues)
    if wanted.cluster is not None:
        inside = {id(d) for d in _of_group(report, wanted.cluster)}
        found = [d for d in found if id(d) in inside]
    return [d for d in found if _within(d, wanted)]


def _within(d: Diagnostic, wanted: Wanted) -> bool:
    file = d.file or ""
    return (
        (wanted.engine is None or d.tool.casefold() == wanted.engine.casefold())
        and (wanted.rule is None or rule_name(d.rule) == rule_name(wanted.rule))
        and (not wanted.paths or any(p == "." or file == p or file.startswith(f"{p}/") for p in wanted.paths))
    )


def _of_issues(report: Report, names: Sequence[str]) -> list[Diagnostic]:
    """Return the findings of issue ids; each one has to be known."""
    from punchlist.service.checking.values import found

    meant: list[Diagnostic] = []
    for name in names:
        those = found(report, name)
        if not those:
            return []
        meant += [d for d in those if not any(d is one for one in meant)]
    return meant


def _of_group(report: Report, name: str) -> list[Diagnostic]:
    """Return the findings of a cluster id of schema 1.4, or of a group as every other answer names it."""
    from punchlist.service.checking.values import rule_of_cluster
    from punchlist.views.schema14 import issues_of

    rule = rule_of_cluster(report, name)
    if rule is not None:
        return [issue.diagnostic for issue in issues_of(report.diagnostics) if issue.rule == rule]
    return [d for one in find(ranked(group(report.diagnostics)), name) for d in one.diagnostics]


def _unchanged(project: Project, run: Run) -> Callable[[str], bool]:
    """Return what tells whether a file is still as the run saw it: not touched since, or every line the same."""
    known: dict[str, bool] = {}

    def unchanged(file: str) -> bool:
        if file not in known:
            known[file] = _untouched(project, run, file) or _same_lines(project, run, file)
        return known[file]

    return unchanged


def _untouched(project: Project, run: Run, file: str) -> bool:
    try:
        found = (project.folder / file).stat()
    except OSError:
        return False
    return max(found.st_mtime, found.st_ctime) <= run.started


def _same_lines(project: Project, run: Run, file: str) -> bool:
    from punchlist.service.checking.lines import numbered
    from punchlist.service.checking.snapshot import load

    snapshot = load(project.runs_folder / run.id)
    if snapshot is None or file not in snapshot.lines:
        return False
    try:
        raw = read(project.folder, file)
    except (OSError, Trouble):
        return False
    return raw is not None and list(numbered(raw)) == list(snapshot.lines[file])
