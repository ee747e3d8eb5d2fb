"""The command line as a person uses it."""

import argparse
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from punchlist.cli import run

PUNCHLIST = [sys.executable, "-m", "punchlist.cli"]


def call(project: Path, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PUNCHLIST, *words], cwd=project, input=stdin, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["run", "--", "true"], 0, "PASSED true"),
        (["run", "--", "false"], 1, "ERROR false"),
        (["run", "--", "no-such-program"], 127, "not found"),
        (["run", "--", "echo a; exit 7"], 7, "exit 7"),
        (["run", "--", "sh", "-c", "kill -9 $$"], 137, "SIGKILL"),
        (["run", "--timeout", "0.3", "--", "sleep", "9"], 124, "out of time"),
        (["run", "--", "/dev/null"], 126, "not executable"),
        (["run", "--cwd", "nowhere", "--", "true"], 125, "nowhere"),
        (["run", "--", "echo 'a.py:1: error: bad'; true"], 0, "exit 0"),
        (["run", "--strict", "--", "echo 'a.py:1: error: bad'; true"], 1, "exit 0"),
    ],
)
def test_run_keeps_the_exit_code_and_says_how_it_ended(project: Path, words: list[str], status: int, said: str) -> None:
    done = call(project, *words)
    assert (done.returncode, done.stderr) == (status, "")
    assert said in done.stdout


def test_state_that_lies_elsewhere_is_said_once(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".punchlist").write_text("a file in the way", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "user"))
    first, second = call(project, "run", "--", "true"), call(project, "run", "--", "true")
    assert f"so state is kept in {tmp_path / 'user'}" in first.stderr
    assert second.stderr == ""


def test_several_checks_give_the_highest_exit_code(project: Path) -> None:
    (project / "punchlist.toml").write_text(
        "[checks]\na = {command = 'exit 3'}\nb = {command = 'true'}\nc = {command = 'exit 5'}\n", encoding="utf-8"
    )
    done = call(project, "run", "a", "b", "c")
    assert done.returncode == 5
    assert [line.split(" ")[0] for line in done.stdout.splitlines() if line.startswith(("PASSED", "ERROR"))] == [
        "ERROR",
        "PASSED",
        "ERROR",
    ]


def test_a_piped_input_reaches_the_command(project: Path) -> None:
    done = call(project, "run", "--", "grep", "-c", "x", stdin="x\ny\nx\n")
    assert done.returncode == 0
    assert call(project, "log", "grep-1").stdout.splitlines()[-1] == "1: 2"


def test_a_command_without_options_is_read_as_the_parser_would() -> None:
    parser = argparse.ArgumentParser()
    run.arguments(parser)
    parsed = parser.parse_args([])
    parsed.command_words = ["true"]
    assert vars(run.plain(["true"])) == vars(parsed)


def test_a_nested_run_passes_through(project: Path) -> None:
    done = call(project, "run", "--", *PUNCHLIST, "run", "--", "sh", "-c", "echo inner; exit 4")
    assert done.returncode == 4
    assert call(project, "runs").stdout.count("\n") == 1


def test_show_log_diff_rerun_and_clean_go_on_from_a_run(project: Path) -> None:
    test = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.fail('first')\n"
    (project / "test_a.py").write_text(test, encoding="utf-8")
    command = ("run", "--name", "t", "--", sys.executable, "-m", "unittest")
    assert "1 failed" in call(project, *command).stdout
    assert "first" in call(project, "show", "t-1").stdout
    assert "AssertionError" in call(project, "log", "t-1", "--grep", "Assertion").stdout
    assert call(project, "rerun", "t-1").returncode == 1
    (project / "test_a.py").write_text(test.replace("self.fail('first')", "pass"), encoding="utf-8")
    call(project, *command)
    assert "1 fixed" in call(project, "diff", "t").stdout
    assert json.loads(call(project, "show", "t-1", "--json").stdout)["outcome"] == "failed"
    assert call(project, "clean", "--all").stdout == "3 runs removed\n"


def test_read_takes_a_pipe_and_keeps_it_as_a_run(project: Path) -> None:
    log = "src/a.ts(3,5): error TS2322: Type 'x' is not assignable to type 'y'.\n"
    done = call(project, "read", "--command", "tsc", "--exit-code", "2", stdin=log)
    assert "TS2322" in done.stdout
    run_id = call(project, "runs").stdout.split(" ")[0]
    assert "TS2322" in call(project, "show", run_id).stdout


def test_read_gives_json_with_places_in_the_log(project: Path) -> None:
    (project / "log.txt").write_text("hello\na.c:3:5: error: expected ';'\n", encoding="utf-8")
    answer = json.loads(
        call(project, "read", "--command", "gcc a.c", "--exit-code", "1", "--format", "json", "log.txt").stdout
    )
    assert answer["outcome"] == "failed"
    assert answer["diagnostics"][0]["log"] == {"stream": "stdout", "first": 2, "last": 2}


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["shwo"], 2, "did you mean 'show'"),
        (["run"], 125, "name a check"),
        (["run", "nope"], 125, "no check 'nope'"),
        (["show", "nope-1"], 125, "no run 'nope-1'"),
        (["read", "missing.log"], 125, "no such file"),
        (["log", "x-1", "--lines", "a-b"], 125, "no run"),
        (["diff", "a", "b", "c"], 125, "two run ids"),
    ],
)
def test_wrong_usage_says_what_to_do(project: Path, words: list[str], status: int, said: str) -> None:
    done = call(project, *words)
    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bare_call_on_a_terminal_guides_and_exits_2(project: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(PUNCHLIST, cwd=project, stdin=theirs, capture_output=True, text=True, check=False, timeout=30)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2
    assert "punchlist run --" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_and_the_run_is_recorded(project: Path, tmp_path: Path, number: int) -> None:
    mark = tmp_path / "pid"
    running = subprocess.Popen(
        [*PUNCHLIST, "run", "--", f"echo $$ > {mark}; sleep 60"], cwd=project, stdout=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 20
    while not (mark.exists() and mark.read_text().strip()) and time.monotonic() < until:
        time.sleep(0.02)
    running.send_signal(number)
    out, _ = running.communicate(timeout=20)
    assert "cancelled" in out
    assert running.returncode == 128 + number
    assert not Path(f"/proc/{mark.read_text().strip()}").exists()


def test_the_demo_finds_the_faults_of_the_bundled_project(project: Path) -> None:
    done = call(project, "demo")
    assert done.returncode == 0
    assert "450 != 1350" in done.stdout
