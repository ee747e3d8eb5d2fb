"""The GitHub Action and the entry for the MCP registry say what the program understands."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from punchlist.cli import check

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))

RUFF = shutil.which("ruff", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


def step(name: str) -> dict[str, Any]:
    """Return a step of the action by its id."""
    (found,) = (one for one in ACTION["runs"]["steps"] if one.get("id") == name)
    return dict(found)


def run_step(name: str, folder: Path, env: dict[str, str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: bash with its options, the step's variables, files for outputs and the summary."""
    files = {name: str(folder / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    known = {
        name: os.environ[name] for name in ("PATH", "HOME", "PIP_CONFIG_FILE", "PIP_INDEX_URL") if name in os.environ
    }
    constant = {name: str(value) for name, value in step(name)["env"].items() if "${{" not in str(value)}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]]
    given = known | files | {"RUNNER_TEMP": str(folder), "GITHUB_WORKSPACE": str(folder)} | constant | env
    return subprocess.run(words, env=given, cwd=cwd or folder, capture_output=True, text=True, check=False, timeout=60)


def run_check(tmp_path: Path, status: int, *, checked: bool = True, **inputs: str) -> tuple[list[str], int, str]:
    """Run the action's check with a program that notes its words; return them, the status and the outputs.

    The program says `check-2` is the newest run once it was asked to check, unless it is not to have `checked`.
    """
    program = tmp_path / "punchlist"
    code = f"""#!/bin/sh
case "$1" in runs) test -e {tmp_path}/words && {str(checked).lower()} && echo check-2 || echo check-1; exit ;; esac
for word; do printf "%s|" "$word"; done >> {tmp_path}/words; echo >> {tmp_path}/words
case "$1" in check) exit {status} ;; show) echo "the list" ;; esac
"""
    program.write_text(code, encoding="utf-8")
    program.chmod(0o755)
    env = {name: inputs.get(name, "") for name in step("check")["env"] if name != "PUNCHLIST_ROOT"}
    done = run_step("check", tmp_path, env | {"PROGRAM": str(program)})
    calls = (tmp_path / "words").read_text(encoding="utf-8").splitlines()
    return calls, done.returncode, (tmp_path / "github_output").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "check|--format|github|"),
        ({"PRIORITY": "2", "PARTIAL": "true"}, "check|--format|github|--fail-on-priority|2|--allow-partial|"),
        ({"SINCE": "origin/main"}, "check|--format|github|--since|origin/main|"),
        ({"PATHS": "src\n  tests/a.py"}, "check|--format|github|--|src|tests/a.py|"),
        ({"PATHS": "$(touch made) `touch made`"}, "check|--format|github|--|$(touch|made)|`touch|made`|"),
    ],
)
def test_the_action_asks_what_its_inputs_say(tmp_path: Path, inputs: dict[str, str], words: str) -> None:
    calls, status, outputs = run_check(tmp_path, 0, **inputs)
    assert (calls[0], status, outputs) == (words, 0, "exit-code=0\n")
    assert not (tmp_path / "made").exists()
    import argparse

    parser = argparse.ArgumentParser()
    check.arguments(parser)
    parser.parse_args(words.removesuffix("|").split("|")[1:])


def test_no_input_becomes_text_of_a_script() -> None:
    assert [one["name"] for one in ACTION["runs"]["steps"] if "${{" in one.get("run", "")] == []


def test_what_the_action_uses_is_pinned_and_leaves_the_jobs_python_alone() -> None:
    (used,) = (one for one in ACTION["runs"]["steps"] if "uses" in one)
    assert re.fullmatch(r"actions/setup-python@[0-9a-f]{40}", used["uses"])
    assert used["with"]["update-environment"] is False


