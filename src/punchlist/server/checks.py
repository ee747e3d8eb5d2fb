"""The tools that diagnose a project with its engines: check, look closer, compare, see what comes back."""

from collections.abc import Sequence
from typing import Any

from punchlist.model import Trouble
from punchlist.records import replace
from punchlist.server.runs import BASE, GO_ON, POSITIVE, STRING, page_of, room, with_base
from punchlist.server.tool import Answer, Arguments, Tool
from punchlist.service.answers import still_running
from punchlist.service.base import answers as based
from punchlist.service.checking import answers, recurring, values
from punchlist.service.checking.asked import Asked, of_files, of_project
from punchlist.service.checking.compare import asked_only, covering, difference
from punchlist.service.checking.selection import commit_of
from punchlist.service.session import Session
from punchlist.store.runs import Run
from punchlist.views import schema14
from punchlist.views.brief import brief
from punchlist.views.budget import Budget
from punchlist.views.change import change
from punchlist.views.verdict import Facts

PATHS: dict[str, Any] = {"type": "array", "items": STRING}
FLAG: dict[str, Any] = {"type": "boolean"}


def _budget(session: Session, arguments: Arguments) -> Budget:
    return room(arguments, Budget(session.project.settings()[0].budget.check))


def _begin_project(session: Session, arguments: Arguments) -> list[Run]:
    asked = of_project(session.project, arguments.get("paths"), fresh=arguments.get("fresh", False))
    return _begin(session, asked, arguments)


def _begin(session: Session, asked: Asked, arguments: Arguments) -> list[Run]:
    if "base" not in arguments:
        return [session.check(asked)]
    commit_of(session.project.folder, arguments["base"])
    return [session.check(asked), session.base(arguments["base"], asked.plan(session.project), asked)]


def _begin_files(session: Session, arguments: Arguments) -> list[Run]:
    asked = of_files(
        session.project,
        arguments["files"],
        fresh=arguments.get("fresh", False),
        dependents_too=arguments.get("dependents", False),
    )
    return _begin(session, asked, arguments)


def _going_on(session: Session, run: Run) -> Answer:
    text = still_running(session.lives, run, GO_ON.format(run.id))
    return Answer(text, values.response(session.project, run))


def _check(session: Session, arguments: Arguments, runs: Sequence[Run]) -> Answer:
    run = runs[0]
    if run.state == "running":
        return _going_on(session, run)
    budget = _budget(session, arguments)
    text = answers.check_text(session.project, run, budget=budget, calls=answers.MCP_CALLS)
    answer = Answer(text, values.response(session.project, run))
    return _noted(session, run, answer if len(runs) == 1 else with_base(session, budget, runs, answer))


def _noted(session: Session, run: Run, answer: Answer) -> Answer:
    from punchlist.store.history import answered

    brief_text = session.project.settings()[0].payload == "brief"
    answered(session.project.store, run.id, len(answer.text.encode()) if brief_text else values.size(answer.value))
    return answer


def _after_edit(session: Session, arguments: Arguments, runs: Sequence[Run]) -> Answer:
    run = runs[0]
    if run.state == "running":
        return _going_on(session, run)
    project = session.project
    given = arguments.get("baselineCheckId")
    before, note = covering(project, run), ""
    stale = False
    if given is not None:
        asked = _kept(session, given)
        stale = asked is None
        note = (
            f"{given} is no longer kept" + (f"; compared with {before.id} instead" if before else "") if stale else ""
        )
        before = asked or before
    text = answers.edit_text(project, run, before, note, budget=_budget(session, arguments), calls=answers.MCP_CALLS)
    value = values.response(project, run)
    if stale:
        value["delta"] = dict(schema14.STALE) | ({"nextStep": f"{before.id} covers these files."} if before else {})
    elif before is not None:
        value["delta"] = values.comparison(difference(project, before, run)) | {"baselineCheckId": before.id}
    if len(runs) > 1:
        value["base"] = based.value_of(project, run, runs[1])
        text += f"\n{based.base_line(runs[1], based.since_base(project, runs[1], run))}"
    return _noted(session, run, Answer(text, value))


def _kept(session: Session, check_id: str) -> Run | None:
    """Return a finished run that is still kept."""
    try:
        run = session.wait(check_id, 0)
    except Trouble:
        return None
    return None if run.pruned or run.state == "running" else run


def _stale(session: Session, name: str) -> Answer:
    newest = ", ".join(run.id for run in session.project.store.newest(kind="engines", limit=5)) or "none yet"
    return Answer(
        f"stale: {name} is not kept, or has no such issue; checks: {newest}. Check again.", dict(schema14.STALE)
    )


