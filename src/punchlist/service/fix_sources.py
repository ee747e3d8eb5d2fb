"""Changes from the tools' own fixes: which findings of which run are meant, and which still hold."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from punchlist.analysis.fingerprint import rule_name
from punchlist.analysis.groups import find, group
from punchlist.analysis.ranking import ranked
from punchlist.editing.changes import Change, fixed
from punchlist.editing.places import read
from punchlist.engines.offers import ASKED, offered
from punchlist.model import Diagnostic, Report, Trouble
from punchlist.records import dataclass
from punchlist.service.project import Project
from punchlist.store.runs import Run

_LOOKED_AT = 50
_ASKED_AT_ONCE = 500


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


class _Offer(NamedTuple):
    """A run with the findings that are meant, those of them that have a fix, and those whose files are unchanged."""

    run: Run
    meant: list[Diagnostic]
    usable: list[Diagnostic]
    fresh: list[Diagnostic]


def from_run(project: Project, wanted: Wanted) -> Sourced:
    """Return the changes that the fixes of a run make now.

    Troubles: `unknown_run`, `unknown_issue`, `unknown_group`, `no_safe_fix`, and `file_drift_detected` where every
    file that has a fix changed since the run.
    """
    run, meant, usable, fresh = _offer(project, wanted)
    if not usable:
        raise Trouble(_none(run, meant), "no_safe_fix")
    if not fresh:
        files = ", ".join(sorted({edit.file for d in usable if d.fix for edit in d.fix.edits})[:5])
        raise Trouble(f"{files} changed since {run.id}; check again and use that one", "file_drift_detected")
    hidden = set(ignored(project, {edit.file for d in fresh if d.fix for edit in d.fix.edits}))
    taken = [d.fix for d in fresh if d.fix and not any(edit.file in hidden for edit in d.fix.edits)]
    changes, met, unfit = fixed(project.folder, taken)
    left = [
        (len(meant) - len(usable), "have no safe fix"),
        (len(usable) - len(fresh), f"are in files that changed since {run.id}: check again"),
        (len(fresh) - len(taken), "are in files that git ignores"),
        (met, "overlap another fix: check again after this one"),
        *_refused(unfit),
    ]
    count = len(taken) - met - len(unfit)
    if not count:
        raise _why(run, unfit)
    kind = "fix" if wanted.unsafe else "safe fix"
    title = f"{count} {kind}{'es' * (count != 1)} of {run.id}"
    return Sourced(changes, title, [f"{number} {what}" for number, what in left if number], run.id)


def _refused(unfit: Sequence[Trouble]) -> list[tuple[int, str]]:
    """Count the fixes that cannot be made, by why."""
    told = ("do not fit their file" if one.code == "invalid_range" else f"are left out: {one}" for one in unfit)
    return [(number, what) for what, number in Counter(told).items()]


def _why(run: Run, unfit: Sequence[Trouble]) -> Trouble:
    """Return what says why no fix can be made: a file that is not to be written, else files that are others now."""
    for one in unfit:
        if one.code != "invalid_range":
            return one
    return Trouble(f"the fixes of {run.id} do not fit the files; check again", "file_drift_detected")


def _none(run: Run, meant: Sequence[Diagnostic]) -> str:
    if not meant:
        return f"nothing to fix any more: checks since {run.id} looked at its files again and found nothing of the kind"
    unsafe = sum(d.fix is not None for d in meant)
    if unsafe:
        return (
            f"{run.id} has no safe fix here; {unsafe} of {len(meant)} have one that its tool does not call safe "
            "(--unsafe, or unsafe: true, shows it)"
        )
    return f"no tool offers a fix for these {len(meant)} of {run.id}; send patches or a diff"


def ignored(project: Project, files: Iterable[str]) -> list[str]:
    """Return those of some root-relative files that git is told to ignore, and does not track."""
    from punchlist.service.checking.selection import git

    # git quotes names that hold one of these, and has no other form without its standard input
    plain = {name: not re.search(r'[\x00-\x1f"\\\x7f]', name) for name in sorted(files)}
    names = [name for name in plain if plain[name]]
    found: list[str] = []
    for at in range(0, len(names), _ASKED_AT_ONCE):
        part = names[at : at + _ASKED_AT_ONCE]
        out = git(project.folder, ["check-ignore", "--", *(f"./{name}" for name in part)])
        told = set(os.fsdecode(out or b"").split("\n"))
        found += [name for name in part if f"./{name}" in told]
    for name in plain:
        if not plain[name] and git(project.folder, ["check-ignore", "-q", "--", f"./{name}"]) is not None:
            found.append(name)
    return found


def _offer(project: Project, wanted: Wanted) -> _Offer:
    """Return the newest run whose fixes are for files as they are now; where there is none, the one that tells why.

    What a newer check looked at with the same engine, in the file as it is now, is not taken from an older one.
    """
    store = project.store
    if wanted.run_id is not None:
        run = store.get(wanted.run_id)
        found = _selected(store.report(run.id), wanted)
        if not found:
            raise _unknown(wanted, run.id)
        return _weighed(project, run, found, wanted)
    newer: list[tuple[frozenset[tuple[str, str]], Callable[[str], bool]]] = []

    def again(d: Diagnostic) -> bool:
        file = d.file or ""
        return any((d.tool, file) in pairs and unchanged(file) for pairs, unchanged in newer)

    best: _Offer | None = None
    for run in store.newest(limit=_LOOKED_AT):
        if run.state == "running":
            continue
        found = _selected(store.report(run.id), wanted)
        offer = _weighed(project, run, [d for d in found if not again(d)], wanted)
        if offer.fresh:
            return offer
        if found and (best is None or (offer.usable and not best.usable)):
            best = offer
        newer.append((_looked_at(project, run), _unchanged(project, run)))
    if best is None:
        raise _unknown(wanted, "any kept run")
    return best


def _weighed(project: Project, run: Run, meant: list[Diagnostic], wanted: Wanted) -> _Offer:
    unchanged = _unchanged(project, run)
    meant = _with_offers(project, meant, unchanged)
    usable = [d for d in meant if d.fix and (d.fix.safe or wanted.unsafe)]
    fresh = [d for d in usable if d.fix and all(unchanged(edit.file) for edit in d.fix.edits)]
    return _Offer(run, meant, usable, fresh)


def _with_offers(project: Project, meant: list[Diagnostic], unchanged: Callable[[str], bool]) -> list[Diagnostic]:
    """Return findings with the safe fixes that their engines tell only when asked, in files that are as they were."""
    asked = [d for d in meant if d.tool in ASKED and d.file and not (d.fix and d.fix.safe) and unchanged(d.file)]
    if not asked:
        return meant
    told = offered(project.folder, project.config, asked, state=project.store.folder, environ=project.environ)
    by_id = {id(old): new for old, new in zip(asked, told, strict=True)}
    return [by_id.get(id(d), d) for d in meant]


def _looked_at(project: Project, run: Run) -> frozenset[tuple[str, str]]:
    """Return the (engine, file) pairs that a check looked at; none for a run of another command."""
    from punchlist.service.checking.compare import seen_by

    snapshot = seen_by(project, run)
    return snapshot.covered if snapshot is not None else frozenset()


def _unknown(wanted: Wanted, where: str) -> Trouble:
    if wanted.issues:
        return Trouble(f"no issue {', '.join(wanted.issues)[:80]} in {where}; take ids from a check", "unknown_issue")
    if wanted.cluster is not None:
        return Trouble(f"no group {wanted.cluster[:80]!r} in {where}; take its id from a check", "unknown_group")
    bounds = [("", wanted.rule), ("by ", wanted.engine), ("in ", ", ".join(wanted.paths[:5]))]
    said = " ".join(f"{word}{name}" for word, name in bounds if name)
    return Trouble(
        f"nothing to fix{f' ({said})' if said else ''} in {where}; check again: punchlist check", "no_safe_fix"
    )


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
    if snapshot is None or file not in snapshot.lines or _written_meanwhile(project, run, file):
        return False
    try:
        raw = read(project.folder, file)
    except (OSError, Trouble):
        return False
    return raw is not None and list(numbered(raw)) == list(snapshot.lines[file])


def _written_meanwhile(project: Project, run: Run, file: str) -> bool:
    """Whether a file was last written while the run went on: what its tool read, nobody knows."""
    try:
        written = (project.folder / file).stat().st_mtime
    except OSError:
        return True
    return run.started < written <= run.started + run.duration_s
