"""`punchlist fix` and `punchlist undo` as a person uses them, with a real tool."""

import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

PUNCHLIST = [sys.executable, "-m", "punchlist.cli"]
RUFF = Path(sys.executable).with_name("ruff")
FAULTY = "import os\nimport sys\n\nprint(sys.path)\n"

pytestmark = pytest.mark.skipif(not RUFF.exists(), reason="needs ruff")


def call(project: Path, *words: str, stdin: int | None = subprocess.DEVNULL) -> subprocess.CompletedProcess[str]:
    path = f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [*PUNCHLIST, *words], cwd=project, stdin=stdin, capture_output=True, text=True, timeout=60,
        env={**os.environ, "PATH": path},
    )  # fmt: skip


@pytest.fixture
def checked(project: Path) -> Path:
    """Return a project whose check found something that ruff can fix."""
    (project.parent / "bin").mkdir()
    shutil.copy(RUFF, project.parent / "bin" / "ruff")
    (project / "ruff.toml").write_text("", encoding="utf-8")
    (project / "a.py").write_text(FAULTY, encoding="utf-8")
    assert "F401" in call(project, "check").stdout
    return project


def test_fix_shows_writes_with_yes_and_is_taken_back(checked: Path) -> None:
    shown = call(checked, "fix")
    assert shown.returncode == 1
    assert "-import os\n" in shown.stdout
    assert (checked / "a.py").read_text(encoding="utf-8") == FAULTY
    named = shown.stdout.rsplit("punchlist fix ", 1)[1].split()[0]
    assert call(checked, "fix", named, "--yes").returncode == 0
    assert "print(sys.path)" in call(checked, "fix", named).stdout
    assert call(checked, "undo").returncode == 0
    done = call(checked, "fix", "--engine", "ruff", "--rule", "F401", "a.py", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 fixed" in done.stdout
    assert (checked / "a.py").read_text(encoding="utf-8") == FAULTY.replace("import os\n", "")
    name = done.stdout.rsplit("punchlist undo ", 1)[1].strip()
    assert call(checked, "undo", name).stdout.startswith(f"UNDONE {name}")
    assert (checked / "a.py").read_text(encoding="utf-8") == FAULTY
    assert "nothing to undo" in call(checked, "undo").stderr


@pytest.mark.parametrize(("answer", "written"), [(b"y\n", True), (b"n\n", False), (b"\n", False)])
def test_fix_asks_on_a_terminal(checked: Path, answer: bytes, written: bool) -> None:
    ours, theirs = pty.openpty()
    path = f"{checked.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with subprocess.Popen(
        [*PUNCHLIST, "fix"], cwd=checked, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "PATH": path}
    ) as child:
        os.write(ours, answer)
        os.set_blocking(ours, False)
        while child.poll() is None:
            try:
                os.read(ours, 65536)
            except BlockingIOError:
                time.sleep(0.02)
    os.close(ours)
    os.close(theirs)
    assert child.returncode == (0 if written else 1)
    assert ((checked / "a.py").read_text(encoding="utf-8") != FAULTY) is written


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fix", "nope-1"], "there is no such file; no run 'nope-1'"),
        (["fix", "fix-00000000"], "no transaction"),
        (["fix", "fix-00000000", "a.py"], "no more words"),
        (["fix", "check-1", "gone.py"], "there is no gone.py"),
        (["undo", "fix-00000000"], "no transaction"),
    ],
)
def test_wrong_words_say_what_to_do(checked: Path, words: list[str], said: str) -> None:
    done = call(checked, *words)
    assert done.returncode == 125
    assert said in done.stderr


def test_what_is_written_at_once_is_shown_in_short_and_whole_by_its_id(checked: Path) -> None:
    (checked / "a.py").write_text("".join(f"import a{n}\n" for n in range(2000)), encoding="utf-8")
    call(checked, "check")
    done = call(checked, "fix", "--yes").stdout
    assert len(done) < 6000
    name = done.split()[1]
    assert f"\n+ more of 1 file (a.py +0 -2000): punchlist fix {name}\n" in done
    assert f"APPLIED {name} · 1 file: a.py" in done
    assert "\n-import a1999\n" in call(checked, "fix", name).stdout


def test_a_project_that_lets_nothing_be_written_says_so(checked: Path) -> None:
    with (checked / "punchlist.toml").open("a", encoding="utf-8") as file:
        file.write('writes = "off"\n')
    shown = call(checked, "fix")
    assert "-import os" in shown.stdout
    assert shown.stdout.endswith("nothing was written (writes = off in the configuration)\n")
    done = call(checked, "fix", "--yes")
    assert (done.returncode, done.stdout) == (125, "")
    assert "lets nothing be written" in done.stderr


def test_fixing_again_finds_nothing_and_names_what_is_left(checked: Path) -> None:
    (checked / "a.py").write_text("import os\n\n\ndef f():\n    x = 1\n", encoding="utf-8")
    call(checked, "check")
    assert "1 fixed" in call(checked, "fix", "--yes").stdout
    again = call(checked, "fix", "--yes")
    assert again.returncode == 0
    assert "1 of 1 have one that its tool does not call safe" in again.stdout
    gone = call(checked, "fix", "--yes", "--rule", "F401")
    assert gone.returncode == 0
    assert "nothing to fix any more" in gone.stdout


def test_nothing_to_fix_is_no_failure(checked: Path) -> None:
    done = call(checked, "fix", "--rule", "X999")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing to fix" in done.stdout