def _detail(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    cluster, issue = arguments.get("clusterId"), arguments.get("issueId")
    if cluster is not None and issue is not None:
        raise Trouble("give clusterId or issueId, not both", "invalid_arguments")
    run = _of_check(session, arguments)
    if run is None:
        return _stale(session, arguments["checkId"])
    report, _ = asked_only(session.project.store.report(run.id), run)
    page = page_of(arguments.get("cursor", "1"))
    value: Any = values.detail(report, cluster_id=cluster, issue_id=issue, page=page)
    if session.project.config.payload == "text" and "issues" in value:
        value = value["issues"]  # in this mode the list stands by itself
    if issue is not None:
        found = values.found(report, issue)
        return Answer(answers.issue_text(found, run), value) if found else _stale(session, issue)
    name = cluster and (values.rule_of_cluster(report, cluster) or cluster)
    try:
        text = answers.check_text(
            session.project, run, budget=_budget(session, arguments), page=page, group=name, calls=answers.MCP_CALLS
        )
    except Trouble:
        return _stale(session, f"{run.id} {cluster}")
    return Answer(text, value)


def _of_check(session: Session, arguments: Arguments) -> Run | None:
    """Return the check a call names, else the newest; clients that parse have to name it, as they are used to."""
    if "checkId" in arguments:
        return _kept(session, arguments["checkId"])
    newest = [run for run in session.project.store.newest(kind="engines", limit=5) if run.state == "done"]
    if session.project.config.payload != "brief" or not newest:
        raise Trouble("checkId: required", "invalid_arguments")
    return newest[0]


def _snapshot(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    run = _of_check(session, arguments)
    if run is None:
        return _stale(session, arguments["checkId"])
    text = answers.check_text(session.project, run, budget=_budget(session, arguments), calls=answers.MCP_CALLS)
    if run.facts.get("engines") is None:
        report = session.project.store.report(run.id)
        text = brief(report, facts=Facts(title=run.title, run_id=run.id, calls=answers.MCP_CALLS))
    return Answer(text, values.snapshot(session.project, run))


def _compare(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    names = [arguments["baselineCheckId"], arguments["currentCheckId"]]
    sides = [_kept(session, name) for name in names]
    if sides[0] is None or sides[1] is None:
        return _stale(session, names[0] if sides[0] is None else names[1])
    delta = difference(session.project, sides[0], sides[1])
    value = values.comparison(delta)
    facts = Facts(title=sides[1].title, run_id=sides[1].id, calls=answers.MCP_CALLS)
    text = change(delta, facts=facts, budget=_budget(session, arguments))
    return Answer(f"{value['verdict']}: {text}", value)


def _loops(session: Session, _arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    found = recurring.now(session.project)
    return Answer("\n".join(recurring.lines(found)) or "no loops, no churn", schema14.loop_status(found))


CHECK_ID: dict[str, Any] = {"checkId": STRING}

MORE: dict[str, Any] = {"fresh": FLAG, "max_tokens": POSITIVE}

TOOLS: tuple[Tool, ...] = tuple(
    replace(tool, toolset="check")
    for tool in (
        Tool(
            "check_project",
            "Lint and type-check the project, or paths of it: every issue, grouped.",
            {"paths": PATHS, "base": BASE, **MORE},
            _check,
            begin=_begin_project,
        ),
        Tool(
            "check_files",
            "Lint and type-check files (deleted ones too); dependents adds packages that need them.",
            {"files": PATHS, "dependents": FLAG, **MORE},
            _check,
            begin=_begin_files,
            required=("files",),
        ),
        Tool(
            "after_edit_check",
            "After an edit: what it fixed, broke, left.",
            {"files": PATHS, "baselineCheckId": STRING, "base": BASE, **MORE},
            _after_edit,
            begin=_begin_files,
            required=("files",),
        ),
        Tool(
            "get_issue_detail",
            "A check's issues whole: one by issueId, a group by clusterId (or rule, file), the rest by cursor.",
            {**CHECK_ID, "clusterId": STRING, "issueId": STRING, "cursor": STRING, "max_tokens": POSITIVE},
            _detail,
        ),
        Tool("get_diagnostic_snapshot", "A kept check.", CHECK_ID, _snapshot),
        Tool(
            "compare_diagnostics",
            "Compare any two checks or runs.",
            {"baselineCheckId": STRING, "currentCheckId": STRING},
            _compare,
            required=("baselineCheckId", "currentCheckId"),
        ),
        Tool("get_loop_status", "Issues that keep coming back.", {}, _loops),
    )
)
