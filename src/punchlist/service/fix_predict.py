"""What the engines would say of a previewed change: they check a copy of the project, as it is and then as changed.

The copy lies outside of the project. What is installed (node_modules, virtual environments) is linked into it, package
by package, so that the project's own packages lead into the copy.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from punchlist.editing.changes import Change, digest
from punchlist.editing.places import read
from punchlist.editing.transactions import Transaction
from punchlist.model import Trouble
from punchlist.records import replace
from punchlist.service.fix_verify import check_of, checker_of
from punchlist.service.fix_watch import Watch
from punchlist.service.project import Project
from punchlist.service.session import Session
from punchlist.store.runs import Run, Store

_MOST_FILES = 20_000
_MOST_BYTES = 256 << 20
_NAMED = 12
_WIDEST = 400


def predicted(project: Project, one: Transaction, changes: Sequence[Change], watch: Watch) -> list[str]:
    """Return the lines on what would change: counts, then what is new, as exact as a check after the writing.

    Troubles: `file_drift_detected` where a file is not as the preview has it, `too_large` for a project that is too
    large to be copied, `cancelled`; what kept a check from its end is told in the line.
    """
    for change in changes:
        if digest(read(project.folder, change.file)) != digest(change.before):
            raise Trouble(f"{change.file} changed since the preview; preview again", "file_drift_detected")
    with _copy(project, watch) as there:
        session = Session(there)
        try:
            return _compared(session, one, changes, watch)
        finally:
            session.lives.end_all()
            there.store.close()


def _compared(session: Session, one: Transaction, changes: Sequence[Change], watch: Watch) -> list[str]:
    checker, folder = checker_of(session), session.project.folder
    paths = dict.fromkeys(c.file if c.after is not None else _above(c.file) for c in changes)
    watch.stage = "predicting: checking a copy as it is"
    before, why = check_of(checker, [path for path in paths if os.path.lexists(folder / path)], watch)
    for change in changes:
        _put(folder, change)
    watch.stage = "predicting: checking a copy as changed"
    after, why_after = check_of(checker, list(paths), watch)
    if watch.called_off:
        raise Trouble("called off; nothing was predicted", "cancelled")
    if after is None or why_after or (why and before is not None):
        return [f"not predicted: {why_after or why}"]
    return _told(session, one, before, after)


def _told(session: Session, one: Transaction, before: Run | None, after: Run) -> list[str]:
    """Say what is new, fixed and left; of files that are all made anew there is only what is found in them."""
    from punchlist.service.checking.answers import engine_lines

    report = session.report(after.id)
    if report.outcome == "error":
        return [f"not predicted: {line}" for line in engine_lines(after)[:3]]
    made = {c.file for c in one.files if c.before is None}
    if before is None:
        # an engine of whole programs finds in other files what stood there before
        new = [d for d in report.diagnostics if d.file is None or d.file in made]
        counts = f"{len(new)} in files that are made"
    else:
        delta = checker_of(session).compare(before, after)
        if not delta.before.complete:
            return ["not predicted: the check of the files as they are does not come to its end"]
        new = [*delta.added, *(d for d in delta.first_seen if d.file in made)]
        counts = delta.line().partition(": ")[2]
    lines = [f"predicted: {counts}"]
    new.sort(key=lambda d: d.severity != "error")
    lines += [f"new: {d.file or ''}:{d.line or ''} {d.rule or ''} {d.message}"[:_WIDEST] for d in new[:_NAMED]]
    return lines + ([f"+ {len(new) - _NAMED} more that are new"] if len(new) > _NAMED else [])


def _above(file: str) -> str:
    return PurePosixPath(file).parent.as_posix()


def _put(folder: Path, change: Change) -> None:
    path = folder / change.file
    if not os.path.realpath(path.parent).startswith(f"{folder}{os.sep}") and path.parent != folder:
        raise Trouble(f"{change.file} is part of what is installed, which is no copy", "invalid_path")
    path.unlink(missing_ok=True)
    if change.after is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(change.after)


@contextmanager
def _copy(project: Project, watch: Watch) -> Iterator[Project]:
    """Copy the project's own files to a folder of their own, and yield the project that lies there; gone afterwards."""
    watch.stage = "predicting: copying the project"
    home = Path(os.path.realpath(tempfile.mkdtemp(prefix="punchlist-")))
    try:
        root, state = home / "project", home / "state"
        state.mkdir(mode=0o700)
        (root / ".git").mkdir(parents=True)  # without one, tools do not read .gitignore
        _copy_files(project.folder, root, watch)
        _link_installed(project.folder, root)
        env = {name: value for name, value in project.environ.items() if not name.startswith("GIT_")}
        env["CARGO_TARGET_DIR"] = str(home / "target")
        yield replace(project, root=replace(project.root, path=root), environ=env, _store=Store(state))
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _copy_files(here: Path, there: Path, watch: Watch) -> None:
    from punchlist.engines.scope import listing

    names = listing(here, "", [])
    left = _MOST_BYTES
    if len(names) > _MOST_FILES:
        raise Trouble(f"the project has {len(names)} files, too many to be copied for a prediction", "too_large")
    for name in names:
        source, target = here / name, there / name
        if watch.called_off:
            raise Trouble("called off; nothing was predicted", "cancelled")
        if source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source.readlink())
        elif source.is_file():
            left -= source.stat().st_size
            if left < 0:
                raise Trouble(
                    f"the project is over {_MOST_BYTES >> 20} MiB, too large to be copied for a prediction", "too_large"
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _link_installed(here: Path, there: Path) -> None:
    """Link what is installed in folders that have a manifest."""
    from punchlist.service.base.tree import LINKED, VENVS, link_modules

    marks = ("package.json", "pyproject.toml", "setup.py", "composer.json", "Gemfile")
    for folder in {there, *(path.parent for mark in marks for path in there.rglob(mark))}:
        own = here / folder.relative_to(there)
        if (own / "node_modules").is_dir():
            link_modules(own / "node_modules", folder / "node_modules", here, there)
        for name in (*VENVS, *LINKED):
            if (own / name).exists() and not (folder / name).exists():
                (folder / name).symlink_to(own / name)
