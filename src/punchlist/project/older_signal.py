"""Read `signal.config.json` as its users wrote it: projects by root, single checks and pipelines, `${VAR}` anywhere."""

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from punchlist.model import Trouble
from punchlist.project.positions import KeyPath, json_lines, line_of
from punchlist.project.records import Check, Step, expand, steps_limit
from punchlist.project.schema import (
    Key,
    Path_,
    Source,
    Spec,
    boolean,
    kind,
    milliseconds,
    nearest,
    read_table,
    string,
    variables,
)
from punchlist.records import dataclass

FILE = "signal.config.json"
ADAPTERS = (
    "vitest", "jest", "pytest", "mocha", "phpunit", "phpstan", "behat", "pest", "phpspec", "rspec", "eslint", "biome",
    "rubocop", "bun_test", "go_test", "cargo_test", "cargo_clippy", "playwright", "cypress", "json_log", "symfony_log",
    "junit", "generic",
)  # fmt: skip
TIMEOUT_S = 60.0

_COMMON: Spec = {
    "cwd": string("folder, relative to the project root"),
    "timeout_ms": milliseconds("longest time", "60000"),
    "env": variables("variables added to the environment"),
    "on_failure": string("command run after a failure"),
    "strip_path_prefix": string("text taken off the front of every path"),
}
_RUN: Spec = {"cmd": string("the shell command"), "adapter": string("the parser", "from the command")}
SINGLE: Spec = {**_RUN, **_COMMON}
STEP: Spec = {"name": string("its name, unique in the check"), **_RUN, **_COMMON}
PIPELINE: Spec = {
    "steps": Key("a list of steps", lambda value: value, "", "commands run one after the other"),
    "fail_fast": boolean("stop at the first failing step", "true"),
    **_COMMON,
}


@dataclass(frozen=True, slots=True)
class Project:
    """One project of the file: its name, its root (absolute, links resolved) and its raw checks."""

    name: str
    root: Path
    checks: object


def parse_json(text: str, name: str) -> Any:
    """Parse strict JSON, or raise `Trouble` with file, line and column."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        hint = " Comments are not allowed in it." if re.match(r"\s*(//|/\*)", error.doc[error.pos :]) else ""
        place = f"{name}:{error.lineno}:{error.colno}"
        raise Trouble(
            f"{place}: not valid JSON: {error.msg}.{hint} Mend it; it is read again at the next call.",
            "invalid_configuration",
        ) from None
    except RecursionError:
        raise Trouble(f"{name}: nested too deeply to be a configuration.", "invalid_configuration") from None


def json_finder(text: str) -> Callable[[KeyPath], int | None]:
    """Return a line finder that reads the text only when it is first asked."""
    lines: dict[KeyPath, int] = {}

    def find(path: KeyPath) -> int | None:
        if not lines:
            lines.update(json_lines(text))
        return line_of(lines, path, text)

    return find


def projects(text: str, file: Path, name: str, environ: Mapping[str, str]) -> list[Project]:
    """Return the file's projects; a relative root is relative to the file, `${VAR}` in it is replaced."""
    data = parse_json(text, name)
    source = Source(name, json_finder(text), text)
    listed = data.get("projects") if isinstance(data, dict) else None
    if not isinstance(listed, dict) or not listed:
        source.problem(
            ("projects",), f'needs "projects": a table of projects, each with "root" and "checks", not {kind(listed)}.'
        )
        source.finish()
        return []
    found = []
    for title, raw in listed.items():
        path = ("projects", title)
        root = raw.get("root") if isinstance(raw, dict) else None
        checks = raw.get("checks") if isinstance(raw, dict) else None
        if not isinstance(root, str) or not root or not isinstance(checks, dict):
            source.problem(path, f'project "{title}" needs a "root" (a string) and "checks" (a table).')
            continue
        folder = Path(os.path.realpath(file.parent / Path(expand(root, environ)).expanduser()))
        found.append(Project(title, folder, checks))
    source.finish()
    return found


