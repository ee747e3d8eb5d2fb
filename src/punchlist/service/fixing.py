"""Fixes from proposal to undo: what may be written, when it is refused, what a check says of it afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

from punchlist.editing import journal
from punchlist.editing.alone import alone
from punchlist.editing.changes import Change, agreed, digest, edited, patched, rebased, replacing
from punchlist.editing.places import place_of, read
from punchlist.editing.transactions import Transaction, Transactions
from punchlist.editing.unified import parse
from punchlist.model import Edit, Trouble
from punchlist.records import replace
from punchlist.service.fix_sources import Sourced, Wanted, from_run, ignored
from punchlist.service.fix_verify import Applied, Checker, OnRegression, check_of, regression, verified
from punchlist.service.fix_watch import Watch
from punchlist.service.project import Project
from punchlist.store.runs import Run

_RANGE = ("line", "column", "endLine", "endColumn", "text")
_WHOLE = ("originalContent", "patchedContent")


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
    recovered = recover(project)
    changes = [*_of_patches(project, patches)]
    sourced = Sourced([], "", [])
    if diff is not None:
        changes += patched(project.folder, parse(diff))
    if wanted is not None:
        sourced = from_run(project, wanted)
        changes += sourced.changes
    agreeing = agreed(project.folder, changes)
    _refuse_ignored(project, agreeing)
    if not agreeing:
        raise Trouble("the proposal changes nothing: the files are like that already", "nothing_to_change")
    drifted = [c.file for c in agreeing if c.drifted]
    notes = [*([recovered] if recovered else []), *sourced.notes]
    if drifted:
        notes.append(
            f"originalContent is not what these hold: {', '.join(drifted)}; apply refuses that, or rebases it if asked"
        )
    return transactions(project).add(agreeing, title=sourced.title, notes=notes, source=sourced.run_id)


def _refuse_ignored(project: Project, changes: Sequence[Change]) -> None:
    """What git ignores is made by a tool, belongs to a dependency or holds a secret, and no commit brings it back."""
    found = ignored(project, (change.file for change in changes))
    if found:
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise Trouble(f"{', '.join(found[:5])}{more}: ignored by git, so not edited", "invalid_path")


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
    watch: Watch | None = None,
) -> Applied:
    """Write a previewed transaction, all of its files or none, and check them.

    In this order: confirmation, baseline, paths, content (`file_drift_detected`; with `rebase` a change that fits the
    file as it is now, in one place only, is made there), then the writing. With `on_regression` a comparison is made
    even without a baseline, the files being checked before; `revert` takes the change back when new errors came.
    `watch` can call it off until the writing begins.
    """
    watch = watch or Watch()
    permitted(project, confirm)
    before = _baseline(project, baseline)
    kept = transactions(project)
    one = kept.get(name)
    if one.state != "previewed":
        said = f" ({'; '.join(one.notes[-1:])})" if one.notes else ""
        raise Trouble(f"{name} is {one.state} already{said}; preview a new one", "transaction_unknown")
    if before is None and on_regression is not None and checker is not None:
        before = check_of(checker, [f.file for f in one.files if f.before is not None], watch)[0]
    with alone(kept.folder / "lock"):
        journal.recover(project.folder, kept)
        one = kept.get(name)
        changes = _as_they_are(project, kept.changes(one), rebase)
        if changes != kept.changes(one):
            one = kept.revise(one, changes)
        watch.commit()
        try:
            done = journal.carry_out(project.folder, kept, one, changes, "applied")
        except journal.Aborted as aborted:
            if not aborted.restored.failed:
                kept.drop(name)
            raise
    if checker is None:
        return Applied(status="success", transaction=done, files=tuple(f.file for f in done.files))
    found = verified(project, done, before, checker, watch)
    reason = regression(found) if on_regression == "revert" else ""
    return _reverted(project, found, reason) if reason else found


def _reverted(project: Project, found: Applied, reason: str) -> Applied:
    """Take a change back that made something worse; where it cannot be, it stays, and that is said."""
    try:
        back = take_back(project, found.transaction.id)
    except Trouble as trouble:
        return replace(found, code="not_reverted", message=f"{reason}, but it could not be taken back: {trouble}")
    return replace(
        found, transaction=back.transaction, status="rolled_back", files=(), code="regression_reverted",
        message=f"{reason}, so the change was taken back",
    )  # fmt: skip


def permitted(project: Project, confirm: bool | None) -> None:
    """Refuse writing where the configuration or the caller does."""
    writes = project.config.writes
    if writes == "off":
        raise Trouble("this project lets nothing be written (writes = off in its configuration)", "writes_off")
    if confirm is False:
        raise Trouble(
            "not agreed to; nothing was written. Show the user the preview, and apply it only when they want it",
            "not_confirmed",
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


def take_back(
    project: Project, name: str | None = None, *, rebase: bool = False, watch: Watch | None = None
) -> Applied:
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
        changes = _as_they_are(project, turned, rebase)
        (watch or Watch()).commit()
        try:
            done = journal.carry_out(project.folder, kept, one, changes, "undone", one.made_folders)
        except Trouble as trouble:
            if trouble.code != "file_drift_detected":
                raise
            raise Trouble(_drifted(project, turned), trouble.code) from trouble
    return Applied(status="success", transaction=done, files=tuple(change.file for change in turned))


def _drifted(project: Project, turned: Sequence[Change]) -> str:
    files = [c.file for c in turned if digest(read(project.folder, c.file)) != digest(c.before)]
    return (
        f"{', '.join(files)} changed since it was applied; nothing was taken back. "
        "With rebase (undo --rebase) the later change stays, where that can be told apart"
    )


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
