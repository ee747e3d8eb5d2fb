"""The records of a project's configuration that every run needs: checks and their steps, budgets, all settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from punchlist.records import dataclass, field

if TYPE_CHECKING:
    from punchlist.project.settings import EngineSetting, ParserSetting, Template

Payload = Literal["brief", "both", "text", "structured"]
MonorepoMode = Literal["off", "auto", "strict"]
Commands = Literal["off", "declared", "any"]
Writes = Literal["off", "ask", "on"]
Warm = Literal["off", "auto", "on"]
Toolset = Literal["run", "check", "fix", "live"]

PAYLOADS: tuple[str, ...] = get_args(Payload)
MONOREPO_MODES: tuple[str, ...] = get_args(MonorepoMode)
COMMANDS: tuple[str, ...] = get_args(Commands)
WRITES: tuple[str, ...] = get_args(Writes)
WARM: tuple[str, ...] = get_args(Warm)
TOOLSETS: tuple[str, ...] = get_args(Toolset)
TOOL_NAMES = (
    "list_checks", "run_check", "run_checks", "start_check", "get_run_status", "get_run_summary", "list_runs",
    "diff_runs", "get_log_slice", "rerun_failed", "stop_run", "execute_command", "list_templates", "ping",
    "check_project", "check_files", "get_issue_detail", "get_diagnostic_snapshot", "compare_diagnostics",
    "after_edit_check", "get_loop_status", "ingest_diagnostics", "get_live_diagnostics", "preview_diagnostic_fix",
    "apply_diagnostic_fix", "discard_diagnostic_fix",
)  # fmt: skip

DEFAULT_IGNORE = ("node_modules/**", "dist/**", ".signalint/**", ".punchlist/**")

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Replace every `${NAME}` by its value; an unset one stays as it is, and `$NAME` without braces is not touched."""
    return _VARIABLE.sub(lambda found: environ.get(found[1], found[0]), text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a check. What is None (or empty) is the check's; `cwd` is relative to the check's working folder.

    `timeout_s` bounds the step alone, beside the check's own. `on_failure` runs after this step has failed.
    """

    name: str
    command: str
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None
    on_failure: str | None = None
    adapter: str | None = None
    strip_path_prefix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something that can be run by name: one command, or a pipeline of steps where `pipeline` is true.

    All text is as written, `${VAR}` unexpanded (`expand` it when running). `timeout_s` bounds the whole check, None
    means the general one. `base` is the folder that `cwd` is relative to, None the root. `parser` is an adapter's name,
    None lets the command and the log decide. `reports` are globs relative to the working folder. `origin` says where it
    comes from ("punchlist.toml", "signal.config.json", "package.json script"), `file` and `line` the exact place.
    `package` is the root-relative folder of the workspace package it belongs to.
    """

    name: str
    steps: tuple[Step, ...]
    pipeline: bool = False
    fail_fast: bool = True
    timeout_s: float | None = None
    cwd: str | None = None
    base: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    reports: tuple[str, ...] = ()
    parser: str | None = None
    strip_path_prefix: str | None = None
    on_failure: str | None = None
    description: str = ""
    origin: str = ""
    file: str | None = None
    line: int | None = None
    package: str | None = None

    @property
    def command(self) -> str:
        """The command as written; the steps' joined by ` && ` (`;` without fail_fast) for a pipeline."""
        return (" && " if self.fail_fast else " ; ").join(step.command for step in self.steps)


def steps_limit(steps: tuple[Step, ...]) -> float | None:
    """Return how long a pipeline that names no time of its own can take: its steps' times together, if all have one."""
    limits = [step.timeout_s for step in steps if step.timeout_s is not None]
    return sum(limits) if steps and len(limits) == len(steps) else None


def working_folder(root: Path, check: Check, step: Step | None, environ: Mapping[str, str]) -> Path:
    """Return the folder a check (or one step of it) runs in, with variables expanded; it need not exist."""
    folder = check.base or root
    for part in (check.cwd, step.cwd if step else None):
        if part:
            folder = folder / expand(part, environ)
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens an answer may cost (characters / 3)."""

    run: int = 1500
    check: int = 2400


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What is kept: newest runs per check, newest engine checks, bytes of all logs together."""

    runs: int = 20
    engine_checks: int = 50
    bytes: int = 2 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings of a project, from every source merged; `notices` are to be said once each.

    `checks` are the configured ones; `punchlist.project.discover.known_checks` adds the discovered ones where
    `discover` is true. `presentation` true lets a run set the variables that switch off colour and widen columns, a
    tuple names the ones it may set. `tools` (toolsets or single tools) None shows all. `sources` are the files read.
    """

    checks: Mapping[str, Check] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(default_factory=dict)
    parsers: Mapping[str, ParserSetting] = field(default_factory=dict)
    engines: Mapping[str, EngineSetting] = field(default_factory=dict)
    ignore: tuple[str, ...] = DEFAULT_IGNORE
    budget: Budget = Budget()
    keep: Keep = Keep()
    payload: Payload = "brief"
    compact: bool = False
    monorepo_mode: MonorepoMode = "auto"
    tools: tuple[str, ...] | None = None
    commands: Commands = "any"
    writes: Writes = "ask"
    warm: Warm = "auto"
    presentation: bool | tuple[str, ...] = True
    timeout_s: float = 600.0
    max_output: int = 1024**3
    parallel: int = 4
    discover: bool = True
    notices: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
