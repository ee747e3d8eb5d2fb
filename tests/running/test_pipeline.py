import threading

import pytest

from punchlist import platforms
from punchlist.running.capture import Handle
from punchlist.running.pipeline import Step, run_pipeline, step_folder

pytestmark = pytest.mark.skipif(platforms.WINDOWS, reason="these commands are written for a POSIX shell")


def steps(folder, *commands, **more):
    return [Step(name=f"s{n}", command=command, cwd=str(folder), **more) for n, command in enumerate(commands, 1)]


def statuses(result):
    return [step.status for step in result.steps]


def test_steps_run_in_order_with_logs_of_their_own(tmp_path):
    result = run_pipeline(steps(tmp_path, "echo one", "echo two >&2"), str(tmp_path / "run"))
    assert statuses(result) == ["passed", "passed"]
    assert (result.how.ending, result.how.exit_code, result.failed_step) == ("exit", 0, None)
    assert (tmp_path / "run/steps/1-s1/stdout.log").read_text() == "one\n"
    assert (tmp_path / "run/steps/2-s2/stderr.log").read_text() == "two\n"


@pytest.mark.parametrize(
    ("fail_fast", "expected"), [(True, ["passed", "failed", "skipped"]), (False, ["passed", "failed", "failed"])]
)
def test_fail_fast_skips_the_rest(tmp_path, fail_fast, expected):
    result = run_pipeline(steps(tmp_path, "true", "exit 3", "exit 4"), str(tmp_path / "run"), fail_fast=fail_fast)
    assert statuses(result) == expected
    assert (result.failed_step, result.how.exit_code) == (1, 3)


@pytest.mark.parametrize(
    ("command", "status"),
    [("kill -9 $$", "killed"), ("sleep 30", "timeout"), ("no-such-program-xyz", "failed"), ("exit 1", "failed")],
)
def test_each_way_to_fail_has_its_status(tmp_path, command, status):
    result = run_pipeline(steps(tmp_path, command, timeout_s=0.2), str(tmp_path / "run"))
    assert statuses(result) == [status]


def test_the_pipelines_own_limit_is_honoured_and_named(tmp_path):
    result = run_pipeline(
        steps(tmp_path, "true", "sleep 30", "true", timeout_s=20), str(tmp_path / "run"), timeout_s=0.3
    )
    assert statuses(result) == ["passed", "timeout", "skipped"]
    assert result.how.ending == "timeout"
    assert result.how.message == "the pipeline was out of time after 0.3 s, in step s2"
    assert result.duration_s < 3


def test_a_steps_own_limit_comes_first(tmp_path):
    result = run_pipeline(steps(tmp_path, "sleep 30", timeout_s=0.2), str(tmp_path / "run"), timeout_s=20)
    assert "after 0.2 s" in result.how.message


def test_the_command_after_a_failure_runs_where_the_step_ran(tmp_path):
    (tmp_path / "sub").mkdir()
    step = Step(
        name="a", command="exit 1", cwd=str(tmp_path / "sub"), env={"X": "y", "PATH": "/bin"}, on_failure="pwd; echo $X"
    )
    after = Step(name="check", command="echo whole >&2", cwd=str(tmp_path))
    result = run_pipeline([step], str(tmp_path / "run"), on_failure=after)
    assert (tmp_path / "run/steps/1-a/on_failure.stdout.log").read_text() == f"{tmp_path}/sub\ny\n"
    assert (tmp_path / "run/on_failure.stderr.log").read_text() == "whole\n"
    assert result.on_failure is not None
    assert result.on_failure.how.exit_code == 0
    assert result.how.exit_code == 1


def test_nothing_runs_after_success(tmp_path):
    after = Step(name="check", command="echo x > made", cwd=str(tmp_path))
    result = run_pipeline(steps(tmp_path, "true", on_failure="echo y > made"), str(tmp_path / "run"), on_failure=after)
    assert result.on_failure is None
    assert not (tmp_path / "made").exists()


def test_a_cancel_ends_the_step_and_skips_the_rest(tmp_path):
    handle = Handle()
    threading.Timer(0.2, handle.cancel).start()
    after = Step(name="check", command="echo x > made", cwd=str(tmp_path))
    commands = steps(tmp_path, "sleep 30", "echo y > made")
    result = run_pipeline(commands, str(tmp_path / "run"), fail_fast=False, handle=handle, on_failure=after)
    assert statuses(result) == ["killed", "skipped"]
    assert result.how.ending == "cancelled"
    assert not (tmp_path / "made").exists()


def test_the_ceiling_is_for_all_steps_together(tmp_path):
    result = run_pipeline(
        steps(tmp_path, "head -c 600 /dev/zero", "head -c 600 /dev/zero"), str(tmp_path / "run"), ceiling=1000
    )
    assert statuses(result) == ["passed", "killed"]
    assert result.how.ending == "ceiling"


def test_a_log_may_show_that_a_step_with_exit_0_failed(tmp_path):
    result = run_pipeline(steps(tmp_path, "true", "true"), str(tmp_path / "run"), passed=lambda number, _: number != 0)
    assert statuses(result) == ["failed", "skipped"]
    assert (result.failed_step, result.how.exit_code) == (0, 0)


def test_every_change_of_status_is_told(tmp_path):
    told, started = [], []
    run_pipeline(
        steps(tmp_path, "true", "exit 1", "true"),
        str(tmp_path / "run"),
        on_step=lambda *change: told.append(change),
        on_start=lambda number, one: started.append((number, one.pid > 0)),
    )
    assert told == [(0, "running"), (0, "passed"), (1, "running"), (1, "failed"), (2, "skipped")]
    assert started == [(0, True), (1, True)]


@pytest.mark.parametrize(
    ("name", "folder"),
    [("lint", "2-lint"), ("../../etc", "2--etc"), ("a b/c", "2-a-b-c"), ("", "2-step"), ("é", "2--")],
)
def test_a_step_cannot_leave_the_folder_of_its_run(name, folder):
    assert step_folder("/r", 2, name) == f"/r/steps/{folder}"
