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
    assert "add --yes" in shown.stdout
    assert (checked / "a.py").read_text(encoding="utf-8") == FAULTY
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
        (["fix", "nope-1"], "no run 'nope-1'"),
        (["fix", "check-1", "gone.py"], "there is no gone.py"),
        (["undo", "fix-00000000"], "no transaction"),
    ],
)
def test_wrong_words_say_what_to_do(checked: Path, words: list[str], said: str) -> None:
    done = call(checked, *words)
    assert done.returncode == 125
    assert said in done.stderr


def test_nothing_to_fix_is_no_failure(checked: Path) -> None:
    done = call(checked, "fix", "--rule", "X999")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing to fix" in done.stdout
