"""Reports for other programs: a run as SARIF, JUnit or GitHub annotations."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from punchlist.model import Diagnostic, Report
from punchlist.records import replace
from punchlist.service.project import Project
from punchlist.store.runs import Run

# The name under which we speak of a check as a whole.
OURS = "punchlist"
FORMATS = ("sarif", "junit", "github")


def exported(project: Project, run: Run, report: Report, form: str) -> str:
    """Write a finished run in one of FORMATS, ending in a newline.

    Paths for SARIF and annotations are relative to the repository, as their readers take them, not to the project.
    """
    engines: Mapping[str, Mapping[str, Any]] = run.facts.get("engines") or {}
    failed = {name: _trouble(name, told) for name, told in engines.items() if told["state"] == "error"}
    if run.facts.get("message") and not failed:
        failed[OURS] = str(run.facts["message"])
    if form == "junit":
        from punchlist.views.junit import junit

        title = run.title or "punchlist"
        return junit(report, name=title, duration_s=run.duration_s, troubles=list(failed.values()))
    report = from_repository(report, beneath(project.folder, project.environ))
    if form == "github":
        from punchlist.views.github import annotations
        from punchlist.views.verdict import Facts

        facts = Facts(title=run.title, run_id=run.id, duration_s=run.duration_s)
        return annotations(report, facts=facts, troubles=list(failed.values()))
    from punchlist import __version__
    from punchlist.views.sarif import Made, Ran, sarif

    tools = [
        Ran(name=name, version=str(told.get("version") or ""), trouble=failed.get(name, ""))
        for name, told in engines.items()
        if told["state"] in ("ok", "error")
    ]
    if OURS in failed:
        tools.append(Ran(name=OURS, trouble=failed[OURS]))
    made = Made(version=__version__, tools=tools, started=run.started, ended=run.ended)
    return json.dumps(sarif(report, made), ensure_ascii=False, indent=1) + "\n"


def _trouble(name: str, told: Mapping[str, Any]) -> str:
    said = str(told.get("message") or "failed")
    return said if said.startswith(name) else f"{name}: {said}"


def beneath(folder: Path, environ: Mapping[str, str]) -> str:
    """Return where a project lies in its repository ("" its root): in GitHub's workspace, else below a `.git`."""
    root = Path(os.path.realpath(folder))
    workspace = environ.get("GITHUB_WORKSPACE")
    places = [Path(os.path.realpath(workspace))] if workspace else []
    places += [place for place in (root, *root.parents) if (place / ".git").exists()]
    inside = next((root.relative_to(place) for place in places if root.is_relative_to(place)), Path())
    return "" if inside == Path() else inside.as_posix()


def from_repository(report: Report, prefix: str) -> Report:
    """Return a report whose relative paths begin at the repository's root."""
    if not prefix:
        return report

    def moved(file: str) -> str:
        absolute = file.startswith(("/", "\\")) or file[1:3] in (":\\", ":/")
        return file if absolute else os.path.normpath(f"{prefix}/{file}").replace("\\", "/")

    def placed(d: Diagnostic) -> Diagnostic:
        edits = d.fix and tuple(replace(edit, file=moved(edit.file)) for edit in d.fix.edits)
        return replace(
            d,
            file=d.file and moved(d.file),
            related=tuple(replace(r, file=r.file and moved(r.file)) for r in d.related),
            fix=d.fix and replace(d.fix, edits=edits),
        )

    return replace(report, diagnostics=tuple(map(placed, report.diagnostics)))
