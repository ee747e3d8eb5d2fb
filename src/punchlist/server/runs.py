"""The tools that run checks and commands and look at what came of them."""

from collections.abc import Sequence
from typing import Any

from punchlist.model import Trouble
from punchlist.server.tool import Answer, Arguments, Tool
from punchlist.service import plan, values, where
from punchlist.service.answers import comparison, comparison_text, punch_list, run_lines, slice_text, still_running
from punchlist.service.listing import check_lines
from punchlist.service.logs import folder_of, take
from punchlist.service.rerun import plan_of
from punchlist.service.session import Session
from punchlist.store.runs import Run, slug
from punchlist.views import signal_json
from punchlist.views.brief import MCP_CALLS
from punchlist.views.budget import RUN, Budget, budget

STRING: dict[str, Any] = {"type": "string", "minLength": 1}
BASE: dict[str, Any] = {**STRING, "description": "commit: mark what is new since"}
POSITIVE: dict[str, Any] = {"type": "integer", "minimum": 1}
SUMMARY: dict[str, dict[str, Any]] = {
    "max_groups": POSITIVE,
    "max_occurrences": POSITIVE,
    "severity": {"enum": ["error", "warning"]},
    "sort_by": {"enum": ["count", "last", "first"]},
    "max_tokens": POSITIVE,
}
GO_ON = 'get_run_status {{"run_id":"{}","wait_ms":40000}}'


def room(arguments: Arguments, usual: Budget = RUN) -> Budget:
    """Return the budget a call asks for."""
    return budget(arguments.get("max_tokens"), usual)


def about(session: Session, arguments: Arguments, runs: Sequence[Run], *, many: bool = False) -> Answer:
    """Answer about runs, finished or not."""
    texts = [_text(session, arguments, run) for run in runs]
    shown = [values.summary(session.project, run, arguments) for run in runs]
    return Answer("\n\n".join(texts), shown if many else shown[0])


def _text(session: Session, arguments: Arguments, run: Run) -> str:
    if run.state == "running":
        return still_running(session.lives, run, GO_ON.format(run.id))
    project = session.project
    report = project.store.report(run.id)
    group = arguments.get("group")
    if group is None and any(name in arguments for name in ("severity", "sort_by", "max_groups", "max_occurrences")):
        from punchlist.service.narrowing import narrowed

        report = narrowed(report, arguments)
    page = page_of(arguments.get("cursor", "1"))
    return punch_list(project, run, budget=room(arguments), page=page, group=group, calls=MCP_CALLS, report=report)


def page_of(cursor: str) -> int:
    """Return the page a cursor stands for."""
    if not cursor.isdigit() or int(cursor) < 1:
        raise Trouble(
            f"cursor {cursor!r} is none that an answer gave; leave it out for the first page", "invalid_arguments"
        )
    return int(cursor)


def _begin_check(session: Session, arguments: Arguments) -> list[Run]:
    what = plan.of_check(session.project, arguments["name"])
    if "base" not in arguments:
        return [session.start(what)]
    from punchlist.service.checking.selection import commit_of

    commit_of(session.project.folder, arguments["base"])
    return [session.start(what), session.base(arguments["base"], what)]


def _check(session: Session, arguments: Arguments, runs: Sequence[Run]) -> Answer:
    answer = about(session, arguments, runs[:1])
    return answer if len(runs) == 1 else with_base(session, room(arguments), runs, answer)


def with_base(session: Session, budget: Budget, runs: Sequence[Run], answer: Answer) -> Answer:
    """Return an answer about a run with what is new since its base; the base is the second run."""
    run, base = runs
    if run.state == "running":
        return answer
    from punchlist.service.base import answers as based

    value = {**answer.value, "base": based.value_of(session.project, run, base)}
    if base.state == "running":
        go_on = f'then compare_diagnostics {{"baselineCheckId":"{base.id}","currentCheckId":"{run.id}"}}'
        return Answer(f"{answer.text}\n{based.base_line(base, None)}: {GO_ON.format(base.id)}, {go_on}", value)
    text = based.with_base(session.project, run, base, budget=budget)
    return Answer(text or f"{answer.text}\n{based.base_line(base, None)}", value)


def _begin_checks(session: Session, arguments: Arguments) -> list[Run]:
    return session.start_checks(arguments["names"])


