"""Make the same check on the base commit, once for each commit and configuration; its report is kept as a run."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from punchlist import __version__
from punchlist.model import Report, Trouble
from punchlist.project.records import Step
from punchlist.records import replace
from punchlist.service import execute
from punchlist.service.base.tree import Tree, Unknown, alone, prepare
from punchlist.service.checking.selection import commit_of
from punchlist.service.live import Live, Lives
from punchlist.service.making import run_plan
from punchlist.service.plan import Plan
from punchlist.service.project import Project
from punchlist.store.runs import Run

if TYPE_CHECKING:
    from punchlist.service.checking.asked import Asked

_INSTALLS = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|add|update|link)\b|\bpip3?\s+install\b|\buv\s+(?:sync|add|pip)\b"
    r"|\b(?:poetry|pdm|bundle|composer|cargo|go)\s+(?:install|add|update|get)\b|\bsetup\.py\s+develop\b"
)


def start(project: Project, lives: Lives, revision: str, plan: Plan, asked: "Asked | None" = None) -> Run:
    """Start the same check on a commit, or return the run that has its report already.

    A revision that git does not know is a Trouble; whatever else stands in the way is told by the run's fact `unknown`.
    """
    commit = commit_of(project.folder, revision)
    key = f"base:{_digest(project, commit, plan)}"
    for run in project.store.newest(key=key, limit=1):
        if run.state == "done" and "unknown" not in run.facts and run.outcome in ("passed", "failed"):
            return run
    own = replace(
        plan, name=f"base-{plan.name}", kind="base", key=key, title=f"{plan.title} at {commit[:10]}", stdin=False
    )
    facts = {"commit": commit, "revision": revision, "of": plan.key}
    if asked is None:

        def make(project: Project, live: Live, own: Plan) -> Run:
            def work(tree: Tree, env: dict[str, str]) -> Run:
                _let_finish(lives, plan.key, live)
                return _command(project, live, own, tree, env)

            return _known(project, live, facts, work)

        return execute.start(project, lives, own, make=make)
    from punchlist.service.checking.making import EngineHandle, make_check

    handle = EngineHandle()

    def check(project: Project, live: Live, _own: Plan) -> Run:
        def work(tree: Tree, env: dict[str, str]) -> Run:
            there = _moved_project(project, tree, env)
            return make_check(there, live, asked, handle.stop, learns=False, state=tree.home / "engines")

        return _known(project, live, facts, work)

    return execute.start(project, lives, own, make=check, handle=handle)


def _let_finish(lives: Lives, key: str, live: Live) -> None:
    """Wait for the run itself: two of a kind at once might want the same port, or the same database."""
    while not live.handle.cancelled and (other := lives.with_key(key)) is not None:
        live.said = f"waits for {other.run.id}"
        other.done.wait(0.2)


def _digest(project: Project, commit: str, plan: Plan) -> str:
    """Name everything that the base's report depends on: commit, command or scope, settings, version."""
    config = project.config
    engines = {name: repr(setting) for name, setting in sorted(config.engines.items())}
    said = [
        commit, plan.key, plan.command, str(plan.cwd), sorted(plan.env.items()), plan.parser, plan.argv, __version__,
        [[step.name, step.command, step.cwd, sorted(step.env.items())] for step in plan.steps],
        *([engines, config.ignore, config.monorepo_mode] if plan.kind == "engines" else []),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(said, default=str).encode("utf-8", "replace")).hexdigest()[:20]


def _known(project: Project, live: Live, facts: dict[str, Any], work: Any) -> Run:
    """Set the worktree up, probe it, do the work; what stands in the way is the verdict."""
    from punchlist.service.base.probe import environment

    live.said = "the base commit is being set up"
    project.store.add_facts(live.run.id, facts)
    try:
        with alone(project, facts["commit"], lambda: live.handle.cancelled):
            tree = prepare(project, facts["commit"])
            env = environment(project, tree)
            done: Run = work(tree, env)
    except Unknown as reason:
        report = Report(outcome="error", notes=(f"base unknown: {reason}",))
        return project.store.finish(live.run.id, report, size=0, facts={**facts, "unknown": str(reason)})
    except Trouble as trouble:
        report = Report(outcome="error", notes=(f"base unknown: {trouble}",))
        return project.store.finish(live.run.id, report, size=0, facts={**facts, "unknown": str(trouble)})
    facts["tree"] = str(tree.root)
    if done.outcome not in ("passed", "failed"):
        facts["unknown"] = f"the check did not come to its end there ({done.how.ending}; see {done.id})"
    return project.store.add_facts(done.id, facts)


def _moved_project(project: Project, tree: Tree, env: dict[str, str]) -> Project:
    """Return the project as it stands in the worktree: other root, same settings, same store."""
    return replace(project, root=replace(project.root, path=tree.root), environ=env, _store=project.store)


def _command(project: Project, live: Live, plan: Plan, tree: Tree, env: dict[str, str]) -> Run:
    if _INSTALLS.search(plan.command):
        raise Unknown("its command installs something, which would change what both trees share")
    real = Path(os.path.realpath(plan.cwd))
    of = Path(os.path.realpath(tree.of))
    if not real.is_relative_to(of):
        raise Unknown(f"it runs in {plan.cwd}, outside of the repository")
    cwd = tree.top / real.relative_to(of)
    if not cwd.is_dir():
        raise Unknown(f"that commit has no folder {real.relative_to(of).as_posix()}")
    there = _moved_project(project, tree, env)

    def moved(text: str) -> str:
        return re.sub(rf"{re.escape(str(tree.of))}(?=[/\s'\"]|$)", str(tree.top).replace("\\", r"\\"), text)

    def step(one: Step) -> Step:
        return replace(one, command=moved(one.command), env={k: moved(v) for k, v in one.env.items()})

    own = replace(
        plan,
        cwd=cwd,
        steps=tuple(step(one) for one in plan.steps),
        argv=tuple(map(moved, plan.argv)) if plan.argv is not None else None,
        env={name: moved(value) for name, value in plan.env.items()},
        on_failure=None,
    )
    return run_plan(there, live, own)
