"""The checks behind a hook: the edited files, or the whole project at the end of a turn."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from punchlist.agents.hooks.event import Event
from punchlist.agents.hooks.troubles import record
from punchlist.model import Report, Trouble
from punchlist.records import dataclass
from punchlist.service.project import Project, open_project
from punchlist.service.session import Session
from punchlist.store.runs import Run
from punchlist.views.budget import Budget

EDIT_BUDGET, STOP_BUDGET = Budget(500), Budget(1200)
EDIT_S, STOP_S = 20.0, 105.0
STOPS = "hook-stops.json"
# Nothing a linter or a compiler looks at, so no check is started for them.
SKIPPED = frozenset(
    {".md", ".mdx", ".rst", ".txt", ".lock", ".log", ".csv", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".pdf"}
)
SKIPPED_NAMES = frozenset({"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "npm-shrinkwrap.json", "go.sum"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the end of a turn is told: "approve", "block" with what is wrong, or "error" with why nothing is known."""

    action: Literal["approve", "block", "error"]
    text: str = ""


def after_edit(event: Event, environ: Mapping[str, str]) -> str | None:
    """Check the edited files; return what is wrong in them, None where nothing is (or they are no code)."""
    with _session(event, environ) as session:
        files = _inside(session.project, event)
        if not files:
            return None
        from punchlist.service.checking.answers import check_text
        from punchlist.service.checking.asked import of_files
        from punchlist.service.checking.compare import asked_only

        run = _waited(session, session.check(of_files(session.project, files)), EDIT_S)
        if run.state == "running":
            record(session.project, event, f"the check of {', '.join(files)} took longer than {EDIT_S:g} s")
            return None
        report = session.report(run.id)
        if not asked_only(report, run)[0].diagnostics:
            _note_failures(session.project, event, run, report)
            return None
        return check_text(session.project, run, budget=EDIT_BUDGET, report=report)


def at_stop(event: Event, environ: Mapping[str, str], priority: int) -> Verdict:
    """Check the project; every issue counts, shown or not, and a check that looked at nothing approves nothing."""
    with _session(event, environ) as session:
        from punchlist.service.checking.answers import check_text
        from punchlist.service.checking.asked import of_project
        from punchlist.service.checking.compare import asked_only
        from punchlist.service.checking.values import priorities

        run = _waited(session, session.check(of_project(session.project)), STOP_S)
        if run.state == "running":
            return Verdict("error", f"Punchlist's check was not done after {STOP_S:g} s; it tells nothing.")
        report = session.report(run.id)
        counted = asked_only(report, run)[0]
        text = check_text(session.project, run, budget=STOP_BUDGET, report=report)
        if any(found <= priority for found in priorities(counted)):
            digest = _digest(counted)
            seen = _last_block(session.project, event.session)
            if seen == digest and event.again is not False:
                return Verdict("error", f"Punchlist: the same issues are left.\n{text}")
            _keep_block(session.project, event.session, digest)
            return Verdict("block", text)
        if run.facts.get("code") or report.outcome in ("error", "unknown"):
            _note_failures(session.project, event, run, report)
            why = run.facts.get("message") or text
            return Verdict("error", f"Punchlist approves nothing: {why}")
        return Verdict("approve", text)


@contextmanager
def _session(event: Event, environ: Mapping[str, str]) -> Iterator[Session]:
    session = Session(open_project(start=Path(event.cwd) if event.cwd else None, environ=environ))
    try:
        yield session
    finally:
        session.lives.end_all()


def _inside(project: Project, event: Event) -> list[str]:
    """Return the edited files that exist inside of the root and may be code, root-relative."""
    base = Path(event.cwd) if event.cwd else project.folder
    found = []
    for file in event.files:
        path = Path(os.path.realpath(base / file)) if "\0" not in file else project.folder
        if path.suffix.lower() in SKIPPED or path.name in SKIPPED_NAMES or not path.is_file():
            continue
        if path.is_relative_to(project.folder):
            found.append(path.relative_to(project.folder).as_posix())
    return found


def _waited(session: Session, run: Run, seconds: float) -> Run:
    done = session.wait(run.id, seconds)
    if done.state == "running":
        session.lives.end_all()
    return done


def _note_failures(project: Project, event: Event, run: Run, report: Report) -> None:
    """Keep for `doctor` why engines did not do their work."""
    for name, told in run.facts.get("engines", {}).items():
        if told.get("state") == "error":
            record(project, event, f"{name}: {told.get('message', 'failed')} ({run.id})")
    if report.outcome == "error" and not run.facts.get("engines"):
        record(project, event, f"{run.facts.get('message') or 'nothing could be checked'} ({run.id})")


def _digest(report: Report) -> str:
    lines = sorted(f"{d.tool}\0{d.file}\0{d.rule}\0{d.message}" for d in report.diagnostics)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]


def _last_block(project: Project, session: str) -> str:
    return str(_blocks(project).get(session, ""))


def _blocks(project: Project) -> dict[str, str]:
    try:
        found = json.loads((project.store.folder / STOPS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep_block(project: Project, session: str, digest: str) -> None:
    from punchlist.agents.hooks.troubles import replace_private

    kept = {key: value for key, value in list(_blocks(project).items())[-20:] if key != session}
    try:
        replace_private(project.store.folder / STOPS, json.dumps({**kept, session: digest}).encode())
    except OSError as error:
        raise Trouble(f"the state folder cannot be written: {error.strerror}", "unwritable") from None