def match(found: list[Project], folder: Path) -> Project | None:
    """Return the project with the longest root that holds a folder (absolute, links resolved)."""
    holding = [p for p in found if folder == p.root or p.root in folder.parents]
    return max(holding, key=lambda p: len(p.root.parts), default=None)


def checks(project: Project, text: str, name: str, parsers: Collection[str] | None = None) -> dict[str, Check]:
    """Read a project's checks; raises `Trouble` with file, line and nearest valid name."""
    source = Source(name, json_finder(text), text)
    known = {*ADAPTERS, *(parsers or ())}
    out: dict[str, Check] = {}
    assert isinstance(project.checks, dict)
    for title, raw in project.checks.items():
        path: Path_ = ("projects", project.name, "checks", title)
        if not title.strip() or len(title) > 100 or title.startswith("-") or not title.isprintable():
            source.problem(path, f"{title!r} can name no check.")
            continue
        check = _check(source, path, title, raw, project.root, known)
        if check is not None:
            out[title] = check
    source.finish()
    return out


def _check(source: Source, path: Path_, title: str, raw: object, root: Path, known: Collection[str]) -> Check | None:
    pipeline = isinstance(raw, dict) and "steps" in raw
    values: dict[str, Any] = read_table(source, path, raw, PIPELINE if pipeline else SINGLE)
    common: dict[str, Any] = {
        "name": title,
        "base": root,
        "origin": FILE,
        "file": source.name,
        "line": source.line_of(path),
    }
    for key in ("cwd", "env", "on_failure", "strip_path_prefix"):
        if key in values:
            common[key] = values[key]
    timeout = values.get("timeout_ms")
    if pipeline:
        steps = _steps(source, (*path, "steps"), values.get("steps"), title, known)
        timeout = timeout or steps_limit(steps)
        return (
            Check(steps=steps, pipeline=True, fail_fast=values.get("fail_fast", True), timeout_s=timeout, **common)
            if steps
            else None
        )
    _adapter_known(source, path, values, known)
    if "cmd" not in values:
        if isinstance(raw, dict) and "cmd" not in raw:
            source.problem(path, f'check "{title}" needs "cmd" or "steps".')
        return None
    step = Step(name=title, command=values["cmd"])
    return Check(steps=(step,), timeout_s=timeout or TIMEOUT_S, parser=values.get("adapter"), **common)


def _steps(source: Source, path: Path_, raw: object, title: str, known: Collection[str]) -> tuple[Step, ...]:
    if not isinstance(raw, list) or not raw:
        source.problem(path, f'the steps of check "{title}" must be a list with at least one step, not {kind(raw)}.')
        return ()
    steps: list[Step] = []
    for index, item in enumerate(raw):
        here = (*path, index)
        values: dict[str, Any] = read_table(source, here, item, STEP)
        _adapter_known(source, here, values, known)
        if "name" not in values or "cmd" not in values:
            if isinstance(item, dict) and not {"name", "cmd"} <= item.keys():
                source.problem(here, f'step {index + 1} of check "{title}" needs "name" and "cmd".')
            continue
        if not re.fullmatch(r"[A-Za-z0-9_-]+", values["name"]) or any(s.name == values["name"] for s in steps):
            source.problem(
                (*here, "name"),
                f'step name "{values["name"]}" must be letters, digits, _ or -, and unique in the check.',
            )
            continue
        values["command"] = values.pop("cmd")
        values["timeout_s"] = values.pop("timeout_ms", TIMEOUT_S)
        steps.append(Step(**values))
    return tuple(steps)


def _adapter_known(source: Source, path: Path_, values: Mapping[str, Any], known: Collection[str]) -> None:
    adapter = values.get("adapter")
    if adapter is not None and adapter not in known:
        source.problem((*path, "adapter"), f'there is no adapter "{adapter}".' + nearest(adapter, known))
