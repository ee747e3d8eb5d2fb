"""The GitHub Action and the entry for the MCP registry say what the program understands."""

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from punchlist.cli import check

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def run_check(tmp_path: Path, status: int, **inputs: str) -> tuple[list[str], int, str]:
    """Run the action's check as GitHub does, with a program that notes its words; return them, status, outputs."""
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "check")
    program = tmp_path / "punchlist"
    noted = f'for word; do printf "%s|" "$word"; done >> {tmp_path}/words\necho >> {tmp_path}/words'
    code = f"#!/bin/sh\n{noted}\nexit {status}\n"
    program.write_text(code, encoding="utf-8")
    program.chmod(0o755)
    env = {name: inputs.get(name, "") for name in step["env"]}
    env |= {"PATH": os.environ["PATH"], "PUNCHLIST_BIN": str(program), "GITHUB_OUTPUT": str(tmp_path / "output")}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
    calls = (tmp_path / "words").read_text(encoding="utf-8").splitlines()
    return calls, done.returncode, (tmp_path / "output").read_text(encoding="utf-8")


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
    assert run_check(tmp_path, 0, **inputs) == ([words], 0, "exit-code=0\n")
    assert not (tmp_path / "made").exists()
    import argparse

    parser = argparse.ArgumentParser()
    check.arguments(parser)
    parser.parse_args(words.removesuffix("|").split("|")[1:])


def test_the_action_fails_as_the_check_does_and_writes_its_reports_first(tmp_path: Path) -> None:
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "check")
    assert "${{" not in step["run"]
    calls, status, outputs = run_check(tmp_path, 3)
    assert (len(calls), status, outputs) == (1, 3, "exit-code=3\n")


def test_the_action_writes_the_reports_asked_for(tmp_path: Path) -> None:
    calls, _, _ = run_check(tmp_path, 0, SARIF="a.sarif", HTML="a.html")
    assert calls[1:] == ["report|--format|sarif|--output|a.sarif|", "report|--html|a.html|"]


def test_every_input_of_the_action_is_used() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in text] == []


def test_the_registry_entry_starts_this_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (package,) = entry["packages"]
    assert entry["version"] == package["version"] == project["version"]
    assert (package["identifier"], package["packageArguments"][0]["value"]) == (project["name"], "serve")
    assert len(entry["description"]) <= 100
