"""What many tests share: a project of their own, and a session in it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from punchlist.service.project import open_project
from punchlist.service.session import Session

BUILT_FOR_AGENTS = (
    "CLAUDE",
    "CODEX",
    "CURSOR",
    "GEMINI",
    "PUNCHLIST",
    "QWEN",
    "COPILOT",
    "OPENCODE",
    "XDG_CONFIG_HOME",
    "SIGNAL",
    "SIGNALINT",
    "FORCE_COLOR",
    "NO_COLOR",
    "COLUMNS",
)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away variables that would change where the product works or how tools print."""
    for name in list(os.environ):
        if name.startswith(BUILT_FOR_AGENTS):
            monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return an empty project of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "punchlist.toml").write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def session(project: Path) -> Iterator[Session]:
    """Return a session in that project; its runs are ended with the test."""
    found = Session(open_project(explicit=str(project)))
    yield found
    found.lives.end_all()
    found.project.store.close()
