"""Answers about runs as text: the punch list of a run, a comparison, a list of runs, a slice of a log."""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from punchlist.model import Report, Trouble
from punchlist.service.live import Lives
from punchlist.service.logs import Slice, folder_of, plain_text
from punchlist.service.project import Project
from punchlist.store.runs import Run
from punchlist.views.brief import CLI_CALLS, Calls, Facts, brief, duration, page_of_group, within
from punchlist.views.budget import RUN, Budget
from punchlist.views.masking import mask

if TYPE_CHECKING:
    from punchlist.analysis.delta import Delta

PLAIN_BYTES = 24_000


def since(project: Project, run: Run, report: Report) -> "Delta | None":
    """Return what changed since the last kept run of the same check; None without one, or when both just passed."""
    earlier = project.store.before(run)
    if earlier is None:
        return None
    before = project.store.report(earlier.id)
    if not report.diagnostics and not before.diagnostics and report.outcome == before.outcome == "passed":
        return None
    from punchlist.analysis.delta import compare

    return compare(before, report, before_id=earlier.id, after_id=run.id)


def facts_of(project: Project, run: Run, report: Report, calls: Calls = CLI_CALLS) -> Facts:
    """Return what an answer says about a run beside its report."""
    return Facts(
        title=run.title,
        run_id=run.id,
        duration_s=run.duration_s,
        since=since(project, run, report),
        calls=calls,
        log_chars=run.bytes,
    )


def punch_list(
    project: Project,
    run: Run,
    *,
    budget: Budget = RUN,
    page: int = 1,
    group: str | None = None,
    calls: Calls = CLI_CALLS,
    report: Report | None = None,
) -> str:
    """Return the answer about a finished run within a budget; `page` and `group` reach what it leaves out."""
    report = report or project.store.report(run.id)
    if run.facts.get("engines") is not None:
        from punchlist.service.checking.answers import check_text

        return check_text(project, run, budget=budget, page=page, group=group, calls=calls, report=report)
    facts = facts_of(project, run, report, within(calls, budget))
    if group is not None:
        return page_of_group(report, group, page, facts=facts, budget=budget)
    folder = folder_of(project.runs_folder, run, whole=True)
    return brief(report, facts=facts, budget=budget, page=page, plain_log=lambda: plain_text(folder, PLAIN_BYTES))


def still_running(lives: Lives, run: Run, how_to_go_on: str) -> str:
    """Return what is known of a run that goes on, and how to ask again."""
    live = lives.by_id.get(run.id)
    known = live.so_far() if live else f"{duration(run.duration_s)}, run by another process"
    return mask(f"RUNNING {run.title} · {run.id} · {known}\n{how_to_go_on}")


def comparison(project: Project, first: str | None, second: str | None, check: str | None) -> "Delta":
    """Compare two runs, or the newest two of a check, or the newest run with the one before it."""
    store = project.store
    if first and second:
        before, after = store.get(first), store.get(second)
    else:
        before, after = _latest_two(project, check)
    if any(run.facts.get("engines") is not None for run in (before, after)):
        from punchlist.service.checking.compare import difference

        return difference(project, before, after)
    from punchlist.analysis.delta import compare

    return compare(store.report(before.id), store.report(after.id), before_id=before.id, after_id=after.id)


def _latest_two(project: Project, check: str | None) -> tuple[Run, Run]:
    store = project.store
    finished = [run for run in store.newest(slug=check, limit=50) if run.state != "running"]
    if check and not finished:
        known = ", ".join(dict.fromkeys(run.slug for run in store.newest(limit=50))) or "none yet"
        raise Trouble(f"no run of {check!r}; checks with runs: {known}", "unknown_check")
    for after in finished:
        earlier = store.before(after)
        if earlier is not None:
            return earlier, after
    raise Trouble("a comparison needs two runs of the same check; run it again after the change", "no_runs")


def comparison_text(delta: "Delta", *, budget: Budget = RUN, calls: Calls = CLI_CALLS) -> str:
    """Return a comparison as text: the outcome of each side, then what is new, changed, gone and not looked at."""
    from punchlist.views.change import change

    return change(delta, facts=Facts(run_id=delta.after.run_id, calls=calls), budget=budget)


def run_lines(runs: Iterable[Run]) -> str:
    """Return one line a run: id, outcome, exit code, duration, when, command."""
    lines = []
    for run in runs:
        when = time.strftime("%m-%d %H:%M", time.localtime(run.started))
        word = run.outcome or run.state
        code = f" exit {run.how.exit_code}" if run.how.exit_code else ""
        pinned = " pinned" if run.pinned else ""
        command = " ".join(run.command.split())
        shown = command if len(command) <= 70 else f"{command[:67]}..."
        lines.append(f"{run.id} {word}{code}{pinned} · {duration(run.duration_s)} · {when} · {shown}")
    return mask("\n".join(lines))


def slice_text(part: Slice, go_on: str) -> str:
    """Return lines of a log with their numbers, and how to see the next ones."""
    if not part.lines:
        return f"no lines: {part.stream} has {part.total:,} lines" + (", none matches" if part.matched == 0 else "")
    last = part.lines[-1][0]
    head = f"{part.stream} {part.lines[0][0]}-{last} of {part.total:,}"
    if part.matched is not None:
        head += f", {part.matched} match"
    body = mask("\n".join(text for _, text in part.lines))
    numbered = (f"{n}: {text}" for (n, _), text in zip(part.lines, body.split("\n"), strict=False))
    foot = [go_on.format(line=part.more_from)] if part.more_from else []
    return "\n".join([head, *numbered, *foot])
