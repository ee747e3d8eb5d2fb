"""Fixes from proposal to undo: what may be written, when it is refused, what a check says of it afterwards."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from punchlist.editing import journal
from punchlist.editing.alone import alone
from punchlist.editing.changes import Change, agreed, digest, edited, patched, rebased, replacing
from punchlist.editing.places import place_of, read
from punchlist.editing.transactions import Transaction, Transactions
from punchlist.editing.unified import parse
from punchlist.model import Diagnostic, Edit, Trouble
from punchlist.records import dataclass, replace
from punchlist.service.fix_sources import Sourced, Wanted, from_run
from punchlist.service.project import Project
from punchlist.store.runs import Run

if TYPE_CHECKING:
    from punchlist.analysis.delta import Delta
    from punchlist.service.session import Session

OnRegression = Literal["keep", "revert"]
_RANGE = ("line", "column", "endLine", "endColumn", "text")
_WHOLE = ("originalContent", "patchedContent")
_WAIT_S = 40.0
_WAIT_TO_REVERT_S = 600.0


@dataclass(frozen=True, slots=True)
class Checker:
    """How files are checked: `start` begins a check, `finish` waits for it, `compare` tells what changed."""

    start: Callable[[Sequence[str]], Run]
    finish: Callable[[str, float], Run]
    compare: Callable[[Run, Run], "Delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of applying or taking back. `files` are those that are changed now.

    `check` is the check made afterwards, `delta` what changed since `baseline`; `unverified` says why there is no
    check, or no comparison, though one was asked for.
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


def checker_of(session: "Session") -> Checker:
    """Return the checker of a session: its engines, on files and on what depends on them."""
    from punchlist.service.checking.asked import of_files
    from punchlist.service.checking.compare import difference

    return Checker(
        start=lambda files: session.check(of_files(session.project, files, dependents_too=True)),
        finish=session.wait,
        compare=lambda before, after: difference(session.project, before, after),
    )


def transactions(project: Project) -> Transactions:
    """Return the transactions of a project."""
    return Transactions(project.store.folder)


def preview(
    project: Project,
    *,
    patches: Sequence[Mapping[str, Any]] = (),
    diff: str | None = None,
    wanted: Wanted | None = None,
) -> Transaction:
    """Keep a proposal as a transaction; no file of the project is written.

    `patches` are whole contents (`file`, `originalContent`, `patchedContent`) or ranges (`file`, `line`, `column`,
    `endLine`, `endColumn`, `text`), each with an optional `description`. All three sources may be given at once.
    """
    recover(project)
    changes = [*_of_patches(project, patches)]
    sourced = Sourced([], "", [])
    if diff is not None:
        changes += patched(project.folder, parse(diff))
    if wanted is not None:
        sourced = from_run(project, wanted)
        changes += sourced.changes
    agreeing = agreed(project.folder, changes)
    if not agreeing:
        raise Trouble("the proposal changes nothing: the files are like that already", "nothing_to_change")
    drifted = [c.file for c in agreeing if c.drifted]
    notes = [*sourced.notes]
    if drifted:
        notes.append(
            f"originalContent is not what these hold: {', '.join(drifted)}; apply refuses that, or rebases it if asked"
        )
    return transactions(project).add(agreeing, title=sourced.title, notes=notes, source=sourced.run_id)


def _of_patches(project: Project, patches: Sequence[Mapping[str, Any]]) -> list[Change]:
    changes: list[Change] = []
    edits: dict[str, list[Edit]] = {}
    said: dict[str, str] = {}
    for number, patch in enumerate(patches):
        whole, ranged = [name for name in _WHOLE if name in patch], [name for name in _RANGE if name in patch]
        if len(whole) == len(_WHOLE) and not ranged:
            told = patch.get("description", "")
            changes.append(
                replacing(project.folder, patch["file"], patch["originalContent"], patch["patchedContent"], told)
            )
        elif len(ranged) == len(_RANGE) and not whole:
            edit = Edit(
                patch["file"], patch["line"], patch["column"], patch["endLine"], patch["endColumn"], patch["text"]
            )
            edits.setdefault(edit.file, []).append(edit)
            said.setdefault(edit.file, patch.get("description", ""))
        else:
            raise Trouble(_incomplete(number, patch, ranged=bool(ranged and not whole)), "invalid_arguments")
    return changes + edited(project.folder, edits, said)


def _incomplete(number: int, patch: Mapping[str, Any], *, ranged: bool) -> str:
    names = _RANGE if ranged else _WHOLE
    missing = ", ".join(name for name in names if name not in patch)
    if not missing:
        return f"patches.{number}: give whole contents or a range, not both"
    return f"patches.{number}.{missing}: required ({' and '.join(_WHOLE)}, or {', '.join(_RANGE)})"


def apply(
    project: Project,
    name: str,
    *,
    confirm: bool | None = None,
    baseline: str | None = None,
    rebase: bool = False,
    on_regression: OnRegression | None = None,
    checker: Checker | None = None,
) -> Applied:
    """Write a previewed transaction, all of its files or none, and check them.

    In this order: confirmation, baseline, paths, content (`file_drift_detected`; with `rebase` a change that fits the
    file as it is now, in one place only, is made there), then the writing. With `on_regression` a comparison is made
    even without a baseline, the files being checked before; `revert` takes the change back when new errors came.
    """
    permitted(project, confirm)
    before = _baseline(project, baseline)
    kept = transactions(project)
    one = kept.get(name)
    if one.state != "previewed":
        raise Trouble(f"{name} is {one.state} already; preview a new one", "transaction_unknown")
    if before is None and on_regression is not None and checker is not None:
        before = _checked(checker, [f.file for f in one.files if f.before is not None], _WAIT_TO_REVERT_S)[0]
    with alone(kept.folder / "lock"):
        journal.recover(project.folder, kept)
        one = kept.get(name)
        changes = _as_they_are(project, kept.changes(one), rebase)
        if changes != kept.changes(one):
            one = kept.revise(one, changes)
        try:
            done = journal.carry_out(project.folder, kept, one, changes, "applied")
        except journal.Aborted as aborted:
            if not aborted.restored.failed:
                kept.drop(name)
            raise
    return _verified(project, done, before, on_regression, checker)


def permitted(project: Project, confirm: bool | None) -> None:
    """Refuse writing where the configuration or the caller does."""
    writes = project.config.writes
    if writes == "off":
        raise Trouble("this project lets nothing be written (writes = off in its configuration)", "writes_off")
    if confirm is False:
        raise Trouble(
            "not confirmed; nothing was written. Show the preview and ask, then confirm: true", "not_confirmed"
        )
    if confirm is None and writes == "ask":
        raise Trouble("confirm: required (true once the user agreed to the preview)", "invalid_arguments")


def _baseline(project: Project, name: str | None) -> Run | None:
    """Return the run to compare with, which has to be kept."""
    if name is None:
        return None
    try:
        run = project.store.get(name)
    except Trouble as trouble:
        raise Trouble(f"{trouble}; nothing was written", "baseline_check_unknown") from trouble
    if run.pruned:
        raise Trouble(f"{name} is no longer kept; check again, nothing was written", "baseline_snapshot_expired")
    if run.state == "running":
        raise Trouble(f"{name} is still running; nothing was written", "baseline_check_unknown")
    return run


def _as_they_are(project: Project, changes: Sequence[Change], rebase: bool) -> list[Change]:
    """Hold every path and content against the disk once more; with `rebase` fit what drifted."""
    root = project.folder
    found = []
    for change in changes:
        if place_of(change.file, root) != change.file:
            raise Trouble(f"{change.file} became a link; nothing was written", "path_outside_project")
        now = read(root, change.file)
        if rebase and digest(now) != digest(change.before):
            change = rebased(change, now)
        found.append(change)
    agreed(root, found)
    return found


def _checked(checker: Checker, files: Sequence[str], seconds: float) -> tuple[Run | None, str]:
    """Check files; return the check, or why there is none."""
    if not files:
        return None, "no file to check"
    try:
        run = checker.finish(checker.start(files).id, seconds)
    except Trouble as trouble:
        return None, str(trouble)
    return run, f"{run.id} is still running" if run.state == "running" else ""


def _verified(
    project: Project, one: Transaction, before: Run | None, on_regression: OnRegression | None, checker: Checker | None
) -> Applied:
    files = tuple(f.file for f in one.files)
    if checker is None:
        return Applied(status="success", transaction=one, files=files)
    seconds = _WAIT_TO_REVERT_S if on_regression == "revert" else _WAIT_S
    run, why = _checked(checker, files, seconds)
    delta = None
    if run is not None and not why and before is not None:
        try:
            delta = checker.compare(before, run)
        except Trouble as trouble:
            why = str(trouble)
    if delta is not None and not delta.before.complete:
        why = why or f"{delta.before.run_id} did not come to its end, so what is new is not known"
    told = Applied(
        status="success", transaction=one, files=files, check=run, baseline=before.id if before else None, delta=delta,
        unverified=why,
    )  # fmt: skip
    reason = _regression(one, delta) if delta is not None and not why else ""
    if on_regression != "revert" or not reason:
        return told
    back = take_back(project, one.id)
    return replace(
        told, status="rolled_back", transaction=back.transaction, files=(), code="regression_reverted",
        message=f"{reason}, so the change was taken back",
    )  # fmt: skip


def _regression(one: Transaction, delta: "Delta") -> str:
    """Say what a change made worse, "" where it did not: new errors, or a check that does not come to its end now."""
    worse = broken(one, delta)
    if worse:
        return f"{len(worse)} new error{'s' * (len(worse) != 1)}"
    return "" if delta.after.complete else f"{delta.after.run_id} does not come to its end any more"


def broken(one: Transaction, delta: "Delta") -> list[Diagnostic]:
    """Return the new errors of a comparison; a file that the transaction made was not there to be looked at before."""
    made = {f.file for f in one.files if f.before is None}
    return [d for d in delta.added if d.severity == "error"] + [
        d for d in delta.first_seen if d.severity == "error" and d.file in made
    ]


def take_back(project: Project, name: str | None = None, *, rebase: bool = False) -> Applied:
    """Undo an applied transaction (the newest one without a name): every file is as it was before.

    Refused (`file_drift_detected`) where a file is neither as it was left nor as it was before; with `rebase` what
    others changed since stays, where the change can be taken out in one place only.
    """
    if project.config.writes == "off":
        raise Trouble("this project lets nothing be written (writes = off in its configuration)", "writes_off")
    kept = transactions(project)
    if name is None:
        newest = kept.newest(1, "applied")
        if not newest:
            raise Trouble("nothing to undo: no transaction is applied", "transaction_unknown")
        name = newest[0].id
    kept.get(name)
    with alone(kept.folder / "lock"):
        journal.recover(project.folder, kept)
        one = kept.get(name)
        if one.state != "applied":
            raise Trouble(f"{name} is {one.state}, not applied; there is nothing to take back", "transaction_unknown")
        turned = [
            change.turned
            for change in kept.changes(one)
            if digest(read(project.folder, change.file)) != digest(change.before)
        ]
        done = journal.carry_out(project.folder, kept, one, _as_they_are(project, turned, rebase), "undone")
        journal.remove_folders(project.folder, one.made_folders)
    return Applied(status="success", transaction=done, files=tuple(change.file for change in turned))


def discard(project: Project, name: str) -> bool:
    """Forget a preview; False where there is none of that id. What is applied stays, and can still be undone."""
    kept = transactions(project)
    if kept.find(name) is None:
        return False
    with alone(kept.folder / "lock"):
        one = kept.find(name)
        return one is not None and one.state == "previewed" and kept.drop(name)


def recover(project: Project) -> str:
    """Put back what a killed process had half written, and return what was done ("" where there was nothing).

    A journal of a process that is alive is left alone.
    """
    kept = transactions(project)
    if not any((kept.folder / name).exists() for name in ("journal", "journal.new")):
        return ""
    try:
        with alone(kept.folder / "lock", wait_s=0):
            restored = journal.recover(project.folder, kept)
    except Trouble as trouble:
        return "" if trouble.code == "busy" else str(trouble)
    except OSError as error:
        return f"a change of files was cut off and cannot be put back now: {error}"
    if restored is None:
        return ""
    said = f"a change of files was cut off; put back: {', '.join(restored.files) or 'nothing had been written'}"
    return said + (f"; changed by somebody else since, left: {', '.join(restored.foreign)}" if restored.foreign else "")