def _list_checks(session: Session, _arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    return Answer(check_lines(session.project), values.checks(session.project))


def _start_check(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    run = session.start_checks([arguments["name"]])[0]
    return Answer(f"started {run.id}: {GO_ON.format(run.id)}", {"run_id": run.id, "status": "running"})


def _run_status(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    run = session.wait(arguments["run_id"], 0)
    if run.state == "running":
        return Answer(still_running(session.lives, run, GO_ON.format(run.id)), values.meta(run))
    text = run_lines([run]) + f'\nget_run_summary {{"run_id":"{run.id}"}}'
    return Answer(text if not arguments.get("wait_ms") else _text(session, arguments, run), values.meta(run))


def _begin_status(session: Session, arguments: Arguments) -> list[Run]:
    return [session.project.store.get(arguments["run_id"])]


def _run_summary(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    return about(session, arguments, [session.wait(arguments["run_id"], 0)])


def _list_runs(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    check = arguments.get("check")
    runs = session.project.store.newest(slug=slug(check) if check else None, limit=arguments.get("limit", 20))
    return Answer(run_lines(runs) or "no runs yet", {"runs": [values.meta(run) for run in runs]})


def _diff_runs(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    first, second = arguments.get("prev_run_id"), arguments.get("next_run_id")
    if bool(first) != bool(second):
        raise Trouble("give both prev_run_id and next_run_id, or a check, or nothing", "invalid_arguments")
    check = arguments.get("check")
    delta = comparison(session.project, first, second, slug(check) if check else None)
    most = arguments.get("max_per_section", signal_json.MAX_PER_SECTION)
    return Answer(comparison_text(delta, calls=MCP_CALLS), signal_json.diff_result(delta, max_per_section=most))


def _log_slice(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    project = session.project
    run = project.store.get(arguments["run_id"])
    stream = arguments.get("stream", "merged")
    captured = arguments.get("from") == "on_failure"
    part = take(
        folder_of(project.runs_folder, run, step=arguments.get("step_index"), whole=captured),
        stream,
        first=arguments.get("from_line", 1),
        last=arguments.get("to_line"),
        pattern=arguments.get("pattern"),
        captured_on_failure=captured,
    )
    last = part.lines[-1][0] if part.lines else part.first
    value = signal_json.log_slice([text for _, text in part.lines], total=part.total, first=part.first, last=last)
    value |= {"next_from_line": part.more_from} if part.more_from else {}
    more = f'more: get_log_slice {{{{"run_id":"{run.id}","stream":"{stream}","from_line":{{line}}}}}}'
    return Answer(slice_text(part, more), value)


def _begin_rerun(session: Session, arguments: Arguments) -> list[Run]:
    timeout = arguments.get("timeout_ms")
    what = plan_of(
        session.project, arguments["run_id"], arguments.get("fingerprint"), timeout / 1000 if timeout else None
    )
    return [session.start(what)]


def _rerun(session: Session, arguments: Arguments, runs: Sequence[Run]) -> Answer:
    run = runs[0]
    text = _text(session, {k: v for k, v in arguments.items() if k == "max_tokens"}, run)
    part = take(folder_of(session.project.runs_folder, run), "merged")
    shown = [line for _, line in part.lines]
    value = signal_json.rerun_result(arguments["run_id"], values.signal_run(run), run.command, shown, part.total)
    return Answer(text, value)


def _stop_run(session: Session, arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    run = session.stop(arguments["run_id"])
    return Answer(run_lines([run]), values.meta(run))


def _begin_command(session: Session, arguments: Arguments) -> list[Run]:
    from punchlist.service import commands

    return [session.start(commands.plan_of(session.project, arguments))]


def _command(session: Session, arguments: Arguments, runs: Sequence[Run]) -> Answer:
    from punchlist.service import commands

    run = runs[0]
    if run.state == "running":
        return Answer(still_running(session.lives, run, GO_ON.format(run.id)), values.meta(run))
    filtered = commands.filtered(session.project, run, arguments)
    trouble = commands.write_output(session.project, run, arguments.get("output_file"))
    value = commands.value(session.project, run, arguments, filtered, trouble)
    text = (
        filtered
        if filtered is not None
        else _text(session, {k: v for k, v in arguments.items() if k == "max_tokens"}, run)
    )
    if trouble:
        text += f"\nnote: {trouble}"
    return Answer(text, value)


def _list_templates(session: Session, _arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    from punchlist.reading.templates import list_templates
    from punchlist.views import quiet_json

    found = list_templates(session.project.config)
    lines = [f"{t.name}: {t.description} /{t.include_regex}/ + last {t.tail_paragraphs} paragraphs" for t in found]
    value = quiet_json.list_templates((t.name, t.description, t.include_regex, t.tail_paragraphs) for t in found)
    return Answer("\n".join(lines), value)


def _ping(session: Session, _arguments: Arguments, _runs: Sequence[Run]) -> Answer:
    root = session.project.root
    said = where.notes(session)
    value: dict[str, Any] = {"pong": True, "projectRoot": str(root.path), "rootFrom": root.how}
    return Answer("\n".join([f"pong: {root.path} ({root.how})", *said]), value | ({"notes": said} if said else {}))


TOOLS: tuple[Tool, ...] = (
    Tool("list_checks", "This project's checks: tests, linters, builds.", {}, _list_checks),
    Tool(
        "run_check",
        "Run a check; answers with what is wrong, where, and what changed since its last run.",
        {"name": STRING, "base": BASE, "max_wait_ms": POSITIVE, **SUMMARY},
        _check,
        begin=_begin_check,
        required=("name",),
        read_only=False,
        idempotent=False,
    ),
    Tool(
        "run_checks",
        "Run several checks side by side.",
        {"names": {"type": "array", "items": STRING, "minItems": 1}, "max_wait_ms": POSITIVE, **SUMMARY},
        lambda session, arguments, runs: about(session, arguments, runs, many=True),
        begin=_begin_checks,
        required=("names",),
        read_only=False,
        idempotent=False,
    ),
    Tool(
        "execute_command",
        "Run a shell command quietly: its failures as a punch list, its log kept. For tests, linters, builds.",
        {
            "command": STRING,
            "cwd": STRING,
            "timeout_ms": POSITIVE,
            "template": STRING,
            "suppress_output_on_success": {"type": "boolean"},
            "output_file": STRING,
            "max_tokens": POSITIVE,
        },
        _command,
        begin=_begin_command,
        required=("command",),
        read_only=False,
        destructive=True,
        idempotent=False,
        open_world=True,
    ),
    Tool(
        "start_check",
        "Start a check without waiting.",
        {"name": STRING},
        _start_check,
        required=("name",),
        read_only=False,
        idempotent=False,
    ),
    Tool(
        "get_run_status",
        "How a run stands; wait_ms waits for its end.",
        {"run_id": STRING, "wait_ms": POSITIVE},
        _run_status,
        begin=_begin_status,
        required=("run_id",),
        looks=True,
    ),
    Tool(
        "get_run_summary",
        "A run's punch list; cursor shows the next page, group one group whole.",
        {"run_id": STRING, "group": STRING, "cursor": STRING, **SUMMARY},
        _run_summary,
        required=("run_id",),
    ),
    Tool("list_runs", "Kept runs, newest first.", {"check": STRING, "limit": POSITIVE}, _list_runs),
    Tool(
        "diff_runs",
        "Compare two runs: new, fixed, same. Default: the newest two.",
        {
            "check": STRING,
            "prev_run_id": STRING,
            "next_run_id": STRING,
            "max_per_section": {"type": "integer", "minimum": 0},
        },
        _diff_runs,
    ),
    Tool(
        "get_log_slice",
        "Lines of a run's log.",
        {
            "run_id": STRING,
            "stream": {"enum": ["stdout", "stderr", "merged"]},
            "from_line": POSITIVE,
            "to_line": POSITIVE,
            "pattern": {"type": "string", "description": "regex"},
            "step_index": {"type": "integer", "minimum": 0},
            "from": {"enum": ["main", "on_failure"]},
        },
        _log_slice,
        required=("run_id",),
    ),
    Tool(
        "rerun_failed",
        "Run again what failed in a run, or one of its groups.",
        {"run_id": STRING, "fingerprint": STRING, "timeout_ms": POSITIVE, "max_tokens": POSITIVE},
        _rerun,
        begin=_begin_rerun,
        required=("run_id",),
        read_only=False,
        idempotent=False,
    ),
    Tool(
        "stop_run",
        "End a run and all its processes.",
        {"run_id": STRING},
        _stop_run,
        required=("run_id",),
        read_only=False,
        destructive=True,
    ),
    Tool("list_templates", "Output templates for execute_command.", {}, _list_templates),
    Tool("ping", "The project root.", {}, _ping),
)