def test_the_action_fails_as_the_check_does_after_its_reports(tmp_path: Path) -> None:
    calls, status, outputs = run_check(tmp_path, 3, SARIF="a.sarif", JUNIT="a.xml", HTML="a.html")
    assert (status, outputs) == (3, "exit-code=3\n")
    assert calls[1:] == [
        "show|check-2|",
        "report|check-2|--format|sarif|--output|a.sarif|",
        "report|check-2|--format|junit|--output|a.xml|",
        "report|check-2|--html|a.html|",
    ]
    assert (tmp_path / "github_step_summary").read_text(encoding="utf-8") == "~~~~~~\nthe list\n~~~~~~\n"


def test_the_action_reports_no_older_run_where_nothing_was_checked(tmp_path: Path) -> None:
    calls, status, _ = run_check(tmp_path, 0, checked=False, SARIF="a.sarif")
    assert (len(calls), status) == (1, 0)


@pytest.mark.tools
@pytest.mark.skipif(RUFF is None, reason="ruff is not installed")
@pytest.mark.parametrize(("priority", "status"), [("", 1), ("1", 0)])
def test_the_action_checks_annotates_and_fails_for_real(tmp_path: Path, priority: str, status: int) -> None:
    sub = tmp_path / "sub"
    (sub / "src").mkdir(parents=True)
    (sub / "pyproject.toml").write_text("[tool.ruff]\n", encoding="utf-8")
    (sub / "src" / "a.py").write_text("print(undefined)\n", encoding="utf-8")
    inputs = {"PATHS": "", "SINCE": "", "PARTIAL": "", "JUNIT": "", "HTML": "", "SARIF": "o.sarif"}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = str(Path(sys.executable).with_name("punchlist"))
    env = inputs | {"PRIORITY": priority, "PROGRAM": program, "PATH": path}
    done = run_step("check", tmp_path, env, sub)
    assert (done.returncode, done.stderr) == (status, "")
    assert (
        "::error file=sub/src/a.py,line=1,endLine=1,col=7,endColumn=16::F821: Undefined name `undefined`" in done.stdout
    )
    (run,) = json.loads((sub / "o.sarif").read_text(encoding="utf-8"))["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub/src/a.py"
    assert "F821" in (tmp_path / "github_step_summary").read_text(encoding="utf-8")


def test_the_action_keeps_to_the_schema_of_github() -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    done = subprocess.run([*words, str(ROOT / "action.yml")], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_every_input_of_the_action_is_used() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in text] == []


# What the registry asks of an entry with a package that is started by its client, in the form of 2025-12-11.
TEXT = {"type": "string", "minLength": 1}
ENTRY = {
    "type": "object",
    "additionalProperties": False,
    "required": ["$schema", "name", "description", "version", "packages"],
    "properties": {
        "$schema": {"pattern": r"/schemas/2025-12-11/server\.schema\.json$"},
        "name": {"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        "title": TEXT | {"maxLength": 100},
        "description": TEXT | {"maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+[\w.-]*$"},
        "packages": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"const": "pypi"},
                    "identifier": TEXT,
                    "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+[\w.-]*$"},
                    "runtimeHint": {"const": "uvx"},
                    "transport": {"const": {"type": "stdio"}},
                    "packageArguments": {
                        "type": "array",
                        "items": {
                            "required": ["type"],
                            "properties": {"type": {"const": "positional"}, "value": TEXT, "valueHint": TEXT},
                            "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}],
                        },
                    },
                    "environmentVariables": {
                        "type": "array",
                        "items": {
                            "required": ["name"],
                            "additionalProperties": False,
                            "properties": {
                                "name": TEXT,
                                "description": TEXT,
                                "format": {"enum": ["string", "number", "boolean", "filepath"]},
                                "isRequired": {"type": "boolean"},
                                "isSecret": {"type": "boolean"},
                                "default": TEXT,
                            },
                        },
                    },
                },
            },
        },
    },
}


def test_the_registry_entry_has_the_form_that_the_registry_asks() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft7Validator(ENTRY).iter_errors(entry)] == []


def test_the_registry_entry_starts_this_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (package,) = entry["packages"]
    assert entry["version"] == package["version"] == project["version"]
    assert (package["identifier"], package["packageArguments"][0]["value"]) == (project["name"], "serve")
