"""What is to be run: a configured check or a command, with everything that running and reading need."""

import shlex
from pathlib import Path

from punchlist.model import Trouble
from punchlist.project.records import Check, Step, working_folder
from punchlist.records import dataclass
from punchlist.service.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run to be made. `steps` have one entry for a plain command; an argv stands for itself, a text is the shell's.

    `key` is equal for runs of the same check. `env` and a step's own are what the check sets, expanded when running.
    """

    name: str
    kind: str
    key: str
    title: str
    steps: tuple[Step, ...]
    argv: tuple[str, ...] | None = None
    pipeline: bool = False
    fail_fast: bool = True
    cwd: Path
    env: dict[str, str]
    timeout_s: float | None
    parser: str | None = None
    reports: tuple[str, ...] = ()
    strip_path_prefix: str | None = None
    on_failure: str | None = None
    check: Check | None = None
    stdin: bool = False
    see_through: bool = True

    @property
    def command(self) -> str:
        """The command as written, `${VAR}` unexpanded."""
        return (" && " if self.fail_fast else " ; ").join(step.command for step in self.steps)


def of_check(project: Project, name: str) -> Plan:
    """Plan a run of a check by name."""
    check = project.check(name)
    return Plan(
        name=check.name,
        kind="check",
        key=f"check:{check.name}",
        title=check.name,
        steps=check.steps,
        pipeline=check.pipeline,
        fail_fast=check.fail_fast,
        cwd=working_folder(project.folder, check, None, project.environ),
        env=dict(check.env),
        timeout_s=check.timeout_s,
        parser=check.parser,
        reports=check.reports,
        strip_path_prefix=check.strip_path_prefix,
        on_failure=check.on_failure,
        check=check,
    )


def of_command(
    project: Project,
    command: str | tuple[str, ...],
    *,
    name: str | None = None,
    cwd: str | None = None,
    timeout_s: float | None = None,
    stdin: bool = False,
    see_through: bool = True,
) -> Plan:
    """Plan a run of any command: a text for the shell, or an argv. `cwd` is relative to the root."""
    text = command if isinstance(command, str) else shlex.join(command)
    if not text.strip():
        raise Trouble("the command is empty; give the program and its arguments", "invalid_command")
    folder = _folder(project, cwd)
    return Plan(
        name=name or program_name(text),
        kind="command",
        key=f"name:{name}" if name else f"command:{folder}\n{text}",
        title=name or _short(text),
        steps=(Step(name="command", command=text),),
        argv=None if isinstance(command, str) else tuple(command),
        cwd=folder,
        env={},
        timeout_s=timeout_s,
        stdin=stdin,
        see_through=see_through,
    )


def program_name(command: str) -> str:
    """Return the name an ad-hoc run is called by: the last program that is no viewer, without folder and version."""
    if command.isidentifier():
        return command
    from punchlist.reading.command import understand

    programs = [one.program for one in understand(command)]
    useful = [name for name in programs if name not in VIEWERS]
    return (useful or programs or ["run"])[-1]


VIEWERS = frozenset(
    {"head", "tail", "grep", "egrep", "rg", "cat", "less", "more", "tee", "wc", "sort", "uniq", "true", "echo"}
)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def _folder(project: Project, cwd: str | None) -> Path:
    if not cwd:
        return project.folder
    if "\0" in cwd:
        raise Trouble("cwd holds a NUL character; give a folder inside the project", "invalid_path")
    return project.folder / cwd
