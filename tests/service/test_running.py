"""Checks and commands from beginning to end."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from punchlist.model import Trouble
from punchlist.service import plan
from punchlist.service.answers import comparison, punch_list
from punchlist.service.logs import folder_of, take
from punchlist.service.project import open_project
from punchlist.service.session import Session
from punchlist.store.runs import Run

FAILING = """
import unittest
class Cart(unittest.TestCase):
    def test_total(self): self.assertEqual(1, 2)
    def test_fine(self): pass
"""


def run(session: Session, command: str | tuple[str, ...], **options: object) -> Run:
    return session.wait(session.start(plan.of_command(session.project, command, **options)).id)  # type: ignore[arg-type]


def test_failing_tests_become_a_punch_list(session: Session, project: Path) -> None:
    (project / "test_cart.py").write_text(FAILING, encoding="utf-8")
    done = run(session, (sys.executable, "-m", "unittest"))
    text = punch_list(session.project, done)
    assert (done.outcome, done.how.exit_code) == ("failed", 1)
    assert "AssertionError: 1 != 2" in text
    assert "test_cart.py" in text


def test_a_passing_run_is_one_line(session: Session) -> None:
    text = punch_list(session.project, run(session, "true"))
    assert text.startswith("PASSED true")
    assert "\n" not in text


@pytest.mark.parametrize(
    ("command", "outcome", "ending"),
    [
        ("exit 3", "error", "exit"),
        ("kill -9 $$", "error", "signal"),
        ("no-such-program-at-all", "error", "not_found"),
        ("/dev/null", "error", "not_executable"),
    ],
)
def test_each_bad_end_has_its_own_verdict(session: Session, command: str, outcome: str, ending: str) -> None:
    done = run(session, command)
    assert (done.outcome, session.report(done.id).how.ending) == (outcome, ending)


def test_exit_0_with_failing_tests_is_a_failure_and_says_why(session: Session, project: Path) -> None:
    (project / "test_cart.py").write_text(FAILING, encoding="utf-8")
    done = run(session, f"{sys.executable} -m unittest || true")
    assert done.outcome == "failed"
    assert "exit 0" in punch_list(session.project, done).splitlines()[0]


def test_a_pipe_to_tail_does_not_hide_the_exit_code(session: Session, project: Path) -> None:
    (project / "test_cart.py").write_text(FAILING, encoding="utf-8")
    done = run(session, f"{sys.executable} -m unittest 2>&1 | tail -1")
    assert (done.outcome, done.how.exit_code) == ("failed", 1)
    assert "1 != 2" in punch_list(session.project, done)


def test_a_missing_folder_is_said_plainly(session: Session) -> None:
    done = run(session, "true", cwd="nowhere")
    assert done.outcome == "error"
    assert "nowhere" in session.report(done.id).how.message


def test_out_of_time_keeps_what_came_and_ends_the_tree(session: Session, project: Path) -> None:
    done = run(session, "echo begun; sleep 30; touch late", timeout_s=0.5)
    assert done.how.ending == "timeout"
    assert take(folder_of(session.project.runs_folder, done), "merged").lines == ((1, "begun"),)
    assert not (project / "late").exists()


def test_the_same_check_asked_twice_at_once_runs_once(session: Session, project: Path) -> None:
    (project / "punchlist.toml").write_text('[checks.slow]\ncommand = "sleep 0.3"\n', encoding="utf-8")
    first, second = session.start_checks(["slow"]), session.start_checks(["slow"])
    assert first[0].id == second[0].id
    assert session.wait(first[0].id).outcome == "passed"


def test_stopping_a_run_ends_it_now(session: Session) -> None:
    started = session.start(plan.of_command(session.project, "sleep 30"))
    done = session.stop(started.id)
    assert (done.state, done.how.ending) == ("done", "cancelled")
    assert done.duration_s < 10


def test_a_pipeline_stops_at_the_first_failure_and_says_what_did_not_run(session: Session, project: Path) -> None:
    toml = """
