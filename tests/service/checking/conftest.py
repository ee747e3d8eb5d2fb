"""A Python project that ruff and mypy check, in a git repository."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from punchlist.service.checking.asked import of_files, of_project
from punchlist.service.session import Session
from punchlist.store.runs import Run

CONFIG = '[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = ["E", "F"]\n'


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def own_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the tools beside this Python be found, and the user's state lie in a folder of the test."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state-home"))
    # These tests write files and check them within the time in which two writes could not be told apart.
    monkeypatch.setattr("punchlist.engines.signatures.SLACK_NS", 0)


@pytest.fixture
def python(project: Path) -> Path:
    """Return a project with two modules; one of them imports what it does not use."""
    (project / "pyproject.toml").write_text(CONFIG, encoding="utf-8")
    (project / "a.py").write_text("import os\n\n\ndef total(x):\n    return x\n", encoding="utf-8")
    (project / "b.py").write_text("from a import total\n\nprint(total(1))\n", encoding="utf-8")
    (project / ".gitignore").write_text(".punchlist/\n", encoding="utf-8")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    return project


@pytest.fixture
def check(session: Session, python: Path) -> Callable[..., Run]:
    """Return a way to check the project, or some files of it, to the end."""

    def run(*files: str, fresh: bool = False) -> Run:
        asked = of_files(session.project, files, fresh=fresh) if files else of_project(session.project, fresh=fresh)
        return session.wait(session.check(asked).id, 60)

    return run
