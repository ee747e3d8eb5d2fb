"""Any command on behalf of an agent: what the project allows, templates, the whole output to a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from punchlist.model import Trouble
from punchlist.project.paths import checked
from punchlist.reading.templates import filter_output, find_template, suppresses
from punchlist.reading.text import decode
from punchlist.running.order import merged_lines
from punchlist.service import plan
from punchlist.service.logs import folder_of, take
from punchlist.service.project import Project
from punchlist.service.values import log_text
from punchlist.store.runs import Run
from punchlist.views import quiet_json
from punchlist.views.masking import mask

LINES_FOR_TEMPLATE = 200_000


def plan_of(project: Project, arguments: Mapping[str, Any]) -> plan.Plan:
    """Plan an ad-hoc command; everything that may be refused is refused before it runs."""
    config = project.config
    command = arguments["command"]
    if config.commands == "off":
        raise Trouble("this project runs declared checks only (commands = off); use run_check", "commands_off")
    if config.commands == "declared" and command not in {check.command for check in project.checks().values()}:
        raise Trouble("this project runs declared commands only; list_checks shows them", "command_not_declared")
    if arguments.get("template"):
        find_template(arguments["template"], config)
    if arguments.get("output_file"):
        output_path(project, arguments["output_file"])
    cwd = arguments.get("cwd")
    folder = checked(cwd, project.folder, absolute=True) if cwd else None
    timeout = arguments.get("timeout_ms")
    return plan.of_command(project, command, cwd=folder, timeout_s=timeout / 1000 if timeout else None)


def output_path(project: Project, text: str) -> Path:
    """Return where the whole output is to be written: inside the root, not a folder, not through a link out."""
    path = project.folder / checked(text, project.folder, absolute=True, missing=True)
    if path.is_dir():
        raise Trouble(f"output_file {text} is a folder; name a file inside the project", "invalid_path")
    if path.exists() and not path.is_file():
        raise Trouble(f"output_file {text} is not a regular file; name another one", "invalid_path")
    return path


def filtered(project: Project, run: Run, arguments: Mapping[str, Any]) -> str | None:
    """Return what a template keeps of the output, or None where the call names none."""
    name = arguments.get("template")
    if not name:
        return None
    template = find_template(name, project.config)
    failed = run.outcome != "passed"
    if not failed and suppresses(template, arguments.get("suppress_output_on_success")):
        return f"PASSED {run.title} · {run.id}"
    folder = folder_of(project.runs_folder, run)
    total = take(folder, "merged", last=0).total
    first = max(1, total - LINES_FOR_TEMPLATE + 1)
    lines = [decode(line.text) for line in merged_lines(str(folder), first)]
    return mask(
        "\n".join(
            [f"{(run.outcome or 'unknown').upper()} {run.title} · {run.id}", *filter_output(lines, template, failed)]
        )
    )


def write_output(project: Project, run: Run, text: str | None) -> str | None:
    """Write the whole output, as it was printed, to the file a call names; return what went wrong, if anything did."""
    if not text:
        return None
    path = output_path(project, text)
    folder = folder_of(project.runs_folder, run)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for line in merged_lines(str(folder)):
                file.write(line.text + b"\n")
    except OSError as error:
        return f"output_file {text}: {error.strerror}"
    return None


def value(
    project: Project, run: Run, arguments: Mapping[str, Any], shown: str | None, trouble: str | None
) -> dict[str, Any]:
    """Return quiet-shell's answer."""
    asked = arguments.get("suppress_output_on_success")
    template = find_template(arguments["template"], project.config) if arguments.get("template") else None
    report = project.store.report(run.id)
    output = shown.split("\n", 1)[-1] if shown is not None else log_text(project, run, 200_000)
    return quiet_json.execute_result(
        report.how,
        output,
        template=arguments.get("template"),
        suppress=suppresses(template, asked) and report.outcome == "passed",
        output_file=arguments.get("output_file") if not trouble else None,
        output_file_error=trouble,
    )
