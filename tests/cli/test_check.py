"""The verbs of checking as a person uses them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.checking.conftest import git, own_tools, python

__all__ = ["own_tools", "python"]
PUNCHLIST = [sys.executable, "-m", "punchlist.cli"]


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PUNCHLIST, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=90)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 1, "FAILED check: 1 error"),
        (["b.py"], 0, "PASSED check b.py"),
        (["--fail-on-priority", "1"], 0, "F401"),
        (["--fail-on-priority", "3"], 1, "F401"),
        (["--format", "github"], 1, "::error file=a.py,line=1"),
        (["--format", "junit"], 1, "<testsuites"),
        (["--changed"], 0, "no file changed"),
        (["notes.txt"], 3, "Nothing was checked"),
        (["notes.txt", "--allow-partial"], 3, "Nothing was checked"),
    ],
)
def test_check_answers_and_exits_as_documented(python: Path, words: list[str], status: int, said: str) -> None:
    (python / "notes.txt").write_text("x", encoding="utf-8")
    git(python, "add", "-A")
    git(python, "commit", "-q", "-m", "notes")
    done = call(python, "check", *words)
    assert (done.returncode, done.stderr) == (status, "")
    assert said in done.stdout


def test_an_incomplete_check_exits_3_unless_that_is_allowed(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (python / "punchlist.toml").write_text("[engines.mypy]\nenabled = true\n", encoding="utf-8")
    tool = tmp_path / "bin" / "mypy"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'mypy 1.13.0 (compiled: yes)' && exit 0\nexit 7\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    assert call(python, "check").returncode == 3
    assert call(python, "check", "--fail-on-priority", "1").returncode == 3
    assert call(python, "check", "--fail-on-priority", "1", "--allow-partial").returncode == 0
    assert call(python, "check", "--allow-partial").returncode == 1


def test_json_is_schema_1_4_and_compact_has_short_keys(python: Path) -> None:
    value = json.loads(call(python, "check", "--format", "json").stdout)
    assert (value["schemaVersion"], value["status"], value["totalIssues"]) == ("1.4", "issues_found", 1)
    assert value["projectRoot"] == str(python.resolve())
    done = call(python, "check", "--format", "json", "--compact")
    short = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert (short["v"], short["total"], "projectRoot" in short) == ("1.4", 1, False)
    assert json.loads(call(python, "check", "--format", "sarif").stdout)["version"] == "2.1.0"


def test_paths_are_those_of_the_working_directory(python: Path) -> None:
    (python / "sub").mkdir()
    (python / "sub" / "c.py").write_text("import os\n", encoding="utf-8")
    assert "sub/c.py:1 F401" in call(python / "sub", "check", "c.py").stdout
    assert "a.py:1 F401" in call(python / "sub", "check", "../a.py").stdout


def test_base_marks_what_is_new(python: Path) -> None:
    (python / "b.py").write_text("import sys\n", encoding="utf-8")
    done = call(python, "check", "--base", "HEAD")
    assert done.returncode == 1
    assert "1 new, 1 old, 0 gone" in done.stdout
    value = json.loads(call(python, "check", "--base", "HEAD", "--format", "json").stdout)
    assert [issue["file"] for issue in value["base"]["new"]] == ["b.py"]
    assert "no commit 'nowhere'" in call(python, "check", "--base", "nowhere").stderr


def test_run_takes_a_base_too(python: Path) -> None:
    (python / "test_a.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n", encoding="utf-8"
    )
    git(python, "add", "-A")
    git(python, "commit", "-q", "-m", "test")
    (python / "test_a.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.fail('now')\n", encoding="utf-8"
    )
    done = call(python, "run", "--base", "HEAD", "--", sys.executable, "-m", "unittest", "test_a")
    assert done.returncode == 1
    assert "1 new, 0 old" in done.stdout
    assert "now" in done.stdout.partition("new (1)")[2]


def test_stats_and_the_cache_tell_what_checks_cost(python: Path) -> None:
    assert "Checks: 0" in call(python, "stats").stdout
    call(python, "check")
    call(python, "check")
    value = json.loads(call(python, "stats", "--json").stdout)
    assert (value["checks"], value["cacheHits"], value["cacheMisses"]) == (2, 3, 3)
    assert value["payloadSamples"] == 2
    assert "ruff" in call(python, "cache").stdout
    assert "3 results forgotten" in call(python, "cache", "clear", "--engine", "ruff").stdout
    assert "no engine 'rufff'" in call(python, "cache", "clear", "--engine", "rufff").stderr


def test_show_and_runs_know_checks_as_runs(python: Path) -> None:
    call(python, "check")
    assert "F401" in call(python, "show", "check-1").stdout
    assert "check-1 failed" in call(python, "runs").stdout


def test_a_plain_run_imports_nothing_of_checking(python: Path) -> None:
    heavy = "[m for m in sys.modules if 'checking' in m or 'engines' in m or 'service.base' in m]"
    code = f"import sys; from punchlist.cli.main import main; main(['run', '--', 'true']); print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], cwd=python, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