[checks.full]
steps = [{name = "one", command = "true"}, {name = "two", command = "exit 4"}, {name = "three", command = "true"}]
on_failure = "echo looked"
"""
    (project / "punchlist.toml").write_text(toml, encoding="utf-8")
    done = session.wait(session.start_checks(["full"])[0].id)
    assert [step["status"] for step in done.facts["steps"]] == ["completed", "failed", "skipped"]
    assert done.how.exit_code == 4
    assert any("not run: three" in note for note in session.report(done.id).notes)
    folder = folder_of(session.project.runs_folder, done, whole=True)
    assert take(folder, "stdout", captured_on_failure=True).lines == ((1, "looked"),)


def test_an_answer_says_what_changed_since_the_last_run(session: Session, project: Path) -> None:
    (project / "test_cart.py").write_text(FAILING, encoding="utf-8")
    command = (sys.executable, "-m", "unittest")
    first = run(session, command)
    (project / "test_cart.py").write_text(FAILING.replace("1, 2", "1, 1"), encoding="utf-8")
    second = run(session, command)
    assert f"since {first.id}: 1 fixed" in punch_list(session.project, second)


def test_a_crash_after_a_failure_fixes_nothing(session: Session, project: Path) -> None:
    (project / "test_cart.py").write_text(FAILING, encoding="utf-8")
    command = (sys.executable, "-m", "unittest")
    first = run(session, command)
    (project / "test_cart.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", encoding="utf-8")
    second = run(session, command)
    delta = comparison(session.project, first.id, second.id, None)
    assert not delta.removed
    assert len(delta.unobserved) == 1


def test_report_files_are_read_when_they_are_newer_than_the_run(session: Session, project: Path) -> None:
    case = '<testcase classname="C" name="t"><failure message="boom"/></testcase>'
    xml = f'<testsuite name="s" tests="1" failures="1">{case}</testsuite>'
    (project / "old.xml").write_text(xml, encoding="utf-8")
    os.utime(project / "old.xml", (1, 1))
    toml = f"""[checks.t]\ncommand = "echo '{xml.replace('"', chr(92) + '"')}' > new.xml"\nreports = ["*.xml"]\n"""
    (project / "punchlist.toml").write_text(toml, encoding="utf-8")
    done = session.wait(session.start_checks(["t"])[0].id)
    assert [d.message for d in session.report(done.id).diagnostics] == ["boom"]
    assert done.outcome == "failed"


def test_logs_and_folders_belong_to_their_owner_alone(session: Session) -> None:
    done = run(session, "echo secret")
    folder = folder_of(session.project.runs_folder, done)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder.parent)} == {0o700}


def test_a_run_whose_owner_was_killed_becomes_interrupted(project: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = (
        "from punchlist.service.project import open_project; from punchlist.service.session import Session;"
        "from punchlist.service import plan;"
        f"s = Session(open_project(explicit={str(project)!r}));"
        f"s.wait(s.start(plan.of_command(s.project, 'echo begun; echo $$ > {mark}; sleep 60')).id)"
    )
    owner = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 20
    while not (mark.exists() and mark.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int(mark.read_text())
    logs = project / ".punchlist" / "runs"
    while not any(log.stat().st_size for log in logs.glob("*/stdout.log")) and time.monotonic() < deadline:
        time.sleep(0.02)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    session = Session(open_project(explicit=str(project)))
    assert [run.state for run in session.recover()] == ["interrupted"]
    interrupted = session.project.store.newest()[0]
    assert session.report(interrupted.id).how.ending == "owner_died"
    assert take(folder_of(session.project.runs_folder, interrupted), "merged").lines == ((1, "begun"),)
    while time.monotonic() < deadline and Path(f"/proc/{child}").exists():
        time.sleep(0.02)
    assert not Path(f"/proc/{child}").exists()


def test_unknown_checks_are_refused_with_what_there_is(session: Session, project: Path) -> None:
    (project / "punchlist.toml").write_text('[checks.test]\ncommand = "true"\n', encoding="utf-8")
    with pytest.raises(Trouble, match="available: test"):
        session.start_checks(["test", "tset"])
    assert session.project.store.newest() == []


def test_files_that_a_run_changed_are_named(session: Session, project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "a.txt").write_text("x", encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    done = run(session, "echo y > a.txt")
    assert any("a.txt" in note for note in session.report(done.id).notes)


def test_clean_removes_what_is_asked_for_and_keeps_what_is_pinned(session: Session) -> None:
    runs = [run(session, "true") for _ in range(3)]
    session.project.store.pin(runs[0].id)
    gone = session.clean(everything=True)
    assert {one.id for one in gone} == {runs[1].id, runs[2].id}
    assert [path.name for path in session.project.runs_folder.iterdir()] == [runs[0].id]
